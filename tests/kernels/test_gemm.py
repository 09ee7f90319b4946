"""The matrix product against NumPy in double precision."""

import math

import numpy as np
import pytest

from .engine import both_floats, engine, every_engine, native

SIZES = [(64, 50, 300), (1, 1, 1), (1, 300, 200), (2, 33, 65), (3, 17, 31), (4, 100, 64), (7, 17, 3), (100, 33, 500),
         (301, 200, 77), (200, 5, 900), (0, 3, 4), (3, 0, 4), (3, 4, 0), (200, 5, 0), (1, 130, 0),
         (784, 10, 16), (29, 15, 333), (13, 2, 1100), (6, 7, 9)]


def values(dtype, *shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def check(actual, expected, inner):
    """Errors of a sum grow with the root of its length."""
    assert actual.shape == expected.shape
    limit = (3e-7 if actual.dtype == np.float32 else 1e-15) * (inner + 4)
    np.testing.assert_allclose(actual, expected, rtol=limit, atol=limit)


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2)))


def gelu_tanh(x):
    return x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


@every_engine
@both_floats
@pytest.mark.parametrize("m,n,k", SIZES)
def test_product_with_every_epilogue(isa, threads, dtype, m, n, k):
    bias, start = values(dtype, n, seed=3), values(dtype, m, n, seed=4)
    for trans_a in (False, True):
        for trans_b in (False, True):
            a = values(dtype, *((k, m) if trans_a else (m, k)), seed=1)
            b = values(dtype, *((n, k) if trans_b else (k, n)), seed=2)
            product = (a.T if trans_a else a).astype(np.float64) @ (b.T if trans_b else b).astype(np.float64)
            with engine(isa, threads):
                check(native.gemm(a, b, trans_a, trans_b), product, k)
                check(native.gemm(a, b, trans_a, trans_b, bias, 1), np.maximum(product + bias, 0), k)
                out = start.copy()
                assert native.gemm(a, b, trans_a, trans_b, out=out, accumulate=True) is out
                check(out, product + start, k)
                out = start.copy()
                native.gemm(a, b, trans_a, trans_b, bias=bias, act=1, out=out, accumulate=True)
                check(out, np.maximum(product + start + bias, 0), k)
                check(native.gemm(a, b, trans_a, trans_b, None, 0, start), product + start, k)
                check(native.gemm(a, b, trans_a, trans_b, bias, 1, start), np.maximum(product + start + bias, 0), k)
                check(native.gemm(a, b, trans_a, trans_b, bias, 2, start), gelu(product + start + bias), k)
                check(native.gemm(a, b, trans_a, trans_b, None, 3), gelu_tanh(product), k)


@every_engine
@both_floats
def test_views_are_read_where_they_lie(isa, threads, dtype):
    a, b = values(dtype, 90, 160), values(dtype, 60, 200, seed=1)
    cases = [(a[::2, ::3], b[:54, ::2]), (a[::-1, :60], b[:, 5:]), (a.T[:60, :60], b[:60].T[:60]),
             (np.broadcast_to(a[:1, :60], (7, 60)), b), (a[:3, 10:70], b[:, ::-1]), (a[:, :1], b[:1, :])]
    with engine(isa, threads):
        for x, y in cases:
            check(native.gemm(x, y), x.astype(np.float64) @ y.astype(np.float64), x.shape[1])


@every_engine
@pytest.mark.parametrize("batch_a,batch_b", [(5, 5), (1, 5), (5, 1), (None, 5), (5, None), (0, 0), (40, 40)])
def test_batches(isa, threads, batch_a, batch_b):
    a = values(np.float32, *(() if batch_a is None else (batch_a,)), 9, 21)
    b = values(np.float32, *(() if batch_b is None else (batch_b,)), 21, 18, seed=1)
    with engine(isa, threads):
        check(native.gemm(a, b), a.astype(np.float64) @ b, 21)
        check(native.gemm(a, np.ascontiguousarray(np.swapaxes(b, -1, -2)), trans_b=True), a.astype(np.float64) @ b, 21)
        whole = np.zeros((40, 12, 30), np.float32)
        out = whole[:5, 1:10, 4:22]
        if (batch_a, batch_b) != (0, 0) and 40 not in (batch_a, batch_b):
            native.gemm(a, b, out=out)
            check(out, a.astype(np.float64) @ b, 21)
            assert whole[:, 0].any() == whole[:, 10:].any() == whole[..., :4].any() == whole[..., 22:].any() == False  # noqa: E712


def test_nan_passes_through_relu():
    a = np.full((8, 40), np.nan, np.float32)
    assert np.isnan(native.gemm(a, np.ones((40, 50), np.float32), act=1)).all()


SQUARE = np.ones((2, 2), np.float32)


