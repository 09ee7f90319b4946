"""Softmax and cross entropy against NumPy in double precision."""

import numpy as np
import pytest

from .engine import both_floats, close, engine, every_engine, native

SHAPES = [(0, 5), (3, 0), (1, 1), (7, 10), (5, 33), (2, 3, 17), (3, 9001), (2000, 11)]
shapes = pytest.mark.parametrize("shape", SHAPES, ids=str)


def values(shape, dtype, seed=0):
    return (4 * np.random.default_rng(seed).standard_normal(shape)).astype(dtype)


def softmax(x):
    x = x.astype(np.float64)
    if x.size == 0:
        return x
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@every_engine
@both_floats
@shapes
def test_forward_and_backward(isa, threads, dtype, shape):
    x, dy = values(shape, dtype), values(shape, dtype, 1)
    p, g = softmax(x), dy.astype(np.float64)
    with engine(isa, threads):
        y, logy = native.softmax(x), native.log_softmax(x)
        close(y, p)
        with np.errstate(divide="ignore"):
            close(logy, np.log(p), rtol=1e-6, atol=3e-6 if dtype == np.float32 else 1e-14)
        limits = {"rtol": 1e-5, "atol": 3e-5} if dtype == np.float32 else {"rtol": 1e-11, "atol": 1e-12}
        close(native.softmax_backward(y, dy), p * (g - (p * g).sum(-1, keepdims=True)), **limits)
        close(native.log_softmax_backward(logy, dy), g - p * g.sum(-1, keepdims=True), **limits)


@every_engine
@both_floats
@pytest.mark.parametrize("labels_type", [np.int32, np.int64])
def test_cross_entropy(isa, threads, dtype, labels_type):
    x = values((301, 13), dtype)
    labels = np.random.default_rng(2).integers(0, 13, 301).astype(labels_type)
    labels[[0, 7, 300]] = 5
    p, rows = softmax(x), np.arange(301)
    kept = labels != 5
    dloss = values((301,), dtype, 3)
    with engine(isa, threads):
        loss, saved = native.softmax_cross_entropy(x, labels, ignore_index=5)
        close(saved, p)
        close(loss, np.where(kept, -np.log(p[rows, labels]), 0))
        expected = p.copy()
        expected[rows, labels] -= 1
        expected *= kept[:, None]
        dlogits = native.softmax_cross_entropy_backward(saved, labels, dloss, 5)
        close(dlogits, expected * dloss[:, None].astype(np.float64), rtol=1e-5, atol=3e-6)
        close(native.softmax_cross_entropy_backward(saved, labels, 0.25, 5), expected * 0.25, rtol=1e-5, atol=1e-6)
        scalar = np.array([0.5], dtype)
        result = native.softmax_cross_entropy_backward(saved, labels, scalar, ignore_index=5, out=saved)
        assert result is saved
        close(saved, expected * 0.5, rtol=1e-5, atol=1e-6)


def test_shapes_of_cross_entropy():
    loss, saved = native.softmax_cross_entropy(np.zeros((2, 3, 4), np.float32), np.ones((2, 3, 1), np.int64))
    assert loss.shape == (2, 3) and saved.shape == (2, 3, 4)
    close(loss, np.full((2, 3), np.log(4)))
    loss, _ = native.softmax_cross_entropy(np.zeros((0, 4), np.float32), np.ones(0, np.int64))
    assert loss.shape == (0,)


def test_extremes():
    x = np.array([[1e30, 0, -1e30], [-np.inf, 0, 0], [np.nan, 0, 1], [88, -200, 88.5]], np.float32)
    y = native.softmax(x)
    least = np.exp(-64)  # of what real Paddle 2.6.2 gives on a CPU
    np.testing.assert_allclose(y[:2], [[1, least, least], [least / 2, 0.5, 0.5]], rtol=1e-6)
    assert np.isnan(y[2]).all() and abs(y[3].sum() - 1) < 1e-6
    close(native.log_softmax(x)[3], np.log(softmax(x)[3]), rtol=1e-6)


def test_in_place():
    x = values((5, 21), np.float32)
    expected = native.softmax(x)
    assert native.softmax(x, out=x) is x
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("label", [-1, 4, 2 ** 40])
def test_label_out_of_range(label):
    labels = np.array([0, label])
    with pytest.raises(IndexError, match=f"label {label} of row 1"):
        native.softmax_cross_entropy(np.zeros((2, 4), np.float32), labels)
    with pytest.raises(IndexError, match="row 1"):
        native.softmax_cross_entropy_backward(np.zeros((2, 4), np.float32), labels, 1.0)


X = np.zeros((4, 6), np.float32)
LABELS = np.zeros(4, np.int64)


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.softmax([1.0, 2.0]), TypeError, "'x'"),
    (lambda: native.softmax(X.astype(np.int64)), TypeError, "float32 or float64"),
    (lambda: native.softmax(X.T), ValueError, "C-contiguous"),
    (lambda: native.softmax(X, out=X[:2]), ValueError, "out"),
    (lambda: native.softmax(X[1:], out=X[:3]), ValueError, "lie across"),
    (lambda: native.softmax_backward(X, X[:2]), ValueError, "dy"),
    (lambda: native.softmax_backward(X, X.astype(np.float64)), TypeError, "dy"),
    (lambda: native.softmax_cross_entropy(X, np.zeros(3, np.int64)), ValueError, "4 elements"),
    (lambda: native.softmax_cross_entropy(X, np.zeros(4, np.float32)), TypeError, "labels"),
    (lambda: native.softmax_cross_entropy_backward(X, LABELS, np.zeros(3, np.float32)), ValueError, "dloss"),
    (lambda: native.softmax_cross_entropy_backward(X, LABELS, "one"), TypeError, "dloss"),
])
def test_bad_arguments_raise(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_long_rows_have_no_zeros_either():
    x = np.full((2, 300), -500, np.float32)
    x[0, 7] = x[1, 299] = 0
    y = native.softmax(x)
    assert y[0, 7] == y[1, 299] == 1
    np.testing.assert_allclose(np.delete(y[0], 7), np.exp(-64), rtol=1e-6)
    x[0, 3] = np.nan
    assert np.isnan(native.softmax(x)[0]).all()
