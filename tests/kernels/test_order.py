"""Sorting and the first few elements, against NumPy's stable sort."""

import numpy as np
import pytest

from .engine import engine, every_engine, native

SHAPES = [(1,), (7,), (3, 33), (5, 40), (5, 41), (4, 1000), (2, 3, 70), (0, 4), (3, 0), (1, 20_000)]


def stable(x, descending):
    """Positions in order; equal elements keep theirs, NaN counts as largest."""
    if not descending:
        return np.argsort(x, -1, kind="stable")
    return np.flip(x.shape[-1] - 1 - np.argsort(np.flip(x, -1), -1, kind="stable"), -1)


def sample(shape, dtype):
    """Few different numbers, so that many are equal; for floats also NaN, infinities and both zeros."""
    x = np.round(np.random.default_rng(len(shape)).standard_normal(shape) * 20).astype(dtype)
    if x.dtype.kind == "f" and x.size:
        x.flat[::5], x.flat[::7], x.flat[::11], x.flat[::13] = np.nan, -0.0, np.inf, -np.inf
    return x


@every_engine
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("descending", [False, True])
def test_order(isa, threads, dtype, descending):
    with engine(isa, threads):
        for shape in SHAPES:
            x = sample(shape, dtype)
            expected = stable(x, descending)
            values, positions = native.argsort(x, descending)
            np.testing.assert_array_equal(positions, expected)
            assert values.tobytes() == np.take_along_axis(x, expected, -1).tobytes()
            n = shape[-1]
            for k in {0, min(1, n), min(5, n), n // 5, n // 3, n}:
                values, positions = native.topk(x, k, descending)
                np.testing.assert_array_equal(positions, expected[..., :k])
                assert values.tobytes() == np.take_along_axis(x, expected[..., :k], -1).tobytes()


def test_all_numbers_nan():
    x = np.full((2, 300), np.nan, np.float32)
    for largest in (True, False):
        assert (native.topk(x, 3, largest)[1] == [0, 1, 2]).all()


def test_declines_and_refuses():
    assert native.argsort(np.ones((2, 3), np.uint8)) is NotImplemented
    assert native.argsort(np.ones((2, 3), np.float32).T) is NotImplemented
    assert native.topk(np.ones((), np.float32), 1) is NotImplemented
    with pytest.raises(ValueError, match="at most 3"):
        native.topk(np.ones(3, np.float32), 4)
    with pytest.raises(ValueError, match="negative"):
        native.topk(np.ones(3, np.float32), -1)
    with pytest.raises(TypeError, match="must be an array"):
        native.argsort([1.0])


def test_failing_allocation():
    x = np.ones((3, 100), np.float32)
    native.fail_allocation(0)
    with pytest.raises(MemoryError):
        native.argsort(x)
    assert native.argsort(x)[1][2, 99] == 99
