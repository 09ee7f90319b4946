"""Axes read in another order, masks, and values put where ids say: the same bytes as NumPy's; sums close to them."""

import numpy as np
import pytest

from .engine import both_floats, close, engine, every_engine, native
from .test_rearrange import same, sample

DTYPES = ["float32", "float64", "int64", "int8", "bool", "complex128"]


def table(rng, size, count, low=-1):
    """Ids of an axis: runs that go on, turn round, and leave gaps."""
    return np.concatenate([np.arange(size), np.arange(size)[::-1], rng.integers(low, size, count)])


def mapped(x, tables, fill):
    for axis, ids in enumerate(tables):
        if ids is not None:
            missing = (ids < 0).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
            x = np.where(missing, fill, np.take(x, np.maximum(ids, 0), axis))
    return x


def layouts(rng):
    for shape in ((40,), (7, 33), (5, 4, 70), (3, 9, 8, 5), (300, 40)):
        for axes in ((0,), (len(shape) - 1,), tuple(range(len(shape)))):
            yield shape, tuple([table(rng, n, 5) if a in axes else None for a, n in enumerate(shape)])
    yield (64, 64), (None, np.pad(np.arange(64), 2, constant_values=-1))
    yield (600, 6, 9), (None, np.pad(np.arange(6), (1, 0), constant_values=-1), np.pad(np.arange(9), (2, 3), constant_values=-1))


@every_engine
@pytest.mark.parametrize("dtype", DTYPES)
def test_remap(isa, threads, dtype):
    with engine(isa, threads):
        for shape, tables in layouts(np.random.default_rng(2)):
            x = sample(shape, dtype)
            for fill in (np.zeros((), dtype), np.asarray(7, dtype)):
                same(native.remap(x, tables, fill), mapped(x, tables, fill))


@every_engine
@both_floats
def test_remap_back_is_the_adjoint(isa, threads, dtype):
    with engine(isa, threads):
        for shape, tables in layouts(np.random.default_rng(3)):
            sizes = [n if ids is None else len(ids) for n, ids in zip(shape, tables)]
            g = np.random.default_rng(4).standard_normal(sizes).astype(dtype)
            expected = g.astype(np.float64)
            for axis, ids in enumerate(tables):
                if ids is not None:
                    moved = np.moveaxis(expected, axis, 0)
                    out = np.zeros((shape[axis], *moved.shape[1:]))
                    np.add.at(out, ids[ids >= 0], moved[ids >= 0])
                    expected = np.moveaxis(out, 0, axis)
            limits = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}
            close(native.remap_back(g, tables, list(shape)), expected, **limits)


@every_engine
@pytest.mark.parametrize("dtype", DTYPES)
def test_triangle(isa, threads, dtype):
    with engine(isa, threads):
        for shape in ((1, 1), (5, 9), (9, 5), (3, 4, 130), (2, 200, 200), (0, 3), (3, 0)):
            x = sample(shape, dtype)
            for diagonal in (0, 1, -1, 4, -300, 300, 2 ** 62, -2 ** 62):
                near = max(-1000, min(1000, diagonal))
                same(native.triangle(x, diagonal, True), np.tril(x, near))
                same(native.triangle(x, diagonal, False), np.triu(x, near))


@every_engine
@pytest.mark.parametrize("dtype", DTYPES)
def test_masks(isa, threads, dtype):
    rng = np.random.default_rng(5)
    with engine(isa, threads):
        for shape in ((0,), (1,), (40,), (7, 33), (3, 4, 5), (90000,), (300, 301), (5, 0)):
            x = sample(shape, dtype)
            for share in (0.0, 0.02, 0.5, 1.0):
                mask = rng.random(shape) < share
                chosen = native.select_true(x, mask)
                same(chosen, x[mask])
                same(native.place_true(chosen, mask), np.where(mask, x, np.zeros((), dtype)))
                same(native.where_true(mask), np.argwhere(mask).astype(np.int64))


@every_engine
@pytest.mark.parametrize("ids_dtype", ["int32", "int64"])
@both_floats
def test_put_along(isa, threads, ids_dtype, dtype):
    rng, ways = np.random.default_rng(6), {"add": np.add, "multiply": np.multiply, "amax": np.maximum, "amin": np.minimum}
    with engine(isa, threads):
        for shape in ((7,), (40, 30), (3, 50, 6), (2, 300, 130), (4, 5, 3)):
            x = sample(shape, dtype)
            x.reshape(-1)[2] = np.nan
            for axis in range(len(shape)):
                ids = rng.integers(0, shape[axis], [9 if a == axis else n for a, n in enumerate(shape)]).astype(ids_dtype)
                values = sample(ids.shape, dtype, 7)
                where = tuple(ids if a == axis else np.arange(n).reshape([-1 if k == a else 1 for k in range(len(shape))])
                              for a, n in enumerate(ids.shape))
                out = x.copy()
                out[where] = values
                same(native.put_along(x, ids, values, axis, "assign"), out)
                for way, meet in ways.items():
                    out = x.copy()
                    with np.errstate(invalid="ignore"):  # NumPy's maximum warns of NaN
                        meet.at(out, where, values)
                    close(native.put_along(x, ids, values, axis, way), out, rtol=1e-5, atol=1e-5)


