"""Comparisons, logic and bits."""

import numpy as np

from ...core.errors import ElementTypeError
from ...core.op import op
from ..families.sharding import elementwise
from ..lines import by_lines
from .arithmetic import align


def _declare(name, function, doc, op_type=None):
    ordered = function not in (np.equal, np.not_equal)

    def kernel(x, y, axis=-1):
        if ordered and x.dtype.kind == "c":
            raise TypeError("complex numbers have no order")
        return function(x, align(x, y, axis))
    kernel.__name__, kernel.__doc__, kernel.__module__ = name, doc, __name__
    return op(f"{op_type or name}(X, Y) -> Out", family="compare", version=1)(kernel)


equal = _declare("equal", np.equal, "x == y, element by element.")
not_equal = _declare("not_equal", np.not_equal, "x != y, element by element.")
less_than = _declare("less_than", np.less, "x < y, element by element.")
less_equal = _declare("less_equal", np.less_equal, "x <= y, element by element.")
greater_than = _declare("greater_than", np.greater, "x > y, element by element.")
greater_equal = _declare("greater_equal", np.greater_equal, "x >= y, element by element.")


@op("logical_and(X, Y) -> Out", family="compare")
def logical_and(x, y):
    """True where both are true (numbers other than 0 are true)."""
    return np.logical_and(x, y)


@op("logical_or(X, Y) -> Out", family="compare")
def logical_or(x, y):
    """True where either is true."""
    return np.logical_or(x, y)


@op("logical_xor(X, Y) -> Out", family="compare")
def logical_xor(x, y):
    """True where exactly one is true."""
    return np.logical_xor(x, y)


@op("logical_not(X) -> Out", family="compare")
def logical_not(x):
    """True where x is false or 0."""
    return np.logical_not(x)


def _bits(name, function, doc):
    def kernel(x, y):
        for a, n in ((x, "x"), (y, "y")):
            if a.dtype.kind not in "iub":
                raise ElementTypeError(f"{name}(): {n} must be an integer or bool tensor, got {a.dtype.name}")
        return function(x, y)
    kernel.__name__, kernel.__doc__, kernel.__module__ = name, doc, __name__
    return op(f"{name}(X, Y) -> Out", family="broadcast")(kernel)


bitwise_and = _bits("bitwise_and", np.bitwise_and, "Bits set in both.")
bitwise_or = _bits("bitwise_or", np.bitwise_or, "Bits set in either.")
bitwise_xor = _bits("bitwise_xor", np.bitwise_xor, "Bits set in exactly one.")


@op("bitwise_not(X) -> Out", family="same", sharding=elementwise)
def bitwise_not(x):
    """Every bit flipped; for bool the opposite."""
    if x.dtype.kind not in "iub":
        raise ElementTypeError(f"bitwise_not(): x must be an integer or bool tensor, got {x.dtype.name}")
    return np.bitwise_not(x)


by_lines(equal, not_equal, less_than, less_equal, greater_than, greater_equal, logical_and, logical_or, logical_xor, logical_not,
         bitwise_and, bitwise_or, bitwise_xor, bitwise_not)
