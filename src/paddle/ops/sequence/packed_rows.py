"""Rows packed sequence behind sequence, and the offsets at which sequences begin and all end: what ops over them share."""

import numpy as np

from ..manipulation.gather_scatter import gather, gather_sum
from ..manipulation.masking import where
from ..nn.grid_sample import plain


def offsets(x, lod, function, argument="x"):
    """The offsets of the innermost level, an int64 array; ValueError unless they cover the rows of x."""
    if not lod:
        raise ValueError(f"{function}(): {argument} has no sequence lengths (LoD)")
    ends = np.asarray(plain(lod[-1])).astype(np.int64)
    if ends.ndim != 1 or not ends.size or ends[0] != 0 or ends[-1] != x.shape[0] or (np.diff(ends) < 0).any():
        raise ValueError(f"{function}(): {argument} of shape {list(x.shape)} needs offsets that rise from 0 to {x.shape[0]}, got "
                         f"{ends.tolist()}")
    return ends


def all_offsets(x, lod, function, argument="x"):
    """The offsets of all levels, outermost first; ValueError unless each covers the next and the last one the rows."""
    levels = [np.asarray(plain(level)).astype(np.int64) for level in lod[:-1]] + [offsets(x, lod, function, argument)]
    for level, inner in zip(levels, levels[1:]):
        if not level.size or level[0] != 0 or level[-1] != len(inner) - 1 or (np.diff(level) < 0).any():
            raise ValueError(f"{function}(): {argument} has the offsets {level.tolist()} over {len(inner) - 1} sequences")
    return levels


def picked(levels, units):
    """The rows of some sequences of the outermost of the levels (rows, if there is none), and the offsets among those rows."""
    made = []
    for ends in levels:
        lengths = np.diff(ends)[units]
        made.append(ends_of(lengths))
        units = runs(ends[:-1][units], lengths)
    return units, made


def with_lengths(x, lod):
    """The specs of packed rows like x and, where these have lengths, of one level of offsets."""
    return x.like((-1, *x.shape[1:])), *[x.like((-1,), np.int64)][:len(lod or ())]


def with_all_lengths(x, lod):
    """The specs of packed rows like x and of the offsets of all levels."""
    return x.like((-1, *x.shape[1:])), *[x.like((-1,), np.int64) for _ in lod or ()]


def owners(ends):
    """For every row, the number of its sequence."""
    return np.repeat(np.arange(len(ends) - 1), np.diff(ends))


def places(ends):
    """For every row, its place in its sequence."""
    return np.arange(ends[-1]) - ends[:-1][owners(ends)]


def runs(starts, lengths):
    """The numbers starts[i], starts[i] + 1, ... (lengths[i] of them) for all i, one behind the other."""
    lengths = np.asarray(lengths, np.int64)
    total = np.concatenate([[0], np.cumsum(lengths)])
    return np.repeat(np.asarray(starts, np.int64) - total[:-1], lengths) + np.arange(total[-1])


def ends_of(lengths):
    """Offsets from lengths."""
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)


def inside(ends, length=None):
    """Which cells of [sequences, longest (or length)] hold a row."""
    lengths = np.diff(ends)
    return np.arange(lengths.max(initial=0) if length is None else length) < lengths[:, None]


def with_axes(values, x, dtype=None):
    """A vector, one value per row, shaped so that it broadcasts along the other axes of x."""
    values = np.asarray(values)
    return (values if dtype is None else values.astype(dtype)).reshape([len(values)] + [1] * (len(x.shape) - 1))


def rows_or(x, index, value):
    """The rows of x at an index of any shape; ``value`` where the index is negative."""
    index = np.asarray(index)
    picked = index.reshape(-1)
    if not x.shape[0]:
        return np.full([*index.shape, *x.shape[1:]], plain(value), plain(x).dtype)
    found = gather(x, np.maximum(picked, 0))
    if (picked < 0).any():
        fill = np.asarray(value, plain(x).dtype) if not hasattr(value, "shape") else value
        found = where(with_axes(picked >= 0, x), found, fill)
    return found.reshape([*index.shape, *x.shape[1:]])


def pad(x, ends, value=0.0, length=None):
    """The sequences of x as [sequences, longest (or length), ...], filled up with a value."""
    cells = inside(ends, length)
    index = np.where(cells, ends[:-1, None] + np.arange(cells.shape[1]), -1)
    return rows_or(x, index, value)


def unpad(x, ends):
    """The rows of sequences [sequences, longest, ...] packed again."""
    flat = x.reshape([x.shape[0] * x.shape[1], *x.shape[2:]])
    return gather(flat, owners(ends) * x.shape[1] + places(ends))


def totals(x, ends):
    """The sum of the rows of each sequence."""
    return gather_sum(x, owners(ends), (len(ends) - 1, *x.shape[1:]))


def back(ends):
    """For every row, the row at the same distance from the other end of its sequence."""
    who = owners(ends)
    return ends[:-1][who] + ends[1:][who] - 1 - np.arange(ends[-1])
