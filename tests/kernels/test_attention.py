"""Attention against NumPy, its gradient against finite differences and against the float64 result."""

import numpy as np
import pytest

from .engine import both_floats, engine, every_engine, native

# batch, heads, queries, keys, size of q and k, size of v
SIZES = [(1, 1, 1, 1, 1, 1), (2, 3, 5, 7, 4, 6), (1, 2, 33, 17, 8, 8), (2, 2, 64, 64, 32, 32), (1, 1, 40, 300, 20, 33)]


def make(size, dtype, seed=0):
    b, m, lq, lk, d, e = size
    rng = np.random.default_rng(seed)
    shapes = (b, m, lq, d), (b, m, lk, d), (b, m, lk, e), (b, m, lq, e)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def reference(q, k, v, mask=None, scale=None, causal=False, keep=1.0):
    """Output and weights in double precision; `keep` multiplies the weights."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = np.einsum("bmqd,bmkd->bmqk", q, k) * (scale if scale is not None else 1 / np.sqrt(q.shape[-1]))
    if mask is not None:
        scores = scores + mask
    lq, lk = scores.shape[2:]
    seen = np.arange(lk)[None] <= np.arange(lq)[:, None] + lk - lq if causal else np.ones((lq, lk), bool)
    largest = np.where(seen, scores, -np.inf).max(-1, keepdims=True, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        weights = np.where(seen, np.exp(scores - largest), 0)  # NaN where the mask hides all that is seen
    total = weights.sum(-1, keepdims=True)
    weights = np.where(seen, weights / np.where(total == 0, 1, total), 0)
    return np.einsum("bmqk,bmke->bmqe", weights * keep, v), weights


def masks(size, dtype):
    b, m, lq, lk, _, _ = size
    rng = np.random.default_rng(9)
    yield None
    for shape in ((b, m, lq, lk), (b, 1, 1, lk), (1, 1, lq, lk), (1, m, lq, 1)):
        mask = rng.standard_normal(shape).astype(dtype)
        if shape[3] > 2:
            mask[..., ::3] = -np.inf
        yield mask
    yield np.asfortranarray(rng.standard_normal((b, m, lq, lk)).astype(dtype))  # strides along the keys


@every_engine
@both_floats
def test_forward(isa, threads, dtype):
    limits = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-11, "atol": 1e-12}
    with engine(isa, threads):
        for size in SIZES:
            q, k, v, _ = make(size, dtype)
            for mask in masks(size, dtype):
                for causal in (False, True):
                    out, weights = native.attention(q, k, v, mask, causal=causal)
                    expected = reference(q, k, v, mask, causal=causal)
                    np.testing.assert_allclose(out, expected[0], **limits)
                    np.testing.assert_allclose(weights, expected[1], **limits)
                    again, logs = native.attention(q, k, v, mask, causal=causal, logs=True)
                    np.testing.assert_allclose(again, out, **limits)
                    assert logs.shape == q.shape[:3]


def test_layout():
    """Views of [B, L, M, D] go in without a copy, and out."""
    x = np.random.default_rng(1).standard_normal((2, 6, 3, 4)).astype(np.float32)
    view = x.transpose(0, 2, 1, 3)
    out, _ = native.attention(view, view, view, scale=0.3)
    np.testing.assert_allclose(out, reference(view, view, view, scale=0.3)[0], rtol=1e-5, atol=1e-6)
    assert out.transpose(0, 2, 1, 3).flags.c_contiguous


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_backward_against_finite_differences(dropout):
    q, k, v, dout = make((2, 2, 5, 7, 3, 4), np.float64, 2)
    keep = np.random.default_rng(5).random((2, 2, 5, 7)) >= dropout if dropout else None
    out, weights = native.attention(q, k, v, scale=0.7, dropout=dropout, keep=keep)
    factor = 1.0 if keep is None else keep / (1 - dropout)
    np.testing.assert_allclose(out, reference(q, k, v, scale=0.7, keep=factor)[0], rtol=1e-12)
    gradients = native.attention_backward(q, k, v, weights, dout, 0.7, keep, dropout)
    rng = np.random.default_rng(3)
    for i, gradient in enumerate(gradients):
        direction = rng.standard_normal(gradient.shape)
        losses = []
        for sign in (1, -1):
            moved = [x + sign * 1e-6 * direction if j == i else x for j, x in enumerate((q, k, v))]
            losses.append((reference(*moved, scale=0.7, keep=factor)[0] * dout).sum())
        assert (gradient * direction).sum() == pytest.approx((losses[0] - losses[1]) / 2e-6, rel=1e-6), i


@every_engine
def test_backward_in_every_engine(isa, threads):
    for size in SIZES:
        q, k, v, dout = make(size, np.float32, 4)
        wide = [x.astype(np.float64) for x in (q, k, v, dout)]
        with engine(threads=1):
            _, weights = native.attention(*wide[:3])
            expected = native.attention_backward(*wide[:3], weights, wide[3])
        with engine(isa, threads):
            _, weights = native.attention(q, k, v)
            got = native.attention_backward(q, k, v, weights, dout)
        for mine, theirs in zip(got, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


@both_floats
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("sizes", [(2, 2, 5, 7), (1, 2, 300, 250), (1, 1, 130, 800), (2, 1, 9, 4)])
def test_backward_from_logarithms(sizes, causal, dtype):
    """Weights that are computed again, block by block, give what kept ones give; of a row that sees nothing the same NaN."""
    q, k, v, dout = make((*sizes, 6, 5), dtype, 6)
    rng = np.random.default_rng(7)
    mask = rng.standard_normal((1, 1, *sizes[2:])).astype(dtype)
    mask[:, :, -2:, :] = -np.inf
    keep = rng.random(sizes) >= 0.3
    limits = {"rtol": 1e-4, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-10, "atol": 1e-12}
    results = []
    for logs in (False, True):
        out, saved = native.attention(q, k, v, mask, 0.4, causal, 0.3, keep, logs)
        assert saved.shape == (sizes[:3] if logs else sizes)
        results.append((out, *native.attention_backward(q, k, v, saved, dout, 0.4, keep, 0.3, mask, causal)))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, **limits)
        assert np.isnan(one).any()
    mask[:, :, -2:, :] = 0
    out, saved = native.attention(q, k, v, mask, 0.4, causal, logs=True)
    assert all(np.isfinite(x).all() for x in (out, *native.attention_backward(q, k, v, saved, dout, 0.4, mask=mask, causal=causal)))


def test_dropout_is_the_same_for_any_thread_count():
    q, k, v, _ = make((3, 2, 9, 11, 4, 4), np.float32)
    keep, results = np.random.default_rng(8).random((3, 2, 9, 11)) >= 0.3, set()
    for threads in (1, 2, 5):
        with engine(threads=threads):
            results.add(native.attention(q, k, v, dropout=0.3, keep=keep)[0].tobytes())
    assert len(results) == 1
    assert not native.attention(q, k, v, dropout=1.0, keep=keep & False)[0].any()


def test_nothing_to_see():
    q, k, v, _ = make((1, 1, 3, 5, 4, 2), np.float32)
    out, weights = native.attention(q, k, v, np.full((1, 1, 1, 5), -np.inf, np.float32))
    assert np.isnan(out).all() and np.isnan(weights).all()
    out, weights = native.attention(q, k[:, :, :2], v[:, :, :2], causal=True)  # the first query stands before all keys
    assert not out[:, :, 0].any() and not weights[:, :, 0].any() and np.isfinite(out).all() and out[:, :, 1].any()
    out, _ = native.attention(q, k[:, :, :0], v[:, :, :0])
    assert out.shape == (1, 1, 3, 2) and not out.any()
    out, _ = native.attention(q[:0], k[:0], v[:0])
    assert out.shape == (0, 1, 3, 2)


def test_allocation_failure_is_reported():
    q, k, v, dout = make((2, 2, 8, 8, 4, 4), np.float32)
    _, weights = native.attention(q, k, v)
    expected, refused = native.attention_backward(q, k, v, weights, dout), []
    for after in range(8):
        native.fail_allocation(after)
        try:
            found = native.attention_backward(q, k, v, weights, dout)
        except MemoryError as error:
            refused.append(str(error))
        else:  # some memory can be done without
            for a, b in zip(found, expected):
                np.testing.assert_array_equal(a, b)
        finally:
            native.fail_allocation(-1)
    assert len(refused) > 1 and all("attention_backward" in text for text in refused)


Q, K, V, DOUT = make((2, 3, 5, 7, 4, 6), np.float32)
W = np.ones((2, 3, 5, 7), np.float32)


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.attention(Q[0], K, V), ValueError, "'q'"),
    (lambda: native.attention(Q, K[:, :2], V), ValueError, "'k'"),
    (lambda: native.attention(Q, K, V[:, :, :6]), ValueError, "'v'"),
    (lambda: native.attention(Q, K.astype(np.float64), V), TypeError, "'k'"),
    (lambda: native.attention(Q[..., ::2], K[..., ::2], V), ValueError, "gaps"),
    (lambda: native.attention(Q, K, V, W[:, :, :, :6]), ValueError, "'mask'"),
    (lambda: native.attention(Q, K, V, W > 0), TypeError, "'mask'"),
    (lambda: native.attention(Q, K, V, dropout=1.5), ValueError, "'dropout'"),
    (lambda: native.attention(Q, K, V, dropout=0.5), ValueError, "'keep'"),
    (lambda: native.attention(Q, K, V, dropout=0.5, keep=W[:1] > 0), ValueError, "'keep'"),
    (lambda: native.attention_backward(Q, K, V, W[:, :, :4].copy(), DOUT), ValueError, "'saved'"),
    (lambda: native.attention_backward(Q, K, V, W[0].copy(), DOUT), ValueError, "'saved'"),
    (lambda: native.attention_backward(Q, K, V, W, Q), ValueError, "'dout'"),
    (lambda: native.attention_backward(Q, K, V, W, DOUT, keep=W), TypeError, "'keep'"),
])
def test_bad_arguments_raise(call, error, text):
    with pytest.raises(error, match=text):
        call()
