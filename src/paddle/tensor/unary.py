"""Functions of one tensor, element by element: abs, exp, sin ..."""

from ..core.errors import own_errors
from ..ops import unary as U
from .convert import as_tensor, to_float

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


def abs(x, name=None):
    """Absolute value of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.abs(paddle.to_tensor([-1., 2.])).tolist()
    [1.0, 2.0]
    """
    return U.abs(as_tensor(x, "abs"))


def exp(x, name=None):
    """e to the power of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.exp(paddle.to_tensor([0., 0.])).tolist()
    [1.0, 1.0]
    """
    return U.exp(to_float(as_tensor(x, "exp")))


def expm1(x, name=None):
    """exp(x) - 1, exact near 0.

    >>> import paddle
    >>> paddle.expm1(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    return U.expm1(to_float(as_tensor(x, "expm1")))


def log(x, name=None):
    """Natural logarithm of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.log(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """
    return U.log(to_float(as_tensor(x, "log")))


def log2(x, name=None):
    """Logarithm to base 2 of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.log2(paddle.to_tensor([1., 8.])).tolist()
    [0.0, 3.0]
    """
    return U.log2(to_float(as_tensor(x, "log2")))


def log10(x, name=None):
    """Logarithm to base 10 of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.log10(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """
    return U.log10(to_float(as_tensor(x, "log10")))


def log1p(x, name=None):
    """log(1 + x), exact near 0.

    >>> import paddle
    >>> paddle.log1p(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    return U.log1p(to_float(as_tensor(x, "log1p")))


def sqrt(x, name=None):
    """Square root of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.sqrt(paddle.to_tensor([4., 9.])).tolist()
    [2.0, 3.0]
    """
    return U.sqrt(to_float(as_tensor(x, "sqrt")))


def rsqrt(x, name=None):
    """1 / sqrt(x) of each element.

    >>> import paddle
    >>> paddle.rsqrt(paddle.to_tensor([4., 16.])).tolist()
    [0.5, 0.25]
    """
    return U.rsqrt(to_float(as_tensor(x, "rsqrt")))


def square(x, name=None):
    """x * x of each element.

    >>> import paddle
    >>> paddle.square(paddle.to_tensor([2., -3.])).tolist()
    [4.0, 9.0]
    """
    return U.square(as_tensor(x, "square"))


def reciprocal(x, name=None):
    """1 / x of each element.

    >>> import paddle
    >>> paddle.reciprocal(paddle.to_tensor([2., -4.])).tolist()
    [0.5, -0.25]
    """
    return U.reciprocal(to_float(as_tensor(x, "reciprocal")))


def sign(x, name=None):
    """-1, 0 or 1 by the sign of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.sign(paddle.to_tensor([-2., 0., 5.])).tolist()
    [-1.0, 0.0, 1.0]
    """
    return U.sign(as_tensor(x, "sign"))


def floor(x, name=None):
    """The largest integer not above each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.floor(paddle.to_tensor([1.5, -1.5])).tolist()
    [1.0, -2.0]
    """
    return U.floor(as_tensor(x, "floor"))


def ceil(x, name=None):
    """The smallest integer not below each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.ceil(paddle.to_tensor([1.5, -1.5])).tolist()
    [2.0, -1.0]
    """
    return U.ceil(as_tensor(x, "ceil"))


def round(x, name=None):
    """The nearest integer; halves go away from zero.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.round(paddle.to_tensor([0.5, 2.5, -0.5])).tolist()
    [1.0, 3.0, -1.0]
    """
    return U.round(as_tensor(x, "round"))


def trunc(input, name=None):
    """Each element without its fractional part.

    Args:
        input: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.trunc(paddle.to_tensor([1.7, -1.7])).tolist()
    [1.0, -1.0]
    """
    return U.trunc(as_tensor(input, "trunc", "input"))


def sin(x, name=None):
    """Sine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.sin(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    return U.sin(to_float(as_tensor(x, "sin")))


def cos(x, name=None):
    """Cosine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.cos(paddle.to_tensor([0., 0.])).tolist()
    [1.0, 1.0]
    """
    return U.cos(to_float(as_tensor(x, "cos")))


def tan(x, name=None):
    """Tangent of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.tan(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    return U.tan(to_float(as_tensor(x, "tan")))


def asin(x, name=None):
    """Inverse sine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.asin(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    return U.asin(to_float(as_tensor(x, "asin")))


def acos(x, name=None):
    """Inverse cosine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.acos(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """
    return U.acos(to_float(as_tensor(x, "acos")))


def atan(x, name=None):
    """Inverse tangent of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.atan(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    return U.atan(to_float(as_tensor(x, "atan")))


def sinh(x, name=None):
    """Hyperbolic sine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.sinh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    return U.sinh(to_float(as_tensor(x, "sinh")))


def cosh(x, name=None):
    """Hyperbolic cosine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.cosh(paddle.to_tensor([0., 0.])).tolist()
    [1.0, 1.0]
    """
    return U.cosh(to_float(as_tensor(x, "cosh")))


def tanh(x, name=None):
    """Hyperbolic tangent of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.tanh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    return U.tanh(to_float(as_tensor(x, "tanh")))


def asinh(x, name=None):
    """Inverse hyperbolic sine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.asinh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    return U.asinh(to_float(as_tensor(x, "asinh")))


def acosh(x, name=None):
    """Inverse hyperbolic cosine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.acosh(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """
    return U.acosh(to_float(as_tensor(x, "acosh")))


def atanh(x, name=None):
    """Inverse hyperbolic tangent of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.atanh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    return U.atanh(to_float(as_tensor(x, "atanh")))


def sigmoid(x, name=None):
    """1 / (1 + exp(-x)) of each element.

    >>> import paddle
    >>> paddle.sigmoid(paddle.to_tensor([0., 0.])).tolist()
    [0.5, 0.5]
    """
    return U.sigmoid(to_float(as_tensor(x, "sigmoid")))


@own_errors
def neg(x, name=None):
    """-x of each element.

    >>> import paddle
    >>> paddle.neg(paddle.to_tensor([1., -2.])).tolist()
    [-1.0, 2.0]
    """
    return -as_tensor(x, "neg")


def isnan(x, name=None):
    """True where an element is not a number.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.isnan(paddle.to_tensor([1., float('nan'), float('inf')])).tolist()
    [False, True, False]
    """
    return U.isnan(as_tensor(x, "isnan"))


def isinf(x, name=None):
    """True where an element is infinite.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.isinf(paddle.to_tensor([1., float('nan'), float('inf')])).tolist()
    [False, False, True]
    """
    return U.isinf(as_tensor(x, "isinf"))


def isfinite(x, name=None):
    """True where an element is a finite number.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.isfinite(paddle.to_tensor([1., float('nan'), float('inf')])).tolist()
    [True, False, False]
    """
    return U.isfinite(as_tensor(x, "isfinite"))
