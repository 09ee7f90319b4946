"""Functions of the values alone: zeros stay zeros, so positions are unchanged."""

import builtins
import math

import numpy as np

from ..core.dtype import to_numpy
from ..core.errors import describe
from ..core.tensor import wrap
from ..linalg import pca_lowrank as of_dense
from ..ops.manipulation import positions
from ..ops.manipulation.gather_scatter import index_select
from ..tensor import math as dense
from ..tensor.creation import zeros
from .tensors import SparseCooTensor, SparseCsrTensor, coo, coo_from_keys, known_sizes, like

_NAMES = ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "sqrt", "square", "log1p", "abs", "neg", "deg2rad",
          "rad2deg", "expm1", "isnan"]
__all__ = [*_NAMES, "pow", "cast", "coalesce", "transpose", "reshape", "sum", "slice", "is_same_shape", "pca_lowrank"]


def _of_values(name):
    def function(x, name=None):
        coo(x, function.__name__)
        return x.with_values(getattr(x.values(), function.__name__)())
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""``paddle.{name}`` of every value of a sparse tensor.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 2]], [0.5, 0.25], [3])
    >>> paddle.sparse.{name}(x).nnz()
    2
    """
    return function


globals().update({name: _of_values(name) for name in _NAMES})


def pow(x, factor, name=None):
    """Every value to a power.

    >>> paddle.sparse.pow(paddle.sparse.sparse_coo_tensor([[0, 2]], [2.0, 3.0], [3]), 2).values().tolist()
    [4.0, 9.0]
    """
    coo(x, "pow")
    return x.with_values(dense.pow(x.values(), factor))


def cast(x, index_dtype=None, value_dtype=None, name=None):
    """The same tensor with positions and values of other types (None: as they are).

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 2]], [2.0, 3.0], [3])
    >>> paddle.sparse.cast(x, "int32", "float64").indices().dtype
    paddle.int32
    """
    coo(x, "cast")
    values = x.values() if value_dtype is None else x.values().astype(value_dtype)
    if index_dtype is None:
        return x.with_values(values)
    kind = to_numpy(index_dtype, "cast")
    if kind not in (np.int32, np.int64):
        raise TypeError(f"cast(): index_dtype must be int32 or int64, got {kind.name}")
    if isinstance(x, SparseCsrTensor):
        return SparseCsrTensor(x.crows().astype(kind), x.cols().astype(kind), values, x.shape)
    return SparseCooTensor(x.indices().astype(kind), values, x.shape, x.coalesced)


def coalesce(x, name=None):
    """Positions in order, each once; values of the same position are added.

    >>> x = paddle.sparse.sparse_coo_tensor([[1, 0, 1]], [1.0, 2.0, 3.0], [2])
    >>> paddle.sparse.coalesce(x).values().tolist()
    [2.0, 4.0]
    """
    return coo(x, "coalesce").coalesce()


def is_same_shape(x, y):
    """Have two tensors, sparse or dense, the same shape?

    >>> paddle.sparse.is_same_shape(paddle.sparse.sparse_coo_tensor([[0]], [1.0], [3]), paddle.zeros([3]))
    True
    """
    for value, name in ((x, "x"), (y, "y")):
        if not hasattr(value, "shape"):
            raise TypeError(f"is_same_shape(): {name} must be a tensor, got {describe(value)}")
    return list(x.shape) == list(y.shape)


def transpose(x, perm, name=None):
    """Axes in another order; dense axes stay behind the sparse ones.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
    >>> paddle.sparse.transpose(x, [1, 0]).to_dense().tolist()
    [[0.0, 2.0], [0.0, 0.0], [1.0, 0.0]]
    """
    one = coo(x, "transpose")
    perm = [int(p) for p in perm]
    axes = one.sparse_axes
    if sorted(perm) != list(range(one.ndim)) or any((p < axes) != (i < axes) for i, p in enumerate(perm)):
        raise ValueError(f"transpose(): perm must order the {axes} sparse axes, then the {one.ndim - axes} dense ones, got {perm}")
    values = one.values()
    if one.ndim > axes:
        values = values.transpose([0, *(p - axes + 1 for p in perm[axes:])])
    places = index_select(one.indices(), wrap(np.asarray(perm[:axes], np.int64)), 0)
    moved = SparseCooTensor(places, values, [one.shape[p] for p in perm])
    return like(moved if isinstance(x, SparseCooTensor) else moved.coalesce(), x)


def reshape(x, shape, name=None):
    """The same elements in another shape; the sizes of dense axes must end it unchanged. One size may be -1.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
    >>> paddle.sparse.reshape(x, [6]).indices().tolist()
    [[2, 3]]
    """
    one = coo(x, "reshape")
    dense_sizes = one.shape[one.sparse_axes:]
    shape = [int(n) if n else one.shape[i] for i, n in enumerate(shape)]
    count = math.prod(known_sizes(one.shape, "reshape"))
    if shape.count(-1) == 1:
        rest = -math.prod(shape)
        shape[shape.index(-1)] = count // rest if rest else 0
    axes = len(shape) - len(dense_sizes)
    if axes < 1 or math.prod(shape) != count or shape[axes:] != dense_sizes or min(shape) < 0:
        raise ValueError(f"reshape(): a sparse tensor of shape {one.shape} with dense sizes {dense_sizes} can't have shape {shape}")
    places = positions.coo_places(one.keys(), shape[:axes], one.indices().dtype.name)
    return like(SparseCooTensor(places, one.values(), shape, one.coalesced), x)


def sum(x, axis=None, dtype=None, keepdim=False, name=None):
    """The sum over some axes, sparse again; over all of them (None) it has shape [1].

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
    >>> paddle.sparse.sum(x, 0).to_dense().tolist()
    [2.0, 0.0, 1.0]
    """
    one = coo(x, "sum")
    values = one.values() if dtype is None else one.values().astype(dtype)
    if axis is None:
        shape = [1] * one.ndim if keepdim else [1]
        places = zeros([len(shape), 1], one.indices().dtype)
        return like(SparseCooTensor(places, values.sum().reshape([1]), shape, True), x if keepdim else None)
    gone = [axis] if isinstance(axis, (int, np.integer)) else list(axis)
    if any(not -one.ndim <= a < one.ndim for a in gone):
        raise ValueError(f"sum(): axis must name axes of a tensor with {one.ndim} of them, got {axis}")
    gone = {a % one.ndim for a in gone}
    if len(gone) == one.ndim:
        return sum(x, None, dtype, keepdim)
    dense = [a - one.sparse_axes + 1 for a in gone if a >= one.sparse_axes]
    values = values.sum(dense, keepdim=keepdim) if dense else values
    gone = {a for a in gone if a < one.sparse_axes}
    kept = [a for a in range(one.sparse_axes) if a not in gone]
    if not kept:
        raise ValueError(f"sum(): axis must leave one of the {one.sparse_axes} sparse axes, or name all {one.ndim}, got {axis}")
    keys = positions.coo_keys(one.indices(), [one.shape[a] for a in kept], kept)  # axes of size 1 do not change them
    sizes = [1 if a in gone else n for a, n in enumerate(one.sparse_sizes) if keepdim or a not in gone]
    left = coo_from_keys(keys, values, [*sizes, *values.shape[1:]], len(sizes), one.indices().dtype)
    return like(left, x) if left.ndim in (2, 3) else left


def slice(x, axes, starts, ends, name=None):
    """The part between ``starts`` and ``ends`` of some sparse axes; negative bounds count from the end.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
    >>> paddle.sparse.slice(x, [1], [1], [3]).to_dense().tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    one = coo(x, "slice")
    axes, starts, ends = ([int(v) for v in bounds] for bounds in (axes, starts, ends))
    if not len(axes) == len(starts) == len(ends):
        raise ValueError(f"slice(): axes, starts and ends must be as many, got {axes}, {starts} and {ends}")
    shape, bounds = one.shape, []
    for axis, start, end in zip(axes, starts, ends):
        if not -one.ndim <= axis < one.ndim or axis % one.ndim >= one.sparse_axes:
            raise ValueError(f"slice(): axes must name sparse axes, the first {one.sparse_axes} of {one.ndim}, got {axis}")
        axis %= one.ndim
        low, high, _ = builtins.slice(start, end).indices(known_sizes(one.shape[axis:axis + 1], "slice")[0])
        bounds.append((axis, low, high))
        shape[axis] = max(high - low, 0)
    rows, places = positions.coo_window(one.indices(), *map(list, zip(*bounds)))
    return like(SparseCooTensor(places, index_select(one.values(), rows, 0), shape, one.coalesced), x)


def pca_lowrank(x, q=None, center=True, niter=2, name=None):
    """(U, S, V) of the ``q`` largest principal components of a sparse matrix, as ``paddle.linalg.pca_lowrank`` of a dense one.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [0, 1]], [3.0, 2.0], [3, 2])
    >>> [t.shape for t in paddle.sparse.pca_lowrank(x, 1)]
    [[3, 1], [1], [2, 1]]
    """
    one = coo(x, "pca_lowrank")
    if one.ndim != 2:
        raise ValueError(f"pca_lowrank(): x must be a matrix, got shape {one.shape}")
    return of_dense(one.to_dense(), q, center, niter)
