"""Attention of text generation to keys and values that are kept: in one cache, or in blocks of one that sequences share."""

from ...core.autograd import no_grad
from ...nn.functional.attention import attend
from ...tensor.convert import as_tensor
from ...tensor.functions import arange, concat, stack, zeros

__all__ = ["blha_get_max_len", "block_multihead_attention", "masked_multihead_attention"]


def _refuse(function, **given):
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"{function}(): {name} is not supported; leave it out")


def _refuse_quantised(function, out_scale, compute_dtype, **scales):
    _refuse(function, **scales)
    if out_scale > 0:
        raise NotImplementedError(f"{function}(): quantised results (out_scale {out_scale!r}) are not supported")
    if compute_dtype not in ("default", "fp16", "bf16", "fp32"):
        raise ValueError(f"{function}(): compute_dtype must be 'default', 'fp16', 'bf16' or 'fp32', got {compute_dtype!r}")


def _turned(x, cos, sin, halves, parts=1):
    """x [..., size] with pairs turned by the angles of cos and sin: neighbours, or first and second half of each part."""
    x32 = x.astype("float32") if str(x.dtype) in ("float16", "bfloat16", "paddle.float16", "paddle.bfloat16") else x
    cos, sin = cos.astype(x32.dtype), sin.astype(x32.dtype)
    if halves:
        cut = x32.reshape([*x.shape[:-1], parts, 2, -1])
        across = stack([-cut[..., 1, :], cut[..., 0, :]], -2).reshape(x.shape)
    else:
        across = stack([-x32[..., 1::2], x32[..., 0::2]], -1).reshape(x.shape)
    return (x32 * cos + across * sin).astype(x.dtype)


def _one_query(q, keys, values, mask):
    """Attention of one token, [heads, size], to [heads of key, length, size]; mask is [heads or 1, length], or None."""
    q, keys, values = q.unsqueeze([0, 2]), keys.unsqueeze(0), values.unsqueeze(0)
    return _grouped(q, keys, values, None if mask is None else mask.unsqueeze([0, 2]), False).flatten()


def _grouped(q, keys, values, mask, causal):
    """Attention of [1, heads, queries, size]; the heads may be a multiple of those of keys and values."""
    groups = q.shape[1] // keys.shape[1]
    if groups > 1:
        keys, values = (t.repeat_interleave(groups, 1) for t in (keys, values))
    mask = None if mask is None else mask.astype(q.dtype)
    return attend(q, keys, values, mask, q.shape[-1] ** -0.5, causal, 0.0, False)[0]


@no_grad()
def masked_multihead_attention(x, cache_kv=None, bias=None, src_mask=None, cum_offsets=None, sequence_lengths=None,
                               rotary_tensor=None, beam_cache_offset=None, qkv_out_scale=None, out_shift=None, out_smooth=None,
                               seq_len=1, rotary_emb_dims=0, use_neox_rotary_style=False, compute_dtype="default", out_scale=-1,
                               quant_round_type=1, quant_max_bound=127.0, quant_min_bound=-127.0):
    """(attention of one new token of each sequence to those before it and itself, the cache, which is changed in place).

    Args:
        x: queries, keys and values of the tokens, [batch, (heads + 2 * heads of key) * size].
        cache_kv: keys and values so far, [2, batch, heads of key, greatest length, size]; the new ones are written into it.
        bias: added to x, [3, heads, size].
        src_mask: added to the scores, [batch, 1 or heads, 1, length].
        sequence_lengths: how many tokens each sequence has so far, [batch, 1]; for None one less than src_mask is long.
        rotary_tensor: cos and sin for the tokens, [2, batch, 1, 1, size].
        rotary_emb_dims: 0 for none; else the number of parts that are turned on their own.
        use_neox_rotary_style: pairs are of the first and second half; otherwise neighbours.

    Quantised numbers, beams (``beam_cache_offset``) and packed results (``cum_offsets``) are refused.

    >>> cache = paddle.zeros([2, 1, 2, 8, 4])
    >>> x, lengths = paddle.ones([1, 24]), paddle.to_tensor([[0]])
    >>> out, cache = paddle.incubate.nn.functional.masked_multihead_attention(x, cache, sequence_lengths=lengths)
    >>> out.shape, cache[0, 0, 0, :2, 0].tolist()
    ([1, 8], [1.0, 0.0])
    """
    who = "masked_multihead_attention"
    _refuse_quantised(who, out_scale, compute_dtype, qkv_out_scale=qkv_out_scale, out_shift=out_shift, out_smooth=out_smooth)
    _refuse(who, beam_cache_offset=beam_cache_offset, cum_offsets=cum_offsets)
    if seq_len != 1:
        raise ValueError(f"{who}(): seq_len must be 1, the new token, got {seq_len!r}")
    x = as_tensor(x, who, "x")
    if cache_kv is None or len(cache_kv.shape) != 5 or cache_kv.shape[0] != 2 or cache_kv.shape[1] != x.shape[0]:
        raise ValueError(f"{who}(): cache_kv must be [2, {x.shape[0]}, heads, length, size], got "
                         f"{None if cache_kv is None else list(cache_kv.shape)}")
    batch, groups, most, size = cache_kv.shape[1:]
    heads = x.shape[1] // size - 2 * groups
    if heads < 1 or heads % groups or x.shape[1] != (heads + 2 * groups) * size:
        raise ValueError(f"{who}(): x {list(x.shape)} does not hold heads of {size} for {groups} heads of cache_kv")
    if bias is not None:
        x = x + bias.reshape([1, -1])
    q, k, v = x.reshape([batch, heads + 2 * groups, size]).split([heads, groups, groups], 1)
    if rotary_emb_dims:
        if rotary_tensor is None:
            raise ValueError(f"{who}(): rotary_emb_dims {rotary_emb_dims} needs rotary_tensor")
        cos, sin = rotary_tensor.reshape([2, batch, 1, size])
        q, k = (_turned(t, cos, sin, use_neox_rotary_style, rotary_emb_dims) for t in (q, k))
    if sequence_lengths is None and src_mask is None:
        raise ValueError(f"{who}(): give sequence_lengths or src_mask, which tell where the new token is")
    steps = [src_mask.shape[3] - 1] * batch if sequence_lengths is None else sequence_lengths.flatten().tolist()
    if not 0 <= min(steps) <= max(steps) < most:
        raise ValueError(f"{who}(): the new tokens are at {steps}, but cache_kv holds {most}")
    rows = []
    for row, step in enumerate(steps):
        cache_kv[0, row, :, step], cache_kv[1, row, :, step] = k[row], v[row]
        mask = None if src_mask is None else src_mask[row, :, 0, :step + 1]
        rows.append(_one_query(q[row], cache_kv[0, row, :, :step + 1], cache_kv[1, row, :, :step + 1], mask))
    return stack(rows), cache_kv


