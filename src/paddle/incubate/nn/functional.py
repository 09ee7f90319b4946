"""Several functions of transformers in one call. Paddle has kernels for GPUs behind them; here they are what they are made of."""

from ...core.errors import check_choice, describe, own_errors
from ...nn import functional as F
from ...nn.functional.activation import softmax
from ...nn.functional.attention import additive, attend
from ...nn.functional.dropout import dropout as modern_dropout
from ...nn.functional.modern import swiglu
from ...tensor.convert import as_tensor, numpy_dtype
from ...tensor.functions import arange, concat, full, matmul, ones_like, stack
from ...tensor.functions import cos as cosine
from ...tensor.functions import sin as sine
from .cached_attention import blha_get_max_len, block_multihead_attention, masked_multihead_attention
from .memory_efficient_attention import variable_length_memory_efficient_attention

__all__ = ["blha_get_max_len", "block_multihead_attention", "cal_aux_loss", "fused_bias_act", "fused_dot_product_attention",
           "fused_rms_norm_ext", "masked_multihead_attention", "fused_multi_head_attention", "fused_feedforward",
           "fused_matmul_bias", "fused_linear", "fused_linear_activation", "fused_bias_dropout_residual_layer_norm",
           "fused_dropout_add", "fused_ec_moe", "fused_rotary_position_embedding", "fused_rms_norm", "fused_layer_norm",
           "swiglu", "variable_length_memory_efficient_attention"]


def _one_process(ring_id, function):
    if ring_id != -1:
        raise NotImplementedError(f"{function}(): a layer spread over processes (ring_id {ring_id!r}) is not supported")


def _plus(x, bias):
    return x if bias is None else x + bias


def _tensors(function, **given):
    """The given arguments as tensors; None stays None."""
    return [None if t is None else as_tensor(t, function, name) for name, t in given.items()]


def _activation(name, function):
    """A function of paddle.nn.functional by its name."""
    found = getattr(F, name, None) if isinstance(name, str) and not name.startswith("_") else None
    if not callable(found):
        raise ValueError(f"{function}(): activation must be the name of a function of paddle.nn.functional, got {name!r}")
    return found


@own_errors
def fused_matmul_bias(x, y, bias=None, transpose_x=False, transpose_y=False, name=None):
    """x @ y + bias.

    >>> paddle.incubate.nn.functional.fused_matmul_bias(paddle.ones([1, 2]), paddle.ones([2, 1]), paddle.ones([1])).tolist()
    [[3.0]]
    """
    return _plus(matmul(x, y, transpose_x, transpose_y), bias)


@own_errors
def fused_linear(x, weight, bias=None, transpose_weight=False, name=None):
    """x @ weight + bias; the weight is [outputs, inputs] with ``transpose_weight``.

    >>> paddle.incubate.nn.functional.fused_linear(paddle.ones([1, 2]), paddle.ones([2, 1])).tolist()
    [[2.0]]
    """
    return fused_matmul_bias(x, weight, bias, False, transpose_weight)


@own_errors
def fused_linear_activation(x, y, bias, trans_x=False, trans_y=False, activation=None):
    """activation(x @ y + bias) for an activation 'gelu', 'relu', 'none' or None.

    >>> F = paddle.incubate.nn.functional
    >>> F.fused_linear_activation(paddle.ones([1, 2]), paddle.ones([2, 1]), paddle.to_tensor([-5.0]), activation="relu").tolist()
    [[0.0]]
    """
    activation = "none" if activation is None else activation
    check_choice(activation, ("gelu", "relu", "none"), "fused_linear_activation", "activation")
    out = fused_matmul_bias(x, y, bias, trans_x, trans_y)
    return out if activation == "none" else getattr(F, activation)(out)


@own_errors
def fused_dropout_add(x, y, p=0.5, training=True, mode="upscale_in_train", name=None):
    """dropout(x) + y.

    >>> paddle.incubate.nn.functional.fused_dropout_add(paddle.ones([2]), paddle.ones([2]), 0.5, training=False).tolist()
    [2.0, 2.0]
    """
    return modern_dropout(x, p, training=training, mode=mode) + y


