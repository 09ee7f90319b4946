"""Slices of a tensor picked or placed by index tensors for its first axes: x[i, j], read and written.

Negative ids count from the end; others outside raise IndexError.
"""

import math

import numpy as np

from ...core.errors import ElementTypeError
from ...core.op import op
from ...core.steps import dense
from ..arguments import check_index
from ..families.index import picked_first
from ..short import through_float32
from .gather_scatter import add_rows, added_rows
from .reshape import convert
from .slicing import fit, summed_to


def checked_index(shape, index, function):
    """Index arrays for the first axes, negative ids counted from the end; IndexError for one outside."""
    if len(index) > len(shape):
        raise IndexError(f"{function}(): {len(index)} indices for a {len(shape)}-d tensor")
    for k, ids in enumerate(index):
        check_index(ids, shape[k], function, negative=True)
    return tuple(index)


def _quick_rows(k, index, shape):
    """Flat numbers of slices along as many axes as there are ids for; NotImplemented where the reference says what is wrong."""
    if len(index) > len(shape) or any(ids.dtype.char not in "ilq" for ids in index):
        return NotImplemented
    if any(ids.shape != index[0].shape for ids in index):
        try:
            index = np.broadcast_arrays(*index)
        except ValueError:
            return NotImplemented
    return k.flat_rows([dense(ids) for ids in index], shape[:len(index)])


@op("index_get(X, Index*) -> Out", family="index", shapes=picked_first)
def index_get(x, index):
    """x[index[0], index[1], ...]: the slices of x at broadcast ids of its first axes; negative ids count from the end."""
    if any(ids.dtype.kind not in "iu" for ids in index):
        raise ElementTypeError(f"an index must be of integers, got {[ids.dtype.name for ids in index]}")
    return x[tuple(index)]  # NumPy's own check of the range is the one wanted here


@index_get.kernel(when=lambda x, index: x.size and index, noted=False)
def _(k, x, index):
    depth, ids = len(index), index[0]
    out = k.take(dense(x), dense(ids), 0) if depth == 1 and x.ndim and ids.ndim else NotImplemented
    if out is NotImplemented:
        rows = _quick_rows(k, index, x.shape)
        if rows is not NotImplemented:
            out = k.take(dense(x).reshape(math.prod(x.shape[:depth]), *x.shape[depth:]), rows, 0)
    return out


@op("index_sum(G, Index*) -> GX", family="index")
def index_sum(g, index, shape=()):
    """Zeros of the given shape with g added at broadcast ids of the first axes."""
    return index_put.fn(np.zeros(shape, g.dtype), index, g, True)


@index_sum.kernel(when=lambda g, index, shape: g.dtype.char in "fd" and g.size and index, noted=False)
def _(k, g, index, shape):
    rows = _quick_rows(k, index, shape)
    if rows is NotImplemented or g.shape != (*rows.shape, *shape[len(index):]):
        return NotImplemented
    n, width = math.prod(shape[:len(index)]), math.prod(shape[len(index):])
    return k.embedding_grad(dense(g).reshape(rows.size, width), rows.reshape(-1), n).reshape(tuple(shape))


index_get.grad(x=lambda g, x_shape, index: index_sum(g, index, tuple(x_shape)))
index_sum.grad(g=lambda g, index: index_get(g, index))


@op("index_put(x, indices*, value) -> out", family="same")
def index_put(x, index, value, accumulate=False):
    """x with value written to (or added at) broadcast ids of its first axes."""
    ids = np.broadcast_arrays(*checked_index(x.shape, index, "index_put"))
    depth = len(ids)
    target = ids[0].shape + x.shape[depth:]
    if 0 in target:
        return np.array(x, order="C")  # a mask that names nothing takes values of any size
    value = fit(convert(value, x.dtype), target, "index_put")
    out = np.array(x, order="C")
    if not accumulate:
        out[tuple(ids)] = value
    else:
        rows = np.zeros(ids[0].shape, np.int64)
        for k, i in enumerate(ids):
            rows = rows * x.shape[k] + np.where(i < 0, i + x.shape[k], i)
        width = int(np.prod(x.shape[depth:]))
        add_rows(out.reshape(-1, width), rows.reshape(-1), value.reshape(-1, width))
    return out


@index_put.kernel(when=lambda x, index, value, accumulate: x.size and index and (not accumulate or x.dtype.char in "fd"),
                  noted=False)
def _(k, x, index, value, accumulate):
    rows = _quick_rows(k, index, x.shape)
    if rows is NotImplemented or not rows.size:
        return NotImplemented
    depth = len(index)
    n, width = math.prod(x.shape[:depth]), math.prod(x.shape[depth:])
    value = convert(value, x.dtype)
    alike = value.size == 1 and not accumulate  # one number for all
    value = np.broadcast_to(value.reshape(1, 1), (1, width)) if alike else fit(value, rows.shape + x.shape[depth:], "index_put")
    if accumulate:
        return added_rows(k, x, rows, value, depth)
    out = k.set_rows(dense(x).reshape(n, width), rows.reshape(-1), dense(value).reshape(-1, width))
    return out if out is NotImplemented else out.reshape(x.shape)


def _unput(g, index, accumulate):
    return g if accumulate else index_put(g, index, 0.0)


index_put.grad(x=_unput, value=lambda g, index, value_shape: summed_to(index_get(g, index), value_shape))


@op("flat_positions(Index, X) -> Out", family="same")
def flat_positions(index, x, mode="raise"):
    """Positions in x seen as one row: negative ones count from the end; others outside raise, wrap or are clipped."""
    size = x.size
    if mode == "wrap" and size:
        return index % size
    if mode == "clip" and size:
        return np.clip(index, 0, size - 1)
    check_index(index, size, "take", negative=True)
    return np.where(index < 0, index + size, index)


through_float32(index_sum, index_put)