class _Blocks:
    """Keys and values of several sequences, in blocks that a table lists by sequence."""

    def __init__(self, keys, values, table):
        self.keys, self.values, self.table, self.size = keys, values, table.astype("int64"), keys.shape[2]

    def _places(self, row, positions):
        return self.table[row][positions // self.size], positions % self.size

    def write(self, row, positions, keys, values):
        """Store keys and values, [tokens, heads, size], at positions of a sequence."""
        blocks, places = self._places(row, positions)
        self.keys[blocks, :, places], self.values[blocks, :, places] = keys, values

    def read(self, row, count):
        """The first keys and values of a sequence, [heads, count, size]."""
        blocks, places = self._places(row, arange(count))
        return [cache[blocks, :, places].transpose([1, 0, 2]) for cache in (self.keys, self.values)]


def _rotated(tokens, heads, rope, row, positions, halves):
    """Queries and keys, [tokens, heads, size], turned by the angles of their positions."""
    table = rope[:, row if rope.shape[1] > 1 else 0].reshape([2, rope.shape[2], -1])
    cos, sin = (t.index_select(positions) for t in (table[0], table[1]))
    if not halves:  # one angle for two neighbours
        cos, sin = (t.repeat_interleave(2, 1) for t in (cos, sin))
    return concat([_turned(tokens[:, :heads], cos.unsqueeze(1), sin.unsqueeze(1), halves), tokens[:, heads:]], 1)


@no_grad()
def block_multihead_attention(qkv, key_cache, value_cache, seq_lens_encoder, seq_lens_decoder, seq_lens_this_time, padding_offsets,
                              cum_offsets, cu_seqlens_q, cu_seqlens_k, block_tables, pre_key_cache=None, pre_value_cache=None,
                              cache_k_quant_scales=None, cache_v_quant_scales=None, cache_k_dequant_scales=None,
                              cache_v_dequant_scales=None, qkv_out_scale=None, qkv_bias=None, out_shift=None, out_smooth=None,
                              max_enc_len_this_time=None, max_dec_len_this_time=None, rope_emb=None, mask=None, tgt_mask=None,
                              max_seq_len=-1, block_size=64, use_neox_style=False, use_dynamic_cachekv_quant=False,
                              quant_round_type=1, quant_max_bound=127.0, quant_min_bound=-127.0, out_scale=-1,
                              compute_dtype="default", rope_theta=10000.0):
    """(result, qkv, key_cache, value_cache): attention of packed tokens, whose keys and values are kept in blocks.

    Sequences of ``seq_lens_encoder`` above 0 are read for the first time, causally; the others get one more token each, behind the
    ``seq_lens_decoder`` ones that are in the cache. qkv (with bias and angles) and both caches are changed in place.

    Args:
        qkv: [tokens, (heads + 2 * heads of key) * size], the sequences one after the other.
        key_cache, value_cache: [blocks, heads of key, block_size, size].
        seq_lens_this_time: how many tokens of each sequence there are in qkv; ``cu_seqlens_q`` says where they start.
        block_tables: which blocks a sequence has, in order, [batch, blocks of one].
        pre_key_cache, pre_value_cache: seen by all tokens of a sequence besides, [batch, heads of key, length, size].
        qkv_bias: added to each token.
        rope_emb: cos and sin by place, [2, batch or 1, length, 1, size / 2], with ``use_neox_style`` of size.
        mask: added to the scores of first readings in place of the causal one, [batch, 1, length, length].
        tgt_mask: added to the scores of single tokens, [batch, 1, 1, length].

    The offsets of padding, lengths that follow from others and ``rope_theta`` (beside ``rope_emb``) are not needed here. Quantised
    numbers are refused.

    >>> cache, ids = paddle.zeros([2, 1, 4, 2]), lambda *n: paddle.to_tensor(n, dtype="int32")
    >>> out, *_ = paddle.incubate.nn.functional.block_multihead_attention(
    ...     paddle.ones([3, 6]), cache, paddle.zeros([2, 1, 4, 2]), ids(3), ids(0), ids(3), None, None, ids(0, 3), ids(0, 3),
    ...     ids(1).reshape([1, 1]), block_size=4)
    >>> out.shape, cache[:, 0, :, 0].tolist()
    ([3, 2], [[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]])
    """
    who = "block_multihead_attention"
    _refuse_quantised(who, out_scale, compute_dtype, qkv_out_scale=qkv_out_scale, out_shift=out_shift, out_smooth=out_smooth,
                      cache_k_quant_scales=cache_k_quant_scales, cache_v_quant_scales=cache_v_quant_scales,
                      cache_k_dequant_scales=cache_k_dequant_scales, cache_v_dequant_scales=cache_v_dequant_scales,
                      use_dynamic_cachekv_quant=use_dynamic_cachekv_quant or None)
    groups, room, size = key_cache.shape[1:]
    if room != block_size:
        raise ValueError(f"{who}(): block_size is {block_size}, but the blocks of key_cache hold {room}")
    heads = qkv.shape[1] // size - 2 * groups
    if heads < 1 or heads % groups or qkv.shape[1] != (heads + 2 * groups) * size:
        raise ValueError(f"{who}(): qkv {list(qkv.shape)} does not hold heads of {size} for {groups} heads of key_cache")
    if qkv_bias is not None:
        qkv[:] = qkv + qkv_bias.reshape([1, -1])
    out, cache = zeros([qkv.shape[0], heads * size], qkv.dtype), _Blocks(key_cache, value_cache, block_tables)
    lengths = zip(*(t.flatten().tolist() for t in (seq_lens_encoder, seq_lens_decoder, seq_lens_this_time)))
    starts = cu_seqlens_q.flatten().tolist()
    for row, (first, kept, count) in enumerate(lengths):
        if not count:
            continue
        if not first and count != 1:
            raise NotImplementedError(f"{who}(): sequence {row} gets {count} tokens behind others; one at a time is supported")
        here = slice(starts[row], starts[row] + count)
        begin = 0 if first else kept
        if begin + count > block_tables.shape[1] * room:
            raise ValueError(f"{who}(): sequence {row} has {begin + count} tokens, its blocks hold {block_tables.shape[1] * room}")
        positions = arange(begin, begin + count)
        tokens = qkv[here].reshape([count, heads + 2 * groups, size])
        if rope_emb is not None:
            tokens = _rotated(tokens, heads + groups, rope_emb, row, positions, use_neox_style)
            qkv[here] = tokens.reshape([count, -1])
        q, k, v = tokens.split([heads, groups, groups], 1)
        cache.write(row, positions, k, v)
        q = q.transpose([1, 0, 2]).unsqueeze(0)
        if first:
            keys, values = k.transpose([1, 0, 2]), v.transpose([1, 0, 2])
            added = None if mask is None else mask[row, :, :count]
        else:
            keys, values = cache.read(row, begin + 1)
            added = None if tgt_mask is None else tgt_mask[row]
        if pre_key_cache is not None:
            keys, values = concat([pre_key_cache[row], keys], 1), concat([pre_value_cache[row], values], 1)
        added = None if added is None else added[..., :keys.shape[1]].unsqueeze(0)
        found = _grouped(q, keys.unsqueeze(0), values.unsqueeze(0), added, added is None)
        out[here] = found.squeeze(0).transpose([1, 0, 2]).reshape([count, -1])
    return out, qkv, key_cache, value_cache


def blha_get_max_len(seq_lens_encoder, seq_lens_decoder, batch_size):
    """The greatest of each of the two lengths, [1] each, for ``block_multihead_attention``; batch_size is a tensor that is as long.

    >>> lengths = paddle.to_tensor([3, 5]), paddle.to_tensor([0, 2])
    >>> [n.tolist() for n in paddle.incubate.nn.functional.blha_get_max_len(*lengths, paddle.ones([2]))]
    [[5], [2]]
    """
    who = "blha_get_max_len"
    batch_size = as_tensor(batch_size, who, "batch_size")
    if not batch_size.shape:
        raise ValueError(f"{who}(): batch_size must be a tensor with an entry for each sequence, got shape []")
    encoder, decoder = as_tensor(seq_lens_encoder, who, "seq_lens_encoder"), as_tensor(seq_lens_decoder, who, "seq_lens_decoder")
    return tuple(lengths.flatten()[:batch_size.shape[0]].max().reshape([1]) for lengths in (encoder, decoder))
