"""Special functions, element by element: erf, gamma and Bessel families. Computed in float64, returned in x's dtype."""

import math

import numpy as np

from ...core.op import op
from ...core.steps import Formula, Step
from ..arguments import need_real, quiet
from ..families.sharding import elementwise
from ..manipulation.reshape import cast
from ..short import through_float32
from .arithmetic import clip, divide, multiply
from .logic import equal
from .unary import exp, sign

_TWO_OVER_ROOT_PI = 2 / np.sqrt(np.pi)


def _in_double(function):
    """The function evaluated in float64 and rounded back to the argument's type."""
    def run(x, *args):
        need_real(x, function.__name__.removesuffix("_double"))
        return np.asarray(function(np.asarray(x, np.float64), *args)).astype(x.dtype)
    return run


def erf_double(x):
    """erf by its series for |x| < 3 and the continued fraction of erfc beyond."""
    a = np.abs(x)
    small = np.minimum(a, 3.0)
    term = small.copy()
    total = term.copy()
    for n in range(1, 60):  # sum of 2^n x^(2n+1) / (2n+1)!!
        term = term * (2 * small * small) / (2 * n + 1)
        total = total + term
    near = _TWO_OVER_ROOT_PI * np.exp(-small * small) * total
    big = np.maximum(a, 3.0)
    fraction = big.copy()
    for k in range(40, 0, -1):
        fraction = big + (k / 2) / fraction
    with np.errstate(under="ignore"):
        far = 1 - np.exp(-big * big) / (fraction * np.sqrt(np.pi))
    return np.where(np.isnan(x), np.nan, np.sign(x) * np.where(a < 3.0, near, far))


@op("erf(X) -> Out", family="same", sharding=elementwise, step=Step("erf"))
@quiet
def erf(x):
    """The error function."""
    return _in_double(erf_double)(x)


erf.grad(x=lambda g, x: g * exp(-(x * x)) * float(_TWO_OVER_ROOT_PI))


def lgamma_double(x):
    """log |gamma(x)|: Stirling's series far from 0, the recurrence on the way there, reflection for x < 0.5."""
    reflect = x < 0.5
    z = np.where(reflect, 1 - x, x)
    product = np.ones_like(z)
    for _ in range(10):
        low = z < 10
        product = np.where(low, product * z, product)
        z = np.where(low, z + 1, z)
    shift = np.log(product)
    r = 1 / (z * z)
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * (691 / 360360 - r / 156)))))) / z
    with np.errstate(invalid="ignore", divide="ignore"):
        stirling = np.where(np.isinf(z), np.inf, (z - 0.5) * np.log(z) - z + 0.5 * np.log(2 * np.pi) + series - shift)
        sine = np.abs(np.sin(np.pi * (x - np.floor(x))))
        mirrored = np.log(np.pi) - np.log(sine) - stirling
    mirrored = np.where(x == np.floor(x), np.inf, mirrored)
    return np.where(np.isnan(x), np.nan, np.where(reflect, mirrored, stirling))


def zeta_double(s, q):
    """Hurwitz's zeta sum of (q + k)^-s for s > 1, q > 0, by Euler and Maclaurin."""
    total = np.zeros_like(q)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
        for k in range(12):
            total = total + (q + k) ** -s
        a = q + 12.0
        total = total + a ** (1 - s) / (s - 1) + 0.5 * a ** -s
        factor, power = float(s), a ** (-s - 1)
        # B(2j) / (2j)!
        for j, b in enumerate((1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000,
                               1 / 74724249600)):
            total = total + b * factor * power
            factor *= (s + 2 * j + 1) * (s + 2 * j + 2)
            power = power / (a * a)
    return total


def digamma_double(x):
    """The derivative of log gamma: series far from 0, the recurrence on the way there, reflection for x <= 0."""
    reflect = x <= 0
    z = np.where(reflect, 1 - x, x)
    shift = np.zeros_like(z)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(10):
            low = z < 10
            shift = np.where(low, shift - 1 / z, shift)
            z = np.where(low, z + 1, z)
        r = 1 / (z * z)
        series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))))))
        far = np.where(np.isinf(z), np.inf, np.log(z) - 0.5 / z - series) + shift
        mirrored = far - np.pi / np.tan(np.pi * (x - np.floor(x)))
    return np.where(reflect, np.where(x == np.floor(x), np.nan, mirrored), far)