@pytest.mark.parametrize("arguments,error,text", [
    (("x", SQUARE), TypeError, "'a'"),
    ((SQUARE, np.ones((2, 2))), TypeError, "'b' must be a float32 array"),
    ((np.ones((2, 2), int), np.ones((2, 2), int)), TypeError, "'a' must be a float32 or float64"),
    ((np.ones((2, 3), "f"), np.ones((2, 3), "f")), ValueError, "inner sizes differ: a is 2 x 3, b is 2 x 3"),
    ((np.ones(3, "f"), np.ones((3, 3), "f")), ValueError, "2 or 3 dimensions"),
    ((np.ones((2, 2, 3), "f"), np.ones((3, 3, 3), "f")), ValueError, "batch sizes differ"),
    ((SQUARE, SQUARE, False, False, np.ones(3, "f")), ValueError, "'bias'"),
    ((SQUARE, SQUARE, False, False, None, 7), ValueError, "'act'"),
    ((SQUARE, SQUARE, False, False, None, 0, None, np.ones((2, 3), "f")), ValueError, "'out'"),
    ((SQUARE, SQUARE, False, False, None, 0, None, np.ones((2, 4), "f")[:, ::2]), ValueError, "adjacent"),
    ((SQUARE, SQUARE, False, False, None, 0, np.ones((2, 3), "f")), ValueError, "'added'"),
    ((SQUARE, SQUARE, False, False, None, 0, SQUARE, np.ones((2, 4), "f")[:, :2]), ValueError, "dense"),
    ((SQUARE, SQUARE, False, False, None, 0, SQUARE, np.ones((2, 2), "f"), True), ValueError, "exclude"),
    ((SQUARE, SQUARE, False, False, None, 0, None, None, True), ValueError, "'accumulate' needs"),
    ((np.ones((2, 2), ">f4"), SQUARE), ValueError, "byte order"),
    ((SQUARE,), TypeError, "'b' is missing"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_wrong_arguments(arguments, error, text):
    with pytest.raises(error, match=r"gemm\(\).*" + text):
        native.gemm(*arguments)


def test_out_must_not_overlap():
    a = np.ones((4, 4), np.float32)
    with pytest.raises(ValueError, match="overlap"):
        native.gemm(a, a.copy(), out=a)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="writeable"):
        native.gemm(np.ones((4, 4), np.float32), np.ones((4, 4), np.float32), out=a)
    assert native.gemm(a, a)[0, 0] == 4  # read-only inputs are fine


@pytest.mark.parametrize("shape,order,buffers", [((5, 80, 90), "C", 1), ((300, 80, 500), "C", 1), ((300, 80, 500), "F", 2)])
def test_no_memory(shape, order, buffers):
    """The packed right operand and, if its columns are far apart, the left one need memory."""
    m, n, k = shape
    a, b = np.ones((m, k), np.float32, order), np.ones((k, n), np.float32)
    failures = 0
    for after in range(20):
        native.fail_allocation(after)
        try:
            native.gemm(a, b)
        except MemoryError as error:
            assert "gemm()" in str(error)
            failures += 1
        finally:
            native.fail_allocation(-1)
    assert failures >= buffers
    assert (native.gemm(a, b) == k).all()


@every_engine
@both_floats
@pytest.mark.parametrize("m,n,k", [(5, 2, 3), (16, 10, 784), (50, 37, 1000), (7, 33, 40), (3, 50, 20), (100, 1, 5), (40, 2100, 9)])
def test_prepared_matrix(isa, threads, dtype, m, n, k):
    """The same bytes as the product that packs the matrix itself, from either layout; also after the prepared one has moved."""
    a, b, bias = values(dtype, m, k), values(dtype, k, n, seed=1), values(dtype, n, seed=2)
    with engine(isa, threads):
        for given, transposed in ((b, False), (np.ascontiguousarray(b.T), True)):
            ready = native.gemm_prepare(given, transposed)
            expected = native.gemm(a, given, False, transposed, bias, 1)
            np.testing.assert_array_equal(native.gemm_ready(a, given, ready, transposed, bias, 1), expected)
            moved = np.empty(ready.size + 1, dtype)[1:]
            moved[:] = ready
            out = np.empty((m, n), dtype)
            assert native.gemm_ready(a, given, moved, transposed, bias, 1, None, out) is out
            np.testing.assert_array_equal(out, expected)
    check(expected, np.maximum(a.astype("float64") @ b + bias, 0), k)


def test_matrix_prepared_for_another_instruction_set():
    a, b = values("float32", 9, 40), values("float32", 40, 50)
    with engine("base"):
        ready = native.gemm_prepare(b)
    np.testing.assert_array_equal(native.gemm_ready(a, b, ready), native.gemm(a, b))


@pytest.mark.parametrize("call,text", [
    (lambda a, b, ready: native.gemm_prepare(b[None]), "'b' must be a matrix"),
    (lambda a, b, ready: native.gemm_prepare(b[:0]), "'b' must be a matrix"),
    (lambda a, b, ready: native.gemm_ready(a, b, ready[:-1]), "'ready'"),
    (lambda a, b, ready: native.gemm_ready(a[:, 1:], b, ready), r"gemm_ready\(\): inner sizes differ"),
])
def test_wrong_prepared_matrix(call, text):
    a, b = values("float32", 9, 40), values("float32", 40, 50)
    with pytest.raises(ValueError, match=text):
        call(a, b, native.gemm_prepare(b))
