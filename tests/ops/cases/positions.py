"""Positions of sparse tensors: indices, keys, compressed rows, sums of values by position, windows."""

import numpy as np
from opcase import OpCase, bad, const, distinct, f

INDICES = const([[0, 2, 1, 0], [3, 0, 3, 1]], "int64")
SHORT = const([[0, 2, 1, 0], [3, 0, 3, 1]], "int32")
KEYS = const([0, 2, 5], "int64")
CROWS, COLS = const([0, 2, 2, 0, 1, 3], "int64"), const([0, 2, 1, 0, 2], "int64")
ROWS = const([2, 0, 2, 2, 0], "int64")
SITES = const([[0, 0, 0, 1], [0, 0, 2, 1], [0, 1, 3, 2]], "int64")  # batch, height, width; in order
QUIET = {"rejects_text": False, "small": False, "method": False}
OF_INTS = {"grad": False, **QUIET}


def sums(values, rows, keys, count=3):
    return np.stack([values[rows == k].sum(0) for k in range(count)])


def highest(values, rows, keys):
    found = [values[rows == k] for k in range(3)]
    return np.stack([rows.max(0) if len(rows) else np.full(values.shape[1:], -np.inf, values.dtype) for rows in found])


def window_rows(sites, size=2, step=2):
    """{output site: {tap: row of the input}} of windows without padding, by trying every tap."""
    met = {}
    for row, (n, *place) in enumerate(sites.T):
        for tap in np.ndindex(size, size):
            at = np.array(place) - tap
            if (at >= 0).all() and (at % step == 0).all() and (at // step < [1, 2]).all():
                met.setdefault((n, *(at // step)), {})[tap[0] * size + tap[1]] = row
    return {site: met[site] for site in sorted(met)}


def windows(sites, **_):
    met = window_rows(sites)
    keys = np.array([n * 2 + h * 2 + w for n, h, w in met])
    return [keys, np.array([[taps.get(t, sites.shape[1]) for t in range(4)] for taps in met.values()])]


def taps(sites, **_):
    keys, table = windows(sites)
    out = [keys]
    for t in range(4):
        at = np.flatnonzero(table[:, t] < sites.shape[1])
        order = np.argsort(table[at, t])
        out += [table[at, t][order], at[order]]
    return out


PLAIN = {"kernel": [2, 2], "stride": [2, 2], "padding": [0, 0], "sizes": [1, 2]}
CASES = [
    OpCase("coo_indices", [INDICES, f(4, 2)], sizes=[3, 4], ref=lambda i, v, sizes: i, unknown=False, **OF_INTS, errors=[
        bad(IndexError, INDICES, f(4), sizes=[3, 3], named=False, match="index 3 of axis 1 is out of range for size 3"),
        bad(IndexError, const([[0, -1]], "int64"), f(2), sizes=[3], named=False, match="must not be negative, got -1"),
        bad(ValueError, INDICES, f(3), sizes=[3, 4], named=False, match="must have 4 rows")]),
    OpCase("csr_indices", [CROWS, COLS, f(5)], sizes=[2, 2, 3], ref=lambda r, c, v, sizes: c, unknown=False, **OF_INTS, errors=[
        bad(ValueError, CROWS, COLS, f(5), sizes=[2, 3], named=False, match="needs 3 crows"),
        bad(ValueError, const([0, 2, 1, 0, 1, 3], "int64"), COLS, f(5), sizes=[2, 2, 3], named=False, match="never fall"),
        bad(IndexError, CROWS, COLS, f(5), sizes=[2, 2, 2], named=False, match="column 2 is out of range")]),
    OpCase("coo_keys", [INDICES], sizes=[3, 4], ref=lambda i, sizes: np.ravel_multi_index(tuple(i), sizes), unknown=False, **OF_INTS),
    OpCase("coo_keys", [SHORT], sizes=[4, 3], axes=[1, 0], ref=lambda i, sizes, axes: np.ravel_multi_index((i[1], i[0]), sizes),
           unknown=False, **OF_INTS),
    OpCase("coo_places", [KEYS], sizes=[2, 3], kind="int32", **OF_INTS,
           ref=lambda k, sizes, kind: np.stack(np.unravel_index(k, sizes)).astype(kind)),
    OpCase("filled_keys", [const([[[0.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, 0.0]]])], axes=2, **OF_INTS,
           ref=lambda x, axes: np.flatnonzero((x != 0).any(-1))),
    OpCase("coo_window", [INDICES], axes=[1], low=[1], high=[4], unknown=False, **OF_INTS,
           ref=lambda i, axes, low, high: [np.array([0, 2, 3]), np.array([[0, 1, 0], [2, 2, 0]])]),
    OpCase("csr_places", [CROWS, COLS], sizes=[2, 2, 3], unknown=False, **OF_INTS,
           ref=lambda r, c, sizes: np.array([[0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 2, 1, 0, 2]])),
    OpCase("csr_starts", [const([0, 0, 2, 3, 3], "int64")], matrices=2, rows=2, **OF_INTS,
           ref=lambda n, matrices, rows: np.array([0, 2, 2, 0, 1, 3])),
    OpCase("row_sums", [f(5, 2), ROWS, None], count=3, ref=sums, unknown=False, **QUIET,
           errors=[bad(IndexError, f(5, 2), ROWS, None, count=2, named=False, match="2")]),
    OpCase("row_sums", [f(5), ROWS, KEYS], ref=sums, unknown=False, **QUIET),
    OpCase("row_highest", [distinct(5, 2), ROWS, KEYS], ref=highest, grad=False, unknown=False, **QUIET),
    OpCase("coo_windows", [SITES], **PLAIN, ref=windows, unknown=False, **OF_INTS),
    OpCase("coo_taps", [SITES], **PLAIN, dilation=[1, 1], ref=taps, unknown=False, **OF_INTS),
    OpCase("coo_taps", [SITES], kernel=[1, 3], stride=[1, 1], padding=[0, 1], dilation=[1, 1], sizes=[3, 4], same=True,
           unknown=False, **OF_INTS, ref=lambda *_, **__: [np.array([0, 1, 11, 18]), np.array([0]), np.array([1]),
                                                          np.arange(4), np.arange(4), np.array([1]), np.array([0])]),
]
