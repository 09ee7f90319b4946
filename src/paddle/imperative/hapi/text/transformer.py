"""Transformers of alpha's hapi: attention with key and value sizes of their own, and beam search over a decoder."""

from ....fluid import layers
from ....fluid.dygraph.layers import Layer
from ....fluid.dygraph.nn import LayerNorm, Linear
from ....fluid.layers.decoders import BeamSearchDecoder
from ....static.structure import flatten, pack
from .cells import RNNCell

__all__ = ["PrePostProcessLayer", "MultiHeadAttention", "FFN", "TransformerEncoderLayer", "TransformerEncoder",
           "TransformerDecoderLayer", "TransformerDecoder", "TransformerCell", "TransformerBeamSearchDecoder"]


def _drop(x, rate):
    return layers.dropout(x, rate) if rate else x


class PrePostProcessLayer(Layer):
    """What goes around a part of a Transformer, by letters: 'a' adds the residual, 'n' normalizes, 'd' drops
    (2.0 alpha; successor: none, write it so)."""

    def __init__(self, process_cmd, d_model, dropout_rate=0.1):
        super().__init__()
        self.process_cmd, self._rate = process_cmd, dropout_rate
        self._norms = [self.add_sublayer(f"layer_norm_{k}", LayerNorm(d_model)) for k in range(process_cmd.count("n"))]

    def forward(self, x, residual=None):
        """x after all letters."""
        norms = iter(self._norms)
        for letter in self.process_cmd:
            if letter == "n":
                x = next(norms)(x)
            elif letter == "d":
                x = _drop(x, self._rate)
            elif letter == "a" and residual is not None:
                x = x + residual
        return x


class MultiHeadAttention(Layer):
    """Scaled dot-product attention by several heads, without biases (2.0 alpha; successor: paddle.nn.MultiHeadAttention).

    Args:
        d_key, d_value (int): sizes of a head's keys and values.
        d_model (int): size of inputs and outputs.
        n_head (int): number of heads.
        dropout_rate (float): of the weights.
    """

    def __init__(self, d_key, d_value, d_model, n_head, dropout_rate=0.1):
        super().__init__()
        self.n_head, self.d_key, self.d_value, self.d_model, self.dropout_rate = n_head, d_key, d_value, d_model, dropout_rate
        self.q_fc = Linear(d_model, d_key * n_head, bias_attr=False)
        self.k_fc = Linear(d_model, d_key * n_head, bias_attr=False)
        self.v_fc = Linear(d_model, d_value * n_head, bias_attr=False)
        self.proj_fc = Linear(d_value * n_head, d_model, bias_attr=False)

    def _heads(self, x, size):
        """[N, T, heads * size] as [N, heads, T, size]."""
        return layers.transpose(layers.reshape(x, [0, 0, self.n_head, size]), [0, 2, 1, 3])

    def cal_kv(self, keys, values):
        """Keys and values by heads."""
        return self._heads(self.k_fc(keys), self.d_key), self._heads(self.v_fc(values), self.d_value)

    def _keys_and_values(self, queries, keys, values, cache):
        """Those of this step; a cache gives and takes ``k`` and ``v`` of earlier steps, or ``static_k`` and ``static_v``."""
        if keys is None:
            k, v = self.cal_kv(queries, queries)
            if cache is not None:
                k, v = cache["k"], cache["v"] = layers.concat([cache["k"], k], 2), layers.concat([cache["v"], v], 2)
            return k, v
        if cache is None:
            return self.cal_kv(keys, values)
        if "static_k" not in cache:
            cache["static_k"], cache["static_v"] = self.cal_kv(keys, values)
        return cache["static_k"], cache["static_v"]

    def forward(self, queries, keys=None, values=None, attn_bias=None, cache=None):
        """Queries attend to keys, or to themselves; ``attn_bias`` is added to the products."""
        k, v = self._keys_and_values(queries, keys, values, cache)
        product = layers.matmul(self._heads(self.q_fc(queries), self.d_key), k, transpose_y=True, alpha=self.d_key ** -0.5)
        weights = _drop(layers.softmax(product if attn_bias is None else product + attn_bias), self.dropout_rate)
        out = layers.transpose(layers.matmul(weights, v), [0, 2, 1, 3])
        return self.proj_fc(layers.reshape(out, [0, 0, self.n_head * self.d_value]))


class FFN(Layer):
    """Two dense layers with an activation between them (2.0 alpha; successor: paddle.nn.Linear twice)."""

    def __init__(self, d_inner_hid, d_model, dropout_rate=0.1, fc1_act="relu"):
        super().__init__()
        self.dropout_rate = dropout_rate
        self.fc1, self.fc2 = Linear(d_model, d_inner_hid, act=fc1_act), Linear(d_inner_hid, d_model)

    def forward(self, x):
        """[..., d_model] to [..., d_model]."""
        return self.fc2(_drop(self.fc1(x), self.dropout_rate))


