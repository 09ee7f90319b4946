"""Weighted sums of slices along an axis against NumPy in double precision."""

import numpy as np
import pytest

from paddle.core.op import BY_NAME
from paddle.ops.nn import interpolate  # noqa: F401 - its ops

from .engine import both_floats, engine, every_engine, native


def case(dtype, shape, axis, out, seed=0):
    """x and, for every output slice, up to five terms; some have none."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 6, out)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    index = rng.integers(0, shape[axis], starts[-1])
    return rng.standard_normal(shape).astype(dtype), starts, index, rng.standard_normal(starts[-1]).astype(dtype)


def expected(x, starts, index, weight, axis):
    matrix = np.zeros((len(starts) - 1, x.shape[axis]))
    for i in range(len(starts) - 1):
        for k in range(starts[i], starts[i + 1]):
            matrix[i, index[k]] += weight[k]
    return np.moveaxis(np.tensordot(matrix, x.astype(np.float64), (1, axis)), 0, axis)


@every_engine
@both_floats
@pytest.mark.parametrize("shape,axis,out", [((2, 3, 9, 37), 2, 11), ((2, 3, 9, 37), 3, 80), ((5,), 0, 7), ((70, 300), 1, 513),
                                            ((3, 4, 1), 1, 2), ((2, 0, 4), 2, 3), ((2, 3, 4), 1, 0)])
def test_sums(isa, threads, dtype, shape, axis, out):
    x, starts, index, weight = case(dtype, shape, axis, out)
    with engine(isa, threads):
        y = native.resample(x, starts, index, weight, axis)
    assert y.dtype == dtype and y.flags.c_contiguous
    np.testing.assert_allclose(y, expected(x, starts, index, weight, axis), atol=5e-6 if dtype == np.float32 else 1e-13)


@every_engine
def test_two_terms_each(isa, threads):
    x, rng = np.random.default_rng(1).standard_normal((300, 41)).astype("f"), np.random.default_rng(2)
    starts, index, weight = np.arange(0, 141, 2), rng.integers(0, 41, 140), rng.random(140).astype("f")
    with engine(isa, threads):
        np.testing.assert_allclose(native.resample(x, starts, index, weight, 1), expected(x, starts, index, weight, 1), atol=1e-6)


X, STARTS, INDEX, WEIGHT = np.ones((2, 4), "f"), np.array([0, 1, 2]), np.array([0, 3]), np.ones(2, "f")


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.resample(X, STARTS, INDEX, WEIGHT, 2), ValueError, "'axis': 2"),
    (lambda: native.resample(X, STARTS, np.array([0, 4]), WEIGHT, 1), ValueError, "below 4"),
    (lambda: native.resample(X, STARTS, np.array([-1, 3]), WEIGHT, 1), ValueError, "below 4"),
    (lambda: native.resample(X, np.array([0, 2, 1]), INDEX, WEIGHT, 1), ValueError, "rising"),
    (lambda: native.resample(X, np.array([0, 3, 2]), INDEX, WEIGHT, 1), ValueError, "rising"),
    (lambda: native.resample(X, np.array([0, 1]), INDEX, WEIGHT, 1), ValueError, "rising"),
    (lambda: native.resample(X, np.array([], int), INDEX, WEIGHT, 1), ValueError, "rising"),
    (lambda: native.resample(X, STARTS, INDEX, np.ones(2), 1), TypeError, "'weight'"),
    (lambda: native.resample(X, STARTS, INDEX, np.ones(3, "f"), 1), ValueError, "'weight'"),
    (lambda: native.resample(X, STARTS.astype("i"), INDEX, WEIGHT, 1), TypeError, "'starts'"),
])
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_other_layouts_are_declined():
    assert native.resample(X[:, ::2], STARTS, INDEX, WEIGHT, 1) is NotImplemented


METHODS = [("nearest", 1), ("nearest", 2), ("nearest", 3), ("linear", 1), ("bilinear", 2), ("bicubic", 2), ("trilinear", 3)]


@every_engine
@both_floats
@pytest.mark.parametrize("version", ["", "1"])
@pytest.mark.parametrize("method,axes", METHODS)
def test_the_librarys_resizing(isa, threads, dtype, version, method, axes):
    """Equals the op's own text: larger and smaller, by sizes and scales in all forms, in both layouts."""
    op, rng = BY_NAME[f"{method}_interp{version}"], np.random.default_rng(axes)
    [(_, by_library)] = op.kernels
    limits = {"rtol": 1e-5, "atol": 2e-6} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-13}
    with engine(isa, threads):
        for size, out in (((4, 7, 5), (9, 6, 11)), ((8, 9, 7), (3, 4, 2)), ((6, 1, 5), (6, 3, 1))):
            size, out = size[-axes:], out[-axes:]
            numbers = (0,) * (3 - axes) + out
            for align in (False, True):
                for last in (False, True):
                    x = rng.standard_normal((2, *size, 3) if last else (2, 3, *size)).astype(dtype)
                    layout = "NHWC" if last else "NCHW"
                    rest = method, align, int(last)
                    for given in ((None, None, None, layout, *numbers, (), *rest),
                                  (np.array(out), None, None, layout, 0, 0, 0, (), *rest),
                                  (np.array(out), None, None, layout, 0, 0, 0, (1.3,), *rest),
                                  (None, [np.array([n]) for n in out], None, layout, 0, 0, 0, (1.3,), *rest),
                                  (None, None, np.array([1.7], np.float32), layout, 0, 0, 0, (), *rest),
                                  (None, None, None, layout, *numbers, (2.3,), *rest)):
                        found, wanted = by_library(x, *given), op.fn(x, *given)
                        assert found.dtype == x.dtype and found.shape == wanted.shape
                        np.testing.assert_allclose(found, wanted, **limits)


def test_nearest_of_other_types():
    for dtype in ("uint8", "bool", "int32", "int64", "float16", "complex64"):
        x = np.arange(24).reshape(1, 2, 3, 4).astype(dtype)
        given = None, None, None, "NCHW", 0, 5, 7, (), "nearest", False, 0
        np.testing.assert_array_equal(BY_NAME["nearest_interp"].run_arrays([x, *given]), BY_NAME["nearest_interp"].fn(x, *given))
