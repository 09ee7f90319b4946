"""Order and search: extremes, sorting, ranks, unique values, positions."""

import numpy as np

from ...core import dtype as dtypes
from ...core.context import process
from ...core.errors import ElementTypeError
from ...core.op import op
from ...core.steps import dense
from ..arguments import one_axis
from ..families.reduce import reduced
from ..families.reshape import counted, given_ints
from ..families.sharding import along
from ..library import by_library
from .creation import dtype_code
from .gather_scatter import along_axis_sum
from .reshape import ints_of


def _need_elements(x, axis, function):
    if x.size == 0 or (x.ndim and x.shape[axis] == 0):
        raise ValueError(f"{function}(): x {list(x.shape)} is empty, so there is nothing to find")


def _extreme(find, x, axis, keepdim, flatten, dtype, function):
    if flatten:
        _need_elements(x, 0, function)
        out = np.asarray(find(x.reshape(-1), 0))
        out = out.reshape([1] * x.ndim) if keepdim else out
    else:
        a = one_axis(axis, x.ndim, function)
        if x.ndim == 0:
            out = np.zeros((), np.int64)
        else:
            if x.shape[a] == 0:
                _need_elements(x, a, function)
            out = find(x, a)
            out = np.expand_dims(out, a) if keepdim else out
    return np.asarray(out).astype(dtypes.to_numpy(dtype, function))


def _position_to_desc(attrs):
    return {"keepdims" if k == "keepdim" else k: v for k, v in dtype_code(attrs).items()}


def _position_from_desc(attrs):
    """Attributes of a file; 1.x wrote -1 where the type was not asked for."""
    named = {"keepdim" if k == "keepdims" else k: v for k, v in attrs.items()}
    return {**named, "dtype": "int64"} if named.get("dtype", -1) == -1 else named


@op("arg_max(X) -> Out", family="reduce", keepdim="keepdims", to_desc=_position_to_desc,
    from_desc=_position_from_desc)
def argmax(x, axis=-1, keepdim=False, flatten=False, dtype="int64"):
    """Position of the first maximum along an axis, or in the flattened tensor."""
    return _extreme(np.argmax, x, axis, keepdim, flatten, dtype, "argmax")


@op("arg_min(X) -> Out", family="reduce", keepdim="keepdims", to_desc=_position_to_desc,
    from_desc=_position_from_desc)
def argmin(x, axis=-1, keepdim=False, flatten=False, dtype="int64"):
    """Position of the first minimum along an axis, or in the flattened tensor."""
    return _extreme(np.argmin, x, axis, keepdim, flatten, dtype, "argmin")