def _zeta_anywhere(s, x):
    """Hurwitz's zeta for whole s and any x: for x <= 0 from the sum over all integers, which repeats with period 1."""
    negative = x <= 0
    total = zeta_double(s, np.where(negative, 1.0, x))
    if not negative.any():
        return total
    part = np.where(negative & np.isfinite(x), x - np.floor(x), 0.5)
    pole = part == 0
    part = np.where(pole, 0.5, part)
    sign = (-1) ** int(s)
    mirrored = zeta_double(s, part) + sign * zeta_double(s, 1 - part) - sign * zeta_double(s, np.where(negative, 1 - x, 1.0))
    return np.where(negative, np.where(pole, np.inf, mirrored), total)


def polygamma_double(x, n):
    """The n-th derivative of digamma: (-1)^(n+1) n! zeta(n + 1, x)."""
    if n == 0:
        return digamma_double(x)
    factorial = float(math.factorial(n)) if n <= 170 else np.inf
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return (-1) ** (n + 1) * factorial * _zeta_anywhere(n + 1.0, x)


@op("lgamma(X) -> Out", family="same", sharding=elementwise, step=Step("lgamma"))
@quiet
def lgamma(x):
    """The logarithm of the absolute value of the gamma function."""
    return _in_double(lgamma_double)(x)


@op("digamma(X) -> Out", family="same", sharding=elementwise, step=Step("digamma"))
@quiet
def digamma(x):
    """The derivative of lgamma."""
    return _in_double(digamma_double)(x)


@op("polygamma(x) -> out", family="same", sharding=elementwise,
    step=Step(lambda n: {0: "digamma", 1: "trigamma"}.get(n)))
@quiet
def polygamma(x, n=1):
    """The n-th derivative of digamma."""
    if n < 0:
        raise ValueError(f"polygamma(): n must not be negative, got {n}")
    return _in_double(polygamma_double)(x, n)


lgamma.grad(x=lambda g, x: g * digamma(x))
digamma.grad(x=lambda g, x: g * polygamma(x, 1))
polygamma.grad(x=lambda g, x, n: g * polygamma(x, n + 1))


def erfinv_double(x):
    """The inverse of erf: a rational start (Giles), then three steps of Newton with erf's own derivative."""
    with np.errstate(divide="ignore", invalid="ignore"):
        w = -np.log1p(-x * x)
        # Winitzki's closed form is near enough to start from
        a = 0.147
        b = 2 / (np.pi * a) - w / 2
        y = np.sign(x) * np.sqrt(np.sqrt(b * b + w / a) - b)
        for _ in range(4):
            error = (erf_double(y) - x) / (_TWO_OVER_ROOT_PI * np.exp(-y * y))
            y = y - error / (1 + y * error)  # Halley: the second derivative is -2y times the first
    y = np.where(np.abs(x) >= 1, np.sign(x) * np.inf, y)  # beyond 1, too, as in Paddle
    return np.where(x == 0, x, y)


@op("erfinv(X) -> Out", family="same", sharding=elementwise, amp="black")
@quiet
def erfinv(x):
    """The number whose erf is x."""
    return _in_double(erfinv_double)(x)


erfinv.grad(x=lambda g, out: g * exp(out * out) * float(1 / _TWO_OVER_ROOT_PI))


def _bessel(order):
    """exp(-|x|) I_order(x) by the power series for |x| < 20 and Hankel's series beyond."""
    def run(x):
        a = np.abs(x)
        small, big = np.minimum(a, 20.0), np.maximum(a, 20.0)
        quarter = small * small / 4
        term = np.ones_like(small) if order == 0 else small / 2
        near = term.copy()
        for k in range(1, 80):
            term = term * quarter / (k * (k + order))
            near = near + term
        near = near * np.exp(-small)
        mu, far, term = 4.0 * order * order, np.ones_like(big), np.ones_like(big)
        for k in range(1, 30):
            term = term * -(mu - (2 * k - 1) ** 2) / (k * 8 * big)
            far = far + term
        far = far / np.sqrt(2 * np.pi * big)
        out = np.where(a < 20.0, near, far)
        out = np.where(np.isinf(x), 0.0, out)
        return np.where(np.isnan(x), np.nan, out if order == 0 else np.sign(x) * out)
    run.__name__ = f"i{order}e"
    return run


_i0e, _i1e = _bessel(0), _bessel(1)


def _grown(function):
    def run(x):
        with np.errstate(over="ignore", invalid="ignore"):
            return np.where(np.isinf(x), np.inf if function is _i0e else x, function(x) * np.exp(np.abs(x)))
    run.__name__ = function.__name__[:2]
    return run


@op("i0(x) -> out", family="same", sharding=elementwise)
@quiet
def i0(x):
    """The modified Bessel function of the first kind, order 0."""
    return _in_double(_grown(_i0e))(x)