@own_errors
def fused_bias_dropout_residual_layer_norm(x, residual, bias=None, ln_scale=None, ln_bias=None, dropout_rate=0.5, ln_epsilon=1e-5,
                                           training=True, mode="upscale_in_train", name=None):
    """layer_norm(residual + dropout(x + bias)) over the last axis.

    >>> x = paddle.rand([2, 3, 4])
    >>> paddle.incubate.nn.functional.fused_bias_dropout_residual_layer_norm(x, x).shape
    [2, 3, 4]
    """
    x = as_tensor(x, "fused_bias_dropout_residual_layer_norm", "x")
    residual = as_tensor(residual, "fused_bias_dropout_residual_layer_norm", "residual")
    summed = residual + modern_dropout(_plus(x, bias), dropout_rate, training=training, mode=mode)
    return F.layer_norm(summed, x.shape[-1:], ln_scale, ln_bias, ln_epsilon)


@own_errors
def fused_feedforward(x, linear1_weight, linear2_weight, linear1_bias=None, linear2_bias=None, ln1_scale=None, ln1_bias=None,
                      ln2_scale=None, ln2_bias=None, dropout1_rate=0.5, dropout2_rate=0.5, activation="relu", ln1_epsilon=1e-5,
                      ln2_epsilon=1e-5, pre_layer_norm=False, training=True, mode="upscale_in_train", ring_id=-1,
                      add_residual=True, name=None):
    """The feed-forward part of a transformer's layer: two linear maps with an activation between, dropout, residual and norm.

    Args:
        pre_layer_norm: normalise the input (with ln1) rather than the result (with ln2).
        activation: the name of a function of ``paddle.nn.functional``.
        dropout1_rate, dropout2_rate: behind the activation, and behind the second map.
        add_residual: add the input to the result.

    >>> x, w1, w2 = paddle.rand([2, 3, 4]), paddle.rand([4, 8]), paddle.rand([8, 4])
    >>> paddle.incubate.nn.functional.fused_feedforward(x, w1, w2).shape
    [2, 3, 4]
    """
    who = "fused_feedforward"
    _one_process(ring_id, who)
    act = _activation(activation, who)
    x, linear1_weight, linear2_weight = (as_tensor(t, who, name) for t, name in (
        (x, "x"), (linear1_weight, "linear1_weight"), (linear2_weight, "linear2_weight")))
    linear1_bias, linear2_bias, ln1_scale, ln1_bias, ln2_scale, ln2_bias = _tensors(
        who, linear1_bias=linear1_bias, linear2_bias=linear2_bias, ln1_scale=ln1_scale, ln1_bias=ln1_bias, ln2_scale=ln2_scale,
        ln2_bias=ln2_bias)
    size = x.shape[-1:]
    out = F.layer_norm(x, size, ln1_scale, ln1_bias, ln1_epsilon) if pre_layer_norm else x
    out = act(fused_linear(out, linear1_weight, linear1_bias))
    out = fused_linear(modern_dropout(out, dropout1_rate, training=training, mode=mode), linear2_weight, linear2_bias)
    out = modern_dropout(out, dropout2_rate, training=training, mode=mode)
    out = x + out if add_residual else out
    return out if pre_layer_norm else F.layer_norm(out, size, ln2_scale, ln2_bias, ln2_epsilon)


