"""What Paddle 3 has in paddle.compat: functions of Paddle's names with PyTorch's arguments and results."""

import collections

import numpy as np

from ..core.errors import describe
from ..core.random import Generator  # noqa: I001
from ..core.random import seed as set_seed
from . import binary as pairs
from . import joining, linalg, reduction, search
from .convert import as_tensor, int_arg
from .creation import full_like
from .gather_scatter import where
from .math import maximum, minimum

__all__ = ["equal", "max", "median", "min", "nanmedian", "seed", "slogdet", "sort", "split", "unique"]
MinMaxRetType = collections.namedtuple("MinMaxRetType", ("values", "indices"))
MedianRetType = collections.namedtuple("MedianRetType", ("values", "indices"))
SortRetType = collections.namedtuple("SortRetType", ("values", "indices"))
SlogdetResult = collections.namedtuple("SlogdetResult", ("sign", "logabsdet"))


def _extreme(function, pair, whole, place, input, dim, keepdim):
    x = as_tensor(input, function, "input")
    if hasattr(dim, "stop_gradient"):
        return pair(x, dim)
    if dim is None:
        return whole(x)
    dim = int_arg(dim, function, "dim")
    at = place(x, dim, True)
    values = x.take_along_axis(at, dim)
    return MinMaxRetType(values, at) if keepdim else MinMaxRetType(values.squeeze(dim), at.squeeze(dim))


def max(input, dim=None, keepdim=False, *, other=None):
    """The largest element; with an axis (values, indices); of two tensors the larger elements.

    >>> paddle.compat.max(paddle.to_tensor([[1., 3.], [4., 2.]]), 1).indices.tolist()
    [1, 0]
    """
    return _extreme("max", maximum, reduction.amax, search.argmax, input, dim if other is None else other, keepdim)


def min(input, dim=None, keepdim=False, *, other=None):
    """The smallest element; with an axis (values, indices); of two tensors the smaller elements.

    >>> paddle.compat.min(paddle.to_tensor([[1., 3.], [4., 2.]]), 0).values.tolist()
    [1.0, 2.0]
    """
    return _extreme("min", minimum, reduction.amin, search.argmin, input, dim if other is None else other, keepdim)


def sort(input, dim=-1, descending=False, stable=False):
    """(values, indices) of the elements in order along an axis; equal ones stay in order.

    >>> paddle.compat.sort(paddle.to_tensor([3, 1, 2])).indices.tolist()
    [1, 2, 0]
    """
    x = as_tensor(input, "sort", "input")
    at = search.argsort(x, dim, descending)
    return SortRetType(x.take_along_axis(at, dim), at)


def split(tensor, split_size_or_sections, dim=0):
    """Parts of one size (the last may be smaller), or of the given sizes.

    >>> [part.tolist() for part in paddle.compat.split(paddle.arange(5), 2)]
    [[0, 1], [2, 3], [4]]
    """
    x = as_tensor(tensor, "split", "tensor")
    sizes = split_size_or_sections
    if isinstance(sizes, (int, np.integer)):
        if sizes <= 0:
            raise ValueError(f"split(): split_size_or_sections must be positive, got {sizes}")
        total = x.shape[dim]
        sizes = [int(sizes)] * (total // sizes) + ([total % sizes] if total % sizes else [])
    return tuple(joining.split(x, list(sizes), dim))


def _median(function, input, dim, keepdim, skip):
    x = as_tensor(input, function, "input")
    rows = x.flatten() if dim is None else x
    dim = 0 if dim is None else int_arg(dim, function, "dim")
    missing = rows.isnan()
    counted = where(missing, full_like(rows, float("inf")), rows) if skip else rows
    at = search.argsort(counted, dim)
    number = (missing.logical_not() if skip else missing.logical_or(missing.logical_not())).astype("int64").sum(dim, keepdim=True)
    middle = at.take_along_axis((number - 1).clip(0) // 2, dim)
    if not skip:  # a NaN is the median of its row
        middle = where(missing.any(dim, keepdim=True), missing.astype("int64").argmax(dim, keepdim=True), middle)
    values = rows.take_along_axis(middle, dim)
    if isinstance(input, type(rows)) and input is not rows:
        return values.squeeze(0)
    return MedianRetType(values, middle) if keepdim else MedianRetType(values.squeeze(dim), middle.squeeze(dim))


def median(input, dim=None, keepdim=False):
    """The lower of the two middle elements; with an axis (values, indices).

    >>> float(paddle.compat.median(paddle.to_tensor([[1., 3.], [4., 2.]])))
    2.0
    """
    return _median("median", input, dim, keepdim, False)


def nanmedian(input, dim=None, keepdim=False):
    """As ``median``, without the elements that are NaN.

    >>> paddle.compat.nanmedian(paddle.to_tensor([[1., float('nan')], [4., 2.]]), 1).values.tolist()
    [1.0, 2.0]
    """
    return _median("nanmedian", input, dim, keepdim, True)


def equal(input, other):
    """Have two tensors one shape and the same elements? A bool.

    >>> paddle.compat.equal(paddle.to_tensor([1]), paddle.to_tensor([1]))
    True
    """
    return list(input.shape) == list(other.shape) and bool(pairs.equal_all(input, other))


def slogdet(x):
    """The determinant's (sign, logarithm of its size).

    >>> float(paddle.compat.slogdet(paddle.to_tensor([[1., 3.], [4., 2.]])).sign)
    -1.0
    """
    both = linalg.slogdet(x)
    return SlogdetResult(both[0], both[1])


def seed():
    """Seed the generator with a number that nobody chose; returns it.

    >>> paddle.compat.seed() >= 0
    True
    """
    number = Generator().initial_seed()
    set_seed(number)
    return number


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements, in order; then where each element went and how often it is there, if wanted.

    >>> paddle.compat.unique(paddle.to_tensor([3, 1, 3]), return_counts=True)[1].tolist()
    [1, 2]
    """
    if not isinstance(sorted, bool):
        raise TypeError(f"unique(): sorted must be a bool, got {describe(sorted)}")
    x = as_tensor(input, "unique", "input")
    found = search.unique(x, False, return_inverse, return_counts, dim)
    if not return_inverse:
        return found
    found = list(found)
    found[1] = found[1].reshape(list(x.shape)) if dim is None else found[1]
    return tuple(found)
