"""Attention of bfloat16 on instructions of the processor, against NumPy in double precision."""

import numpy as np
import pytest

import paddle

from .engine import engine, native
from .test_attention import SIZES, make, masks, reference

ml_dtypes = pytest.importorskip("ml_dtypes")
BRAIN = np.dtype(ml_dtypes.bfloat16)
on_this_processor = pytest.mark.skipif(not native.brain_available(), reason="no AVX-512 BF16 here")
CASES = [*SIZES, (1, 2, 130, 130, 64, 64), (1, 1, 600, 600, 16, 16), (2, 1, 70, 1500, 9, 31)]  # the last two in blocks


def exact_gradients(q, k, v, dout, scale, mask, causal, keep):
    """dq, dk and dv in double precision."""
    q, k, v, dout = (x.astype(np.float64) for x in (q, k, v, dout))
    _, weights = reference(q, k, v, mask, scale, causal)
    dw = np.einsum("bmqe,bmke->bmqk", dout, v) * keep
    ds = weights * (dw - (weights * dw).sum(-1, keepdims=True)) * scale
    return (np.einsum("bmqk,bmkd->bmqd", ds, k), np.einsum("bmqk,bmqd->bmkd", ds, q),
            np.einsum("bmqk,bmqe->bmke", weights * keep, dout))


def near(found, exact, share, strict=True):
    """In units of the largest magnitude: weights and results have 8 bits. What is NaN is NaN; of gradients, those of keys that a
    block of queries does not see may be known where the formula says NaN."""
    assert found.dtype == BRAIN and found.shape == exact.shape
    found, known = found.astype(np.float64), ~np.isnan(exact)
    assert not np.isnan(found[known]).any() and (not strict or np.isnan(found[~known]).all())
    if known.any():
        assert np.abs(found - exact)[known].max() <= share * max(np.abs(exact[known]).max(), 1e-3)


@on_this_processor
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("size", CASES)
def test_both_passes(size, threads):
    q, k, v, dout = (x.astype(BRAIN) for x in make(size, np.float32))
    scale = 1 / np.sqrt(size[4])
    with engine(threads=threads):
        for mask in masks(size, np.float32):
            for causal in (False, True):
                expected, weights = reference(q, k, v, mask, causal=causal)
                gradients = exact_gradients(q, k, v, dout, scale, mask, causal, 1.0)
                for logs in (False, True):
                    out, saved = native.attention(q, k, v, mask, causal=causal, logs=logs)
                    near(out, expected, 0.01)
                    if not logs:
                        near(saved, weights, 0.01)
                    else:
                        assert saved.dtype == np.float32 and saved.shape == size[:3]
                    found = native.attention_backward(q, k, v, saved, dout, scale, None, 0.0, mask, causal)
                    for one, exact in zip(found, gradients):
                        near(one, exact, 0.02, strict=False)


@on_this_processor
@pytest.mark.parametrize("logs", [False, True])
def test_dropout_and_strides(logs):
    size = (2, 3, 37, 41, 16, 24)
    swapped = [np.ascontiguousarray(x.transpose(0, 2, 1, 3)).astype(BRAIN) for x in make(size, np.float32)]
    q, k, v, dout = (x.transpose(0, 2, 1, 3) for x in swapped)
    keep = np.random.default_rng(1).random((2, 3, 37, 41)) > 0.3
    factor = keep / 0.7
    out, saved = native.attention(q, k, v, None, None, False, 0.3, keep, logs)
    near(out, reference(q, k, v, keep=factor)[0], 0.01)
    found = native.attention_backward(q, k, v, saved, dout, 0.25, keep, 0.3)
    for one, exact in zip(found, exact_gradients(q, k, v, dout, 0.25, None, False, factor)):
        near(one, exact, 0.02)


def test_lower_instruction_sets_decline():
    q, k, v, dout = (x.astype(BRAIN) for x in make(SIZES[1], np.float32))
    with engine("avx2"):
        assert not native.brain_available() and native.attention(q, k, v) is NotImplemented
        weights = np.zeros((2, 3, 5, 7), BRAIN)
        assert native.attention_backward(q, k, v, weights, dout) is NotImplemented


@pytest.mark.parametrize("isa", ["avx2", "avx512"])
@pytest.mark.parametrize("tokens", [20, 300])
def test_the_operator(isa, tokens):
    """Results and gradients are those of float64 within bfloat16's rounding, on every instruction set."""
    arrays = [x.transpose(0, 2, 1, 3).astype(BRAIN) for x in make((2, 2, tokens, tokens, 16, 16), np.float32)]
    with engine(isa):
        q, k, v = (paddle.to_tensor(x, stop_gradient=False) for x in arrays[:3])
        out = paddle.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        out.backward(paddle.to_tensor(arrays[3]))
    turned = [x.transpose(0, 2, 1, 3) for x in arrays]
    near(out.numpy().view(BRAIN).transpose(0, 2, 1, 3), reference(*turned[:3], causal=True)[0], 0.01)
    for tensor, exact in zip((q, k, v), exact_gradients(*turned, 0.25, None, True, 1.0)):
        near(tensor.grad.numpy().view(BRAIN).transpose(0, 2, 1, 3), exact, 0.02)


@on_this_processor
def test_wrong_arguments():
    q, k, v, _ = (x.astype(BRAIN) for x in make(SIZES[1], np.float32))
    with pytest.raises(TypeError, match="'k'"):
        native.attention(q, k.astype(np.float32), v)
    with pytest.raises(TypeError, match="'mask'"):
        native.attention(q, k, v, np.zeros((1, 1, 1, 7), BRAIN))
    with pytest.raises(TypeError, match="'saved'"):
        native.attention_backward(q, k, v, np.zeros((2, 3, 5), BRAIN), q)
    native.fail_allocation(0)
    with pytest.raises(MemoryError):
        native.attention(q, k, v)