def _heads(x, weight, bias, num_heads, joined):
    """Queries, keys and values, [3, batch, heads, length, size], from one weight for all three."""
    batch, length, width = x.shape
    if joined:  # [width, 3 * width]
        out = fused_linear(x, weight, bias).reshape([batch, length, 3, num_heads, width // num_heads])
    else:  # [3, heads, size, width]
        _, heads, size, _ = weight.shape
        out = matmul(x, weight.reshape([3 * heads * size, width]), transpose_y=True).reshape([batch, length, 3, heads, size])
        out = _plus(out, bias)
    return out.transpose([2, 0, 3, 1, 4])


@own_errors
def fused_multi_head_attention(x, qkv_weight, linear_weight, pre_layer_norm=False, pre_ln_scale=None, pre_ln_bias=None,
                               ln_scale=None, ln_bias=None, pre_ln_epsilon=1e-5, qkv_bias=None, linear_bias=None, cache_kv=None,
                               attn_mask=None, dropout_rate=0.5, attn_dropout_rate=0.5, ln_epsilon=1e-5, training=True,
                               mode="upscale_in_train", ring_id=-1, add_residual=True, num_heads=-1, transpose_qkv_wb=False,
                               name=None):
    """The attention of a transformer's layer to itself, with dropout, residual and norm.

    Args:
        x: [batch, length, width].
        qkv_weight: [3, heads, size, width], or [width, 3 * width] with ``transpose_qkv_wb`` and ``num_heads``.
        linear_weight: [width, width], behind the attention.
        pre_layer_norm: normalise the input (with pre_ln) rather than the result (with ln).
        qkv_bias, linear_bias: of the same order as the weights.
        cache_kv: earlier keys and values, [2, batch, heads, length, size]; the result is then (result, all keys and values).
        attn_mask: added to the scores, or of bool: what may be seen.
        add_residual: add the input to the result.

    >>> x, qkv, out = paddle.rand([2, 3, 4]), paddle.rand([3, 2, 2, 4]), paddle.rand([4, 4])
    >>> paddle.incubate.nn.functional.fused_multi_head_attention(x, qkv, out).shape
    [2, 3, 4]
    """
    who = "fused_multi_head_attention"
    _one_process(ring_id, who)
    x = as_tensor(x, who, "x")
    if len(x.shape) != 3:
        raise ValueError(f"{who}(): x must be [batch, length, width], got {list(x.shape)}")
    check_choice(mode, ("upscale_in_train", "downscale_in_infer"), who, "mode")
    if transpose_qkv_wb and num_heads < 1:
        raise ValueError(f"{who}(): transpose_qkv_wb needs num_heads, got {num_heads!r}")
    size = x.shape[-1:]
    out = F.layer_norm(x, size, pre_ln_scale, pre_ln_bias, pre_ln_epsilon) if pre_layer_norm else x
    q, k, v = _heads(out, qkv_weight, qkv_bias, num_heads, transpose_qkv_wb)
    if cache_kv is not None:
        k, v = (concat([old, new], 2) for old, new in zip(cache_kv, (k, v)))
    mask = None if attn_mask is None else additive(attn_mask, numpy_dtype(q))
    out, _ = attend(q, k, v, mask, q.shape[-1] ** -0.5, False, attn_dropout_rate, training)
    if mode == "downscale_in_infer":  # weights were divided by what is kept, or not at all
        out = out * (1.0 - attn_dropout_rate)
    out = out.transpose([0, 2, 1, 3]).reshape([x.shape[0], x.shape[1], -1])
    out = modern_dropout(fused_linear(out, linear_weight, linear_bias), dropout_rate, training=training, mode=mode)
    out = x + out if add_residual else out
    out = out if pre_layer_norm else F.layer_norm(out, size, ln_scale, ln_bias, ln_epsilon)
    return out if cache_kv is None else (out, stack([k, v]))


def fused_ec_moe(x, gate, bmm0_weight, bmm0_bias, bmm1_weight, bmm1_bias, act_type):
    """A mixture of feed-forward experts: each is applied to everything, and their results are weighed by softmax(gate).

    Args:
        x: [batch, length, width].
        gate: [batch, length, experts].
        bmm0_weight, bmm0_bias: [experts, width, inner] and [experts, 1, inner].
        bmm1_weight, bmm1_bias: [experts, inner, width] and [experts, 1, width].
        act_type: 'gelu' or 'relu'.

    >>> x, gate = paddle.rand([2, 3, 4]), paddle.rand([2, 3, 5])
    >>> weights = paddle.rand([5, 4, 8]), paddle.rand([5, 1, 8]), paddle.rand([5, 8, 4]), paddle.rand([5, 1, 4])
    >>> paddle.incubate.nn.functional.fused_ec_moe(x, gate, *weights, "gelu").shape
    [2, 3, 4]
    """
    check_choice(act_type, ("gelu", "relu"), "fused_ec_moe", "act_type")
    batch, length, width = x.shape
    rows = x.reshape([1, batch * length, width])
    inner = getattr(F, act_type)(matmul(rows, bmm0_weight) + bmm0_bias)
    results = matmul(inner, bmm1_weight) + bmm1_bias  # [experts, rows, width]
    shares = softmax(gate, -1).reshape([batch * length, -1]).transpose([1, 0]).unsqueeze(-1)
    return (results * shares).sum(0).reshape([batch, length, width])


def _angles(x, sin, cos, position_ids):
    """sin and cos, [1 or batch, length, 1, size], of the angles of each place."""
    length, size = x.shape[1], x.shape[3]
    if sin is None or cos is None:
        steps = 10000.0 ** (arange(0, size, 2, dtype="float32") * (-1.0 / size))
        turns = stack([arange(length, dtype="float32").unsqueeze(-1) * steps] * 2, -1).reshape([length, size])
        sin, cos = sine(turns).astype(x.dtype), cosine(turns).astype(x.dtype)
    sin, cos = (t.reshape([-1, size]) for t in (sin, cos))
    if position_ids is None:
        return tuple(t[:length].reshape([1, length, 1, size]) for t in (sin, cos))
    return tuple(t.index_select(position_ids.reshape([-1])).reshape([-1, length, 1, size]) for t in (sin, cos))


def fused_rotary_position_embedding(q, k=None, v=None, sin=None, cos=None, position_ids=None, use_neox_rotary_style=True):
    """(q, k, v) [batch, length, heads, size] with pairs of numbers turned by angles that grow with the place; None stays None.

    Args:
        sin, cos: of the angles, [length, size] or [1, length, 1, size]; None for those of base 10000.
        position_ids: the places, [batch, length]; in order for None.
        use_neox_rotary_style: pairs are neighbours; otherwise a number of the first half and one of the second.

    >>> q, k, v = paddle.incubate.nn.functional.fused_rotary_position_embedding(paddle.rand([1, 3, 2, 4]))
    >>> q.shape, k
    ([1, 3, 2, 4], None)
    """
    who = "fused_rotary_position_embedding"
    q = as_tensor(q, who, "q")
    k, v, sin, cos, position_ids = _tensors(who, k=k, v=v, sin=sin, cos=cos, position_ids=position_ids)
    for name, x in (("q", q), ("k", k), ("v", v)):
        if x is not None and (len(x.shape) != 4 or x.shape[3] % 2):
            raise ValueError(f"{who}(): {name} must be [batch, length, heads, even size], got {list(x.shape)}")
    sin, cos = _angles(q, sin, cos, position_ids)

    def turned(x):
        if use_neox_rotary_style:
            across = stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape)
        else:
            half = x.shape[3] // 2
            across = concat([-x[..., half:], x[..., :half]], -1)
        return x * cos + across * sin
    return tuple(None if x is None else turned(x) for x in (q, k, v))


def _joined(x, bias, residual, factor, quant_scale, function):
    if quant_scale > 0:
        raise NotImplementedError(f"{function}(): quantised results (quant_scale {quant_scale!r}) are not supported")
    x = _plus(x, bias)
    return x if residual is None else x + residual * factor


def _first_axis(axis, x, function):
    """begin_norm_axis, counted from the front."""
    count = len(x.shape)
    if not isinstance(axis, int) or not -count <= axis < count:
        raise ValueError(f"{function}(): begin_norm_axis must be an axis of x {list(x.shape)}, got {describe(axis)}")
    return axis % count


@own_errors
def fused_rms_norm(x, norm_weight, norm_bias, epsilon, begin_norm_axis, bias=None, residual=None, quant_scale=-1,
                   quant_round_type=0, quant_max_bound=0, quant_min_bound=0):
    """(s / sqrt(mean(s²) + epsilon) * norm_weight + norm_bias, s) for s = x + bias + residual, over axes from begin_norm_axis on.

    Quantised results (quant_scale above 0) are refused.

    >>> out, summed = paddle.incubate.nn.functional.fused_rms_norm(paddle.ones([2, 4]) * 3, paddle.ones([4]), None, 0.0, 1)
    >>> out.tolist()[0]
    [1.0, 1.0, 1.0, 1.0]
    """
    x, norm_weight = as_tensor(x, "fused_rms_norm", "x"), as_tensor(norm_weight, "fused_rms_norm", "norm_weight")
    begin_norm_axis = _first_axis(begin_norm_axis, x, "fused_rms_norm")
    summed = _joined(x, bias, residual, 1.0, quant_scale, "fused_rms_norm")
    axes = list(range(begin_norm_axis, len(x.shape)))
    shape = [x.shape[a] for a in axes]
    out = summed * (summed.square().mean(axes, keepdim=True) + epsilon).rsqrt() * norm_weight.reshape(shape)
    return _plus(out, None if norm_bias is None else norm_bias.reshape(shape)), summed


@own_errors
def fused_layer_norm(x, norm_weight, norm_bias, epsilon, residual_alpha=1.0, begin_norm_axis=1, bias=None, residual=None,
                     quant_scale=-1, quant_round_type=0, quant_max_bound=0, quant_min_bound=0):
    """(layer_norm(s), s) for s = x + bias + residual_alpha * residual, over axes from begin_norm_axis on.

    Without norm_weight and norm_bias the first result is s itself. Quantised results (quant_scale above 0) are refused.

    >>> x = paddle.rand([2, 4])
    >>> paddle.incubate.nn.functional.fused_layer_norm(x, paddle.ones([4]), paddle.zeros([4]), 1e-5)[0].shape
    [2, 4]
    """
    x = as_tensor(x, "fused_layer_norm", "x")
    summed = _joined(x, bias, residual, residual_alpha, quant_scale, "fused_layer_norm")
    if norm_weight is None and norm_bias is None:
        return summed, summed
    shape = list(x.shape[_first_axis(begin_norm_axis, x, "fused_layer_norm"):])
    given = [None if t is None else as_tensor(t, "fused_layer_norm", name).reshape(shape)
             for t, name in ((norm_weight, "norm_weight"), (norm_bias, "norm_bias"))]
    return F.layer_norm(summed, shape, given[0] if given[0] is not None else ones_like(given[1]), given[1], epsilon), summed


@own_errors
def fused_rms_norm_ext(x, scale, epsilon=1e-5, name=None):
    """(x / sqrt(mean(x²) + epsilon) * scale over the last axis, that factor of x for each row).

    >>> out, factors = paddle.incubate.nn.functional.fused_rms_norm_ext(paddle.ones([2, 4]) * 4, paddle.ones([4]), 0.0)
    >>> out[0].tolist(), factors.tolist()
    ([1.0, 1.0, 1.0, 1.0], [0.25, 0.25])
    """
    x = as_tensor(x, "fused_rms_norm_ext", "x")
    factors = (x.square().mean(-1) + epsilon).rsqrt()
    return x * factors.unsqueeze(-1) * scale, factors


@own_errors
def fused_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scaling_factor=None,
                                training=True, name=None):
    """``scaled_dot_product_attention`` with the scale as an argument.

    >>> q = paddle.ones([1, 3, 2, 4])
    >>> paddle.incubate.nn.functional.fused_dot_product_attention(q, q, q, is_causal=True).shape
    [1, 3, 2, 4]
    """
    return F.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, training, name, scale=scaling_factor)