@every_engine
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_and_flat_ids(isa, threads, dtype):
    rng = np.random.default_rng(8)
    with engine(isa, threads):
        for rows, width in ((1, 1), (7, 3), (500, 64), (40000, 1), (300, 2)):
            x, ids = sample((rows, width), dtype), rng.integers(0, rows, 50)
            values = sample((50, width), dtype, 9)
            out = x.copy()
            for k, i in enumerate(ids):
                out[i] = values[k]
            same(native.set_rows(x, ids, values), out)
            out = x.copy()
            out[ids] = values[:1]
            same(native.set_rows(x, ids, values[:1]), out)
        i, j = rng.integers(-5, 5, (3, 4)), rng.integers(-7, 7, (3, 4)).astype(np.int32)
        same(native.flat_rows([i, j], (5, 7)), (i % 5) * 7 + j % 7)


def test_moves_decline_and_refuse():
    x, zero = np.ones((4, 6), np.float32), np.zeros((), np.float32)
    assert native.remap(x, (None, np.array([6])), zero) is NotImplemented
    assert native.remap(x, (None, np.array([-2])), zero) is NotImplemented
    assert native.remap(x.T, (None, np.array([0])), zero) is NotImplemented
    assert native.remap(x, (None, np.array([0])), np.zeros(())) is NotImplemented
    assert native.remap_back(x, (None, np.array([0])), [4, 6]) is NotImplemented
    assert native.triangle(x[0], 0, True) is NotImplemented
    assert native.select_true(x, np.ones((4, 5), bool)) is NotImplemented
    assert native.place_true(x, np.ones((4, 5), bool)) is NotImplemented
    assert native.where_true(x) is NotImplemented
    assert native.put_along(x, np.full((4, 6), 6), x, 1, "assign") is NotImplemented
    assert native.put_along(x, np.full((4, 6), -1), x, 1, "add") is NotImplemented
    assert native.put_along(x, np.zeros((3, 6), int), x[:3], 1, "add") is NotImplemented
    assert native.put_along(x.astype(int), np.zeros((4, 6), int), x.astype(int), 1, "add") is NotImplemented
    assert native.put_along(x, np.zeros((4, 6), int), x, 1, "most") is NotImplemented
    assert native.set_rows(x, np.array([4]), x[:1]) is NotImplemented
    assert native.flat_rows([np.array([5])], (5,)) is NotImplemented
    assert native.flat_rows([np.array([-6])], (5,)) is NotImplemented
    assert native.flat_rows([np.array([-1])], (5,), False) is NotImplemented
    with pytest.raises(ValueError, match="entry for each of 2 axes"):
        native.remap(x, (None,), zero)
    with pytest.raises(ValueError, match="tables"):
        native.remap(x, (None, np.zeros((2, 2), np.int64)), zero)
    with pytest.raises(TypeError, match="list or tuple"):
        native.flat_rows(3, (5,))
    for call in (lambda: native.remap(x, (None, np.arange(6)), zero), lambda: native.remap_back(x, (None, np.arange(6)), [4, 6]),
                 lambda: native.select_true(x, np.ones((4, 6), bool)), lambda: native.where_true(np.ones(4, bool))):
        native.fail_allocation(0)
        with pytest.raises(MemoryError):
            call()
        call()


@pytest.mark.parametrize("threads", [1, 3])
def test_cast(threads):
    kinds = [np.dtype(t) for t in ("float32", "float64", "int32", "int64")]
    with engine(threads=threads):
        for source in (*kinds, np.dtype(bool)):
            x = sample((300, 301), source)
            for wanted in kinds:
                if wanted != source:
                    same(native.cast(x, wanted), x.astype(wanted))
            assert native.cast(x, np.dtype("float16")) is NotImplemented
    assert native.cast(sample((4, 5), "float32").T, np.dtype("float64")) is NotImplemented
    with pytest.raises(TypeError, match="must be a dtype"):
        native.cast(x, "float64")
