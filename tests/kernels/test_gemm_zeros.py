"""Products that leave out rows of zeros: the same numbers as with them, and NaN where a zero meets what is not finite."""

import numpy as np
import pytest

from .engine import both_floats, engine, every_engine, native
from .test_gemm import check, values

M, N, K = 130, 70, 90
LIVE = {"none": [], "one": [57], "rhythm": range(0, M, 10), "most": range(M - 40), "nearly all": range(3, M)}


def hollow(x, live):
    """x with zeros in all rows but those that live, some of them negative ones."""
    kept = np.zeros_like(x)
    kept[::2] = -0.0
    kept[list(live)] = x[list(live)]
    return kept


def doubled(a, b, trans_a, trans_b):
    a, b = a.astype("float64"), b.astype("float64")
    return (a.T if trans_a else a) @ (b.T if trans_b else b)


@every_engine
@both_floats
@pytest.mark.parametrize("live", LIVE.values(), ids=LIVE)
def test_rows_of_the_left_operand(isa, threads, dtype, live):
    a, start = hollow(values(dtype, M, K), live), values(dtype, M, N, seed=2)
    wide = np.zeros((M, K + 7), dtype)
    wide[:, 2:K + 2] = a
    for trans_b in (False, True):
        b = values(dtype, *((N, K) if trans_b else (K, N)), seed=1)
        product = doubled(a, b, False, trans_b)
        with engine(isa, threads):
            check(native.gemm(a, b, False, trans_b), product, K)
            check(native.gemm(wide[:, 2:K + 2], b, False, trans_b), product, K)
            check(native.gemm(a, b, False, trans_b, None, 0, start), product + start, K)
            out = start.copy()
            native.gemm(a, b, False, trans_b, out=out, accumulate=True)
            check(out, product + start, K)
            check(native.gemm(a, b, False, trans_b, start[0], 1), np.maximum(product + start[0], 0), K)
            ready = native.gemm_prepare(b, trans_b)
            np.testing.assert_array_equal(native.gemm_ready(a, b, ready, trans_b), native.gemm(a, b, False, trans_b))


@every_engine
@both_floats
@pytest.mark.parametrize("live", LIVE.values(), ids=LIVE)
def test_steps_of_the_sums(isa, threads, dtype, live):
    """A weight's gradient: rows of either operand are zeros, and bias, activation and what is added come behind the sum."""
    full, empty = values(dtype, M, K), hollow(values(dtype, M, N, seed=1), live)
    start, bias = values(dtype, K, N, seed=2), values(dtype, N, seed=3)
    product = doubled(full, empty, True, False)
    with engine(isa, threads):
        check(native.gemm(full, empty, True, False), product, M)
        check(native.gemm(empty, full, True, False), product.T, M)
        check(native.gemm(full, empty, True, False, bias, 1, start), np.maximum(product + bias + start, 0), M)
        out = start.copy()
        native.gemm(full, empty, True, False, out=out, accumulate=True)
        check(out, product + start, M)


@every_engine
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_zero_times_what_is_not_finite_is_nan(isa, threads, value):
    empty, full, weight = hollow(values("float32", M, N), [5]), values("float32", M, K, seed=1), values("float32", K, N, seed=2)
    full[77, 80] = weight[80, 3] = value
    with engine(isa, threads):
        grad = native.gemm(full, empty, True, False)
        assert np.isnan(grad[80]).all() and np.isfinite(grad[:80]).all()
        assert np.isnan(native.gemm(empty, full, True, False)[:, 80]).all()
        rows = native.gemm(empty, weight, False, True)
        assert np.isnan(rows[np.arange(M) != 5, 80]).all() and np.isfinite(rows[:, :80]).all()


def test_a_batch_of_them():
    a = values("float32", 6, M, K)
    a[1:, 3:] = 0
    b = values("float32", 6, K, N, seed=1)
    check(native.gemm(a, b), a.astype("float64") @ b, K)


@pytest.mark.parametrize("transposed,buffers", [(False, 6), (True, 5)])
def test_no_memory(transposed, buffers):
    """So many buffers: lists of rows, rows side by side, and the packed product of these."""
    live = range(0, M, 10)
    a = hollow(np.ones((M, N if transposed else K), np.float32), live)
    b, failures = np.ones((M if transposed else K, N), np.float32), 0
    for after in range(20):
        native.fail_allocation(after)
        try:
            native.gemm(a, b, transposed, False)
        except MemoryError:
            failures += 1
        finally:
            native.fail_allocation(-1)
    assert failures >= buffers
    assert native.gemm(a, b, transposed, False).max() == (len(live) if transposed else K)
