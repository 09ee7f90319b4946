"""Comparisons and logic."""

from ..core.addresses import lookup as _lookup
from ..core.docstrings import documented_like
from ..core.errors import describe, own_errors
from ..core.generation import generation
from ..core.tensor import Tensor
from ..ops.math import logic
from ..utils import naming
from .convert import as_tensor, binary_function, is_tensor_like, promote

__all__ = ["equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal", "logical_and", "logical_or",
           "logical_xor", "logical_not", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "is_tensor"]
METHODS = __all__
INPLACE = [name for name in __all__ if name != "is_tensor"]


@generation("paddle.equal", alpha="paddle.imperative.functions.equal")
@binary_function(logic.equal)
def equal(x, y, name=None):
    """x == y, elementwise, as a bool tensor.

    >>> paddle.equal(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 3])).tolist()
    [True, False]
    """


@binary_function(logic.not_equal)
def not_equal(x, y, name=None):
    """x != y, elementwise, as a bool tensor.

    >>> paddle.not_equal(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 3])).tolist()
    [False, True]
    """


@binary_function(logic.less_than)
def less_than(x, y, name=None):
    """x < y, elementwise, as a bool tensor.

    >>> paddle.less_than(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 3])).tolist()
    [False, True]
    """


@binary_function(logic.less_equal)
def less_equal(x, y, name=None):
    """x <= y, elementwise, as a bool tensor.

    >>> paddle.less_equal(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 3])).tolist()
    [True, True]
    """


@binary_function(logic.greater_than)
def greater_than(x, y, name=None):
    """x > y, elementwise, as a bool tensor.

    >>> paddle.greater_than(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 3])).tolist()
    [False, False]
    """


@binary_function(logic.greater_equal)
def greater_equal(x, y, name=None):
    """x >= y, elementwise, as a bool tensor.

    >>> paddle.greater_equal(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 3])).tolist()
    [True, False]
    """


def logical_and(x, y, out=None, name=None):
    """True where both are true; numbers other than 0 are true.

    Args:
        x, y: Tensors of any type that broadcast together; what is not 0 is true.
        out: Tensor that takes the result, if one is given.

    >>> paddle.logical_and(paddle.to_tensor([True, True]), paddle.to_tensor([True, False])).tolist()
    [True, False]
    """
    out = _into(out, logic.logical_and(as_tensor(x, "logical_and"), as_tensor(y, "logical_and", "y")), "logical_and")
    return out if name is None else naming.named(out, name)


@documented_like(logical_and)
def logical_or(x, y, out=None, name=None):
    """True where either is true; numbers other than 0 are true.

    >>> paddle.logical_or(paddle.to_tensor([True, True]), paddle.to_tensor([True, False])).tolist()
    [True, True]
    """
    out = _into(out, logic.logical_or(as_tensor(x, "logical_or"), as_tensor(y, "logical_or", "y")), "logical_or")
    return out if name is None else naming.named(out, name)


@documented_like(logical_and)
def logical_xor(x, y, out=None, name=None):
    """True where exactly one is true; numbers other than 0 are true.

    >>> paddle.logical_xor(paddle.to_tensor([True, True]), paddle.to_tensor([True, False])).tolist()
    [False, True]
    """
    out = _into(out, logic.logical_xor(as_tensor(x, "logical_xor"), as_tensor(y, "logical_xor", "y")), "logical_xor")
    return out if name is None else naming.named(out, name)


def logical_not(x, out=None, name=None):
    """True where x is false or 0.

    Args:
        x: Tensor of any type; what is not 0 is true.
        out: Tensor that takes the result, if one is given.

    >>> paddle.logical_not(paddle.to_tensor([True, False])).tolist()
    [False, True]
    """
    out = _into(out, logic.logical_not(as_tensor(x, "logical_not")), "logical_not")
    return out if name is None else naming.named(out, name)


def _into(out, result, function):
    """The result, stored into ``out`` as well when that is given."""
    if out is None:
        return result
    if not isinstance(out, Tensor):
        raise TypeError(f"{function}(): out must be a Tensor, got {describe(out)}")
    return out.become(result, function, reshapes=True)


def bitwise_and(x, y, out=None, name=None):
    """Bits set in both, for integers and bool.

    Args:
        x, y: bool or integer Tensors that broadcast together.
        out: Tensor that takes the result, if one is given.

    >>> paddle.bitwise_and(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])).tolist()
    [1, 0]
    """
    out = _into(out, logic.bitwise_and(*promote(x, y, "bitwise_and")), "bitwise_and")
    return out if name is None else naming.named(out, name)


@documented_like(bitwise_and)
def bitwise_or(x, y, out=None, name=None):
    """Bits set in either, for integers and bool.

    >>> paddle.bitwise_or(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])).tolist()
    [3, 6]
    """
    out = _into(out, logic.bitwise_or(*promote(x, y, "bitwise_or")), "bitwise_or")
    return out if name is None else naming.named(out, name)


@own_errors
@documented_like(bitwise_and)
def bitwise_xor(x, y, out=None, name=None):
    """Bits set in exactly one, for integers and bool.

    >>> paddle.bitwise_xor(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])).tolist()
    [2, 6]
    """
    out = _into(out, logic.bitwise_xor(*promote(x, y, "bitwise_xor")), "bitwise_xor")
    return out if name is None else naming.named(out, name)


def bitwise_not(x, out=None, name=None):
    """Every bit flipped; for bool the opposite.

    Args:
        x: bool or integer Tensor.
        out: Tensor that takes the result, if one is given.

    >>> paddle.bitwise_not(paddle.to_tensor([0, 5])).tolist()
    [-1, -6]
    """
    out = _into(out, logic.bitwise_not(as_tensor(x, "bitwise_not")), "bitwise_not")
    return out if name is None else naming.named(out, name)


def is_tensor(x):
    """Is x a Tensor, or a Variable of a program?

    >>> paddle.is_tensor(paddle.ones([1])), paddle.is_tensor(1)
    (True, False)
    """
    return is_tensor_like(x)


__getattr__ = _lookup(__name__)
