"""Running sums against NumPy in double precision."""

import numpy as np
import pytest

from .engine import both_floats, engine, every_engine, native

CASES = [((1,), 0), ((9,), 0), ((3, 37), 1), ((3, 37), 0), ((2, 5, 300), 1), ((200_001,), 0), ((20, 3001), 1), ((3, 100_001), 1),
         ((0, 3), 0), ((3, 0), 1), ((40, 600), 0), ((4, 5, 6), -1)]


@every_engine
@both_floats
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumsum(isa, threads, dtype, exclusive, reverse):
    rng = np.random.default_rng(1)
    with engine(isa, threads):
        for shape, axis in CASES:
            x = rng.standard_normal(shape).astype(dtype)
            turned = np.flip(x, axis) if reverse else x
            expected = np.cumsum(turned.astype(np.float64), axis)
            if exclusive:
                expected = expected - turned
            expected = np.flip(expected, axis) if reverse else expected
            result = native.cumsum(x, axis, exclusive, reverse)
            doubt = np.abs(x.astype(np.float64)).sum(axis, keepdims=True) * np.finfo(np.float64).eps  # of sums in double
            limit = np.finfo(dtype).eps * np.abs(expected) + doubt
            assert result.dtype == dtype and result.shape == x.shape
            assert (np.abs(result - expected) <= limit).all(), (shape, axis)


def test_float32_adds_up_in_double():
    """A sum in float32 would stop at 2^24."""
    assert native.cumsum(np.ones(20_000_000, np.float32))[-1] == 20_000_000


def test_same_bits_for_any_thread_count():
    x = np.random.default_rng(2).standard_normal(300_000).astype(np.float32)
    results = set()
    for threads in (1, 2, 5):
        with engine(threads=threads):
            results.add(native.cumsum(x).tobytes())
    assert len(results) == 1


def test_nan_and_infinity_go_on_to_the_end():
    x = np.ones(40, np.float32)
    x[5], x[20] = np.inf, np.nan
    for isa in ("base", "avx2", "avx512"):
        with engine(isa):
            y = native.cumsum(x)
            assert y[4] == 5 and np.isposinf(y[5:20]).all() and np.isnan(y[20:]).all()
            z = native.cumsum(x, 0, True, True)
            assert z[39] == 0 and z[20] == 19 and np.isnan(z[:20]).all()


def test_declines_and_refuses():
    assert native.cumsum(np.ones(3, np.int64)) is NotImplemented
    assert native.cumsum(np.ones((2, 3), np.float32).T) is NotImplemented
    with pytest.raises(ValueError, match="not an axis"):
        native.cumsum(np.ones(3, np.float32), 1)


def test_failing_allocation():
    x = np.ones(200_000, np.float32)
    native.fail_allocation(0)
    with pytest.raises(MemoryError):
        native.cumsum(x)
    assert native.cumsum(x)[-1] == x.size
