"""Shifts of bits, signs, and the incomplete gamma functions: elementwise operators that Paddle 3 added."""

import numpy as np

from ..core.errors import ElementTypeError
from ..core.op import op
from .arguments import need_real, quiet
from .library import by_library
from .math.special import lgamma, lgamma_double
from .math.unary import exp, log, sign

_TERMS = 2000  # of the series and of the fraction; both stop when nothing changes any more


def _shift(name, arithmetic, doc):
    """The operator that moves bits; without ``is_arithmetic`` the sign bit moves like the others."""
    def kernel(x, y, is_arithmetic=True):
        for value, argument in ((x, "x"), (y, "y")):
            if value.dtype.kind not in "iu":
                raise ElementTypeError(f"{name}(): {argument} must be an integer tensor, got {value.dtype.name}")
        if is_arithmetic or x.dtype.kind == "u":
            return arithmetic(x, y)
        unsigned = np.dtype(f"u{x.dtype.itemsize}")
        return arithmetic(x.view(unsigned), y.astype(unsigned)).view(x.dtype)
    kernel.__name__, kernel.__doc__, kernel.__module__ = name, doc, __name__
    return op(f"{name}(X, Y) -> Out", family="broadcast")(kernel)


bitwise_left_shift = _shift("bitwise_left_shift", np.left_shift, "The bits of x moved y places up.")
bitwise_right_shift = _shift("bitwise_right_shift", np.right_shift, "The bits of x moved y places down.")


@op("copysign(X, Y) -> Out", family="broadcast")
def copysign(x, y):
    """The size of x with the sign of y; a zero of y has a sign too."""
    need_real(x, "copysign")
    return np.copysign(x, y).astype(x.dtype, copy=False)


copysign.grad(x=lambda g, x, y: g * sign(x) * copysign(x * 0 + 1, y))


def _lower_series(a, y):
    """The regularised lower function by its power series: for y < a + 1."""
    term = 1 / a
    total = term.copy()
    for n in range(1, _TERMS):
        term = term * y / (a + n)
        total = total + term
        if not np.any(np.abs(term) > 1e-17 * np.abs(total)):
            break
    return total * np.exp(a * np.log(y) - y - lgamma_double(a))


def _upper_fraction(a, y):
    """The regularised upper function by Legendre's continued fraction: for y >= a + 1."""
    tiny = 1e-300
    b = y + 1 - a
    c = np.full_like(b, 1 / tiny)
    d = 1 / b
    value = d.copy()
    for n in range(1, _TERMS):
        factor = -n * (n - a)
        b = b + 2
        d = factor * d + b
        d = 1 / np.where(np.abs(d) < tiny, tiny, d)
        c = b + factor / c
        c = np.where(np.abs(c) < tiny, tiny, c)
        change = d * c
        value = value * change
        if not np.any(np.abs(change - 1) > 1e-16):
            break
    return value * np.exp(a * np.log(y) - y - lgamma_double(a))


def upper_double(a, y):
    """Q(a, y), the upper incomplete gamma function divided by gamma(a), in float64; NaN outside a, y >= 0."""
    a, y = np.broadcast_arrays(a, y)
    inner = (a > 0) & (y > 0) & np.isfinite(a) & np.isfinite(y)
    series = inner & (y < a + 1)
    one = np.ones_like(y)
    low = 1 - _lower_series(np.where(series, a, one), np.where(series, y, one))
    far = inner & ~series
    high = _upper_fraction(np.where(far, a, one), np.where(far, y, one * 3))
    edge = np.where((a < 0) | (y < 0) | np.isnan(a) | np.isnan(y), np.nan, np.where(y == 0, 1.0, 0.0))
    edge = np.where((a == 0) & (y == 0), np.nan, np.where(np.isinf(a) & np.isfinite(y), 1.0, edge))
    return np.where(series, low, np.where(far, high, edge))


@op("gammaincc(x, y) -> out", family="broadcast")
@quiet
def gammaincc(x, y):
    """The upper incomplete gamma function of order x from y on, divided by gamma(x)."""
    need_real(x, "gammaincc")
    return upper_double(np.asarray(x, np.float64), np.asarray(y, np.float64)).astype(x.dtype)


gammaincc.grad(y=lambda g, x, y: g * exp((x - 1.0) * log(y) - y - lgamma(x)) * -1.0)


by_library(copysign, when=lambda x, y: x.dtype == y.dtype and x.dtype.char in "fd")
