"""Sums over chosen axes of two tensors."""

import math

import numpy as np

from ..core.errors import ArgumentError, check, describe
from ..core.tensor import Tensor
from ..ops.arguments import one_axis
from ..ops.linalg import matmul
from ..ops.manipulation import reshape
from ..ops.math import reduction
from ..utils import naming
from .convert import promote
from .shapes import dims, ints, split_ints

__all__ = ["tensordot"]
METHODS = __all__


def _axes(axes, x, y):
    """The axes of x and of y to sum over, from every form that Paddle takes."""
    if isinstance(axes, (Tensor, np.ndarray)):
        axes = np.asarray(axes).tolist()
    if isinstance(axes, (int, np.integer)) and not isinstance(axes, bool):
        n = int(axes)
        most = min(len(x.shape), len(y.shape))
        check(n >= 0, f"tensordot(): axes must be in [0, {most}], got {n}", error=ArgumentError)
        check(n <= most, f"tensordot(): axes must be in [0, {most}], got {n}", error=IndexError)
        return list(range(len(x.shape) - n, len(x.shape))), list(range(n))
    if not isinstance(axes, (list, tuple)):
        raise TypeError(f"tensordot(): axes must be an int, or lists of ints, got {describe(axes)}")
    if axes and any(isinstance(a, (list, tuple, Tensor, np.ndarray)) for a in axes):
        if len(axes) > 2:
            raise ValueError(f"tensordot(): axes must be at most two lists, got {describe(axes)}")
        mine = ints(axes[0], "tensordot", "axes")
        other = ints(axes[1], "tensordot", "axes") if len(axes) == 2 else list(mine)
        # the shorter list goes on as the longer one does
        mine, other = mine + other[len(mine):], other + mine[len(other):]
    else:
        mine = ints(axes, "tensordot", "axes")
        other = list(mine)
    if len(mine) > min(len(x.shape), len(y.shape)):
        raise ArgumentError(f"tensordot(): there are {len(mine)} axes for tensors of {len(x.shape)} and {len(y.shape)} axes")
    return ([one_axis(a, len(x.shape), "tensordot", "axes") for a in mine],
            [one_axis(a, len(y.shape), "tensordot", "axes") for a in other])


def tensordot(x, y, axes=2, name=None):
    """Multiply two tensors and sum over pairs of axes.

    Args:
        x, y: Tensors.
        axes: number of last axes of x to pair with the first of y; or one list for both; or a list for each.

    >>> paddle.tensordot(paddle.ones([2, 3]), paddle.ones([3, 4]), 1).shape
    [2, 4]
    """
    x, y = promote(x, y, "tensordot")
    mine, other = _axes(axes, x, y)
    if len(set(mine)) != len(mine) or len(set(other)) != len(other):
        raise ValueError(f"tensordot(): axes name an axis twice: {mine} and {other}")
    for a, b in zip(mine, other):  # an axis of size 1 pairs with every index of the other: the other is summed first
        if x.shape[a] == y.shape[b] or -1 in (x.shape[a], y.shape[b]):
            continue
        if 1 not in (x.shape[a], y.shape[b]):
            raise ArgumentError(f"tensordot(): axis {a} of x {list(x.shape)} and axis {b} of y {list(y.shape)} differ in size")
        x = x if x.shape[a] == 1 else reduction.sum(x, [a], True)
        y = y if y.shape[b] == 1 else reduction.sum(y, [b], True)
    left = [a for a in range(len(x.shape)) if a not in mine]
    right = [a for a in range(len(y.shape)) if a not in other]
    sizes = [max(x.shape[a], y.shape[b]) for a, b in zip(mine, other)]
    if -1 in sizes:
        raise ValueError(f"tensordot(): the sizes of the summed axes must be known, got {list(x.shape)} and {list(y.shape)}")
    a = reshape.reshape(reshape.transpose(x, left + mine), None, None, [_product(x, left), math.prod(sizes)])
    b = reshape.reshape(reshape.transpose(y, other + right), None, None, [math.prod(sizes), _product(y, right)])
    rows, columns = [dims(x)[a] for a in left], [dims(y)[a] for a in right]
    return naming.named(reshape.reshape(matmul.matmul(a, b), *split_ints(rows + columns, "tensordot", "x")), name)


def _product(x, axes):
    """Number of elements over some axes; -1 (what is left) if a size is unknown."""
    sizes = [x.shape[a] for a in axes]
    return -1 if -1 in sizes else math.prod(sizes)
