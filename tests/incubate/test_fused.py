"""Fused layers against plain ones with the same weights: the real ones run on GPUs only. Names of parameters are Paddle 2.6.2's."""

import math

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.incubate import nn as fused
from paddle.incubate.nn import functional as F

RNG = np.random.default_rng(0)


def floats(*shape):
    return paddle.to_tensor(RNG.normal(size=shape), dtype="float64")


NAMES = {
    "attention": (lambda: fused.FusedMultiHeadAttention(8, 2), {
        "qkv_weight": [3, 2, 4, 8], "qkv_bias": [3, 2, 4], "linear_weight": [8, 8], "linear_bias": [8], "ln_scale": [8],
        "ln_bias": [8]}),
    "attention before": (lambda: fused.FusedMultiHeadAttention(8, 2, normalize_before=True), {
        "qkv_weight": [3, 2, 4, 8], "qkv_bias": [3, 2, 4], "linear_weight": [8, 8], "linear_bias": [8], "pre_ln_scale": [8],
        "pre_ln_bias": [8]}),
    "attention joined": (lambda: fused.FusedMultiHeadAttention(8, 2, transpose_qkv_wb=True), {
        "qkv_weight": [8, 24], "qkv_bias": [24], "linear_weight": [8, 8], "linear_bias": [8], "ln_scale": [8], "ln_bias": [8]}),
    "feed-forward": (lambda: fused.FusedFeedForward(8, 16), {
        "_linear1_weight": [8, 16], "_linear1_bias": [16], "_linear2_weight": [16, 8], "_linear2_bias": [8], "_ln2_scale": [8],
        "_ln2_bias": [8]}),
    "feed-forward before": (lambda: fused.FusedFeedForward(8, 16, normalize_before=True), {
        "_linear1_weight": [8, 16], "_linear1_bias": [16], "_linear2_weight": [16, 8], "_linear2_bias": [8], "_ln1_scale": [8],
        "_ln1_bias": [8]}),
    "experts": (lambda: fused.FusedEcMoe(8, 16, 3, "gelu"), {
        "bmm_weight0": [3, 8, 16], "bmm_bias0": [3, 1, 16], "bmm_weight1": [3, 16, 8], "bmm_bias1": [3, 1, 8]}),
    "linear": (lambda: fused.FusedLinear(4, 3, transpose_weight=True), {"weight": [3, 4], "bias": [3]}),
}


@pytest.mark.parametrize("name", NAMES)
def test_parameters_have_their_names(name):
    make, expected = NAMES[name]
    assert {key: value.shape for key, value in make().state_dict().items()} == expected


