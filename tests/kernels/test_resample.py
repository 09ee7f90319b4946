"""Weighted sums of slices along an axis against NumPy in double precision."""

import numpy as np
import pytest

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
