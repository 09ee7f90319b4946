"""Attention and the Transformer."""

import collections
import copy

from ...core.docstrings import documented_like
from ...core.dtype import to_numpy
from ...core.errors import check_choice, check_type, describe
from ...ops.manipulation import reshape as manip
from ...ops.nn.fused import linear_three
from ...tensor import construct, creation, joining
from ...tensor.convert import numpy_dtype
from ...tensor.shapes import dims
from .. import functional as F
from ..functional.attention import additive, attend
from ..functional.common import as_one_op
from ..param_attr import ParamAttr
from . import pairs
from .common import Dropout, Linear
from .container import LayerList
from .layers import Layer
from .norm import LayerNorm

__all__ = ["MultiHeadAttention", "TransformerEncoderLayer", "TransformerEncoder", "TransformerDecoderLayer",
           "TransformerDecoder", "Transformer"]


class MultiHeadAttention(Layer):
    """Attention of queries to keys and values: softmax(q @ k.T / sqrt(size of a head) + mask) @ v, in ``num_heads`` parts.

    Args:
        embed_dim, num_heads (int): features, and parts they are split into; the first must be a multiple of the second.
        dropout (float): of the attention weights, in training.
        kdim, vdim (int or None): features of keys and values; None takes ``embed_dim``.
        need_weights (bool): return (result, weights [batch, heads, queries, keys]).
        weight_attr, bias_attr (ParamAttr, None or False): of the four linear layers.
    Shape:
        ``layer(query, key, value, attn_mask, cache)``: query [batch, queries, embed_dim], key and value [batch, keys, ...]; both
            are the query if not
        given. The mask is broadcast to [batch, heads, queries, keys]: False or a large negative number hides a key.

    >>> layer = paddle.nn.MultiHeadAttention(8, 2)
    >>> layer(paddle.ones([1, 3, 8])).shape
    [1, 3, 8]
    """

    Cache = collections.namedtuple("Cache", ["k", "v"])
    StaticCache = collections.namedtuple("StaticCache", ["k", "v"])

    def __init__(self, embed_dim, num_heads, dropout=0.0, kdim=None, vdim=None, need_weights=False, weight_attr=None,
                 bias_attr=None):
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise ValueError(f"MultiHeadAttention(): num_heads must divide embed_dim, got {embed_dim} and {num_heads}")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self.dropout, self.need_weights = dropout, need_weights
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(self.kdim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(self.vdim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _heads(self, x):
        return manip.transpose(x.reshape([0, 0, self.num_heads, self.head_dim]), [0, 2, 1, 3])

    def compute_kv(self, key, value):
        """Keys and values projected and split into heads."""
        return self._heads(self.k_proj(key)), self._heads(self.v_proj(value))

    def _prepare_qkv(self, query, key, value, cache=None):
        """Queries, keys and values in heads, what a cache holds included; with a cache, the cache after them."""
        three = _projected(self, query) if query is key is value and not isinstance(cache, self.StaticCache) else None
        if three is not None:
            q, k, v = map(self._heads, three)
        else:
            q = self._heads(self.q_proj(query))
            k, v = (cache.k, cache.v) if isinstance(cache, self.StaticCache) else self.compute_kv(key, value)
        if isinstance(cache, self.Cache):
            k, v = joining.concat([cache.k, k], axis=2), joining.concat([cache.v, v], axis=2)
            cache = self.Cache(k, v)
        return (q, k, v) if cache is None else (q, k, v, cache)

    def gen_cache(self, key, value=None, type=Cache):
        """A cache for ``forward``: keys and values computed once (StaticCache), or ones that grow step by step (Cache).

        With type=Cache: empty for value=None, else starting from the given keys and values.
        """
        if type == MultiHeadAttention.StaticCache:
            return self.StaticCache(*self.compute_kv(key, key if value is None else value))
        if value is not None:
            return self.Cache(key, value)
        batch = dims(key)[0]
        empty = [creation.zeros([batch, self.num_heads, 0, self.head_dim], numpy_dtype(key)) for _ in range(2)]
        return self.Cache(*empty)

    def forward(self, query, key=None, value=None, attn_mask=None, cache=None):
        key = query if key is None else key
        value = key if value is None else value
        q, k, v, *cached = self._prepare_qkv(query, key, value, cache)
        mask = None if attn_mask is None else additive(attn_mask, numpy_dtype(q))
        out, weights = attend(q, k, v, mask, self.head_dim ** -0.5, False, self.dropout, self.training, self.need_weights)
        out = self.out_proj(manip.transpose(out, [0, 2, 1, 3]).reshape([0, 0, self.embed_dim]))
        results = [out]
        if self.need_weights:
            results.append(weights)
        results += cached
        return out if len(results) == 1 else tuple(results)


def _projected(attention, x):
    """Queries, keys and values of one input by one op; None where the three layers must be called."""
    layers = attention.q_proj, attention.k_proj, attention.v_proj
    if type(attention).compute_kv is not MultiHeadAttention.compute_kv or not all(pairs.is_plain(p, Linear, x) for p in layers):
        return None
    weights, biases = zip(*((p.weight, p.bias) for p in layers))
    if any(b is None or not as_one_op(x, w, b) for w, b in zip(weights, biases)):
        return None
    return linear_three(x, *weights, *biases)


def _attributes(attr, count):
    """One attribute for each part, from one for all or a list."""
    if isinstance(attr, (list, tuple)):
        if len(attr) == 1:
            return list(attr) * count
        if len(attr) not in (2, count):
            raise ValueError(f"a list of parameter attributes must have 1, 2 or {count} items, got {len(attr)}")
        return [attr[0]] * (count - 1) + [attr[1]] if len(attr) == 2 else list(attr)
    if isinstance(attr, ParamAttr):
        return [copy.copy(attr) for _ in range(count)]
    return [attr] * count


def _convert_param_attr_to_list(param_attr, n):
    """n ParamAttrs (or False) from a list of so many, or from one for all, whose name then gets numbers."""
    if isinstance(param_attr, (list, tuple)):
        if len(param_attr) != n:
            raise AssertionError(f"a list of parameter attributes must have {n} items, got {len(param_attr)}")
        return [ParamAttr.convert(attr) for attr in param_attr]
    attrs = [copy.copy(ParamAttr.convert(param_attr)) for _ in range(n)]
    for k, attr in enumerate(attrs):
        if attr and attr.name:
            attr.name = f"{attr.name}_{k}"
    return attrs


def _convert_attention_mask(attn_mask, dtype):
    """A mask to add to scores of a data type; None stays None, a mask of that type as it is."""
    return attn_mask if attn_mask is None or attn_mask.dtype == dtype else additive(attn_mask, to_numpy(dtype))


class _Feedforward(Layer):
    """What encoder and decoder layers share: attentions, the two linear layers behind them, and what stands between."""

    attentions = ("self_attn",)

    def __init__(self, d_model, nhead, dim_feedforward, dropout=0.1, activation="relu", attn_dropout=None, act_dropout=None,
                 normalize_before=False, weight_attr=None, bias_attr=None, layer_norm_eps=1e-5):
        given = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        super().__init__()
        self._config = given  # to make more like it
        if min(d_model, nhead, dim_feedforward) <= 0:
            raise ValueError(f"{type(self).__name__}(): d_model, nhead and dim_feedforward must be positive, got {d_model}, "
                             f"{nhead} and {dim_feedforward}")
        self.normalize_before, parts = normalize_before, len(self.attentions) + 1
        weights, biases = _attributes(weight_attr, parts), _attributes(bias_attr, parts)
        rate = dropout if attn_dropout is None else attn_dropout
        for name, weight, bias in zip(self.attentions, weights, biases):
            setattr(self, name, MultiHeadAttention(d_model, nhead, rate, weight_attr=weight, bias_attr=bias))
        self.linear1 = Linear(d_model, dim_feedforward, weights[-1], biases[-1])
        self.dropout = Dropout(dropout if act_dropout is None else act_dropout, mode="upscale_in_train")
        self.linear2 = Linear(dim_feedforward, d_model, weights[-1], biases[-1])
        for n in range(1, parts + 1):
            setattr(self, f"norm{n}", LayerNorm(d_model, layer_norm_eps))
        for n in range(1, parts + 1):
            setattr(self, f"dropout{n}", Dropout(dropout, mode="upscale_in_train"))
        self.activation = getattr(F, activation, None) if isinstance(activation, str) else None
        if self.activation is None:
            raise ValueError(f"{type(self).__name__}(): activation must name a function of nn.functional, "
                             f"got {describe(activation)}")

    def _part(self, x, norm, dropout, compute):
        """x + dropout(compute(x)), normalised before or behind; compute may return (result, cache)."""
        y = compute(norm(x) if self.normalize_before else x)
        y, cache = (y[0], y[-1]) if isinstance(y, tuple) else (y, None)
        x = x + dropout(y)
        return x if self.normalize_before else norm(x), cache

    def _fed_forward(self, x):
        name = {F.relu: "relu", F.gelu: "gelu"}.get(self.activation)
        inner = pairs.both(self.linear1, name, x) if name else NotImplemented
        return self.linear2(self.dropout(self.activation(self.linear1(x)) if inner is NotImplemented else inner))


class TransformerEncoderLayer(_Feedforward):
    """Self-attention and a two-layer network, each with dropout, a shortcut and a LayerNorm.

    Args:
        d_model, nhead, dim_feedforward (int): features, attention heads, features inside the network.
        dropout (float): of both results; ``attn_dropout`` and ``act_dropout`` (inside) follow it unless given.
        activation (str): 'relu' or 'gelu', any function of ``nn.functional``.
        normalize_before (bool): normalise the input of each block instead of its output.
        weight_attr, bias_attr (ParamAttr, None, False or a list of them): of attention and network.
        attn_dropout, act_dropout (float or None): of the attention weights, and inside the network; ``dropout`` for None.
        layer_norm_eps (float): epsilon of both LayerNorms.
    Shape:
        ``layer(src, src_mask)``: [batch, length, d_model] gives the same shape.
    Raises:
        ValueError: ``nhead`` does not divide ``d_model``, there is no function ``activation``, or the last axis of x is not
            ``d_model``.

    >>> paddle.nn.TransformerEncoderLayer(8, 2, 16)(paddle.ones([1, 3, 8])).shape
    [1, 3, 8]
    """

    def forward(self, src, src_mask=None, cache=None):
        src, grown = self._part(src, self.norm1, self.dropout1, lambda x: self.self_attn(x, x, x, src_mask, cache))
        src, _ = self._part(src, self.norm2, self.dropout2, self._fed_forward)
        return src if cache is None else (src, grown)

    def gen_cache(self, src):
        """An empty cache for step-by-step encoding."""
        return self.self_attn.gen_cache(src, type=MultiHeadAttention.Cache)


def _stack(layer, count, function, argument):
    """The layer and others made with the same arguments."""
    check_type(layer, Layer, function, argument)
    return LayerList([layer if i == 0 else type(layer)(**layer._config) for i in range(count)])


class TransformerEncoder(Layer):
    """``num_layers`` layers like ``encoder_layer`` in sequence, followed by a norm.

    Args:
        encoder_layer (Layer): the layer that is repeated.
        num_layers (int): depth.
        norm (Layer or None): applied to the result.

    >>> layer = paddle.nn.TransformerEncoderLayer(8, 2, 16)
    >>> paddle.nn.TransformerEncoder(layer, 2)(paddle.ones([1, 3, 8])).shape
    [1, 3, 8]
    """

    def __init__(self, encoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _stack(encoder_layer, num_layers, "TransformerEncoder", "encoder_layer")
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src, src_mask=None, cache=None):
        mask = None if src_mask is None else additive(src_mask, numpy_dtype(src))
        caches = []
        for i, layer in enumerate(self.layers):
            if cache is None:
                src = layer(src, mask)
            else:
                src, new = layer(src, mask, cache[i])
                caches.append(new)
        if self.norm is not None:
            src = self.norm(src)
        return src if cache is None else (src, caches)

    def gen_cache(self, src):
        """Empty caches, one for each layer."""
        return [layer.gen_cache(src) for layer in self.layers]


class TransformerDecoderLayer(_Feedforward):
    """Self-attention, attention to an encoder's result, and a two-layer network.

    Args:
        d_model (int): features.
        nhead (int): attention heads.
        dim_feedforward (int): features inside the network.
        dropout (float): probability between layers.
        activation (str): 'tanh' or 'relu'.
        attn_dropout (float or None): of attention weights; ``dropout`` for None.
        act_dropout (float or None): inside the network; ``dropout`` for None.
        normalize_before (bool): normalise the input of each block instead of its output.
        weight_attr (ParamAttr, None, False or list): of the weights.
        bias_attr (ParamAttr, None, False or list): of the biases.

    >>> paddle.nn.TransformerDecoderLayer(8, 2, 16)(paddle.ones([1, 3, 8]), paddle.ones([1, 5, 8])).shape
    [1, 3, 8]
    """

    attentions = ("self_attn", "cross_attn")

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, cache=None):
        growing, fixed = (None, None) if cache is None else cache
        tgt, growing = self._part(tgt, self.norm1, self.dropout1, lambda x: self.self_attn(x, x, x, tgt_mask, growing))
        tgt, fixed = self._part(tgt, self.norm2, self.dropout2,
                                lambda x: self.cross_attn(x, memory, memory, memory_mask, fixed))
        tgt, _ = self._part(tgt, self.norm3, self.dropout3, self._fed_forward)
        return tgt if cache is None else (tgt, (growing, fixed))

    def gen_cache(self, memory):
        """(empty cache of self-attention, keys and values of the encoder's result)."""
        return (self.self_attn.gen_cache(memory, type=MultiHeadAttention.Cache),
                self.cross_attn.gen_cache(memory, memory, type=MultiHeadAttention.StaticCache))


class TransformerDecoder(Layer):
    """``num_layers`` layers like ``decoder_layer`` in sequence, followed by a norm.

    Args:
        decoder_layer (Layer): the layer that is repeated.
        num_layers (int): depth.
        norm (Layer or None): applied to the result.

    >>> layer = paddle.nn.TransformerDecoderLayer(8, 2, 16)
    >>> paddle.nn.TransformerDecoder(layer, 2)(paddle.ones([1, 3, 8]), paddle.ones([1, 5, 8])).shape
    [1, 3, 8]
    """

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _stack(decoder_layer, num_layers, "TransformerDecoder", "decoder_layer")
        self.num_layers, self.norm = num_layers, norm

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, cache=None):
        masks = [None if m is None else additive(m, numpy_dtype(tgt)) for m in (tgt_mask, memory_mask)]
        caches = []
        for i, layer in enumerate(self.layers):
            if cache is None:
                tgt = layer(tgt, memory, *masks)
            else:
                tgt, new = layer(tgt, memory, *masks, cache[i])
                caches.append(new)
        if self.norm is not None:
            tgt = self.norm(tgt)
        return tgt if cache is None else (tgt, caches)

    def gen_cache(self, memory, do_zip=False):
        """Caches of all layers; zipped: first all growing ones, then all fixed ones."""
        caches = [layer.gen_cache(memory) for layer in self.layers]
        return list(zip(*caches)) if do_zip else caches