def same_weights(plain, layer):
    """Copy the weights of a TransformerEncoderLayer to a fused one."""
    attention = plain.self_attn
    parts = [attention.q_proj, attention.k_proj, attention.v_proj]
    heads, size = attention.num_heads, attention.head_dim
    layer.fused_attn.qkv_weight.set_value(np.stack([p.weight.numpy().T.reshape(heads, size, -1) for p in parts]))
    layer.fused_attn.qkv_bias.set_value(np.stack([p.bias.numpy().reshape(heads, size) for p in parts]))
    for target, source in [(layer.fused_attn.linear_weight, attention.out_proj.weight),
                           (layer.fused_attn.linear_bias, attention.out_proj.bias),
                           (layer.ffn._linear1_weight, plain.linear1.weight), (layer.ffn._linear1_bias, plain.linear1.bias),
                           (layer.ffn._linear2_weight, plain.linear2.weight), (layer.ffn._linear2_bias, plain.linear2.bias)]:
        target.set_value(source.numpy())


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_encoder_layer_and_its_gradients(before, activation):
    plain = nn.TransformerEncoderLayer(8, 2, 16, 0.0, activation, normalize_before=before)
    layer = fused.FusedTransformerEncoderLayer(8, 2, 16, 0.0, activation, normalize_before=before)
    same_weights(plain, layer)
    x, mask = floats(2, 5, 8).astype("float32"), paddle.tril(paddle.ones([5, 5], "bool"))
    results, gradients = [], []
    for net in (plain, layer):
        given = paddle.to_tensor(x.numpy(), stop_gradient=False)
        out = net(given, mask)
        (out * x).sum().backward()
        results.append(out.numpy())
        gradients.append(given.grad.numpy())
    np.testing.assert_allclose(results[1], results[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(gradients[1], gradients[0], rtol=1e-3, atol=1e-4)


def test_joined_weights_are_the_same_in_another_order():
    x, weight, bias, out = floats(2, 3, 4), floats(3, 2, 2, 4), floats(3, 2, 2), floats(4, 4)
    joined = weight.reshape([12, 4]).transpose([1, 0]), bias.reshape([12])
    options = {"dropout_rate": 0.0, "attn_dropout_rate": 0.0}
    one = F.fused_multi_head_attention(x, weight, out, qkv_bias=bias, **options)
    two = F.fused_multi_head_attention(x, joined[0], out, qkv_bias=joined[1], num_heads=2, transpose_qkv_wb=True, **options)
    np.testing.assert_allclose(one.numpy(), two.numpy(), rtol=1e-10)


def test_a_cache_continues_a_sequence():
    x, weight, out = floats(1, 4, 4), floats(3, 2, 2, 4), floats(4, 4)
    options = {"dropout_rate": 0.0, "attn_dropout_rate": 0.0, "pre_layer_norm": True, "pre_ln_scale": paddle.ones([4], "float64"),
               "pre_ln_bias": paddle.zeros([4], "float64")}
    whole = F.fused_multi_head_attention(x, weight, out, attn_mask=paddle.tril(paddle.ones([4, 4], "bool")), **options)
    cache, found = paddle.zeros([2, 1, 2, 0, 2], "float64"), []
    for t in range(4):
        step, cache = F.fused_multi_head_attention(x[:, t:t + 1], weight, out, cache_kv=cache, **options)
        found.append(step)
    assert cache.shape == [2, 1, 2, 4, 2]
    np.testing.assert_allclose(paddle.concat(found, 1).numpy(), whole.numpy(), rtol=1e-7)


def test_dropout_means_what_its_mode_says():
    x = paddle.ones([1000], "float64")
    paddle.seed(1)
    out = F.fused_dropout_add(x, x, 0.25).numpy()
    assert set(np.round(out, 6)) == {1.0, round(1 + 1 / 0.75, 6)} and 0.2 < (out == 1).mean() < 0.3
    assert set(F.fused_dropout_add(x, x, 0.25, training=False, mode="downscale_in_infer").numpy()) == {1.75}
    assert fused.FusedDropoutAdd(0.25).eval()(x, x).numpy().max() == 2
    rows, weight, out = floats(1, 3, 4), floats(3, 2, 2, 4), floats(4, 4)
    options = {"training": False, "add_residual": False, "pre_layer_norm": True}
    plain = F.fused_multi_head_attention(rows, weight, out, **options)
    options.update(dropout_rate=0.5, attn_dropout_rate=0.2, mode="downscale_in_infer")
    less = F.fused_multi_head_attention(rows, weight, out, **options)
    np.testing.assert_allclose(less.numpy(), plain.numpy() * 0.4, rtol=1e-10)


def test_norms():
    x, bias, residual, weight, shift = floats(2, 3, 4), floats(4), floats(2, 3, 4), floats(12), floats(12)
    summed = x.numpy() + bias.numpy() + 0.5 * residual.numpy()
    out, kept = F.fused_layer_norm(x, weight, shift, 1e-5, 0.5, 1, bias, residual)
    flat = summed.reshape(2, 12)
    expected = (flat - flat.mean(1, keepdims=True)) / np.sqrt(flat.var(1, keepdims=True) + 1e-5) * weight.numpy() + shift.numpy()
    np.testing.assert_allclose(out.numpy().reshape(2, 12), expected, rtol=1e-8)
    np.testing.assert_allclose(kept.numpy(), summed, rtol=1e-12)
    assert F.fused_layer_norm(x, None, None, 1e-5, residual=residual)[0].numpy().tolist() == (x + residual).numpy().tolist()
    out, _ = F.fused_rms_norm(x, weight[:4], None, 1e-6, 2, residual=residual)
    summed = x.numpy() + residual.numpy()
    expected = summed / np.sqrt((summed ** 2).mean(-1, keepdims=True) + 1e-6) * weight.numpy()[:4]
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-8)
    found = F.fused_bias_dropout_residual_layer_norm(x, residual, bias, dropout_rate=0.0)
    np.testing.assert_allclose(found.numpy(), nn.functional.layer_norm(residual + x + bias, [4]).numpy(), rtol=1e-10)
    for call in (F.fused_layer_norm, F.fused_rms_norm):
        with pytest.raises(NotImplementedError, match="quantised results"):
            call(x, weight[:4], None, 1e-6, begin_norm_axis=2, quant_scale=0.5)


@pytest.mark.parametrize("neighbours", [True, False])
def test_rotary_positions(neighbours):
    q = floats(2, 5, 3, 6)
    places = paddle.to_tensor(np.array([[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]]))
    out, none, v = F.fused_rotary_position_embedding(q, None, q * 2, position_ids=places, use_neox_rotary_style=neighbours)
    assert none is None
    np.testing.assert_allclose(v.numpy(), 2 * out.numpy(), rtol=1e-12)
    pairs = [(0, 1), (2, 3), (4, 5)] if neighbours else [(0, 3), (1, 4), (2, 5)]
    frequency = 10000.0 ** (-np.arange(0, 6, 2) / 6)
    for b, t in np.ndindex(2, 5):
        for i, j in pairs:
            # angles come in the order of neighbours: number n has the angle of pair n // 2
            first, second = (places.numpy()[b, t] * frequency[n // 2] for n in (i, j))
            x, y = q.numpy()[b, t, :, i], q.numpy()[b, t, :, j]
            np.testing.assert_allclose(out.numpy()[b, t, :, i], x * np.cos(first) - y * np.sin(first), rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(out.numpy()[b, t, :, j], y * np.cos(second) + x * np.sin(second), rtol=1e-5, atol=1e-6)
    sin, cos = paddle.zeros([5, 6], "float64"), paddle.ones([5, 6], "float64")
    np.testing.assert_array_equal(F.fused_rotary_position_embedding(q, sin=sin, cos=cos)[0].numpy(), q.numpy())
    with pytest.raises(ValueError, match="even size"):
        F.fused_rotary_position_embedding(floats(1, 2, 2, 3))


def test_experts_are_weighed():
    x, gate, w0, b0, w1, b1 = floats(1, 2, 3), floats(1, 2, 2), floats(2, 3, 5), floats(2, 1, 5), floats(2, 5, 3), floats(2, 1, 3)
    shares = np.exp(gate.numpy())
    shares = shares / shares.sum(-1, keepdims=True)
    each = [np.maximum(x.numpy() @ w0.numpy()[e] + b0.numpy()[e], 0) @ w1.numpy()[e] + b1.numpy()[e] for e in (0, 1)]
    expected = sum(shares[..., e:e + 1] * each[e] for e in (0, 1))
    np.testing.assert_allclose(F.fused_ec_moe(x, gate, w0, b0, w1, b1, "relu").numpy(), expected, rtol=1e-10)


def test_products():
    x, y, bias = floats(4, 2), floats(3, 4), floats(3)
    expected = x.numpy().T @ y.numpy().T + bias.numpy()
    np.testing.assert_allclose(F.fused_matmul_bias(x, y, bias, True, True).numpy(), expected, rtol=1e-12)
    positive = F.fused_linear_activation(x, y, bias, True, True, "relu")
    np.testing.assert_allclose(positive.numpy(), np.maximum(expected, 0), rtol=1e-12)
    np.testing.assert_allclose(F.fused_linear_activation(x, y, bias, True, True).numpy(), expected, rtol=1e-12)


def test_bias_activation_and_what_follows():
    x, bias, shift, smooth = floats(3, 4), floats(4), floats(4), floats(4)
    positive = np.maximum(x.numpy() + bias.numpy(), 0)
    np.testing.assert_allclose(F.fused_bias_act(x, bias, shift=shift, smooth=smooth, act_method="relu").numpy(),
                               (positive + shift.numpy()) * smooth.numpy(), rtol=1e-12)
    first, second = np.split(x.numpy() + bias.numpy(), 2, -1)
    swish = first / (1 + np.exp(-first)) * second
    np.testing.assert_allclose(F.fused_bias_act(x, bias, act_method="swiglu").numpy(), swish, rtol=1e-12)
    erf = np.vectorize(math.erf)
    np.testing.assert_allclose(F.fused_bias_act(x, bias, act_method="geglu").numpy(),
                               first * (1 + erf(first / 2 ** 0.5)) / 2 * second, rtol=1e-12)
    whole = paddle.to_tensor([[3, -5]], dtype="int32")
    given = F.fused_bias_act(whole, None, paddle.to_tensor([0.5, 0.5]), act_method="relu", compute_dtype="fp32", quant_scale=0.01,
                             quant_max_bound=100.0, quant_min_bound=-100.0)
    assert given.dtype == paddle.int8 and given.tolist() == [[2, 0]]
    away = F.fused_bias_act(paddle.to_tensor([[2.5, 300.0]]), act_method="relu", quant_scale=0.01, quant_round_type=1,
                            quant_max_bound=100.0, quant_min_bound=-100.0)
    assert away.tolist() == [[3, 100]]


def test_gradients_and_rows_of_the_norm_without_mean():
    x, scale = floats(3, 4), floats(4)
    out, factors = F.fused_rms_norm_ext(x, scale, 1e-5)
    expected = 1 / np.sqrt((x.numpy() ** 2).mean(-1) + 1e-5)
    np.testing.assert_allclose(factors.numpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(out.numpy(), x.numpy() * expected[:, None] * scale.numpy(), rtol=1e-12)
    x.stop_gradient = False
    F.fused_bias_act(x, act_method="relu").sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), x.numpy() > 0)


def test_busy_experts_cost():
    gates = paddle.to_tensor(np.random.default_rng(1).dirichlet(np.ones(3), 4), stop_gradient=False)
    got = np.eye(3, dtype="int64")[[0, 1, 1, 2]]
    mine, everyone = paddle.to_tensor([1.0, 1.0, 0.0, 1.0]), paddle.to_tensor([1, 1, 0, 1, 1, 1, 1, 0])
    loss, count, share = F.cal_aux_loss(gates, paddle.to_tensor(got), mine, None, 3, True, 2, 1e-6)
    expected = 3 * (gates.numpy().sum(0) / 3 * got.sum(0) / 3).sum() / 2
    assert count.item() == 3 and abs(loss.item() - expected) < 1e-12
    np.testing.assert_allclose(share.numpy(), got.sum(0) / 3)
    loss, count, _ = F.cal_aux_loss(gates, paddle.to_tensor(got.sum(0)), mine, everyone, 3, False, 2, 1e-6)
    local = 3 * (gates.numpy().sum(0) / 6 * got.sum(0) / 6).sum()
    assert count.item() == 6 and abs(loss.item() - 2 * local) < 1e-12
    loss.backward()
    np.testing.assert_allclose(gates.grad.numpy(), np.tile(3 * got.sum(0) / 36, (4, 1)), rtol=1e-12)


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: F.fused_bias_act(floats(1, 2), act_method="tanh"), ValueError, "act_method"),
    (lambda: F.fused_bias_act(paddle.to_tensor([1])), ValueError, "compute_dtype"),
    (lambda: F.fused_linear_activation(floats(1, 2), floats(2, 1), None, activation="tanh"), ValueError, "activation"),
    (lambda: F.fused_feedforward(floats(1, 1, 2), floats(2, 3), floats(3, 2), ring_id=0), NotImplementedError, "ring_id 0"),
    (lambda: F.fused_multi_head_attention(floats(2, 4), floats(3, 2, 2, 4), floats(4, 4)), ValueError, "batch, length, width"),
    (lambda: F.fused_multi_head_attention(floats(1, 2, 4), floats(4, 12), floats(4, 4), transpose_qkv_wb=True), ValueError,
     "num_heads"),
    (lambda: fused.FusedMultiHeadAttention(8, 3), ValueError, "must divide"),
    (lambda: fused.FusedMultiHeadAttention(8, 2, kdim=4), NotImplementedError, "kdim"),
    (lambda: fused.FusedMultiHeadAttention(8, 2, nranks=2), NotImplementedError, "2 processes"),
    (lambda: fused.FusedMultiHeadAttention(8, 2)(paddle.ones([1, 2, 8]), paddle.ones([1, 2, 8])), NotImplementedError,
     "query itself"),
    (lambda: fused.FusedFeedForward(8, 2)(paddle.ones([1, 2, 8]), cache=1), NotImplementedError, "cache"),
    (lambda: fused.FusedEcMoe(8, 2, 2, "tanh"), ValueError, "act_type"),
])
def test_what_cannot_be_done_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
