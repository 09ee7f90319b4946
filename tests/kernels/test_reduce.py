"""Reductions against NumPy in double precision."""

import numpy as np
import pytest

from .engine import ISAS, both_floats, engine, every_engine, native

CASES = [((), None), ((0,), None), ((1,), 0), ((7,), None), ((200_003,), None), ((5, 33), 1), ((5, 33), 0),
         ((5, 33), -2), ((5, 33), (0, 1)), ((5, 33), ()), ((3, 0), 1), ((3, 0), 0), ((0, 3), 0), ((700, 67), 0),
         ((67, 700), 1), ((9, 9001), 0), ((4, 6, 5, 7), (0, 2, 3)), ((16, 3, 40, 50), (0, 2, 3)),
         ((4, 6, 5, 7), (2, 3)), ((4, 6, 5, 7), (0, 1)), ((4, 1, 5), (0, 2)), ((2, 3, 1), 2), ((100_001, 3), 0),
         ((1001, 1), 0)]
NUMPY = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min,
         "sum_squares": lambda x, axis: np.sum(x * x, axis)}


def axis_of(axes):
    return tuple(axes) if isinstance(axes, (tuple, list)) else axes


@every_engine
@both_floats
@pytest.mark.parametrize("name", NUMPY)
def test_reduce(isa, threads, dtype, name):
    rng = np.random.default_rng(1)
    with engine(isa, threads):
        for shape, axes in CASES:
            x = rng.standard_normal(shape).astype(dtype)
            reduced = x.shape if axes is None else [x.shape[a] for a in np.atleast_1d(np.array(axes, int))]
            empty = 0 in reduced
            if empty and name in ("max", "min"):
                with pytest.raises(ValueError, match="no elements"):
                    native.reduce(name, x, axes)
                continue
            result = native.reduce(name, x, axes)
            assert result.dtype == dtype
            if empty:
                assert np.isnan(result).all() if name == "mean" else (result == 0).all()
                continue
            expected = NUMPY[name](x.astype(np.float64), axis=axis_of(axes))
            scale = np.abs(x.astype(np.float64)).sum(axis_of(axes)) if name == "sum" else 1.0
            limit = (3e-7 if dtype == np.float32 else 1e-13) * np.maximum(np.abs(expected), scale)
            assert result.shape == np.shape(expected)
            assert (np.abs(result - expected) <= limit).all(), (shape, axes)


@pytest.mark.parametrize("isa", ISAS)
def test_float32_sum_keeps_its_digits(isa):
    x = np.full(10_000_000, 0.1, np.float32)
    with engine(isa):
        assert abs(native.reduce("sum", x) / (x[0].astype(np.float64) * x.size) - 1) < 3e-7


def test_same_bits_for_any_thread_count():
    x = np.random.default_rng(2).standard_normal((3000, 70)).astype(np.float32)
    for axes in (None, 0, 1):
        results = set()
        for threads in (1, 2, 5):
            with engine(threads=threads):
                results.add(native.reduce("sum", x, axes).tobytes())
        assert len(results) == 1


@pytest.mark.parametrize("axes", [None, 0, 1])
@pytest.mark.parametrize("name", ["max", "min", "sum"])
def test_nan_comes_out(name, axes):
    for isa in ("base", "avx2", "avx512"):
        x = np.random.default_rng(3).standard_normal((70, 67)).astype(np.float32)
        x[3, 66] = np.nan
        x[5, 1] = np.inf
        with engine(isa):
            np.testing.assert_allclose(native.reduce(name, x, axes), NUMPY[name](x, axis=axes), rtol=1e-4)


def test_declines_other_patterns():
    assert native.reduce("sum", np.ones((2, 3, 4), np.float32), (1,)) is NotImplemented
    assert native.reduce("sum", np.ones((2, 3), np.float32).T) is NotImplemented
    assert native.reduce("sum", np.ones((2, 3), int)) is NotImplemented
    assert native.reduce("sum", np.ones((2, 1, 4), np.float32), (1,)).shape == (2, 4)


X = np.ones((4, 6), np.float32)


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.reduce("median", X), ValueError, "median"),
    (lambda: native.reduce("sum", X, 2), ValueError, "axes"),
    (lambda: native.reduce("sum", X, (0, -3)), ValueError, "axes"),
    (lambda: native.reduce("sum", X, "first"), TypeError, "axes"),
    (lambda: native.reduce("sum", [1.0]), TypeError, "array"),
    (lambda: native.reduce("sum", X, 0, out=np.ones(4, np.float32)), ValueError, "out"),
    (lambda: native.reduce("sum", X, 0, out=X[0]), ValueError, "overlap"),
])
def test_bad_arguments_raise(call, error, text):
    with pytest.raises(error, match=text):
        call()
