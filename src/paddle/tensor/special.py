"""Special functions: error, gamma and Bessel families; and small ones of one tensor."""

import math

from ..core.errors import ElementTypeError, describe, own_errors
from ..ops.math import arithmetic, special, unary
from ..ops.nn import activation
from ..utils import naming
from .convert import as_tensor, cast, int_arg, numpy_dtype, real_arg, to_float, unary_function
from .creation import arange, full_like
from .gather_scatter import where
from .manipulation import unsqueeze
from .type_limits import finfo
from .unary import isinf, isnan

__all__ = ["erf", "erfinv", "lgamma", "digamma", "polygamma", "multigammaln", "i0", "i0e", "i1", "i1e", "logit", "stanh",
           "frac", "rad2deg", "deg2rad", "nan_to_num", "frexp"]
METHODS = __all__
INPLACE = ["erf", "erfinv", "lgamma", "digamma", "polygamma", "multigammaln", "i0", "logit", "frac", "nan_to_num"]


@unary_function(special.erf, floats=True)
def erf(x, name=None):
    """The error function of each element.

    >>> round(float(paddle.erf(paddle.to_tensor(1.0))), 4)
    0.8427
    """


@unary_function(special.erfinv, floats=True)
def erfinv(x, name=None):
    """The number whose erf is x; infinite at -1 and 1, NaN beyond.

    >>> round(float(paddle.erfinv(paddle.to_tensor(0.5))), 4)
    0.4769
    """


@unary_function(special.lgamma, floats=True)
def lgamma(x, name=None):
    """The logarithm of the absolute value of the gamma function.

    >>> round(float(paddle.lgamma(paddle.to_tensor(5.0))), 4)
    3.1781
    """


@unary_function(special.digamma, floats=True)
def digamma(x, name=None):
    """The derivative of lgamma.

    >>> round(float(paddle.digamma(paddle.to_tensor(1.0))), 4)
    -0.5772
    """


def polygamma(x, n, name=None):
    """The n-th derivative of digamma.

    Args:
        x (Tensor): of any shape.
        n (int): order of the derivative; 0 gives digamma.
    Returns:
        Tensor of the shape of x.
    Raises:
        ValueError: ``n`` is negative.
        TypeError: x is not a Tensor, or ``n`` is not an int.

    >>> round(float(paddle.polygamma(paddle.to_tensor(1.0), 1)), 4)
    1.6449
    """
    n = int_arg(n, "polygamma", "n")
    if n < 0:
        raise ValueError(f"polygamma(): n must not be negative, got {n}")
    x = to_float(as_tensor(x, "polygamma"))
    return naming.named(special.digamma(x) if n == 0 else special.polygamma(x, n), name)


@own_errors
def multigammaln(x, p, name=None):
    """The logarithm of the multivariate gamma function of dimension p, for x > (p - 1) / 2.

    >>> round(float(paddle.multigammaln(paddle.to_tensor(2.5), 2)), 4)
    0.857
    """
    p = int_arg(p, "multigammaln", "p")
    if p < 1:
        raise ValueError(f"multigammaln(): p must be at least 1, got {p}")
    x = to_float(as_tensor(x, "multigammaln"))
    halves = cast(arange(p), numpy_dtype(x)) * 0.5
    return naming.named(special.lgamma(unsqueeze(x, -1) - halves).sum(-1) + 0.25 * p * (p - 1) * math.log(math.pi), name)


@unary_function(special.i0, floats=True)
def i0(x, name=None):
    """The modified Bessel function of the first kind, order 0.

    >>> round(float(paddle.i0(paddle.to_tensor(1.0))), 4)
    1.2661
    """


@unary_function(special.i0e, floats=True)
def i0e(x, name=None):
    """exp(-|x|) * i0(x).

    >>> round(float(paddle.i0e(paddle.to_tensor(1.0))), 4)
    0.4658
    """


@unary_function(special.i1, floats=True)
def i1(x, name=None):
    """The modified Bessel function of the first kind, order 1.

    >>> round(float(paddle.i1(paddle.to_tensor(1.0))), 4)
    0.5652
    """


