"""Copies of strided arrays, joining, elements by ids and choices: the same bytes as NumPy's."""

import numpy as np
import pytest

from .engine import engine, every_engine, native

DTYPES = ["float32", "float64", "int64", "int8", "int16", "bool", "complex128"]
TURNED = [((3, 5), (1, 0)), ((17, 33), (1, 0)), ((100, 130), (1, 0)), ((3, 4, 5), (2, 0, 1)), ((3, 70, 5, 66), (0, 2, 1, 3)),
          ((3, 70, 5, 66), (0, 3, 1, 2)), ((3, 70, 5, 66), (3, 1, 0, 2)), ((0, 3), (1, 0)), ((64, 1, 64), (2, 1, 0)),
          ((2, 3, 4, 5, 6), (4, 3, 2, 1, 0))]


def sample(shape, dtype, seed=1):
    return (np.random.default_rng(seed).standard_normal(shape) * 50).astype(dtype)


def same(result, expected):
    assert result.dtype == expected.dtype and result.shape == expected.shape
    assert result.flags.c_contiguous and result.tobytes() == expected.tobytes()


@every_engine
@pytest.mark.parametrize("dtype", DTYPES)
def test_contiguous(isa, threads, dtype):
    with engine(isa, threads):
        for shape, axes in TURNED:
            x = sample(shape, dtype).transpose(axes)
            same(native.contiguous(x), x)
        x = sample((40, 50, 6), dtype)
        for view in (x[::2], x[:, ::3], x[..., ::2], x[::-1], x[:, :, ::-1], x[:, ::-2].transpose(2, 1, 0), x[:, :, 1],
                     np.broadcast_to(x[:1], (4, 50, 6)), np.broadcast_to(x[..., :1], (40, 50, 6)), x[0, 0, 0:1],
                     np.broadcast_to(x[0, 0, 0], (300, 999)), np.broadcast_to(x[0, :, :1], (70, 50, 99)), x.reshape(-1)[::7]):
            same(native.contiguous(view), view)
        assert native.contiguous(x) is x


@every_engine
@pytest.mark.parametrize("dtype", DTYPES)
def test_concat(isa, threads, dtype):
    with engine(isa, threads):
        for axis in (0, 1, 2, -1):
            parts = [sample([n if k == axis % 3 else 30 + k for k in range(3)], dtype, n) for n in (5, 0, 17, 40)]
            same(native.concat(parts, axis), np.concatenate(parts, axis))
            same(native.concat(tuple(parts[:1]), axis), parts[0])


@every_engine
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32"])
@pytest.mark.parametrize("ids_dtype", ["int32", "int64"])
def test_by_ids(isa, threads, dtype, ids_dtype):
    rng = np.random.default_rng(3)
    x = sample((40, 50, 6), dtype)
    with engine(isa, threads):
        for axis in range(3):
            ids = rng.integers(0, x.shape[axis], (7, 2)).astype(ids_dtype)
            same(native.take(x, ids, axis), np.take(x, ids, axis))
            shape = [9 if k == axis else n for k, n in enumerate(x.shape)]
            ids = rng.integers(0, x.shape[axis], shape).astype(ids_dtype)
            same(native.take_along(x, ids, axis), np.take_along_axis(x, ids, axis))
            if dtype.startswith("float"):
                g, expected, where = sample(shape, dtype), np.zeros(x.shape), list(np.indices(shape))
                where[axis] = ids
                np.add.at(expected, tuple(where), g)
                np.testing.assert_allclose(native.add_along(g, ids, x.shape[axis], axis), expected, rtol=1e-5, atol=1e-4)
        row = x[:1, :, 0].copy()
        ids = rng.integers(0, 50, (1, 300)).astype(ids_dtype)
        same(native.take_along(row, ids, 1), np.take_along_axis(row, ids, 1))
        if dtype == "float64":
            assert native.add_along(np.ones((1, 300)), ids, 50, 1).sum() == 300


@every_engine
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_choose(isa, threads, dtype):
    rng = np.random.default_rng(4)
    with engine(isa, threads):
        for shape in ((), (0,), (37,), (300, 401)):
            condition, x, y = rng.random(shape) > 0.5, sample(shape, dtype), sample(shape, dtype, 2)
            condition, x, y = np.asarray(condition), np.asarray(x), np.asarray(y)
            number = np.array(7, dtype)
            for a in (x, number):
                for b in (y, number):
                    same(native.choose(condition, a, b), np.asarray(np.where(condition, a, b)))


def test_nan_keeps_its_bits():
    x = np.array([[0x7FC00001, 0xFFC12345]] * 40, np.uint32).view(np.float32)
    same(native.contiguous(x.T), x.T)
    same(native.choose(np.ones(x.shape, bool), x, x), x)


def test_declines_and_refuses():
    x = np.ones((4, 6), np.float32)
    assert native.contiguous(np.array([[object()] * 2] * 2).T) is NotImplemented
    assert native.concat([x, x.astype("float64")]) is NotImplemented
    assert native.concat([x, x.T]) is NotImplemented
    assert native.take(x, np.array([4])) is NotImplemented
    assert native.take(x, np.array([-1])) is NotImplemented
    assert native.take_along(x, np.zeros((3, 3), int), 1) is NotImplemented
    assert native.add_along(x, np.full((4, 6), 9), 9, 0) is NotImplemented
    assert native.choose(np.ones((4, 6), bool), x, x[0]) is NotImplemented
    with pytest.raises(TypeError, match="must be a bool array"):
        native.choose(x, x, x)
    with pytest.raises(ValueError, match="sizes differ along axis 1"):
        native.concat([x, np.ones((4, 5), np.float32)], 0)
    with pytest.raises(ValueError, match="is empty"):
        native.concat([])
    with pytest.raises(ValueError, match="not an axis"):
        native.take(x, np.array([0]), 2)
    with pytest.raises(ValueError, match="not be negative"):
        native.add_along(x, np.zeros((4, 6), int), -1, 0)


def test_failing_allocation():
    x = np.ones((4, 6), np.float32)
    native.fail_allocation(0)
    with pytest.raises(MemoryError):
        native.concat([x, x])
    assert native.concat([x, x]).shape == (8, 6)


@every_engine
def test_ids_of_long_rows(isa, threads):
    rng = np.random.default_rng(3)
    with engine(isa, threads):
        for kind in ("int32", "int64"):
            x, ids = rng.standard_normal((70, 300)), rng.integers(0, 300, (70, 700)).astype(kind)
            same(native.take_along(x, ids, 1), np.take_along_axis(x, ids.astype(int), 1))
            g, expected = rng.standard_normal((70, 700)), np.zeros((70, 300))
            np.add.at(expected, (np.arange(70)[:, None], ids), g)
            np.testing.assert_allclose(native.add_along(g, ids, 300, 1), expected, rtol=1e-12, atol=1e-12)
            for bad in (300, -1):
                ids[41, 650] = bad
                assert native.take_along(x, ids, 1) is NotImplemented and native.add_along(g, ids, 300, 1) is NotImplemented
