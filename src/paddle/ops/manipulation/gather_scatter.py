"""Elements picked or placed by integer tensors: gather, scatter, take_along_axis ...

Ids outside an axis raise IndexError here, before NumPy could take a negative one for another element.
"""

import math

import numpy as np

from ...core.errors import ElementTypeError
from ...core.op import op
from ...core.steps import dense
from ..arguments import check_index, one_axis, same_dtype
from ..families.index import picked, picked_nd
from ..short import through_float32
from .reading_order import picking
from .reshape import ints_of


def add_rows(out, rows, values):
    """out[rows[i]] += values[i] for 2-d out and values; repeated rows add up.

    Rows are sorted and summed in groups: far quicker than NumPy's element-wise ``add.at``.
    """
    if rows.size == 0 or values.size == 0:
        return out
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    if starts.size == rows.size:  # no row twice
        out[rows] += values
    else:
        out[ordered[starts]] += np.add.reduceat(values[order], starts, 0)
    return out


def _along_first(x, axis):
    """A view of x with ``axis`` first, as a matrix [size, rest]."""
    moved = np.moveaxis(x, axis, 0)
    return moved.reshape(moved.shape[0], -1), moved.shape


def _pick(x, index, axis, function):
    a = one_axis(axis, x.ndim, function)
    if x.ndim == 0:
        raise ValueError(f"{function}(): x must have at least one axis")
    if index.ndim > 1 and not (index.ndim == 2 and index.shape[1] == 1):
        raise ValueError(f"{function}(): index must be 0-d or 1-d, got shape {list(index.shape)}")
    check_index(index, x.shape[a], function)
    return np.take(x, index.reshape(-1) if index.ndim == 2 else index, a)


def _axis_of(axis, axis_tensor):
    return axis if axis_tensor is None else ints_of(None, axis_tensor)[0]


@op("gather(X, Index, Axis?) -> Out", family="index", version=1, shapes=picked)
def gather(x, index, axis_tensor=None, axis=0):
    """The slices of x along an axis at the given ids."""
    return _pick(x, index, _axis_of(axis, axis_tensor), "gather")


def _quick_ids(index):
    """Are these ids that kernels read? What is wrong with others the reference says."""
    return index.dtype.char in "ilq" and (index.ndim == 1 or (index.ndim == 2 and index.shape[1] == 1))


def _quick_pick(k, x, index, axis, function):
    index = dense(index)
    return k.take(dense(x), index.reshape(-1) if index.ndim == 2 else index, one_axis(axis, x.ndim, function))


@gather.kernel(when=lambda x, index, axis_tensor, axis: axis_tensor is None and x.ndim and _quick_ids(index))
def _(k, x, index, axis_tensor, axis):
    return _quick_pick(k, x, index, axis, "gather")


@op("gather_sum(G, Index) -> GX", family="index")
def gather_sum(g, index, shape=(), axis=0):
    """Zeros of the given shape with the slices of g added at the given ids along an axis."""
    a = one_axis(axis, len(shape), "gather")
    out = np.zeros((shape[a], *shape[:a], *shape[a + 1:]), g.dtype)
    if out.size and index.size:
        if index.ndim == 0:
            g = np.expand_dims(g, a)
        add_rows(out.reshape(shape[a], -1), index.reshape(-1), _along_first(g, a)[0])
    return np.moveaxis(out, 0, a)


@gather_sum.kernel(when=lambda g, index, shape, axis: g.dtype.char in "fd" and g.size and _quick_ids(index)
                   and one_axis(axis, len(shape), "gather") == 0)
def _(k, g, index, shape, axis):
    rows = dense(g).reshape(g.shape[0], -1)
    return k.embedding_grad(rows, dense(index).reshape(-1), shape[0]).reshape(tuple(shape))


@gather_sum.kernel(when=lambda g, index, shape, axis: g.dtype.char in "fd" and g.size and _quick_ids(index), noted=False)
def _(k, g, index, shape, axis):
    return k.remap_back(dense(g), picking(len(shape), one_axis(axis, len(shape), "gather"), index), shape)


gather.grad(x=lambda g, x_shape, index, axis_tensor, axis: gather_sum(g, index, tuple(x_shape), _axis_of(axis,
                                                                                                         axis_tensor)))
gather_sum.grad(g=lambda g, index, axis: gather(g, index, None, axis))


def _selected(x, index, axis):
    if len(index.shape) != 1:
        raise ValueError(f"index_select(): index must be 1-d, got shape {list(index.shape)}")
    return picked(x, index, None, axis)