@unary_function(special.i1e, floats=True)
def i1e(x, name=None):
    """exp(-|x|) * i1(x).

    >>> round(float(paddle.i1e(paddle.to_tensor(1.0))), 4)
    0.2079
    """


def logit(x, eps=None, name=None):
    """log(x / (1 - x)); with ``eps`` x is limited to [eps, 1 - eps] first, without it numbers outside (0, 1) give NaN.

    >>> float(paddle.logit(paddle.to_tensor(0.5)))
    0.0
    """
    eps = 0.0 if eps is None else real_arg(eps, "logit", "eps")
    if not 0 <= eps <= 0.5:
        raise ValueError(f"logit(): eps must be in [0, 0.5], got {eps}")
    return naming.named(special.logit(to_float(as_tensor(x, "logit")), eps), name)


def stanh(x, scale_a=0.67, scale_b=1.7159, name=None):
    """scale_b * tanh(scale_a * x).

    >>> float(paddle.stanh(paddle.to_tensor(0.0)))
    0.0
    """
    return naming.named(activation.stanh(to_float(as_tensor(x, "stanh")), real_arg(scale_a, "stanh", "scale_a"),
                                         real_arg(scale_b, "stanh", "scale_b")), name)


def frac(x, name=None):
    """The fractional part, with the sign of x.

    >>> paddle.frac(paddle.to_tensor([1.5, -2.25])).tolist()
    [0.5, -0.25]
    """
    x = as_tensor(x, "frac")
    kind = numpy_dtype(x)
    if kind.kind not in "fi" or kind.kind == "i" and kind.itemsize < 4:
        raise TypeError(f"frac(): x must be of a floating type, int32 or int64, got {describe(x)}")
    return naming.named(arithmetic.subtract(x, unary.trunc(x)), name)


def rad2deg(x, name=None):
    """Radians in degrees.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> round(float(paddle.rad2deg(paddle.to_tensor(3.1415927))), 3)
    180.0
    """
    return naming.named(to_float(as_tensor(x, "rad2deg")) * (180.0 / math.pi), name)


def deg2rad(x, name=None):
    """Degrees in radians.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> round(float(paddle.deg2rad(paddle.to_tensor(180.0))), 4)
    3.1416
    """
    return naming.named(to_float(as_tensor(x, "deg2rad")) * (math.pi / 180.0), name)


@own_errors
def nan_to_num(x, nan=0.0, posinf=None, neginf=None, name=None):
    """x with other numbers instead of NaN and the infinities (the largest finite ones unless given).

    Args:
        x: Tensor of any shape; the result has the same.
        nan: what NaN becomes.
        posinf: what infinity becomes; None: the largest finite number.
        neginf: what -infinity becomes; None: the lowest finite number.

    >>> paddle.nan_to_num(paddle.to_tensor([float('nan'), 1.0])).tolist()
    [0.0, 1.0]
    """
    x = as_tensor(x, "nan_to_num")
    for value, what in ((nan, "nan"), (posinf, "posinf"), (neginf, "neginf")):
        if value is not None or what == "nan":
            real_arg(value, "nan_to_num", what)
    if numpy_dtype(x).kind in "iub":
        return naming.named(arithmetic.scale(x, 1.0) if numpy_dtype(x).kind != "b" else x, name)
    limits = finfo(x.dtype)
    x = where(isnan(x), full_like(x, nan), x)
    infinite = isinf(x)
    zero = full_like(x, 0.0)
    x = where((x > zero) & infinite, full_like(x, limits.max if posinf is None else posinf), x)
    return naming.named(where((x < zero) & isinf(x), full_like(x, limits.min if neginf is None else neginf), x), name)


def frexp(x, name=None):
    """Each number as mantissa * 2 ** exponent with 0.5 <= |mantissa| < 1: (mantissa, exponent), both floating.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> mantissa, exponent = paddle.frexp(paddle.to_tensor([8., 3.]))
    >>> mantissa.tolist(), exponent.tolist()
    ([0.5, 0.75], [4.0, 2.0])
    """
    x = as_tensor(x, "frexp")
    if numpy_dtype(x).kind != "f":
        raise ElementTypeError(f"frexp(): x must be floating, got {numpy_dtype(x).name}")
    return naming.named((special.frexp_mantissa(x), special.frexp_exponent(x)), name)
