"""paddle.compat.nn: layers and functions with PyTorch's meaning; expected values are PyTorch's own."""

import numpy as np
import pytest

import paddle
from paddle.compat import nn
from paddle.compat.nn import functional as F

QUERY = np.cos(np.arange(12, dtype=np.float32).reshape(1, 3, 4) * np.float32(0.51))
KEY = np.sin(np.arange(8, dtype=np.float32).reshape(1, 2, 4) * np.float32(0.3))


def filled(layer):
    """The layer with parameters that the recorded run had."""
    for p in layer.parameters():
        p.set_value(np.sin(np.arange(p.size, dtype=np.float32).reshape(p.shape) * np.float32(0.37)))
    return layer


def test_attention_with_a_mask():
    layer = filled(nn.MultiheadAttention(4, 2, batch_first=True))
    mask = paddle.to_tensor([[False, True], [False, False], [True, False]])
    out, share = layer(paddle.to_tensor(QUERY), paddle.to_tensor(KEY), paddle.to_tensor(KEY), attn_mask=mask)
    np.testing.assert_allclose(out.numpy()[0], [[-1.91152, 0.48635, 2.60843, 1.12171], [-1.88669, 0.53335, 2.59212, 1.07175],
                                                [-1.88945, 1.45118, 2.76132, 0.18461]], atol=1e-4)
    np.testing.assert_allclose(share.numpy(), [[[1, 0], [0.966496, 0.033504], [0, 1]]], atol=1e-5)
    hidden = paddle.to_tensor([[False, True]])
    out, share = layer(paddle.to_tensor(QUERY), paddle.to_tensor(KEY), paddle.to_tensor(KEY), key_padding_mask=hidden,
                       average_attn_weights=False)
    assert share.shape == [1, 2, 3, 2] and float(share.sum()) == pytest.approx(6.0)
    assert float(out.sum()) == pytest.approx(6.914898, abs=1e-4)


def test_attention_with_other_sizes_and_further_keys():
    layer = filled(nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True, kdim=3, vdim=5))
    assert [name for name, _ in layer.named_parameters()] == [
        "q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_bias", "bias_k", "bias_v", "out_proj.weight", "out_proj.bias"]
    value = np.arange(10, dtype=np.float32).reshape(2, 1, 5) * np.float32(0.1)
    out, share = layer(paddle.to_tensor(QUERY).transpose([1, 0, 2]), paddle.full([2, 1, 3], 0.5), paddle.to_tensor(value))
    np.testing.assert_allclose(out.flatten().numpy()[:6], [-1.195642, 1.09646, 2.003189, 0.401841, 0.391465, 0.627276], atol=1e-4)
    np.testing.assert_allclose(share.numpy()[0, 0], [0.4284, 0.4284, 0.048109, 0.095091], atol=1e-5)


def test_scaled_attention_has_heads_before_lengths():
    q, k = paddle.to_tensor(QUERY[:, None]), paddle.to_tensor(KEY[:, None])
    out = F.scaled_dot_product_attention(q, k, k, scale=0.3)
    np.testing.assert_allclose(out.flatten().numpy()[:5], [0.586405, 0.737177, 0.8221, 0.833586, 0.363922], atol=1e-5)
    with pytest.raises(ValueError, match="heads"):
        F.scaled_dot_product_attention(paddle.ones([1, 4, 2, 2]), paddle.ones([1, 2, 2, 2]), paddle.ones([1, 2, 2, 2]))
    grouped = F.scaled_dot_product_attention(paddle.ones([1, 4, 2, 2]), paddle.ones([1, 2, 2, 2]), paddle.ones([1, 2, 2, 2]),
                                             enable_gqa=True)
    assert grouped.shape == [1, 4, 2, 2]


def test_padding_starts_at_the_last_axis():
    x = paddle.arange(12, dtype="float32").reshape([1, 3, 4])
    assert F.pad(x, [1, 2], mode="reflect").flatten().tolist()[:7] == [1, 0, 1, 2, 3, 2, 1]
    assert F.pad(x, [1, 0, 0, 2], value=5.0).shape == [1, 5, 5]
    assert F.pad(x, [1, 1, 1, 1], "replicate").flatten().tolist()[:8] == [0, 0, 1, 2, 3, 3, 0, 0]
    with pytest.raises(ValueError, match="pairs"):
        F.pad(x, [1, 2, 3])


def test_pools_count_the_padding():
    x = paddle.arange(12, dtype="float32").reshape([1, 3, 4])
    assert nn.AvgPool2D(2, 1, 1)(x).flatten().tolist()[:5] == [0.0, 0.25, 0.75, 1.25, 0.75]
    assert nn.AvgPool2D(2, 1, 1, count_include_pad=False)(x.unsqueeze(0)).flatten().tolist()[:5] == [0.0, 0.5, 1.5, 2.5, 3.0]
    assert nn.AvgPool1D(2)(paddle.to_tensor([[1.0, 3.0]])).tolist() == [[2.0]]
    assert nn.AvgPool3D(2, divisor_override=4)(paddle.ones([1, 1, 2, 2, 2])).item() == 2.0


def test_small_layers():
    layer = nn.Linear(4, 2)
    assert layer.weight.shape == [2, 4] and float(layer.weight.abs().max()) <= 0.5 and float(layer.bias.abs().max()) <= 0.5
    assert nn.Linear(4, 2, bias=False).bias is None
    assert nn.Softmax()(paddle.zeros([2, 4])).tolist() == [[0.25] * 4] * 2
    assert F.softmax(paddle.zeros([2, 1, 1]), dtype="float64").dtype == paddle.float64
    assert nn.Unfold(2, stride=2)(paddle.ones([1, 1, 4, 4])).shape == [1, 4, 4]


def test_attention_of_packed_tensors():
    rows = np.sin(np.arange(2 * 4 * 2 * 4, dtype=np.float32)).reshape(1, 2, 4, 2, 4)
    out, _ = paddle.nn.functional.flash_attn_qkvpacked(paddle.to_tensor(rows))
    query, key, value = rows[:, :, :2].reshape(1, 2, 4, 4), rows[:, :, 2], rows[:, :, 3]
    want, _ = paddle.nn.functional.flash_attention.flash_attention(*map(paddle.to_tensor, (
        query, key.repeat(2, axis=2), value.repeat(2, axis=2))))
    np.testing.assert_allclose(out.numpy(), want.numpy(), atol=1e-6)