@op("index_select(X, Index) -> Out", family="index", axis="dim", shapes=_selected)
def index_select(x, index, axis=0):
    """The slices of x along an axis at the ids of a 1-d index."""
    if index.ndim != 1:
        raise ValueError(f"index must be 1-d, got shape {list(index.shape)}")
    return _pick(x, index, axis, "index_select")


@index_select.kernel(when=lambda x, index, axis: x.ndim and index.ndim == 1 and index.dtype.char in "ilq")
def _(k, x, index, axis):
    return _quick_pick(k, x, index, axis, "index_select")


index_select.grad(x=lambda g, x_shape, index, axis: gather_sum(g, index, tuple(x_shape), axis))


def _flat_rows(shape, index, function):
    """The last axis of ``index`` addresses the first axes of an array of this shape; as flat row numbers."""
    depth = index.shape[-1] if index.ndim else 0
    if index.ndim == 0 or depth > len(shape):
        raise ValueError(f"{function}(): the last axis of index {list(index.shape)} can address at most the {len(shape)} axes "
                         f"of x {list(shape)}")
    rows = np.zeros(index.shape[:-1], np.int64)
    for k in range(depth):
        check_index(index[..., k], shape[k], function)
        rows = rows * shape[k] + index[..., k]
    if index.dtype.kind not in "iu":
        raise ElementTypeError(f"{function}(): index must be an integer tensor, got {index.dtype.name}")
    return rows, depth


def _quick_rows(k, index, shape):
    """Flat row numbers by the kernel; NotImplemented for what it has no code for, or for what is wrong with the ids."""
    depth = index.shape[-1] if index.ndim else 0
    if not 0 < depth <= len(shape) or index.dtype.char not in "ilq":
        return NotImplemented
    return k.flat_rows(list(dense(np.moveaxis(index, -1, 0))), shape[:depth], False)


def added_rows(k, x, rows, values, depth):
    """x with values added at the flat numbers of slices along its first ``depth`` axes."""
    n, width = math.prod(x.shape[:depth]), math.prod(x.shape[depth:])
    out = np.array(x, order="C")
    k.embedding_grad(dense(values).reshape(rows.size, width), rows.reshape(-1), n, -1, out.reshape(n, width))
    return out


@op("gather_nd(X, Index) -> Out", family="index", shapes=picked_nd)
def gather_nd(x, index):
    """The elements or slices of x addressed by the rows (last axis) of index."""
    rows, depth = _flat_rows(x.shape, index, "gather_nd")
    return x.reshape(-1, *x.shape[depth:])[rows] if x.size or rows.size else np.zeros(rows.shape + x.shape[depth:],
                                                                                      x.dtype)


@gather_nd.kernel(when=lambda x, index: x.size, noted=False)
def _(k, x, index):
    rows = _quick_rows(k, index, x.shape)
    if rows is NotImplemented:
        return rows
    depth = index.shape[-1]
    return k.take(dense(x).reshape(math.prod(x.shape[:depth]), *x.shape[depth:]), rows, 0)


@op("scatter_nd_add(X, Index, Updates) -> Out", family="same")
def scatter_nd_add(x, index, updates):
    """x with updates added at the elements or slices addressed by the rows of index."""
    same_dtype(x, updates, "scatter_nd_add")
    rows, depth = _flat_rows(x.shape, index, "scatter_nd_add")
    if updates.shape != rows.shape + x.shape[depth:]:
        raise ValueError(f"updates {list(updates.shape)} must have shape {list(rows.shape + x.shape[depth:])}")
    out = np.array(x, order="C")
    if out.size and rows.size:
        width = int(np.prod(x.shape[depth:]))
        add_rows(out.reshape(-1, width), rows.reshape(-1), updates.reshape(-1, width))
    return out


@scatter_nd_add.kernel(when=lambda x, index, updates: x.dtype.char in "fd" and x.dtype == updates.dtype and updates.size,
                       noted=False)
def _(k, x, index, updates):
    rows = _quick_rows(k, index, x.shape)
    if rows is NotImplemented or updates.shape != rows.shape + x.shape[index.shape[-1]:]:
        return NotImplemented
    return added_rows(k, x, rows, updates, index.shape[-1])


@op("gather_nd_sum(G, Index) -> GX", family="index")
def gather_nd_sum(g, index, shape=()):
    """Zeros of the given shape with g added at what the rows of index address."""
    return scatter_nd_add.run_arrays((np.zeros(shape, g.dtype), index, g))


