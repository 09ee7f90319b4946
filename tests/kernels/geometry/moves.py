"""Elements that are read or written where ids, masks and orders say."""

import numpy as np

from ..engine import native
from .draw import SMALL, WIDTHS, close


def embedding(draw):
    rows, columns, count = draw.pick(WIDTHS), draw.pick((*WIDTHS, 130)), draw.pick((*WIDTHS, 0, 500))
    table, ids = draw.array(rows, columns), draw.ids(count, rows)
    padding = draw.upto(rows) if draw.chance() else -1
    expected = np.where((ids == padding)[:, None], 0, table[ids])
    assert (native.embedding(table, ids, padding) == expected).all()
    dy, out = draw.array(count, columns), draw.room(rows, columns)
    sums = np.zeros((rows, columns))
    np.add.at(sums, ids[ids != padding], dy[ids != padding].astype(float))
    assert native.embedding_grad(dy, ids, rows, padding, out) is out
    close(out, sums)


def moves(draw):
    rows, columns = draw.pick(WIDTHS), draw.pick((*WIDTHS, 130))
    x, zero = draw.array(rows, columns), np.zeros((), draw.dtype)
    tables = tuple([draw.guard(draw.ids(draw.pick(WIDTHS), n).astype(np.int64)) if draw.chance() else None for n in x.shape])
    if any(t is not None for t in tables):
        expected = x
        for axis, ids in enumerate(tables):
            expected = expected if ids is None else np.take(expected, ids, axis)
        assert (native.remap(x, tables, zero) == expected).all()
        g = draw.array(*expected.shape)
        sums = np.zeros(x.shape)
        grid = np.ix_(*[np.arange(n) if ids is None else ids for n, ids in zip(x.shape, tables)])
        np.add.at(sums, grid, g.astype(float))
        close(native.remap_back(g, tables, list(x.shape)), sums)
    turned = draw.guard(np.arange(columns)[::-1].astype(np.int64))
    assert (native.remap(x, (None, turned), zero) == x[:, ::-1]).all()
    assert (native.triangle(x, 1, True) == np.tril(x, 1)).all()
    mask = draw.guard(draw.ids(rows * columns, 2).reshape(rows, columns).astype(bool))
    chosen = draw.guard(native.select_true(x, mask))
    assert (chosen == x[mask]).all() and (native.place_true(chosen, mask) == np.where(mask, x, 0)).all()
    assert (native.where_true(mask) == np.argwhere(mask)).all()
    ids = draw.guard(draw.ids(rows * 5, columns).reshape(rows, 5))
    values, out = draw.array(rows, 5), x.copy()
    np.put_along_axis(out, ids.astype(np.int64), values, 1)
    assert (native.put_along(x, ids, values, 1, "assign") == out).all()
    assert (native.running_best(x, True)[0] == np.maximum.accumulate(x, 1)).all()
    close(native.cumprod(x), np.cumprod(x.astype(float), 1))
    line = draw.guard(np.sort(x.reshape(-1)))
    assert (native.searchsorted(line, x) == np.searchsorted(line, x)).all()
    y = draw.array(draw.pick(WIDTHS), columns)
    close(native.distances(x, y, False), np.sqrt(((x[:, None].astype(float) - y) ** 2).sum(-1)))


def _distinct_orders(draw, rows, columns):
    """A matrix of few different numbers, with NaN and infinities if they are floats, and its stable order."""
    x = draw.rng.integers(-4, 5, (rows, columns)).astype(draw.pick(("float32", "float64", "int32", "int64")))
    if x.dtype.kind == "f":
        x.flat[::7], x.flat[::11] = np.nan, -np.inf
    return draw.guard(x), np.argsort(x, 1, kind="stable")


def order(draw):
    """Sorting, the first few, counts, elements beside each other's ids."""
    rows, columns = draw.pick(SMALL), draw.pick((*WIDTHS, 0, 300))
    x, expected = _distinct_orders(draw, rows, columns)
    values, places = native.argsort(x, False)
    assert (places == expected).all() and values.tobytes() == np.take_along_axis(x, expected, 1).tobytes()
    k = draw.upto(columns)
    values, places = native.topk(x, k, False)
    assert (places == expected[:, :k]).all() and values.tobytes() == np.take_along_axis(x, places, 1).tobytes()
    assert native.topk(x, k, True)[0].shape == (rows, k)
    numbers = draw.guard(draw.rng.integers(0, columns + 1, 2 * columns + 1))
    assert (native.bincount(numbers, columns) == np.bincount(numbers, minlength=columns)).all()
    table, ids = draw.array(rows, columns + 1), draw.guard(draw.ids(rows * k, columns + 1).reshape(rows, k))
    assert (native.take_along(table, ids, 1) == np.take_along_axis(table, ids.astype(np.int64), 1)).all()
    g, sums = draw.array(rows, k), np.zeros(table.shape)
    np.add.at(sums, (np.arange(rows)[:, None], ids), g)
    close(native.add_along(g, ids, columns + 1, 1), sums, scale=1 + np.abs(g).sum())
    assert (native.take(table, ids, 1) == np.take(table, ids, 1)).all()
    at, new, out = draw.guard(draw.rng.integers(0, rows, rows)), draw.array(rows, columns + 1), table.copy()
    for i, row in zip(at, new):
        out[i] = row
    assert (native.set_rows(table, at, new) == out).all()
    flat = native.flat_rows([at, draw.guard(draw.rng.integers(-columns - 1, columns + 1, rows))], (rows, columns + 1))
    assert ((flat // (columns + 1)) == at).all()
    weights, numbers = draw.guard(np.abs(draw.array(rows, columns + 1)) + draw.dtype.type(0.1)), draw.guard(
        draw.rng.random((rows, draw.pick(WIDTHS))).astype(draw.dtype))
    places = native.draw_places(weights, numbers)
    assert places.shape == numbers.shape and (places >= 0).all() and (places <= columns).all()


def copies(draw):
    """Arrays joined, chosen, converted, turned; numbers in steps."""
    shape = [draw.pick(SMALL), draw.pick(SMALL), draw.pick(WIDTHS)]
    axis = draw.upto(2)
    parts = [draw.array(*[draw.upto(9) if k == axis else n for k, n in enumerate(shape)]) for _ in range(draw.pick((1, 2, 3)))]
    assert (native.concat(parts, axis) == np.concatenate(parts, axis)).all()
    x, y = draw.array(*shape), draw.array(*shape)
    assert (native.contiguous(x.transpose(2, 0, 1)) == x.transpose(2, 0, 1)).all()
    assert (native.contiguous(x[:, ::-1, ::2]) == x[:, ::-1, ::2]).all()
    mask = draw.guard(draw.rng.random(shape) < 0.5)
    assert (native.choose(mask, x, y) == np.where(mask, x, y)).all()
    assert (native.choose(mask, x, draw.guard(np.array(3, draw.dtype))) == np.where(mask, x, 3)).all()
    kind = np.dtype(draw.pick(("int32", "int64")))
    assert (native.cast(draw.guard(x * 50), kind) == (x * 50).astype(kind)).all()
    a, b = (draw.guard(draw.rng.integers(-9, 9, shape).astype(kind)) for _ in range(2))
    assert (native.lines("mul", a, b) == a * b).all()
    less = native.lines("less_than", a, b[:1])
    assert less is NotImplemented or (less == (a < b[:1])).all()  # short lines are NumPy's
    assert (native.lines("floordiv", a, draw.guard(b * 2 + 1)) == a // (b * 2 + 1)).all()
    assert (native.lines("logical_and", x, draw.guard(np.array(3, draw.dtype))) == (x != 0)).all()
