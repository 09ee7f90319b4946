"""Signs, bits and membership, elementwise: functions that Paddle 3 added."""

import numpy as np

from ..core.docstrings import documented_like
from ..core.errors import ElementTypeError, describe, own_errors
from ..core.op import Symbolic
from ..ops import shifts
from ..utils import naming
from .convert import as_tensor, numpy_dtype, promote, to_float
from .creation import ones_like, to_tensor, zeros_like
from .gather_scatter import where
from .logic import _into as into
from .logic import bitwise_not, equal, less_than, logical_not
from .math import divide
from .special import lgamma
from .unary import isinf, neg, sin

__all__ = ["bitwise_left_shift", "bitwise_right_shift", "bitwise_invert", "copysign", "signbit", "sinc", "positive", "negative",
           "isneginf", "isposinf", "isreal", "isin", "gammainc", "gammaincc", "gammaln"]
METHODS = [name for name in __all__ if name != "positive"]
INPLACE = ["bitwise_left_shift", "bitwise_right_shift", "bitwise_invert", "copysign", "sinc", "gammainc", "gammaincc", "gammaln"]


def _stored(out, value, name, function):
    value = into(out, value, function)
    return value if name is None else naming.named(value, name)


@own_errors
def bitwise_left_shift(x, y, is_arithmetic=True, out=None, name=None):
    """The bits of x moved y places up.

    Args:
        x, y: integer Tensors that broadcast together.
        is_arithmetic: does the sign bit count as the sign, rather than as one more bit?
        out: Tensor that takes the result, if one is given.

    >>> paddle.bitwise_left_shift(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 1])).tolist()
    [8, 4]
    """
    x, y = promote(x, y, "bitwise_left_shift")
    return _stored(out, shifts.bitwise_left_shift(x, y, bool(is_arithmetic)), name, "bitwise_left_shift")


@own_errors
def bitwise_right_shift(x, y, is_arithmetic=True, out=None, name=None):
    """The bits of x moved y places down; negative numbers stay negative unless ``is_arithmetic`` is False.

    Args:
        x, y: integer Tensors that broadcast together.
        is_arithmetic: is the sign bit repeated from above, rather than 0 put in?
        out: Tensor that takes the result, if one is given.

    >>> paddle.bitwise_right_shift(paddle.to_tensor([8, -8]), paddle.to_tensor([1, 1])).tolist()
    [4, -4]
    """
    x, y = promote(x, y, "bitwise_right_shift")
    return _stored(out, shifts.bitwise_right_shift(x, y, bool(is_arithmetic)), name, "bitwise_right_shift")


@own_errors
def bitwise_invert(x, out=None, name=None):
    """Every bit flipped; for bool the opposite.

    >>> paddle.bitwise_invert(paddle.to_tensor([0, 5])).tolist()
    [-1, -6]
    """
    return bitwise_not(x, out, name)


def copysign(x, y, name=None):
    """The size of x with the sign of y; a zero of y has a sign too.

    Args:
        x: Tensor.
        y: Tensor that broadcasts with x, or a number.

    >>> paddle.copysign(paddle.to_tensor([1., -2.]), paddle.to_tensor([-3., 4.])).tolist()
    [-1.0, 2.0]
    """
    x, y = promote(x, y, "copysign")
    return naming.named(shifts.copysign(to_float(x), to_float(y)), name)


@own_errors
def signbit(x, name=None):
    """Is the sign negative? True for -0.0 as well.

    >>> paddle.signbit(paddle.to_tensor([-0., 1., -2.])).tolist()
    [True, False, True]
    """
    x = as_tensor(x, "signbit")
    return naming.named(less_than(shifts.copysign(to_float(ones_like(x)), to_float(x)), 0.0), name)


def sinc(x, name=None):
    """sin(pi x) / (pi x), and 1 at 0.

    >>> [round(v, 4) for v in paddle.sinc(paddle.to_tensor([0., 0.5])).tolist()]
    [1.0, 0.6366]
    """
    x = to_float(as_tensor(x, "sinc"))
    zero = equal(x, zeros_like(x))
    angle = where(zero, ones_like(x), x) * float(np.pi)  # 0 / 0 would spoil the gradient
    return naming.named(where(zero, ones_like(x), divide(sin(angle), angle)), name)