gather_nd.grad(x=lambda g, x_shape, index: gather_nd_sum(g, index, tuple(x_shape)))
gather_nd_sum.grad(g=lambda g, index: gather_nd(g, index))
scatter_nd_add.grad(x=lambda g: g, updates=lambda g, index: gather_nd(g, index))


@op("scatter(X, Ids, Updates) -> Out", family="same", amp="float32")
def scatter(x, index, updates, overwrite=True):
    """x with rows replaced by updates (the last one wins), or, without overwrite, zeroed and then added to."""
    same_dtype(x, updates, "scatter")
    index = _scatter_index(x, index, updates)
    out = np.array(x, order="C")
    if overwrite:
        out[index] = updates.reshape(index.size, *x.shape[1:])
    elif out.size and index.size:
        out[index] = 0
        add_rows(out.reshape(x.shape[0], -1), index, updates.reshape(index.size, -1))
    return out


def _quick_scatter(x, index, updates, overwrite):
    return (x.ndim and x.size and index.ndim and x.dtype == updates.dtype and _quick_ids(index)
            and (overwrite or x.dtype.char in "fd") and updates.size and updates.size == index.size * math.prod(x.shape[1:]))


@scatter.kernel(when=_quick_scatter, noted=False)
def _(k, x, index, updates, overwrite):
    table, ids = dense(x).reshape(x.shape[0], -1), dense(index).reshape(-1)
    rows = dense(updates).reshape(ids.size, -1)
    out = k.set_rows(table, ids, rows if overwrite else np.zeros((1, rows.shape[1]), x.dtype))
    if out is NotImplemented:
        return out
    if not overwrite:
        k.embedding_grad(rows, ids, x.shape[0], -1, out)
    return out.reshape(x.shape)


def _scatter_index(x, index, updates):
    if x.ndim == 0:
        raise ValueError("scatter(): x must have at least one axis")
    if index.ndim > 1 and not (index.ndim == 2 and index.shape[1] == 1):
        raise ValueError(f"scatter(): index must be 0-d or 1-d, got shape {list(index.shape)}")
    check_index(index, x.shape[0], "scatter")
    if not index.ndim and updates.ndim != x.ndim - 1:
        raise ValueError(f"scatter(): updates {list(updates.shape)} must have shape {list(x.shape[1:])} for a 0-d index")
    if updates.size != index.size * int(np.prod(x.shape[1:])):
        raise ValueError(f"scatter(): updates {list(updates.shape)} must have shape {[index.size, *x.shape[1:]]}")
    return index.reshape(-1)


@op("rows_clear(G, Ids) -> GX", family="same")
def rows_clear(g, index):
    """g with the rows at the given ids set to zero."""
    out = np.array(g, order="C")
    out[index.reshape(-1)] = 0
    return out


@rows_clear.kernel(when=lambda g, index: g.ndim and g.size and index.dtype.char in "ilq", noted=False)
def _(k, g, index):
    width = g.size // g.shape[0]
    out = k.set_rows(dense(g).reshape(-1, width), dense(index).reshape(-1), np.zeros((1, width), g.dtype))
    return out if out is NotImplemented else out.reshape(g.shape)


rows_clear.grad(g=lambda g, index: rows_clear(g, index))
scatter.grad(x=lambda g, index: rows_clear(g, index),
             updates=lambda g, index, updates_shape: gather(g, index.reshape([-1])).reshape(list(updates_shape)))


@op("index_add(X, Index, AddValue) -> Out", family="same")
def index_add(x, index, value, axis=0):
    """x with the slices of value added at the given ids along an axis."""
    same_dtype(x, value, "index_add")
    a = one_axis(axis, x.ndim, "index_add")
    if index.ndim != 1:
        raise ValueError(f"index must be 1-d, got shape {list(index.shape)}")
    check_index(index, x.shape[a], "index_add")
    wanted = (*x.shape[:a], index.size, *x.shape[a + 1:])
    if value.shape != wanted:
        raise ValueError(f"value {list(value.shape)} must have shape {list(wanted)}")
    return x + gather_sum.fn(value, index, x.shape, a)


def _quick_add(x, index, value, axis):
    a = one_axis(axis, x.ndim, "index_add")
    return (x.dtype.char in "fd" and x.dtype == value.dtype and index.ndim == 1 and index.dtype.char in "ilq" and value.size
            and value.shape == (*x.shape[:a], index.size, *x.shape[a + 1:]))


