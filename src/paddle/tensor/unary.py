"""Functions of one tensor, element by element: abs, exp, sin ..."""

from ..core.context import context
from ..core.errors import own_errors
from ..core.op import BY_NAME
from ..ops.math import unary
from ..utils import naming
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
    out = unary.abs(as_tensor(x, "abs"))
    return out if name is None else naming.named(out, name)


def exp(x, name=None):
    """e to the power of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.exp(paddle.to_tensor([0., 0.])).tolist()
    [1.0, 1.0]
    """
    out = unary.exp(to_float(as_tensor(x, "exp")))
    return out if name is None else naming.named(out, name)


def expm1(x, name=None):
    """exp(x) - 1, exact near 0.

    >>> import paddle
    >>> paddle.expm1(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    out = unary.expm1(to_float(as_tensor(x, "expm1")))
    return out if name is None else naming.named(out, name)


def log(x, name=None):
    """Natural logarithm of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.log(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """
    out = unary.log(to_float(as_tensor(x, "log")))
    return out if name is None else naming.named(out, name)


def log2(x, name=None):
    """Logarithm to base 2 of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.log2(paddle.to_tensor([1., 8.])).tolist()
    [0.0, 3.0]
    """
    out = unary.log2(to_float(as_tensor(x, "log2")))
    return out if name is None else naming.named(out, name)


def log10(x, name=None):
    """Logarithm to base 10 of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.log10(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """
    out = unary.log10(to_float(as_tensor(x, "log10")))
    return out if name is None else naming.named(out, name)


def log1p(x, name=None):
    """log(1 + x), exact near 0.

    >>> import paddle
    >>> paddle.log1p(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    out = unary.log1p(to_float(as_tensor(x, "log1p")))
    return out if name is None else naming.named(out, name)


def sqrt(x, name=None):
    """Square root of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.sqrt(paddle.to_tensor([4., 9.])).tolist()
    [2.0, 3.0]
    """
    out = unary.sqrt(to_float(as_tensor(x, "sqrt")))
    return out if name is None else naming.named(out, name)


def rsqrt(x, name=None):
    """1 / sqrt(x) of each element.

    >>> import paddle
    >>> paddle.rsqrt(paddle.to_tensor([4., 16.])).tolist()
    [0.5, 0.25]
    """
    out = unary.rsqrt(to_float(as_tensor(x, "rsqrt")))
    return out if name is None else naming.named(out, name)


def square(x, name=None):
    """x * x of each element.

    >>> import paddle
    >>> paddle.square(paddle.to_tensor([2., -3.])).tolist()
    [4.0, 9.0]
    """
    out = unary.square(as_tensor(x, "square"))
    return out if name is None else naming.named(out, name)


def reciprocal(x, name=None):
    """1 / x of each element.

    >>> import paddle
    >>> paddle.reciprocal(paddle.to_tensor([2., -4.])).tolist()
    [0.5, -0.25]
    """
    out = unary.reciprocal(to_float(as_tensor(x, "reciprocal")))
    return out if name is None else naming.named(out, name)


def sign(x, name=None):
    """-1, 0 or 1 by the sign of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.sign(paddle.to_tensor([-2., 0., 5.])).tolist()
    [-1.0, 0.0, 1.0]
    """
    out = unary.sign(as_tensor(x, "sign"))
    return out if name is None else naming.named(out, name)


def floor(x, name=None):
    """The largest integer not above each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.floor(paddle.to_tensor([1.5, -1.5])).tolist()
    [1.0, -2.0]
    """
    out = unary.floor(as_tensor(x, "floor"))
    return out if name is None else naming.named(out, name)


def ceil(x, name=None):
    """The smallest integer not below each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.ceil(paddle.to_tensor([1.5, -1.5])).tolist()
    [2.0, -1.0]
    """
    out = unary.ceil(as_tensor(x, "ceil"))
    return out if name is None else naming.named(out, name)


def round(x, name=None):
    """The nearest integer; halves go away from zero, under the rules of Paddle 3 to the even neighbour.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
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
        input: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.trunc(paddle.to_tensor([1.7, -1.7])).tolist()
    [1.0, -1.0]
    """
    out = unary.trunc(as_tensor(input, "trunc", "input"))
    return out if name is None else naming.named(out, name)


def sin(x, name=None):
    """Sine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.sin(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    out = unary.sin(to_float(as_tensor(x, "sin")))
    return out if name is None else naming.named(out, name)


def cos(x, name=None):
    """Cosine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.cos(paddle.to_tensor([0., 0.])).tolist()
    [1.0, 1.0]
    """
    out = unary.cos(to_float(as_tensor(x, "cos")))
    return out if name is None else naming.named(out, name)


def tan(x, name=None):
    """Tangent of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.tan(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    out = unary.tan(to_float(as_tensor(x, "tan")))
    return out if name is None else naming.named(out, name)


def asin(x, name=None):
    """Inverse sine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.asin(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    out = unary.asin(to_float(as_tensor(x, "asin")))
    return out if name is None else naming.named(out, name)


def acos(x, name=None):
    """Inverse cosine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.acos(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """
    out = unary.acos(to_float(as_tensor(x, "acos")))
    return out if name is None else naming.named(out, name)


def atan(x, name=None):
    """Inverse tangent of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.atan(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    out = unary.atan(to_float(as_tensor(x, "atan")))
    return out if name is None else naming.named(out, name)


def sinh(x, name=None):
    """Hyperbolic sine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.sinh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    out = unary.sinh(to_float(as_tensor(x, "sinh")))
    return out if name is None else naming.named(out, name)


def cosh(x, name=None):
    """Hyperbolic cosine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.cosh(paddle.to_tensor([0., 0.])).tolist()
    [1.0, 1.0]
    """
    out = unary.cosh(to_float(as_tensor(x, "cosh")))
    return out if name is None else naming.named(out, name)


def tanh(x, name=None):
    """Hyperbolic tangent of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.tanh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    out = unary.tanh(to_float(as_tensor(x, "tanh")))
    return out if name is None else naming.named(out, name)


def asinh(x, name=None):
    """Inverse hyperbolic sine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.asinh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    out = unary.asinh(to_float(as_tensor(x, "asinh")))
    return out if name is None else naming.named(out, name)


def acosh(x, name=None):
    """Inverse hyperbolic cosine of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.acosh(paddle.to_tensor([1., 1.])).tolist()
    [0.0, 0.0]
    """
    out = unary.acosh(to_float(as_tensor(x, "acosh")))
    return out if name is None else naming.named(out, name)


def atanh(x, name=None):
    """Inverse hyperbolic tangent of each element.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.atanh(paddle.to_tensor([0., 0.])).tolist()
    [0.0, 0.0]
    """
    out = unary.atanh(to_float(as_tensor(x, "atanh")))
    return out if name is None else naming.named(out, name)


def sigmoid(x, name=None):
    """1 / (1 + exp(-x)) of each element.

    >>> import paddle
    >>> paddle.sigmoid(paddle.to_tensor([0., 0.])).tolist()
    [0.5, 0.5]
    """
    out = unary.sigmoid(to_float(as_tensor(x, "sigmoid")))
    return out if name is None else naming.named(out, name)


@own_errors
def neg(x, name=None):
    """-x of each element.

    >>> import paddle
    >>> paddle.neg(paddle.to_tensor([1., -2.])).tolist()
    [-1.0, 2.0]
    """
    out = -as_tensor(x, "neg")
    return out if name is None else naming.named(out, name)


def isnan(x, name=None):
    """True where an element is not a number.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.isnan(paddle.to_tensor([1., float('nan'), float('inf')])).tolist()
    [False, True, False]
    """
    out = unary.isnan(as_tensor(x, "isnan"))
    return out if name is None else naming.named(out, name)


def isinf(x, name=None):
    """True where an element is infinite.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.isinf(paddle.to_tensor([1., float('nan'), float('inf')])).tolist()
    [False, False, True]
    """
    out = unary.isinf(as_tensor(x, "isinf"))
    return out if name is None else naming.named(out, name)


def isfinite(x, name=None):
    """True where an element is a finite number.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.isfinite(paddle.to_tensor([1., float('nan'), float('inf')])).tolist()
    [True, False, False]
    """
    out = unary.isfinite(as_tensor(x, "isfinite"))
    return out if name is None else naming.named(out, name)