def order(x, axis, descending):
    """Stable sorting positions along an axis; equal elements keep their order both ways, NaN counts as largest."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    turned = np.argsort(np.flip(x, axis), axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - turned, axis)


@op("argsort(X) -> Out, Indices", family="same", sharding=along, shapes="*x -> *x, *x:int64")
def argsort(x, axis=-1, descending=False):
    """x sorted along an axis, and the positions the elements came from."""
    if x.dtype.kind in "c":
        raise ElementTypeError(f"sort(): x must be real, got {x.dtype.name}")
    a = one_axis(axis, x.ndim, "argsort")
    if x.ndim == 0:
        return x.copy(), np.zeros((), np.int64)
    positions = order(x, a, descending)
    return np.take_along_axis(x, positions, a), positions


def _sorts(x):
    return x.dtype.char in "fdilq" and x.ndim


def _along_last(x, axis, function):
    """What a kernel that works along the last axis does along another one: (values, positions), or NotImplemented."""
    if axis == x.ndim - 1:
        return function(dense(x))
    found = function(dense(x.swapaxes(axis, -1)))
    return found if found is NotImplemented else tuple([array.swapaxes(axis, -1) for array in found])


@argsort.kernel(when=lambda x, axis, descending: _sorts(x))
def _(k, x, axis, descending):
    return _along_last(x, one_axis(axis, x.ndim, "argsort"), lambda rows: k.argsort(rows, bool(descending)))


def _values_grad(g, out, x_shape, axis):
    return along_axis_sum(g[0], out[1], tuple(x_shape), axis) if len(x_shape) else g[0]


argsort.grad(x=_values_grad)


def _top_positions(x, k, axis, largest):
    """Positions of the k largest (or smallest) elements along an axis, in order; lower positions first among equals."""
    n = x.shape[axis]
    if n < 64 or 4 * k > n or (x.dtype.kind == "f" and np.isnan(x).any()):
        return np.take(order(x, axis, largest), np.arange(k), axis)
    # a few of many: find the k-th element by partition, keep what is beyond it, and sort only that
    rows = np.moveaxis(x, axis, -1)
    shape = rows.shape
    rows = rows.reshape(-1, n)
    at = n - k if largest else k - 1
    border = np.partition(rows, at, 1)[:, at:at + 1]
    beyond, equal = rows > border if largest else rows < border, rows == border
    missing = k - np.count_nonzero(beyond, 1, keepdims=True)
    found = np.nonzero(beyond | (equal & (np.cumsum(equal, 1) <= missing)))[1].reshape(-1, k)
    ranks = order(np.take_along_axis(rows, found, 1), 1, largest)
    return np.moveaxis(np.take_along_axis(found, ranks, 1).reshape(*shape[:-1], k), -1, axis)


def _best(x, k_tensor, k, axis):
    a, count = one_axis(axis, len(x.shape), "topk"), k
    if k_tensor is not None:
        count = given_ints(None, k_tensor)[0] if counted(k_tensor) else None
    if count is not None and x.shape and 0 <= x.shape[a] < count:
        return None
    found = x.like((*x.shape[:a], -1 if count is None else count, *x.shape[a + 1:]) if x.shape else ())
    return found, found.like(dtype=np.int64)


@op("top_k_v2(X, K?) -> Out, Indices", family="own", layer_name="top_k_v2", sharding=along, rows="axes", shapes=_best)
def topk(x, k_tensor=None, k=1, axis=-1, largest=True, sorted=True):
    """The k largest (or smallest) elements along an axis, in order, and their positions."""
    a = one_axis(axis, x.ndim, "topk")
    k = k if k_tensor is None else ints_of(None, k_tensor)[0]
    size = x.shape[a] if x.ndim else 1
    if not 1 <= k <= size:
        raise ValueError(f"k must be in [1, {size}] for axis {axis} of x {list(x.shape)}, got {k}")
    if x.ndim == 0:
        return x.copy(), np.zeros((), np.int64)
    positions = _top_positions(x, k, a, largest)
    return np.take_along_axis(x, positions, a), positions


@topk.kernel(when=lambda x, k_tensor, k, axis, largest, sorted: k_tensor is None and _sorts(x))
def _(native, x, k_tensor, k, axis, largest, sorted):
    a = one_axis(axis, x.ndim, "topk")
    if not 1 <= k <= x.shape[a]:
        return NotImplemented
    return _along_last(x, a, lambda rows: native.topk(rows, k, bool(largest)))


topk.grad(x=_values_grad)


@op("top_k(X, K?) -> Out, Indices", family="own", rows="keep", shapes=lambda x, k_tensor, k: _best(x, k_tensor, k, -1))
def top_k(x, k_tensor=None, k=1):
    """The k largest elements along the last axis, in order, and their positions."""
    return topk.fn(x, k_tensor, k)


@top_k.kernel(when=lambda x, k_tensor, k: k_tensor is None and _sorts(x))
def _(native, x, k_tensor, k):
    return native.topk(dense(x), k) if 1 <= k <= x.shape[-1] else NotImplemented


top_k.grad(x=lambda g, out, x_shape: _values_grad(g, out, x_shape, -1))


def _one_position(x, positions, axis, keepdim):
    """Values and positions of one element per row of an axis (positions has that axis with size 1)."""
    values = np.take_along_axis(x, positions, axis)
    if keepdim:
        return values, positions
    return np.squeeze(values, axis), np.squeeze(positions, axis)


def _one_grad(g, out, x_shape, axis, keepdim):
    if not len(x_shape):
        return g[0]
    values, positions = g[0], out[1]
    if not keepdim:
        a = one_axis(axis, len(x_shape), "axis")
        shape = [1 if k == a else n for k, n in enumerate(x_shape)]
        values, positions = values.reshape(shape), positions.reshape(shape)
    return along_axis_sum(values, positions, tuple(x_shape), axis)


def _one_of_row(x, axis, keepdim):
    return reduced(x, axis, keepdim, "kthvalue"), reduced(x, axis, keepdim, "kthvalue", np.int64)


@op("kthvalue(X) -> Out, Indices", family="own", shapes=_one_of_row)
def kthvalue(x, k=1, axis=-1, keepdim=False):
    """The k-th smallest element (k counts from 1) along an axis, and its position."""
    a = one_axis(axis, x.ndim, "kthvalue")
    size = x.shape[a] if x.ndim else 1
    if not 1 <= k <= size:
        raise ValueError(f"k must be in [1, {size}] for axis {axis} of x {list(x.shape)}, got {k}")
    if x.ndim == 0:
        return x.copy(), np.zeros((), np.int64)
    return _one_position(x, np.take(order(x, a, False), [k - 1], a), a, keepdim)


@kthvalue.kernel(when=lambda x, k, axis, keepdim: _sorts(x), noted=False)
def _(native, x, k, axis, keepdim):
    a = one_axis(axis, x.ndim, "kthvalue")
    if not 1 <= k <= x.shape[a] or not x.size:
        return NotImplemented
    found = _along_last(x, a, lambda rows: native.topk(rows, k, False))
    return found if found is NotImplemented else _one_position(x, np.take(found[1], [k - 1], a), a, keepdim)


@op("mode(X) -> Out, Indices", family="own", shapes=_one_of_row)
def mode(x, axis=-1, keepdim=False):
    """The most frequent element along an axis (the smallest of equally frequent ones), and its last position."""
    a = one_axis(axis, x.ndim, "mode")
    if x.ndim == 0:
        return x.copy(), np.zeros((), np.int64)
    if x.shape[a] == 0:
        _need_elements(x, a, "mode")
    rows = np.moveaxis(x, a, -1)
    found = process.native.argsort(dense(rows)) if process.native is not None and _sorts(x) else NotImplemented
    if found is NotImplemented:
        positions = order(rows, x.ndim - 1, False)
        ordered = np.take_along_axis(rows, positions, -1)
    else:
        ordered, positions = found
    n = ordered.shape[-1]
    begins = np.concatenate([np.ones((*ordered.shape[:-1], 1), bool), ordered[..., 1:] != ordered[..., :-1]], -1)
    first = np.maximum.accumulate(np.where(begins, np.arange(n), 0), -1)  # where the run of each element begins
    last = np.argmax(np.arange(n) - first, -1)  # the end of the first longest run
    found = np.take_along_axis(positions, last[..., None], -1)
    return _one_position(x, np.moveaxis(found, -1, a), a, keepdim)


kthvalue.grad(x=_one_grad)
mode.grad(x=_one_grad)


@op("where_index(Condition) -> Out", family="dynamic", layer_name="where_index",
    shapes=lambda x: x.like((-1, len(x.shape)), np.int64))
def nonzero(x):
    """The coordinates of the elements that are not zero, one per row."""
    return np.argwhere(x).astype(np.int64) if x.ndim else np.zeros((int(bool(x)), 0), np.int64)


@nonzero.kernel(when=lambda x: x.ndim, noted=False)
def _(k, x):
    return k.where_true(dense(x if x.dtype == bool else x != 0))


@op("searchsorted(SortedSequence, Values) -> Out", family="own",
    shapes=lambda values, out_int32: values.like(dtype=np.int32 if out_int32 else np.int64))
def searchsorted(sorted_sequence, values, out_int32=False, right=False):
    """Where each value would go in a sorted sequence (row by row if that has several axes) to keep the order."""
    side = "right" if right else "left"
    kind = np.int32 if out_int32 else np.int64
    if sorted_sequence.ndim == 0:
        raise ValueError("sorted_sequence must have at least one axis")
    if sorted_sequence.ndim == 1:
        return np.searchsorted(sorted_sequence, values, side).astype(kind)
    if sorted_sequence.shape[:-1] != values.shape[:-1]:
        raise ValueError(f"all axes but the last must agree: sorted_sequence {list(sorted_sequence.shape)} and values "
                         f"{list(values.shape)}")
    rows = sorted_sequence.reshape(-1, sorted_sequence.shape[-1])
    wanted = values.reshape(len(rows), values.shape[-1])
    found = [np.searchsorted(r, v, side) for r, v in zip(rows, wanted)]
    return np.array(found).reshape(values.shape).astype(kind)


@searchsorted.kernel(when=lambda sorted_sequence, values, out_int32, right: sorted_sequence.ndim and values.ndim
                     and sorted_sequence.dtype == values.dtype)
def _(k, sorted_sequence, values, out_int32, right):
    return k.searchsorted(dense(sorted_sequence), dense(values), bool(right), bool(out_int32))


def _unique_desc(attrs):
    axis = attrs.get("axis")
    return {**dtype_code(attrs), "axis": [] if axis is None else [axis]}


def _unique_from_desc(attrs):
    axis = attrs.get("axis")
    return {**attrs, "axis": axis[0] if axis else None}


def _different(x, axis, dtype):
    """How many there are only running tells."""
    shape = [-1] if axis is None or not x.shape else [-1 if k == axis % len(x.shape) else n for k, n in enumerate(x.shape)]
    places = x.like((-1,), dtypes.to_numpy(dtype))
    return x.like(shape), places, places, places


@op("unique(X) -> Out, Indices, Index, Counts", family="dynamic", to_desc=_unique_desc, from_desc=_unique_from_desc,
    shapes=_different)
def unique(x, return_index=False, return_inverse=False, return_counts=False, axis=None, dtype="int64", is_sorted=True):
    """The different elements (or slices along an axis) of x, in rising order or in that of their first positions; these positions,
    inverse, counts."""
    if axis is not None:
        axis = one_axis(axis, x.ndim, "unique") if x.ndim else None
    kind = dtypes.to_numpy(dtype, "unique")
    wanted = return_index or not is_sorted, return_inverse, return_counts
    if axis is None and x.dtype.kind == "i" and x.size and int(x.max()) - int(x.min()) < 4 * x.size:
        found = _few_integers(x.reshape(-1), *wanted)
    else:
        found = np.unique(x, *wanted, axis=axis)
        found = list(found) if any(wanted) else [found]
        found = [found[0], *[found.pop(1) if asked else None for asked in wanted]]
    out, first, inverse, counts = found
    if not is_sorted:
        order = np.argsort(first)
        out, first = np.take(out, order, axis or 0), first[order]
        inverse, counts = None if inverse is None else np.argsort(order)[inverse], None if counts is None else counts[order]
    rest = (first if return_index else None, inverse, counts)
    return out, *[np.zeros(0, kind) if part is None else part.reshape(-1).astype(kind, copy=False) for part in rest]


def _few_integers(x, return_index, return_inverse, return_counts):
    """What np.unique finds, by counting: for whole numbers that lie close together."""
    low = x.min()
    places = np.subtract(x, low, dtype=np.int64)
    counts = counted_places(places)
    present = np.flatnonzero(counts)
    first = inverse = None
    if return_index:
        at = np.zeros(len(counts), np.int64)
        at[places[::-1]] = np.arange(x.size - 1, -1, -1)  # the last one written stays: the first of equals
        first = at[present]
    if return_inverse:
        at = np.zeros(len(counts), np.int64)
        at[present] = np.arange(len(present))
        inverse = at[places]
    return (present + low).astype(x.dtype, copy=False), first, inverse, counts[present] if return_counts else None


def counted_places(places):
    """How often each number from 0 on occurs among int64 ones, by the kernel where there is one."""
    found = NotImplemented if process.native is None else process.native.bincount(places)
    return np.bincount(places) if found is NotImplemented else found


@op("unique_consecutive(X) -> Out, Index, Counts", family="dynamic", to_desc=_unique_desc, from_desc=_unique_from_desc,
    shapes=lambda x, axis, dtype: _different(x, axis, dtype)[:3])
def unique_consecutive(x, return_inverse=False, return_counts=False, axis=None, dtype="int64"):
    """x (flattened, or its slices along an axis) with runs of equal elements reduced to one; inverse and run lengths."""
    kind = dtypes.to_numpy(dtype, "unique_consecutive")
    a = 0 if axis is None else one_axis(axis, x.ndim, "unique_consecutive")
    x = x.reshape(-1) if axis is None else x
    n = x.shape[a]
    rows = np.moveaxis(x, a, 0).reshape(n, -1 if x.size else 0)
    differ = rows[1:] != rows[:-1]
    begins = np.concatenate([[True], differ[:, 0] if differ.shape[1] == 1 else differ.any(1)]) if n else np.zeros(0, bool)
    starts = np.flatnonzero(begins)
    inverse = (np.cumsum(begins) - 1 if return_inverse else starts[:0]).astype(kind)
    return np.take(x, starts, a), inverse, (np.diff(np.append(starts, n)) if return_counts else starts[:0]).astype(kind)


by_library(argmax, argmin)