@documented_like(TransformerDecoderLayer)
class Transformer(Layer):
    """Encoder and decoder.

    Args:
        num_encoder_layers (int): layers of the encoder.
        num_decoder_layers (int): layers of the decoder.
        custom_encoder (Layer or None): instead of the encoder.
        custom_decoder (Layer or None): instead of the decoder.
    Shape:
        ``layer(src, tgt, src_mask, tgt_mask, memory_mask)``: [N, S, d_model] and [N, T, d_model] give [N, T, d_model].
    Raises:
        ValueError: ``nhead`` does not divide ``d_model``, there is no function ``activation``, or the last axis of x is not
            ``d_model``.

    >>> model = paddle.nn.Transformer(8, 2, 1, 1, 16)
    >>> model(paddle.ones([1, 5, 8]), paddle.ones([1, 3, 8])).shape
    [1, 3, 8]
    """

    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1,
                 activation="relu", attn_dropout=None, act_dropout=None, normalize_before=False, weight_attr=None,
                 bias_attr=None, custom_encoder=None, custom_decoder=None):
        super().__init__()
        check_choice(normalize_before, (True, False), "Transformer", "normalize_before")
        common = (d_model, nhead, dim_feedforward, dropout, activation, attn_dropout, act_dropout, normalize_before)

        def halves(attr):  # the attributes of the encoder's layer and of the decoder's
            if isinstance(attr, (list, tuple)) and len(attr) == 3:
                return [attr[0], attr[2]], list(attr)
            return attr, attr

        weights, biases = halves(weight_attr), halves(bias_attr)
        self.encoder = custom_encoder if custom_encoder is not None else TransformerEncoder(
            TransformerEncoderLayer(*common, weights[0], biases[0]), num_encoder_layers, LayerNorm(d_model))
        self.decoder = custom_decoder if custom_decoder is not None else TransformerDecoder(
            TransformerDecoderLayer(*common, weights[1], biases[1]), num_decoder_layers, LayerNorm(d_model))
        self.d_model, self.nhead = d_model, nhead

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None):
        return self.decoder(tgt, self.encoder(src, src_mask), tgt_mask, memory_mask)

    def generate_square_subsequent_mask(self, length):
        """[length, length]: 0 up to each position, -inf after it."""
        return construct.triu(creation.full([length, length], float("-inf")), 1)