class _Block(Layer):
    """A layer of encoder or decoder: parts, each between a pre- and a postprocessor."""

    def __init__(self, attentions, n_head, d_key, d_value, d_model, d_inner_hid, prepostprocess_dropout, attention_dropout,
                 relu_dropout, preprocess_cmd, postprocess_cmd, ffn_fc1_act):
        super().__init__()
        for k, name in enumerate([*attentions, "ffn"], 1):
            setattr(self, f"preprocesser{k}", PrePostProcessLayer(preprocess_cmd, d_model, prepostprocess_dropout))
            setattr(self, name, FFN(d_inner_hid, d_model, relu_dropout, ffn_fc1_act) if name == "ffn" else
                    MultiHeadAttention(d_key, d_value, d_model, n_head, attention_dropout))
            setattr(self, f"postprocesser{k}", PrePostProcessLayer(postprocess_cmd, d_model, prepostprocess_dropout))

    def _around(self, k, part, x, *args):
        """Part k with what goes around it."""
        return getattr(self, f"postprocesser{k}")(part(getattr(self, f"preprocesser{k}")(x), *args), x)


class TransformerEncoderLayer(_Block):
    """Self-attention, then a feed-forward part (2.0 alpha; successor: paddle.nn.TransformerEncoderLayer)."""

    def __init__(self, n_head, d_key, d_value, d_model, d_inner_hid, prepostprocess_dropout=0.1, attention_dropout=0.1,
                 relu_dropout=0.1, preprocess_cmd="n", postprocess_cmd="da", ffn_fc1_act="relu"):
        super().__init__(["self_attn"], n_head, d_key, d_value, d_model, d_inner_hid, prepostprocess_dropout, attention_dropout,
                         relu_dropout, preprocess_cmd, postprocess_cmd, ffn_fc1_act)

    def forward(self, enc_input, attn_bias=None):
        """[N, T, d_model] to the same."""
        return self._around(2, self.ffn, self._around(1, self.self_attn, enc_input, None, None, attn_bias))


class TransformerEncoder(Layer):
    """Encoder layers and a last preprocessor (2.0 alpha; successor: paddle.nn.TransformerEncoder)."""

    def __init__(self, n_layer, n_head, d_key, d_value, d_model, d_inner_hid, prepostprocess_dropout=0.1, attention_dropout=0.1,
                 relu_dropout=0.1, preprocess_cmd="n", postprocess_cmd="da", ffn_fc1_act="relu"):
        super().__init__()
        self.encoder_layers = [self.add_sublayer(f"layer_{k}", TransformerEncoderLayer(
            n_head, d_key, d_value, d_model, d_inner_hid, prepostprocess_dropout, attention_dropout, relu_dropout, preprocess_cmd,
            postprocess_cmd, ffn_fc1_act)) for k in range(n_layer)]
        self.processer = PrePostProcessLayer(preprocess_cmd, d_model, prepostprocess_dropout)

    def forward(self, enc_input, attn_bias=None):
        """[N, T, d_model] to the same."""
        for layer in self.encoder_layers:
            enc_input = layer(enc_input, attn_bias)
        return self.processer(enc_input)


class TransformerDecoderLayer(_Block):
    """Self-attention, attention to an encoder, a feed-forward part (2.0 alpha; successor: paddle.nn.TransformerDecoderLayer)."""

    def __init__(self, n_head, d_key, d_value, d_model, d_inner_hid, prepostprocess_dropout=0.1, attention_dropout=0.1,
                 relu_dropout=0.1, preprocess_cmd="n", postprocess_cmd="da", ffn_fc1_act="relu"):
        super().__init__(["self_attn", "cross_attn"], n_head, d_key, d_value, d_model, d_inner_hid, prepostprocess_dropout,
                         attention_dropout, relu_dropout, preprocess_cmd, postprocess_cmd, ffn_fc1_act)

    def forward(self, dec_input, enc_output, self_attn_bias=None, cross_attn_bias=None, cache=None):
        """[N, T, d_model] to the same; ``cache`` is a dict of earlier steps' keys and values."""
        x = self._around(1, self.self_attn, dec_input, None, None, self_attn_bias, cache)
        return self._around(3, self.ffn, self._around(2, self.cross_attn, x, enc_output, enc_output, cross_attn_bias, cache))


