"""Reductions against NumPy in double precision."""

import numpy as np
import pytest

from .engine import ISAS, both_floats, engine, every_engine, native, operator

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


WHOLE = {"sum": np.sum, "mean": lambda x, axis: np.trunc(x.sum(axis) / (x.size / x.sum(axis).size)), "max": np.max, "min": np.min,
         "prod": np.prod}


@every_engine
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "int8", "bool"])
def test_whole_numbers_by_the_library(isa, threads, dtype):
    """Sums and products wrap round; those of truth values are int64."""
    rng = np.random.default_rng(2)
    with engine(isa, threads):
        for shape, axes in CASES:
            low, high = (0, 2) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
            x = rng.integers(low, high, shape).astype(dtype)
            if not x.size:
                continue
            gone = list(range(x.ndim)) if axes is None or axes == () else [a % x.ndim for a in np.atleast_1d(np.array(axes, int))]
            attributes = {"dim": gone, "reduce_all": not gone}
            logic = {"all": np.all, "any": np.any, "max": np.max, "min": np.min, "sum": np.sum}
            for name, function in (logic if dtype == "bool" else WHOLE).items():
                found = operator(f"reduce_{name}", {"X": x}, attributes, "Out")
                wanted = function(x.astype(np.int64) if name in ("sum", "mean", "prod") else x, axis=tuple(gone))
                kind = bool if name in ("all", "any") else np.int64 if dtype == "bool" and name == "sum" else x.dtype
                np.testing.assert_array_equal(found, np.asarray(wanted).astype(kind))
                assert found.dtype == kind


@every_engine
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_running_whole_numbers_by_the_library(isa, threads, dtype):
    rng = np.random.default_rng(3)
    with engine(isa, threads):
        for shape in ((1,), (5000,), (7, 33), (3, 5, 4), (2, 300, 17), (0, 3), (3, 0)):
            x = rng.integers(0, np.iinfo(dtype).max, shape).astype(dtype)
            for axis in range(x.ndim):
                found = operator("cumprod", {"X": x}, {"dim": axis}, "Out")
                np.testing.assert_array_equal(found, np.cumprod(x, axis, dtype=dtype))
                for exclusive in (False, True):
                    for reverse in (False, True):
                        found = operator("cumsum", {"X": x}, {"axis": axis, "exclusive": exclusive, "reverse": reverse}, "Out")
                        y = np.flip(x, axis) if reverse else x
                        wanted = np.cumsum(y, axis, dtype=dtype) - (y if exclusive else np.zeros((), dtype))
                        np.testing.assert_array_equal(found, np.flip(wanted, axis) if reverse else wanted)