@op("i0e(x) -> out", family="same", sharding=elementwise)
@quiet
def i0e(x):
    """exp(-|x|) times the modified Bessel function of order 0."""
    return _in_double(_i0e)(x)


@op("i1(x) -> out", family="same", sharding=elementwise)
@quiet
def i1(x):
    """The modified Bessel function of the first kind, order 1."""
    return _in_double(_grown(_i1e))(x)


@op("i1e(x) -> out", family="same", sharding=elementwise)
@quiet
def i1e(x):
    """exp(-|x|) times the modified Bessel function of order 1."""
    return _in_double(_i1e)(x)


@op("i1_over_x(X) -> Out", family="same", sharding=elementwise)
@quiet
def i1_over_x(x, scaled=False):
    """I1(x) / x, which is 1/2 at 0; times exp(-|x|) if ``scaled``."""
    def run(x):
        tiny = np.abs(x) < 1e-30
        safe = np.where(tiny, 1.0, x)
        grow = 1.0 if scaled else np.exp(np.abs(safe))
        return np.where(tiny, 0.5, _i1e(safe) * grow / safe)
    return _in_double(run)(x)


@op("i2_over_x(X) -> Out", family="same", sharding=elementwise)
@quiet
def i2_over_x(x, scaled=False):
    """I2(x) / x, which is 0 at 0; times exp(-|x|) if ``scaled``: the derivative of I1(x) / x."""
    def run(x):
        small = np.abs(x) < 0.05
        safe = np.where(small, 1.0, x)
        grow = 1.0 if scaled else np.exp(np.abs(safe))
        q = x * x / 4
        series = x / 8 * (1 + q / 3 + q * q / 24 + q ** 3 / 360) * (np.exp(-np.abs(x)) if scaled else 1.0)
        return np.where(small, series, (_i0e(safe) - 2 * _i1e(safe) / safe) * grow / safe)
    return _in_double(run)(x)


i0.grad(x=lambda g, x: g * i1(x))
i1.grad(x=lambda g, x: g * (i0(x) - i1_over_x(x)))
i0e.grad(x=lambda g, x, out: g * (i1e(x) - sign(x) * out))
i1e.grad(x=lambda g, x, out: g * (i0e(x) - i1_over_x(x, True) - sign(x) * out))
i1_over_x.grad(x=lambda g, x, out, scaled: g * (i2_over_x(x, scaled) - (sign(x) * out if scaled else out * 0)))
i2_over_x.grad(x=lambda g, x, out, scaled: g * (i1_over_x(x, scaled) - out * 3 / x
                                                - (sign(x) * out if scaled else out * 0)))


def _logit_steps(emit, x, eps):
    x = emit("limit", x, float(eps), float(1 - eps)) if eps else x
    return emit("log", emit("div", x, emit("sub", 1.0, x)))


@op("logit(X) -> Out", family="same", sharding=elementwise, step=Formula(_logit_steps))
@quiet
def logit(x, eps=1e-6):
    """log(x / (1 - x)); x is limited to [eps, 1 - eps] first if eps > 0, else numbers outside (0, 1) give NaN."""
    if eps:
        x = np.clip(x, x.dtype.type(eps), x.dtype.type(1 - eps))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(x / (x.dtype.type(1) - x))


def _logit_grad(g, x, eps):
    """0 where x is limited, also where it is outside [0, 1] and the curve has no value; infinite at 0 and 1 without eps."""
    within = cast(equal(x, clip(x, None, None, eps, 1 - eps)), x.dtype)
    x = multiply(x, within) + (1 - within) * 0.5
    return multiply(divide(g, x * (1 - x)), within)


logit.grad(x=_logit_grad)


@op("frexp_exponent(X) -> Out", family="same", sharding=elementwise)
@quiet
def frexp_exponent(x):
    """The power of two that brings x into [0.5, 1) when divided by it, in the dtype of x."""
    return np.frexp(x)[1].astype(x.dtype)


@op("power_of_two(X) -> Out", family="same", sharding=elementwise)
@quiet
def power_of_two(x):
    """2 to the power x, exactly for whole numbers."""
    return np.exp2(x)


@op("frexp_mantissa(X) -> Out", family="same", sharding=elementwise)
@quiet
def frexp_mantissa(x):
    """x divided by the power of two that brings it into [0.5, 1)."""
    return np.frexp(x)[0]


frexp_mantissa.grad(x=lambda g, x: g * power_of_two(frexp_exponent(x) * -1.0))
power_of_two.grad(x=lambda g, out: g * out * math.log(2))

through_float32(erf, logit)