class TransformerDecoder(Layer):
    """Decoder layers and a last preprocessor (2.0 alpha; successor: paddle.nn.TransformerDecoder)."""

    def __init__(self, n_layer, n_head, d_key, d_value, d_model, d_inner_hid, prepostprocess_dropout=0.1, attention_dropout=0.1,
                 relu_dropout=0.1, preprocess_cmd="n", postprocess_cmd="da", ffn_fc1_act="relu"):
        super().__init__()
        self.n_layer, self.n_head, self.d_key, self.d_value = n_layer, n_head, d_key, d_value
        self.decoder_layers = [self.add_sublayer(f"layer_{k}", TransformerDecoderLayer(
            n_head, d_key, d_value, d_model, d_inner_hid, prepostprocess_dropout, attention_dropout, relu_dropout, preprocess_cmd,
            postprocess_cmd, ffn_fc1_act)) for k in range(n_layer)]
        self.processer = PrePostProcessLayer(preprocess_cmd, d_model, prepostprocess_dropout)

    def forward(self, dec_input, enc_output, self_attn_bias=None, cross_attn_bias=None, caches=None):
        """[N, T, d_model] to the same; ``caches`` has a dict for each layer."""
        for k, layer in enumerate(self.decoder_layers):
            dec_input = layer(dec_input, enc_output, self_attn_bias, cross_attn_bias, caches[k] if caches else None)
        return self.processer(dec_input)

    def prepare_static_cache(self, enc_output):
        """For each layer the keys and values of an encoder's output."""
        return [dict(zip(("static_k", "static_v"), layer.cross_attn.cal_kv(enc_output, enc_output)))
                for layer in self.decoder_layers]

    def prepare_incremental_cache(self, enc_output):
        """For each layer empty keys and values, which steps are added to."""
        return [{name: layers.fill_constant_batch_size_like(enc_output, [-1, self.n_head, 0, size], enc_output.dtype, 0)
                 for name, size in (("k", self.d_key), ("v", self.d_value))} for _ in range(self.n_layer)]


class TransformerCell(RNNCell):
    """A decoder as a cell whose states are its caches, for beam search (2.0 alpha; successor: none).

    Args:
        decoder (TransformerDecoder): or, without ``embedding_fn``, a layer that takes words and positions.
        embedding_fn (callable or None): words and positions to inputs.
        output_fn (callable or None): outputs to scores of words.
    """

    def __init__(self, decoder, embedding_fn=None, output_fn=None):
        super().__init__()
        self.decoder, self.embedding_fn, self.output_fn = decoder, embedding_fn, output_fn

    def forward(self, inputs, states=None, enc_output=None, trg_slf_attn_bias=None, trg_src_attn_bias=None, static_caches=()):
        """(scores, caches) of one step for ``inputs``, a pair of words and positions; a step sees all earlier ones, so that
        ``trg_slf_attn_bias`` must be None."""
        if trg_slf_attn_bias is not None:
            raise ValueError("TransformerCell(): trg_slf_attn_bias must be None: a step attends to all earlier ones")
        if states and static_caches:
            for cache, static in zip(states, static_caches):
                cache.update(static)
        begin = list(inputs) if self.embedding_fn is None else [self.embedding_fn(*inputs)]
        outputs = self.decoder(*begin, enc_output, None, trg_src_attn_bias, states)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        return outputs, [{"k": cache["k"], "v": cache["v"]} for cache in states] if states else states

    @property
    def state_shape(self):
        """Shapes of the caches, which grow from length 0."""
        decoder = self.decoder
        return [{"k": [decoder.n_head, 0, decoder.d_key], "v": [decoder.n_head, 0, decoder.d_value]}
                for _ in range(decoder.n_layer)]


class TransformerBeamSearchDecoder(BeamSearchDecoder):
    """Beam search over a TransformerCell, whose states grow along the axis ``var_dim_in_state`` (2.0 alpha; successor: none)."""

    def __init__(self, cell, start_token, end_token, beam_size, var_dim_in_state):
        super().__init__(cell, start_token, end_token, beam_size)
        self.var_dim_in_state = var_dim_in_state

    def _reshaped(self, x, at, rows, sizes):
        """x with its axes before ``at`` reshaped to [rows, *sizes]; those behind may be empty, or of unknown sizes."""
        behind = len(x.shape) - at
        x = layers.transpose(x, [*range(at, len(x.shape)), *range(at)])
        x = layers.reshape(x, [*x.shape[:behind], rows, *sizes] if rows > 0 else [*[0] * behind, -1, *sizes])
        return layers.transpose(x, [*range(behind, len(x.shape)), *range(behind)])

    def _merge_batch_beams(self, x):
        """[batch, beams, ...] as [batch * beams, ...]."""
        at = min(self.var_dim_in_state + 1, len(x.shape))
        return self._reshaped(x, at, x.shape[0] * self.beam_size, x.shape[2:at])

    def _split_batch_beams(self, x):
        """[batch * beams, ...] as [batch, beams, ...]."""
        at = min(self.var_dim_in_state, len(x.shape))
        return self._reshaped(x, at, x.shape[0] // self.beam_size, [self.beam_size, *x.shape[1:at]])

    def step(self, time, inputs, states, **kwargs):
        """(outputs, new states, next inputs, finished) after one more token."""
        inputs = layers.reshape(inputs, [-1, 1])
        caches = states.cell_states
        merged = pack(caches, [self._merge_batch_beams(x) for x in flatten(caches)])
        outputs, caches = self.cell((inputs, layers.ones_like(inputs) * time), merged, **kwargs)
        outputs = layers.squeeze(outputs, [1]) if len(outputs.shape) == 3 else outputs
        caches = pack(caches, [self._split_batch_beams(x) for x in flatten(caches)])
        outputs, state = self._beam_search_step(time, self._split_batch_beams(outputs), caches, states)
        return outputs, state, outputs.predicted_ids, state.finished