@index_add.kernel(when=_quick_add, noted=False)
def _(k, x, index, value, axis):
    if one_axis(axis, x.ndim, "index_add"):
        more = k.remap_back(dense(value), picking(x.ndim, axis, index), x.shape)
        return more if more is NotImplemented else k.binary("add", dense(x), more)
    rows = k.flat_rows([dense(index)], x.shape[:1], False)
    return rows if rows is NotImplemented else added_rows(k, x, rows, value, 1)


index_add.grad(x=lambda g: g, value=lambda g, index, axis: index_select(g, index, axis))


# ---- one id per result element, along an axis --------------------------------------------------------------------------
def along_index(x_shape, index, axis, function):
    """The NumPy index tuple of ids along one axis, checked; ids and x must have the same number of axes."""
    if index.ndim != len(x_shape):
        raise ValueError(f"{function}(): indices {list(index.shape)} and arr {list(x_shape)} must have the same number of axes")
    check_index(index, x_shape[axis], function, "indices")
    grid = []
    for k, n in enumerate(index.shape):
        if k == axis:
            grid.append(index)
        else:
            if n > x_shape[k] and index.size:
                raise ValueError(f"{function}(): indices {list(index.shape)} exceed arr {list(x_shape)} along axis {k}")
            grid.append(np.arange(n).reshape([-1 if d == k else 1 for d in range(index.ndim)]))
    return tuple(grid)


def flat_index(where, shape):
    """Positions in the flattened array of what a tuple of broadcast index arrays addresses."""
    positions = 0
    for ids, n in zip(where, shape):
        positions = positions * n + ids
    return np.reshape(positions, -1)


@op("take_along_axis(Input, Index) -> Result", family="index", axis="Axis", shapes="_, *i -> *i")
def take_along_axis(x, index, axis=0):
    """For every position of index, the element of x at that position with the id in place of its coordinate on the axis."""
    return x[along_index(x.shape, index, one_axis(axis, x.ndim, "take_along_axis"), "take_along_axis")]


@take_along_axis.kernel(when=lambda x, index, axis: index.dtype.char in "ilq" and x.ndim)
def _(k, x, index, axis):
    return k.take_along(dense(x), dense(index), one_axis(axis, x.ndim, "take_along_axis"))


@op("along_axis_sum(G, Index) -> GX", family="index")
def along_axis_sum(g, index, shape=(), axis=0):
    """Zeros of the given shape with g added at the ids along an axis."""
    out = np.zeros(shape, g.dtype)
    if g.size:
        where = along_index(shape, index, one_axis(axis, len(shape), "take_along_axis"), "take_along_axis")
        np.add.at(out.reshape(-1), flat_index(where, shape), g.reshape(-1))  # quick on one axis, slow on several
    return out


@along_axis_sum.kernel(when=lambda g, index, shape, axis: g.dtype.char in "fd" and index.dtype.char in "ilq" and len(shape))
def _(k, g, index, shape, axis):
    a = one_axis(axis, len(shape), "take_along_axis")
    if (*shape[:a], *shape[a + 1:]) != (*g.shape[:a], *g.shape[a + 1:]):
        return NotImplemented  # the ids cover a corner only
    return k.add_along(dense(g), dense(index), shape[a], a)


take_along_axis.grad(x=lambda g, x_shape, index, axis: along_axis_sum(g, index, tuple(x_shape), axis))
along_axis_sum.grad(g=lambda g, index, axis: take_along_axis(g, index, axis))


@op("index_sample(X, Index) -> Out", family="index", shapes="b n, b k -> b k")
def index_sample(x, index):
    """From every row of a matrix, the elements at the ids in the same row of index."""
    if x.ndim != 2 or index.ndim != 2 or x.shape[0] != index.shape[0]:
        raise ValueError(f"x {list(x.shape)} and index {list(index.shape)} must be matrices with the same number of rows")
    check_index(index, x.shape[1], "index_sample")
    return np.take_along_axis(x, index, 1)


@index_sample.kernel(when=lambda x, index: x.ndim == 2 and index.ndim == 2 and index.dtype.char in "ilq")
def _(k, x, index):
    return k.take_along(dense(x), dense(index), 1)


index_sample.grad(x=lambda g, x_shape, index: along_axis_sum(g, index, tuple(x_shape), 1))


through_float32(gather_sum, gather_nd_sum, scatter_nd_add, scatter, index_add, along_axis_sum)