def positive(x, name=None):
    """x itself; TypeError for bool.

    >>> paddle.positive(paddle.to_tensor([1., -2.])).tolist()
    [1.0, -2.0]
    """
    x = as_tensor(x, "positive")
    if numpy_dtype(x).kind == "b":
        raise TypeError("positive(): x must be a tensor of numbers, got bool")
    return x if name is None else naming.named(x, name)


@own_errors
def negative(x, name=None):
    """-x of each element.

    >>> paddle.negative(paddle.to_tensor([1., -2.])).tolist()
    [-1.0, 2.0]
    """
    return neg(x, name)


def _infinite(x, below, function):
    x = as_tensor(x, function)
    if numpy_dtype(x).kind == "c":
        raise ElementTypeError(f"{function}(): x must be real, got {describe(x)}")
    negative_sign = less_than(x, zeros_like(x))
    return isinf(x).logical_and(negative_sign if below else logical_not(negative_sign))


def isneginf(x, name=None):
    """Is the element minus infinity?

    >>> paddle.isneginf(paddle.to_tensor([-float('inf'), float('inf'), 0.])).tolist()
    [True, False, False]
    """
    return naming.named(_infinite(x, True, "isneginf"), name)


def isposinf(x, name=None):
    """Is the element plus infinity?

    >>> paddle.isposinf(paddle.to_tensor([-float('inf'), float('inf'), 0.])).tolist()
    [False, True, False]
    """
    return naming.named(_infinite(x, False, "isposinf"), name)


def isreal(x, name=None):
    """Is the imaginary part 0?

    >>> paddle.isreal(paddle.to_tensor([1 + 0j, 1j])).tolist()
    [True, False]
    """
    x = as_tensor(x, "isreal")
    imaginary = x.imag() if numpy_dtype(x).kind == "c" else zeros_like(x)
    return naming.named(equal(imaginary, zeros_like(imaginary)), name)


def isin(x, test_x, assume_unique=False, invert=False, name=None):
    """Is each element of x one of those of ``test_x``?

    Args:
        x, test_x: Tensors, of any shapes.
        assume_unique: both are known to have no element twice; the answer is the same.
        invert: tell the opposite.

    >>> paddle.isin(paddle.to_tensor([1., 5.]), paddle.to_tensor([5., 7.])).tolist()
    [False, True]
    """
    for value, argument in ((x, "x"), (test_x, "test_x")):
        if not hasattr(value, "stop_gradient"):
            raise TypeError(f"isin(): {argument} must be a Tensor, got {describe(value)}")
    if not isinstance(assume_unique, bool) or not isinstance(invert, bool):
        raise TypeError("isin(): assume_unique and invert must be bools")
    if isinstance(x, Symbolic) or isinstance(test_x, Symbolic):
        found = equal(x.unsqueeze(-1), test_x.flatten()).any(-1)
    else:
        found = to_tensor(np.isin(x._data, test_x._data))
    return naming.named(logical_not(found) if invert else found, name)


def _orders(x, y, function):
    x, y = promote(x, y, function)
    for value, argument in ((x, "x"), (y, "y")):
        if numpy_dtype(value).kind not in "iubfV":
            raise ElementTypeError(f"{function}(): {argument} must be real, got {describe(value)}")
    return to_float(x), to_float(y)


def gammaincc(x, y, name=None):
    """The upper incomplete gamma function of order x from y on, divided by gamma(x). Gradients reach y.

    Args:
        x, y: Tensors of numbers >= 0 that broadcast together.

    >>> round(float(paddle.gammaincc(paddle.to_tensor(5.), paddle.to_tensor(1.))), 6)
    0.99634
    """
    return naming.named(shifts.gammaincc(*_orders(x, y, "gammaincc")), name)


@documented_like(gammaincc)
def gammainc(x, y, name=None):
    """The lower incomplete gamma function of order x up to y, divided by gamma(x). Gradients reach y.

    >>> round(float(paddle.gammainc(paddle.to_tensor(5.), paddle.to_tensor(1.))), 6)
    0.00366
    """
    x, y = _orders(x, y, "gammainc")
    return naming.named(1.0 - shifts.gammaincc(x, y), name)


@own_errors
def gammaln(x, name=None):
    """The logarithm of the absolute value of the gamma function.

    >>> round(float(paddle.gammaln(paddle.to_tensor(5.0))), 4)
    3.1781
    """
    return lgamma(x, name)

