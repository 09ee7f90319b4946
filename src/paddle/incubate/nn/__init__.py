"""Layers of transformers made of few calls; see ``paddle.incubate.nn.functional``."""

from ... import nn
from . import functional
from . import functional as F

__all__ = ["FusedMultiHeadAttention", "FusedFeedForward", "FusedTransformerEncoderLayer", "FusedLinear",
           "FusedBiasDropoutResidualLayerNorm", "FusedEcMoe", "FusedDropoutAdd", "functional"]


class _Layer(nn.Layer):
    """What the layers share: their printed form, scales that start at 1, and that they are not spread over processes."""

    def _one_process(self, nranks, ring_id):
        if nranks != 1 or ring_id != -1:
            raise NotImplementedError(f"{type(self).__name__}(): a layer spread over {nranks} processes is not supported")

    def _scale(self, size, attr):
        return self.create_parameter([size], attr, default_initializer=nn.initializer.Constant(1.0))

    def _shift(self, size, attr):
        return self.create_parameter([size], attr, is_bias=True)

    def extra_repr(self):
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.shown)


class FusedLinear(nn.Layer):
    """``paddle.nn.Linear``, with the weight [out_features, in_features] if ``transpose_weight``.

    >>> paddle.incubate.nn.FusedLinear(4, 3, transpose_weight=True).weight.shape
    [3, 4]
    """

    def __init__(self, in_features, out_features, weight_attr=None, bias_attr=None, transpose_weight=False, name=None):
        super().__init__()
        shape = [out_features, in_features] if transpose_weight else [in_features, out_features]
        self.weight = self.create_parameter(shape, weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)
        self.transpose_weight = transpose_weight

    def forward(self, input):
        return F.fused_linear(input, self.weight, self.bias, self.transpose_weight)


class FusedDropoutAdd(_Layer):
    """dropout(x) + y.

    >>> paddle.incubate.nn.FusedDropoutAdd(0.3)
    FusedDropoutAdd(p=0.3, mode=upscale_in_train)
    """

    shown = ("p", "mode")

    def __init__(self, p=0.5, mode="upscale_in_train", name=None):
        super().__init__()
        self.p, self.mode = p, mode

    def forward(self, x, y):
        return F.fused_dropout_add(x, y, self.p, self.training, self.mode)


class FusedBiasDropoutResidualLayerNorm(_Layer):
    """layer_norm(residual + dropout(x + bias)).

    >>> x = paddle.rand([2, 3, 4])
    >>> paddle.incubate.nn.FusedBiasDropoutResidualLayerNorm(4)(x, x).shape
    [2, 3, 4]
    """

    shown = ("embed_dim", "dropout_rate", "epsilon")

    def __init__(self, embed_dim, dropout_rate=0.5, weight_attr=None, bias_attr=None, epsilon=1e-5, name=None):
        super().__init__()
        self.embed_dim, self.dropout_rate, self.epsilon = embed_dim, dropout_rate, epsilon
        self.linear_bias = self._shift(embed_dim, bias_attr)
        self.ln_scale, self.ln_bias = self._scale(embed_dim, weight_attr), self._shift(embed_dim, bias_attr)

    def forward(self, x, residual):
        return F.fused_bias_dropout_residual_layer_norm(x, residual, self.linear_bias, self.ln_scale, self.ln_bias,
                                                        self.dropout_rate, self.epsilon, self.training)


