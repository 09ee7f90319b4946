"""Where the elements of sparse tensors are: indices, the number ("key") of each position in the flattened sparse axes, compressed
rows, and sums of values by position.

All that depends on positions is an op, so that one text of ``paddle.sparse`` serves Tensors and the Variables of programs, where
only a run knows how many positions there are. ``sizes`` are those of the sparse axes; the first one, which keys do not
depend on, may be unknown (-1).
"""

import itertools
import math

import numpy as np

from ...core.errors import OutOfRangeError
from ...core.op import op
from ...core.steps import dense
from ..arguments import check_index
from ..short import through_float32
from .gather_scatter import add_rows, index_select


def _keys(places, sizes, count):
    """The key of each of ``count`` positions, whose coordinates are within the sizes."""
    if not len(places):
        return np.zeros(count, np.int64)
    keys = places[0].astype(np.int64)
    for row, size in zip(places[1:], sizes[1:]):
        keys *= size
        keys += row
    return keys


def _places(keys, sizes, kind):
    """Coordinates [axes, n] of keys."""
    out = np.empty((len(sizes), len(keys)), kind)
    for axis in range(len(sizes) - 1, 0, -1):
        keys, out[axis] = np.divmod(keys, max(sizes[axis], 1))
    if len(sizes):
        out[0] = keys
    return out


def _need_rows(values, count, name):
    if values.ndim == 0 or values.shape[0] != count:
        raise ValueError(f"{name}(): values must have {count} rows, one for each index, got shape {list(values.shape)}")


@op("coo_indices(Indices, Values) -> Out", family="own", public="sparse_coo_tensor", shapes=lambda indices, values: indices)
def coo_indices(indices, values, sizes=()):
    """The indices themselves, if there is one for each value and all are within the sizes."""
    _need_rows(values, indices.shape[1], "sparse_coo_tensor")
    if indices.size:
        for axis, (low, high, size) in enumerate(zip(indices.min(1).tolist(), indices.max(1).tolist(), sizes)):
            if low < 0:
                raise IndexError(f"sparse_coo_tensor(): indices must not be negative, got {low}")
            if 0 <= size <= high:
                raise OutOfRangeError(f"sparse_coo_tensor(): index {high} of axis {axis} is out of range for size {size}")
    return indices


@op("csr_indices(Crows, Cols, Values) -> Out", family="own", public="sparse_csr_tensor", shapes=lambda crows, cols, values: cols)
def csr_indices(crows, cols, values, sizes=()):
    """The columns themselves, if compressed rows are in order and there is one column, within the sizes, for each value."""
    name, batch, rows = "sparse_csr_tensor", (sizes[0] if len(sizes) == 3 else 1), sizes[-2]
    if crows.size != batch * (rows + 1) or values.shape != cols.shape:
        raise ValueError(f"{name}(): shape {list(sizes)} needs {batch * (rows + 1)} crows and as many values as cols, got "
                         f"{crows.size} crows, {cols.size} cols, values of shape {list(values.shape)}")
    starts = crows.reshape(batch, rows + 1)
    if (starts[:, 0] != 0).any() or (np.diff(starts, axis=1) < 0).any() or starts[:, -1].sum() != cols.size:
        raise ValueError(f"{name}(): crows must begin with 0, never fall, and end with the number of values, got {crows.tolist()}")
    if cols.size and (cols.min() < 0 or cols.max() >= sizes[-1]):
        raise IndexError(f"{name}(): column {cols.min() if cols.min() < 0 else cols.max()} is out of range for size {sizes[-1]}")
    return cols


@op("coo_keys(Indices) -> Keys", family="own", shapes=lambda indices: indices.like(indices.shape[1:], np.int64))
def coo_keys(indices, sizes=(), axes=None):
    """The key of each index, of its coordinates on some axes of these sizes (None: on the first ones)."""
    return _keys(indices[:len(sizes)] if axes is None else [indices[a] for a in axes], sizes, indices.shape[1])


@op("coo_places(Keys) -> Indices", family="own",
    shapes=lambda keys, sizes, kind: keys.like((len(sizes), *keys.shape), np.dtype(kind)))
def coo_places(keys, sizes=(), kind="int64"):
    """The index of each key, in the integer type ``kind``."""
    return _places(keys, sizes, kind)


@op("filled_keys(X) -> Keys", family="dynamic", shapes=lambda x: x.like((-1,), np.int64))
def filled_keys(x, axes=1):
    """Keys of the positions in the first ``axes`` axes where anything is not zero."""
    return np.flatnonzero((x != 0).any(axis=tuple(range(axes, x.ndim))))


def _windowed(indices):
    return indices.like((-1,), np.int64), indices.like((indices.shape[0], -1))


@op("coo_window(Indices) -> Rows, Out", family="dynamic", shapes=_windowed)
def coo_window(indices, axes=(), low=(), high=()):
    """Which indices have ``low`` <= coordinate < ``high`` on some axes, and what they are as counted from ``low``."""
    inside = np.ones(indices.shape[1], bool)
    for axis, first, end in zip(axes, low, high):
        inside &= (indices[axis] >= first) & (indices[axis] < end)
    rows = np.flatnonzero(inside)
    out = indices[:, rows]
    for axis, first in zip(axes, low):
        out[axis] -= first
    return rows, out


# ---- compressed rows -------------------------------------------------------------------------------------------------

