"""Running products, recurrences and extremes; places in sorted sequences; counts; distances; pictures read at any place."""

import numpy as np
import pytest

from .engine import both_floats, close, engine, every_engine, grid_sample, inverse, native

SHAPES = ((1,), (40,), (9, 33), (21, 1000), (3, 17, 5), (2, 40, 300), (0, 4), (4, 0))


def limits(dtype):
    return {"rtol": 1e-4, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-11, "atol": 1e-12}


@every_engine
@both_floats
def test_products_and_recurrences(isa, threads, dtype):
    rng = np.random.default_rng(1)
    with engine(isa, threads):
        for shape in SHAPES:
            a, b = (1 + 0.1 * rng.standard_normal(shape)).astype(dtype), rng.uniform(-1, 1, shape).astype(dtype)
            for axis in range(len(shape)):
                close(native.cumprod(a, axis), np.cumprod(a.astype(np.float64), axis), **limits(dtype))
                x, y = (np.moveaxis(t.astype(np.float64), axis, 0) for t in (a, b))
                on, back = x.copy(), x.copy()
                for i in range(1, len(x)):
                    on[i] += y[i] * on[i - 1]
                    back[-1 - i] += y[-i] * back[-i]
                close(native.linear_scan(a, b, axis), np.moveaxis(on, 0, axis), **limits(dtype))
                close(native.linear_scan(a, b, axis, True), np.moveaxis(back, 0, axis), **limits(dtype))
    nan = np.array([np.inf, 0, 1], dtype)
    assert np.isnan(native.cumprod(nan)[1])
    assert native.linear_scan(nan, np.array([np.nan, 1, 1], dtype), 0).tolist()[0] == np.inf  # the first factor is not read


@every_engine
@both_floats
def test_running_extremes(isa, threads, dtype):
    rng = np.random.default_rng(2)
    with engine(isa, threads):
        for shape in SHAPES:
            x = np.round(rng.standard_normal(shape) * 3).astype(dtype)
            if x.size > 500:
                x.reshape(-1)[rng.integers(0, x.size, 3)] = np.nan
            for axis in range(len(shape)):
                for largest in (True, False):
                    values, places = native.running_best(x, largest, axis, False)
                    np.testing.assert_array_equal(values, (np.maximum if largest else np.minimum).accumulate(x, axis))
                    np.testing.assert_array_equal(np.take_along_axis(x, places.astype(int), axis), values)
                    wide = native.running_best(x, largest, axis)[1]
                    assert wide.dtype == np.int64 and places.dtype == np.int32 and (wide == places).all()
                    rows, found = np.moveaxis(x, axis, -1), np.moveaxis(places, axis, -1)
                    if rows.size:  # the last of equals
                        last = rows.reshape(-1, rows.shape[-1])[0]
                        best = np.moveaxis(values, axis, -1).reshape(-1, rows.shape[-1])[0, -1]
                        equal = np.flatnonzero((last == best) | (np.isnan(last) & np.isnan(best)))
                        assert found.reshape(-1, rows.shape[-1])[0, -1] == equal[-1]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("threads", [1, 3])