_ACTS = {"gelu": F.gelu, "relu": F.relu, "swiglu": swiglu, "geglu": lambda x: F.gelu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1]}


@own_errors
def fused_bias_act(x, bias=None, dequant_scales=None, shift=None, smooth=None, act_method="gelu", compute_dtype="default",
                   quant_scale=-1, quant_round_type=0, quant_max_bound=0, quant_min_bound=0):
    """An activation of x + bias: 'gelu', 'relu', or of the first half times the second, 'geglu' and 'swiglu'.

    Args:
        dequant_scales: factors of the columns of an int32 x; compute_dtype ('fp32', 'fp16', 'bf16') is then the type computed in.
        shift, smooth: the result is (act + shift) * smooth.
        quant_scale: above 0 the result is int8: quant_max_bound * quant_scale * result, rounded (quant_round_type 0: halves to
            even numbers, 1: away from 0) and cut to the bounds.

    >>> F = paddle.incubate.nn.functional
    >>> F.fused_bias_act(paddle.to_tensor([[-3.0, 2.0]]), paddle.to_tensor([1.0, 1.0]), act_method="relu").tolist()
    [[0.0, 3.0]]
    """
    who = "fused_bias_act"
    check_choice(act_method, tuple(_ACTS), who, "act_method")
    check_choice(quant_round_type, (0, 1), who, "quant_round_type")
    x, bias, dequant_scales, shift, smooth = _tensors(who, x=x, bias=bias, dequant_scales=dequant_scales, shift=shift,
                                                      smooth=smooth)
    if numpy_dtype(x).kind == "i":
        kinds = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
        check_choice(compute_dtype, tuple(kinds), who, "compute_dtype")
        x = x.astype(kinds[compute_dtype])
    x = x if dequant_scales is None else x * dequant_scales.astype(x.dtype)
    out = _ACTS[act_method](_plus(x, bias))
    out = _plus(out, shift)
    out = out if smooth is None else out * smooth
    if quant_scale <= 0:
        return out
    out = out * (quant_max_bound * quant_scale)
    out = out.round() if quant_round_type == 0 else (out.abs() + 0.5).floor() * out.sign()
    return out.clip(quant_min_bound, quant_max_bound).astype("int8")