class FusedMultiHeadAttention(_Layer):
    """Attention of a sequence to itself with dropout, residual and norm.

    Args:
        embed_dim, num_heads: width of the sequence and number of heads.
        dropout_rate, attn_dropout_rate: behind the last linear map, and of the attention's weights.
        kdim, vdim, need_weights: refused unless they have their defaults; keys and values are the sequence itself.
        normalize_before: normalise the input rather than the result.
        transpose_qkv_wb: the weight of queries, keys and values is [embed_dim, 3 * embed_dim].
        nranks, ring_id: refused unless they have their defaults.

    >>> paddle.incubate.nn.FusedMultiHeadAttention(8, 2)(paddle.rand([2, 3, 8])).shape
    [2, 3, 8]
    """

    shown = ("embed_dim", "num_heads", "dropout_rate", "attn_dropout_rate", "epsilon", "normalize_before")

    def __init__(self, embed_dim, num_heads, dropout_rate=0.5, attn_dropout_rate=0.5, kdim=None, vdim=None, normalize_before=False,
                 need_weights=False, qkv_weight_attr=None, qkv_bias_attr=None, linear_weight_attr=None, linear_bias_attr=None,
                 pre_ln_scale_attr=None, pre_ln_bias_attr=None, ln_scale_attr=None, ln_bias_attr=None, epsilon=1e-5, nranks=1,
                 ring_id=-1, transpose_qkv_wb=False, name=None):
        super().__init__()
        self._one_process(nranks, ring_id)
        if kdim not in (None, embed_dim) or vdim not in (None, embed_dim) or need_weights:
            raise NotImplementedError("FusedMultiHeadAttention(): keys and values are the sequence itself (kdim, vdim), and "
                                      "need_weights is not supported")
        if embed_dim % num_heads:
            raise ValueError(f"FusedMultiHeadAttention(): num_heads {num_heads} must divide embed_dim {embed_dim}")
        size = embed_dim // num_heads
        self.embed_dim, self.num_heads, self.epsilon, self.normalize_before = embed_dim, num_heads, epsilon, normalize_before
        self.dropout_rate, self.attn_dropout_rate, self.transpose_qkv_wb = dropout_rate, attn_dropout_rate, transpose_qkv_wb
        weight, bias = ([embed_dim, 3 * embed_dim], [3 * embed_dim]) if transpose_qkv_wb else (
            [3, num_heads, size, embed_dim], [3, num_heads, size])
        self.qkv_weight = self.create_parameter(weight, qkv_weight_attr)
        self.qkv_bias = self.create_parameter(bias, qkv_bias_attr, is_bias=True)
        self.linear_weight = self.create_parameter([embed_dim, embed_dim], linear_weight_attr)
        self.linear_bias = self._shift(embed_dim, linear_bias_attr)
        self.pre_ln_scale = self.pre_ln_bias = self.ln_scale = self.ln_bias = None
        if normalize_before:
            self.pre_ln_scale = self._scale(embed_dim, pre_ln_scale_attr)
            self.pre_ln_bias = self._shift(embed_dim, pre_ln_bias_attr)
        else:
            self.ln_scale, self.ln_bias = self._scale(embed_dim, ln_scale_attr), self._shift(embed_dim, ln_bias_attr)

    def forward(self, query, key=None, value=None, attn_mask=None, cache=None):
        for other in (key, value):
            if other is not None and other is not query:
                raise NotImplementedError("FusedMultiHeadAttention(): key and value must be the query itself, or None")
        return F.fused_multi_head_attention(
            query, self.qkv_weight, self.linear_weight, self.normalize_before, self.pre_ln_scale, self.pre_ln_bias, self.ln_scale,
            self.ln_bias, self.epsilon, self.qkv_bias, self.linear_bias, cache, attn_mask, self.dropout_rate,
            self.attn_dropout_rate, self.epsilon, self.training, num_heads=self.num_heads, transpose_qkv_wb=self.transpose_qkv_wb)


class FusedFeedForward(_Layer):
    """Two linear maps with an activation between, dropout, residual and norm.

    Args:
        d_model, dim_feedforward: width outside and inside.
        dropout_rate, act_dropout_rate: behind the second map, and behind the activation (None: the same).
        activation: the name of a function of ``paddle.nn.functional``.
        normalize_before: normalise the input rather than the result.
        nranks, ring_id: refused unless they have their defaults.

    >>> paddle.incubate.nn.FusedFeedForward(8, 16)(paddle.rand([2, 3, 8])).shape
    [2, 3, 8]
    """

    shown = ("d_model", "dim_feedforward", "dropout_rate", "epsilon", "activation", "act_dropout_rate", "normalize_before")

    def __init__(self, d_model, dim_feedforward, dropout_rate=0.1, epsilon=1e-5, activation="relu", act_dropout_rate=None,
                 normalize_before=False, linear1_weight_attr=None, linear1_bias_attr=None, linear2_weight_attr=None,
                 linear2_bias_attr=None, ln1_scale_attr=None, ln1_bias_attr=None, ln2_scale_attr=None, ln2_bias_attr=None,
                 nranks=1, ring_id=-1, name=None):
        super().__init__()
        self._one_process(nranks, ring_id)
        self.d_model, self.dim_feedforward, self.dropout_rate, self.epsilon = d_model, dim_feedforward, dropout_rate, epsilon
        self.activation, self.normalize_before = activation, normalize_before
        self.act_dropout_rate = dropout_rate if act_dropout_rate is None else act_dropout_rate
        self._linear1_weight = self.create_parameter([d_model, dim_feedforward], linear1_weight_attr)
        self._linear1_bias = self._shift(dim_feedforward, linear1_bias_attr)
        self._linear2_weight = self.create_parameter([dim_feedforward, d_model], linear2_weight_attr)
        self._linear2_bias = self._shift(d_model, linear2_bias_attr)
        self._ln1_scale = self._ln1_bias = self._ln2_scale = self._ln2_bias = None
        if normalize_before:
            self._ln1_scale, self._ln1_bias = self._scale(d_model, ln1_scale_attr), self._shift(d_model, ln1_bias_attr)
        else:
            self._ln2_scale, self._ln2_bias = self._scale(d_model, ln2_scale_attr), self._shift(d_model, ln2_bias_attr)

    def forward(self, src, cache=None):
        if cache is not None:
            raise NotImplementedError("FusedFeedForward(): there is nothing to cache; leave cache out")
        return F.fused_feedforward(
            src, self._linear1_weight, self._linear2_weight, self._linear1_bias, self._linear2_bias, self._ln1_scale,
            self._ln1_bias, self._ln2_scale, self._ln2_bias, self.act_dropout_rate, self.dropout_rate, self.activation,
            self.epsilon, self.epsilon, self.normalize_before, self.training)