def test_searchsorted(dtype, threads):
    rng = np.random.default_rng(3)
    with engine(threads=threads):
        for n in (0, 1, 2, 3, 7, 64, 1000):
            sequence = np.sort(rng.integers(-50, 50, n).astype(dtype))
            values = rng.integers(-60, 60, (9, 1003)).astype(dtype)
            if dtype.startswith("f"):
                values[0, :3] = np.nan, np.inf, -np.inf
                sequence[n - n // 5:] = np.nan
            for side in ("left", "right"):
                found = native.searchsorted(sequence, values, side == "right")
                np.testing.assert_array_equal(found, np.searchsorted(sequence, values, side))
        rows = np.sort(rng.integers(0, 9, (4, 3, 20)).astype(dtype), -1)
        wanted = rng.integers(0, 9, (4, 3, 11)).astype(dtype)
        expected = [np.searchsorted(r, v) for r, v in zip(rows.reshape(-1, 20), wanted.reshape(-1, 11))]
        found = native.searchsorted(rows, wanted, False, True)
        assert found.dtype == np.int32
        np.testing.assert_array_equal(found.reshape(-1, 11), expected)
    assert native.searchsorted(rows, wanted[:3]) is NotImplemented


@pytest.mark.parametrize("threads", [1, 3])
def test_bincount(threads):
    rng = np.random.default_rng(4)
    with engine(threads=threads):
        for n, below in ((1, 1), (5, 5), (1000, 7), (100000, 1000)):
            x = rng.integers(0, below, n)
            np.testing.assert_array_equal(native.bincount(x), np.bincount(x))
            np.testing.assert_array_equal(native.bincount(x, min(n, below + 3)), np.bincount(x, minlength=min(n, below + 3)))
    assert native.bincount(np.array([0, -1])) is NotImplemented
    assert native.bincount(np.array([0, 9])) is NotImplemented
    assert native.bincount(np.zeros(0, np.int64)) is NotImplemented


@every_engine
@both_floats
@pytest.mark.parametrize("absolute", [False, True])
def test_distances(isa, threads, dtype, absolute):
    rng = np.random.default_rng(5)
    with engine(isa, threads):
        for batch, p, r, m in (((), 1, 1, 1), ((), 5, 9, 7), ((3,), 33, 17, 65), ((2, 2), 4, 40, 130), ((), 70, 3, 64)):
            x, y = rng.standard_normal((*batch, p, m)).astype(dtype), rng.standard_normal((*batch, r, m)).astype(dtype)
            y[..., 0, :] = x[..., 0, :]
            g = rng.standard_normal((*batch, p, r)).astype(dtype)
            d = x[..., :, None, :].astype(np.float64) - y[..., None, :, :]
            expected = np.abs(d).sum(-1) if absolute else np.sqrt((d * d).sum(-1))
            found = native.distances(x, y, absolute)
            close(found, expected, **limits(dtype))
            slope = np.sign(d) if absolute else d / np.where(expected == 0, np.inf, expected)[..., None]
            dx, dy = native.distances_backward(g, found, x, y, absolute)
            close(dx, (g[..., None] * slope).sum(-2), **limits(dtype))
            close(dy, -(g[..., None] * slope).sum(-3), **limits(dtype))
    assert native.distances(x, y[:, :-1].copy(), absolute) is NotImplemented


def test_distances_without_memory():
    x = np.ones((3, 4), np.float32)
    for call in (lambda: native.distances(x, x, False), lambda: native.distances_backward(np.ones((3, 3), np.float32),
                                                                                        np.ones((3, 3), np.float32), x, x, False)):
        native.fail_allocation(0)
        with pytest.raises(MemoryError):
            call()
        call()


@every_engine
@both_floats
def test_grid_sample_of_whole_cells(isa, threads, dtype):
    """At the middles of cells the cells themselves come out, and the gradient goes back to them."""
    rng = np.random.default_rng(6)
    with engine(isa, threads):
        for size in ((4, 5), (9, 33), (3, 4, 5)):
            x = rng.standard_normal((2, 3, *size)).astype(dtype)
            lines = np.meshgrid(*[np.linspace(-1, 1, n) for n in size], indexing="ij")
            grid = np.broadcast_to(np.stack(lines[::-1], -1), (2, *size, len(size))).astype(dtype)
            grid = np.ascontiguousarray(grid)
            for nearest in (False, True):
                for padding in range(3):
                    close(grid_sample(x, grid, nearest, padding, True), x, rtol=1e-4, atol=1e-4)
                    dx, dgrid = native.grid_sample_backward(x, x, grid, nearest, padding, True, True, False)
                    close(dx, x, rtol=1e-4, atol=1e-4)
                    assert dgrid is None
    assert grid_sample(x, grid[..., :2].copy(), False, 0, True) is NotImplemented
    assert grid_sample(x, grid, False, 3, True) is NotImplemented


@every_engine
@both_floats
def test_inverse(isa, threads, dtype):
    rng = np.random.default_rng(8)
    with engine(isa, threads):
        for n in (1, 2, 17, 64, 128, 150):
            x = (rng.standard_normal((6, n, n)) + 3 * np.eye(n)).astype(dtype)
            expected = np.linalg.inv(x.astype(np.float64))
            assert np.abs(inverse(x) - expected).max() <= (3e-6 if dtype == np.float32 else 1e-10) * np.abs(expected).max()
        turned = np.eye(5, dtype=dtype)[[3, 0, 4, 1, 2]]
        np.testing.assert_array_equal(inverse(turned), turned.T)
    for bad in (np.zeros((2, 2)), np.full((2, 2), np.nan), np.ones((2, 3)), np.ones(2)):
        assert inverse(bad.astype(dtype)) is NotImplemented
