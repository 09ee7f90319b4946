"""Attention without a matrix of all weights in memory: what ``scaled_dot_product_attention`` does here anyway."""

from ...nn.functional.attention import additive, attend
from ...tensor.convert import as_tensor, numpy_dtype
from ...tensor.functions import arange, transpose
from .attn_bias import AttentionBias, BlockDiagonalCausalMask  # noqa: F401  (packages take the mask from here)

__all__ = ["memory_efficient_attention", "variable_length_memory_efficient_attention"]


def memory_efficient_attention(query, key, value, attn_bias=None, p=0.0, scale=None, training=True):
    """softmax(query key^T scale + attn_bias) value, for [batch, length, heads, size].

    >>> from paddle.incubate.nn.memory_efficient_attention import memory_efficient_attention
    >>> x = paddle.ones([1, 3, 2, 4])
    >>> memory_efficient_attention(x, x, x).shape
    [1, 3, 2, 4]
    """
    who = "memory_efficient_attention"
    q, k, v = (transpose(as_tensor(t, who, n), [0, 2, 1, 3]) for t, n in ((query, "query"), (key, "key"), (value, "value")))
    if isinstance(attn_bias, AttentionBias):
        attn_bias = attn_bias.materialize([*q.shape[:3], k.shape[2]], q.dtype)
    mask = None if attn_bias is None else additive(as_tensor(attn_bias, who, "attn_bias"), numpy_dtype(q))
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    return transpose(attend(q, k, v, mask, scale, False, p, training)[0], [0, 2, 1, 3])


def variable_length_memory_efficient_attention(query, key, value, seq_lens, kv_seq_lens, mask=None, scale=None, causal=False,
                                               pre_cache_length=0):
    """Attention of [batch, heads, length, size] over the first ``kv_seq_lens`` keys; queries from ``seq_lens`` on give 0.

    >>> x, lengths = paddle.ones([2, 1, 3, 4]), paddle.to_tensor([3, 1])
    >>> out = paddle.incubate.nn.functional.variable_length_memory_efficient_attention(x, x, x, lengths, lengths)
    >>> out[:, 0, :, 0].tolist()
    [[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]]
    """
    who = "variable_length_memory_efficient_attention"
    q, k, v = (as_tensor(t, who, n) for t, n in ((query, "query"), (key, "key"), (value, "value")))
    if any(len(t.shape) != 4 for t in (q, k, v)):
        raise ValueError(f"{who}(): query, key and value must be [batch, heads, length, size], got {list(q.shape)}, "
                         f"{list(k.shape)} and {list(v.shape)}")
    ends = as_tensor(seq_lens, who, "seq_lens").reshape([-1, 1, 1, 1])
    key_ends = as_tensor(kv_seq_lens, who, "kv_seq_lens").reshape([-1, 1, 1, 1])
    rows, columns = arange(q.shape[2]).reshape([1, 1, -1, 1]), arange(k.shape[2]).reshape([1, 1, 1, -1])
    seen = columns < key_ends.astype("int64")
    if causal:
        seen = seen.logical_and(columns <= rows + int(pre_cache_length))
    bias = additive(seen, numpy_dtype(q))
    bias = bias if mask is None else bias + as_tensor(mask, who, "mask")[:, :, :q.shape[2], :k.shape[2]].astype(q.dtype)
    out, _ = attend(q, k, v, bias, q.shape[-1] ** -0.5 if scale is None else float(scale), False, 0.0, False)
    return out * (rows < ends.astype("int64")).astype(out.dtype)