@op("csr_places(Crows, Cols) -> Indices", family="own", shapes=lambda cols, sizes: cols.like((len(sizes), *cols.shape)))
def csr_places(crows, cols, sizes=()):
    """The index of each value of compressed rows, in a tensor of 2 or 3 axes of these sizes."""
    counts = np.diff(crows.reshape(-1, sizes[-2] + 1), axis=1).reshape(-1)
    rows = np.repeat(np.arange(counts.size), counts)
    out = np.empty((len(sizes), len(cols)), cols.dtype)
    out[-2:] = rows if len(sizes) == 2 else rows % max(sizes[-2], 1), cols
    if len(sizes) == 3:
        out[0] = rows // max(sizes[-2], 1)
    return out


@op("csr_starts(Rows) -> Crows", family="own",
    shapes=lambda numbers, matrices, rows, kind: numbers.like((matrices * (rows + 1),), np.dtype(kind)))
def csr_starts(numbers, matrices=1, rows=1, kind="int64"):
    """Where each row begins, and the last one ends, from the row of each value, counted through the batch."""
    counts = np.bincount(numbers, minlength=matrices * rows)
    out = np.zeros((matrices, rows + 1), kind)
    np.cumsum(counts.reshape(matrices, rows), axis=1, out=out[:, 1:])
    return out.reshape(-1)


# ---- values by position ----------------------------------------------------------------------------------------------

def _by_row(values, keys, count=-1):
    return values.like((count if keys is None else keys.shape[0], *values.shape[1:]))


@op("row_sums(Values, Rows, Keys?) -> Out", family="own",
    shapes=lambda values, rows, keys, count: _by_row(values, keys, count))
def row_sums(values, rows, keys=None, count=-1):
    """``count`` rows (or one for each key), the sums of the values that belong to each."""
    count = count if keys is None else keys.shape[0]
    check_index(rows, count, "row_sums")
    out = np.zeros((count, *values.shape[1:]), values.dtype)
    add_rows(out.reshape(count, math.prod(values.shape[1:])), rows, values.reshape(rows.size, math.prod(values.shape[1:])))
    return out


@row_sums.kernel(when=lambda values, rows, keys, count: values.dtype.char in "fd" and values.size and rows.dtype.char in "lq"
                 and (count if keys is None else keys.shape[0]))
def _(k, values, rows, keys, count):
    count = count if keys is None else keys.shape[0]
    flat = dense(values).reshape(values.shape[0], -1)
    return k.embedding_grad(flat, dense(rows), count).reshape((count, *values.shape[1:]))


row_sums.grad(values=lambda g, rows: index_select(g, rows, 0))
through_float32(row_sums)


@op("row_highest(Values, Rows, Keys) -> Out", family="own", shapes=lambda values, rows, keys: _by_row(values, keys))
def row_highest(values, rows, keys):
    """One row for each key, the highest of the values that belong to it; minus infinity where none does."""
    out = np.full((keys.shape[0], *values.shape[1:]), -np.inf, values.dtype)
    if values.size:
        order = np.argsort(rows, kind="stable")
        ordered = rows[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        out[ordered[starts]] = np.maximum.reduceat(values[order], starts, 0)
    return out


# ---- windows of convolutions and pooling -----------------------------------------------------------------------------

def _meetings(indices, kernel, stride, padding, dilation, sizes):
    """For each tap: (rows of the input, keys of the output sites that these meet through it)."""
    for tap in itertools.product(*map(range, kernel)):
        spots = [indices[0]]
        fits = np.ones(indices.shape[1], bool)
        for axis, (t, s, p, d, n) in enumerate(zip(tap, stride, padding, dilation, sizes), 1):
            moved = indices[axis] + p - t * d
            fits &= (moved % s == 0) & (moved >= 0) & (moved < n * s)
            spots.append(moved // s)
        rows = np.flatnonzero(fits)
        yield rows, _keys([spot[rows] for spot in spots], (-1, *sizes), len(rows))


@op("coo_taps(Indices) -> Keys, Met*", family="dynamic",
    shapes=lambda indices, kernel: [indices.like((-1,), np.int64), *[indices.like((-1,), np.int64)] * (2 * math.prod(kernel))])
def coo_taps(indices, kernel=(), stride=(), padding=(), dilation=(), sizes=(), same=False):
    """Keys of the output sites of a convolution (those of the input if ``same``) over coalesced indices of batch and sites, and for
    each tap of the kernel two lists: rows of the input and the rows of the output that they meet."""
    met = list(_meetings(indices, kernel, stride, padding, dilation, sizes))
    sites = _keys(indices, (-1, *sizes), indices.shape[1]) if same else np.unique(np.concatenate([keys for _, keys in met]))
    out = [sites]
    for rows, keys in met:
        at = np.searchsorted(sites, keys)
        if same:
            known = sites[np.minimum(at, len(sites) - 1)] == keys if len(sites) else np.zeros(0, bool)
            rows, at = rows[known], at[known]
        out += [rows, at]
    return tuple(out)


@op("coo_windows(Indices) -> Keys, Rows", family="dynamic",
    shapes=lambda indices, kernel: [indices.like((-1,), np.int64), indices.like((-1, math.prod(kernel)), np.int64)])
def coo_windows(indices, kernel=(), stride=(), padding=(), sizes=()):
    """Keys of the windows that meet any of the coalesced indices of batch and sites, and [windows, taps] the row of the
    input at each tap; the number of rows, one too high, where there is none."""
    met = list(_meetings(indices, kernel, stride, padding, [1] * len(kernel), sizes))
    sites = np.unique(np.concatenate([keys for _, keys in met]))
    rows = np.full((len(sites), len(met)), indices.shape[1], np.int64)
    for tap, (found, keys) in enumerate(met):
        rows[np.searchsorted(sites, keys), tap] = found
    return sites, rows
