"""Embedding rows and their gradient against NumPy."""

import numpy as np
import pytest

from .engine import both_floats, close, engine, every_engine, native

CASES = [((5, 3), ()), ((5, 3), (0,)), ((7, 1), (2, 3)), ((100, 65), (9, 50)), ((40, 300), (1000,)), ((3, 0), (4,)),
         ((999, 7), (9000,))]


@every_engine
@both_floats
@pytest.mark.parametrize("ids_type", [np.int32, np.int64])
@pytest.mark.parametrize("padding", [-1, 2])
def test_rows_and_gradient(isa, threads, dtype, ids_type, padding):
    rng = np.random.default_rng(0)
    with engine(isa, threads):
        for size, shape in CASES:
            weight, ids = rng.standard_normal(size).astype(dtype), rng.integers(0, size[0], shape).astype(ids_type)
            out = native.embedding(weight, ids, padding)
            np.testing.assert_array_equal(out, np.where((ids == padding)[..., None], 0, weight[ids]), strict=True)
            dy = rng.standard_normal((*shape, size[1])).astype(dtype)
            expected = np.zeros(size)
            np.add.at(expected, ids, np.where((ids == padding)[..., None], 0.0, dy))
            limits = {"rtol": 1e-5, "atol": 2e-5} if dtype == np.float32 else {}
            close(native.embedding_grad(dy, ids, size[0], padding), expected, **limits)
            into = np.ones(size, dtype)
            assert native.embedding_grad(dy, ids, size[0], padding, out=into) is into
            close(into, expected + 1, **limits)


@pytest.mark.parametrize("dtype", ["int64", "float16", "bool", "complex64", "uint8"])
def test_rows_of_any_type(dtype):
    weight = np.arange(12).reshape(4, 3).astype(dtype)
    np.testing.assert_array_equal(native.embedding(weight, np.array([3, 0])), weight[[3, 0]], strict=True)


def test_same_bytes_for_any_thread_count():
    rng = np.random.default_rng(1)
    ids, results = rng.integers(0, 50, 5000), set()
    for width in (17, 200):
        dy = rng.standard_normal((5000, width)).astype(np.float32)
        for threads in (1, 2, 5):
            with engine(threads=threads):
                results.add(native.embedding_grad(dy, ids, 50).tobytes())
    assert len(results) == 2


W = np.ones((4, 6), np.float32)
IDS = np.array([0, 3])


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.embedding(W, np.array([0, 4])), IndexError, "id 4 at position 1"),
    (lambda: native.embedding(W, np.array([-1])), IndexError, "id -1"),
    (lambda: native.embedding_grad(W[:2], np.array([0, 4]), 4), IndexError, "id 4"),
    (lambda: native.embedding(W[0], IDS), ValueError, "'weight'"),
    (lambda: native.embedding(W.T, IDS), ValueError, "'weight'"),
    (lambda: native.embedding(W.astype(object), IDS), TypeError, "objects"),
    (lambda: native.embedding([[1.0]], IDS), TypeError, "'weight'"),
    (lambda: native.embedding(W, IDS.astype(float)), TypeError, "'ids'"),
    (lambda: native.embedding_grad(W, IDS, 4), ValueError, "'dy'"),
    (lambda: native.embedding_grad(W[:2], IDS, -1), ValueError, "'rows'"),
    (lambda: native.embedding_grad(W[:2], IDS, 4, out=W[:3].copy()), ValueError, "'out'"),
    (lambda: native.embedding_grad(W[:2], IDS, 4, out=W), ValueError, "overlap"),
])
def test_bad_arguments_raise(call, error, text):
    with pytest.raises(error, match=text):
        call()