@own_errors
def cal_aux_loss(gate_prob, dispatch_mask, tokens_mask, dispatch_tokens_mask, num_experts, use_group, moe_k, clip_min, name=None):
    """(loss that keeps the experts of a mixture equally busy, number of tokens, fraction of them that each expert got).

    The loss is num_experts * sum(share * mean of gate_prob), divided by moe_k with ``use_group``.

    Args:
        gate_prob: probability of each expert for each token, [tokens, experts].
        dispatch_mask: which tokens an expert got, [tokens, experts], or how many, [experts].
        tokens_mask, dispatch_tokens_mask: which tokens count, of this rank and of all ranks; None for all.
        clip_min: the least number of tokens to divide by.

    >>> gates, got = paddle.full([4, 2], 0.5), paddle.to_tensor([3, 1])
    >>> loss, count, share = paddle.incubate.nn.functional.cal_aux_loss(gates, got, None, None, 2, False, 2, 1e-6)
    >>> loss.item(), count.item(), share.tolist()
    (1.0, 4.0, [0.75, 0.25])
    """
    who = "cal_aux_loss"
    gates, chosen, mine, everyone = _tensors(who, gate_prob=gate_prob, dispatch_mask=dispatch_mask, tokens_mask=tokens_mask,
                                             dispatch_tokens_mask=dispatch_tokens_mask)
    together = everyone.shape[:1] if everyone is not None else None
    mine, everyone = (None if t is None else t.astype(gates.dtype).sum() for t in (mine, everyone))
    count = everyone if everyone is not None else mine if mine is not None else full([], gates.shape[0], gates.dtype)
    local = None  # of what is counted, the part that this rank's gates are of
    if mine is not None and everyone is not None and gates.shape[:1] != together:
        local = everyone / mine.clip(min=clip_min)
    count = count.clip(min=clip_min)
    share = (chosen.sum(0) if len(chosen.shape) == 2 else chosen).astype(gates.dtype).detach() / count
    loss = (gates.sum(0) / count * share).sum() * num_experts
    loss = loss / moe_k if use_group else loss
    if local is not None:  # the value is that of all tokens, the gradient that of this rank's
        loss = loss + (local - 1.0) * loss.detach()
    return loss, count, share


__path__ = []  # a package in Paddle: the paths below it are addresses
