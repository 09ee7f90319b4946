"""The argument gate: axes, indices and shapes are checked here, once per family, before a kernel sees them."""

import functools

import numpy as np

from ..core.errors import AxisError, ElementTypeError, OutOfRangeError, WrongKindError


def one_axis(axis, ndim, function, argument="axis"):
    """The axis as a number in [0, ndim); a 0-d tensor accepts 0 and -1."""
    try:
        a = axis.__index__()
    except AttributeError:
        raise WrongKindError(f"{function}(): {argument} must be an int, got {axis!r}") from None
    limit = max(ndim, 1)
    if not -limit <= a < limit:
        raise AxisError(f"{function}(): {argument} must be in [{-limit}, {limit - 1}] for a {ndim}-d tensor, got {a}")
    return a % limit


def axis_tuple(axis, ndim, function, argument="axis"):
    """The axes as a sorted-as-given tuple of numbers in [0, ndim); None and an empty list mean all of them."""
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, (list, tuple)):
        if not axis:
            return tuple(range(ndim))
        axes = tuple([one_axis(a, ndim, function, argument) for a in axis])
        if len(set(axes)) != len(axes):
            raise ValueError(f"{function}(): {argument} names an axis twice: {list(axis)}")
    else:
        axes = (one_axis(axis, ndim, function, argument),)
    return axes if ndim else ()


def check_index(index, size, function, argument="index", negative=False):
    """Raise OutOfRangeError naming the first index outside [0, size) (or [-size, size) where negatives are defined)."""
    if index.dtype.kind not in "iu":
        raise ElementTypeError(f"{function}(): {argument} must be an integer tensor, got {index.dtype.name}")
    if index.size == 0:
        return
    low = -size if negative else 0
    if index.min() < low or index.max() >= size:
        bad = index[(index < low) | (index >= size)].flat[0]
        raise OutOfRangeError(f"{function}(): {argument} {int(bad)} is out of range [{low}, {size}) for size {size}")


def broadcast_shape(a, b, function):
    """The common shape of two shapes, or ValueError with both."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise ValueError(f"{function}(): shapes {list(a)} and {list(b)} do not broadcast together") from None


def same_dtype(x, y, function):
    """Raise TypeError unless both arrays have one dtype (ops do not promote; the public functions do)."""
    if x.dtype != y.dtype:
        raise ElementTypeError(f"{function}(): x and y must have one dtype, got {x.dtype.name} and {y.dtype.name}")


def quiet(function):
    """The function with NumPy's warnings off: infinities and NaN are answers here, not accidents."""
    @functools.wraps(function)
    def run(*args):
        with np.errstate(all="ignore"):
            return function(*args)
    return run


def need_real(x, function, argument="x"):
    """Raise TypeError if an array holds complex numbers."""
    if x.dtype.kind == "c":
        raise ElementTypeError(f"{function}(): {argument} must be real, got {x.dtype.name}")
