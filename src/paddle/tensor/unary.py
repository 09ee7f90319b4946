"""Functions of one tensor, elementwise: abs, exp, sin ..."""

from ..core.context import context
from ..core.errors import own_errors
from ..core.op import BY_NAME
from ..ops.math import unary
from ..utils import naming
from .convert import as_tensor, unary_function

__all__ = [
    "abs", "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "square", "reciprocal", "sign", "floor",
    "ceil", "round", "trunc", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "sigmoid", "neg", "isnan", "isinf", "isfinite",
]
METHODS = __all__
INPLACE = [
    "abs", "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "square", "reciprocal", "floor", "ceil",
    "round", "trunc", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "sigmoid", "neg",
]


@unary_function(unary.abs)
def abs(x, name=None):
    """Absolute value of each element.

    >>> paddle.abs(paddle.to_tensor([-1., 2.])).tolist()
    [1.0, 2.0]
    """


@unary_function(unary.exp, floats=True)
def exp(x, name=None):
    """e to the power of each element.

    >>> paddle.exp(paddle.to_tensor([0., 0.])).tolist()
    [1.0, 1.0]
    """


@unary_function(unary.expm1, floats=True)
def expm1(x, name=None):
    """exp(x) - 1, exact near 0.

    >>> paddle.expm1(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.log, floats=True)
def log(x, name=None):
    """Natural logarithm of each element.

    >>> paddle.log(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.log2, floats=True)
def log2(x, name=None):
    """Logarithm to base 2 of each element.

    >>> paddle.log2(paddle.to_tensor([1., 8.])).tolist()
    [0.0, 3.0]
    """


@unary_function(unary.log10, floats=True)
def log10(x, name=None):
    """Logarithm to base 10 of each element.

    >>> paddle.log10(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.log1p, floats=True)
def log1p(x, name=None):
    """log(1 + x), exact near 0.

    >>> paddle.log1p(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.sqrt, floats=True)
def sqrt(x, name=None):
    """Square root of each element.

    >>> paddle.sqrt(paddle.to_tensor([4., 9.])).tolist()
    [2.0, 3.0]
    """


@unary_function(unary.rsqrt, floats=True)
def rsqrt(x, name=None):
    """1 / sqrt(x) of each element.

    >>> paddle.rsqrt(paddle.to_tensor([4., 16.])).tolist()
    [0.5, 0.25]
    """


@unary_function(unary.square)
def square(x, name=None):
    """x * x of each element.

    >>> paddle.square(paddle.to_tensor([2., -3.])).tolist()
    [4.0, 9.0]
    """


@unary_function(unary.reciprocal, floats=True)
def reciprocal(x, name=None):
    """1 / x of each element.

    >>> paddle.reciprocal(paddle.to_tensor([2., -4.])).tolist()
    [0.5, -0.25]
    """


@unary_function(unary.sign)
def sign(x, name=None):
    """-1, 0 or 1 by the sign of each element.

    >>> paddle.sign(paddle.to_tensor([-2., 0., 5.])).tolist()
    [-1.0, 0.0, 1.0]
    """


@unary_function(unary.floor)
def floor(x, name=None):
    """The largest integer not above each element.

    >>> paddle.floor(paddle.to_tensor([1.5, -1.5])).tolist()
    [1.0, -2.0]
    """


@unary_function(unary.ceil)
def ceil(x, name=None):
    """The smallest integer not below each element.

    >>> paddle.ceil(paddle.to_tensor([1.5, -1.5])).tolist()
    [2.0, -1.0]
    """


def round(x, name=None):
    """The nearest integer; halves go away from zero, under the rules of Paddle 3 to the even neighbour.

    Args:
        x (Tensor): of any shape.
    Returns:
        Tensor of the shape of x.
    Raises:
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.round(paddle.to_tensor([0.5, 2.5, -0.5])).tolist()
    [1.0, 3.0, -1.0]
    """
    x = as_tensor(x, "round")
    out = unary.round(x)
    if context.rules.even_rounding:
        halves = BY_NAME["equal"](unary.abs(x - unary.trunc(x)), x * 0.0 + 0.5)
        out = BY_NAME["where"](halves, unary.round(x * 0.5) * 2.0, out)
    return out if name is None else naming.named(out, name)


def trunc(input, name=None):
    """Each element without its fractional part.

    Args:
        input (Tensor): of any shape.
    Returns:
        Tensor of the shape of the input.
    Raises:
        TypeError: input is not a Tensor, array, list or number.

    >>> paddle.trunc(paddle.to_tensor([1.7, -1.7])).tolist()
    [1.0, -1.0]
    """
    out = unary.trunc(as_tensor(input, "trunc", "input"))
    return out if name is None else naming.named(out, name)


@unary_function(unary.sin, floats=True)
def sin(x, name=None):
    """Sine of each element.

    >>> paddle.sin(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.cos, floats=True)
def cos(x, name=None):
    """Cosine of each element.

    >>> paddle.cos(paddle.to_tensor([0., 0.])).tolist()
    [1.0, 1.0]
    """


@unary_function(unary.tan, floats=True)
def tan(x, name=None):
    """Tangent of each element.

    >>> paddle.tan(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.asin, floats=True)
def asin(x, name=None):
    """Inverse sine of each element.

    >>> paddle.asin(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.acos, floats=True)
def acos(x, name=None):
    """Inverse cosine of each element.

    >>> paddle.acos(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.atan, floats=True)
def atan(x, name=None):
    """Inverse tangent of each element.

    >>> paddle.atan(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.sinh, floats=True)
def sinh(x, name=None):
    """Hyperbolic sine of each element.

    >>> paddle.sinh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.cosh, floats=True)
def cosh(x, name=None):
    """Hyperbolic cosine of each element.

    >>> paddle.cosh(paddle.to_tensor([0., 0.])).tolist()
    [1.0, 1.0]
    """


@unary_function(unary.tanh, floats=True)
def tanh(x, name=None):
    """Hyperbolic tangent of each element.

    >>> paddle.tanh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.asinh, floats=True)
def asinh(x, name=None):
    """Inverse hyperbolic sine of each element.

    >>> paddle.asinh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.acosh, floats=True)
def acosh(x, name=None):
    """Inverse hyperbolic cosine of each element.

    >>> paddle.acosh(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.atanh, floats=True)
def atanh(x, name=None):
    """Inverse hyperbolic tangent of each element.

    >>> paddle.atanh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """


@unary_function(unary.sigmoid, floats=True)
def sigmoid(x, name=None):
    """1 / (1 + exp(-x)) of each element.

    >>> paddle.sigmoid(paddle.to_tensor([0., 0.])).tolist()
    [0.5, 0.5]
    """


@own_errors
def neg(x, name=None):
    """-x of each element.

    >>> paddle.neg(paddle.to_tensor([1., -2.])).tolist()
    [-1.0, 2.0]
    """
    out = -as_tensor(x, "neg")
    return out if name is None else naming.named(out, name)


@unary_function(unary.isnan)
def isnan(x, name=None):
    """True where an element is not a number.

    >>> paddle.isnan(paddle.to_tensor([1., float('nan'), float('inf')])).tolist()
    [False, True, False]
    """


@unary_function(unary.isinf)
def isinf(x, name=None):
    """True where an element is infinite.

    >>> paddle.isinf(paddle.to_tensor([1., float('nan'), float('inf')])).tolist()
    [False, False, True]
    """


@unary_function(unary.isfinite)
def isfinite(x, name=None):
    """True where an element is a finite number.

    >>> paddle.isfinite(paddle.to_tensor([1., float('nan'), float('inf')])).tolist()
    [True, False, False]
    """