class FusedTransformerEncoderLayer(nn.Layer):
    """A layer of a transformer's encoder: FusedMultiHeadAttention and FusedFeedForward.

    Args:
        d_model, nhead, dim_feedforward: width, number of heads, width inside.
        dropout_rate: behind both parts; ``attn_dropout_rate`` and ``act_dropout_rate`` are the same for None.
        activation, normalize_before: see FusedFeedForward.
        weight_attr, bias_attr: one for both parts, or a list of two.

    >>> paddle.incubate.nn.FusedTransformerEncoderLayer(8, 2, 16)(paddle.rand([2, 3, 8])).shape
    [2, 3, 8]
    """

    def __init__(self, d_model, nhead, dim_feedforward, dropout_rate=0.1, activation="relu", attn_dropout_rate=None,
                 act_dropout_rate=None, normalize_before=False, weight_attr=None, bias_attr=None):
        super().__init__()
        weights, biases = (list(a) if isinstance(a, (list, tuple)) else [a, a] for a in (weight_attr, bias_attr))
        self.fused_attn = FusedMultiHeadAttention(
            d_model, nhead, dropout_rate, dropout_rate if attn_dropout_rate is None else attn_dropout_rate,
            normalize_before=normalize_before, qkv_weight_attr=weights[0], qkv_bias_attr=biases[0], linear_weight_attr=weights[0],
            linear_bias_attr=biases[0])
        self.ffn = FusedFeedForward(
            d_model, dim_feedforward, dropout_rate, activation=activation, act_dropout_rate=act_dropout_rate,
            normalize_before=normalize_before, linear1_weight_attr=weights[1], linear1_bias_attr=biases[1],
            linear2_weight_attr=weights[1], linear2_bias_attr=biases[1])

    def forward(self, src, src_mask=None, cache=None):
        out = self.fused_attn(src, attn_mask=src_mask, cache=cache)
        return self.ffn(out) if cache is None else (self.ffn(out[0]), out[1])


class FusedEcMoe(nn.Layer):
    """A mixture of feed-forward experts, weighed by a gate that is given.

    >>> layer = paddle.incubate.nn.FusedEcMoe(8, 16, 3, "gelu")
    >>> layer(paddle.rand([2, 5, 8]), paddle.rand([2, 5, 3])).shape
    [2, 5, 8]
    """

    def __init__(self, hidden_size, inter_size, num_experts, act_type, weight_attr=None, bias_attr=None):
        super().__init__()
        if act_type not in ("gelu", "relu"):
            raise ValueError(f"FusedEcMoe(): act_type must be 'gelu' or 'relu', got {act_type!r}")
        self.act_type = act_type
        self.bmm_weight0 = self.create_parameter([num_experts, hidden_size, inter_size], weight_attr)
        self.bmm_bias0 = self.create_parameter([num_experts, 1, inter_size], bias_attr, is_bias=True)
        self.bmm_weight1 = self.create_parameter([num_experts, inter_size, hidden_size], weight_attr)
        self.bmm_bias1 = self.create_parameter([num_experts, 1, hidden_size], bias_attr, is_bias=True)

    def forward(self, x, gate):
        return F.fused_ec_moe(x, gate, self.bmm_weight0, self.bmm_bias0, self.bmm_weight1, self.bmm_bias1, self.act_type)
