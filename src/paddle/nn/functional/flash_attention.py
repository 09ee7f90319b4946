"""Attention under the names that programs for GPUs use; on a CPU it is computed as any other, by one kernel."""

from ...tensor.convert import as_tensor
from ...tensor.joining import concat
from ...utils import naming
from .attention import scaled_dot_product_attention

__all__ = []


def flash_attention(query, key, value, dropout=0.0, causal=False, return_softmax=False, *, fixed_seed_offset=None, rng_name="",
                    training=True, name=None, softmax_scale=None):
    """(softmax(query key^T softmax_scale) value, None), for [batch, length, heads, size]; the scale is 1 / sqrt(size) by default.

    ``fixed_seed_offset`` and ``rng_name`` choose random numbers on GPUs; here they must be left out.

    >>> import paddle
    >>> q = paddle.ones([1, 3, 2, 4])
    >>> out, _ = paddle.nn.functional.flash_attention.flash_attention(q, q, q, causal=True)
    >>> out.shape
    [1, 3, 2, 4]
    """
    _check(return_softmax, fixed_seed_offset, rng_name, "flash_attention")
    out = scaled_dot_product_attention(query, key, value, None, dropout, causal, training, scale=softmax_scale), None
    return naming.named(out, name)


def flash_attn_unpadded(query, key, value, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, scale, dropout=0.0,
                        causal=False, return_softmax=False, fixed_seed_offset=None, rng_name="", training=True, name=None):
    """(attention of each sequence to its own keys, None), for sequences one after the other: [all lengths, heads, size].

    Args:
        cu_seqlens_q, cu_seqlens_k: where the sequences start, and where the last one ends.
        max_seqlen_q, max_seqlen_k: the greatest lengths, which are checked.
        scale: what scores are multiplied by.

    >>> import paddle
    >>> q, starts = paddle.ones([5, 2, 4]), paddle.to_tensor([0, 2, 5])
    >>> paddle.nn.functional.flash_attention.flash_attn_unpadded(q, q, q, starts, starts, 3, 3, 0.5)[0].shape
    [5, 2, 4]
    """
    who = "flash_attn_unpadded"
    _check(return_softmax, fixed_seed_offset, rng_name, who)
    query, key, value = (as_tensor(t, who, n) for t, n in ((query, "query"), (key, "key"), (value, "value")))
    rows, columns = (as_tensor(t, who, n).tolist() for t, n in ((cu_seqlens_q, "cu_seqlens_q"), (cu_seqlens_k, "cu_seqlens_k")))
    if len(rows) != len(columns) or len(rows) < 2:
        raise ValueError(f"{who}(): cu_seqlens_q and cu_seqlens_k must have one number more than there are sequences, got "
                         f"{len(rows)} and {len(columns)}")
    for starts, most, argument in ((rows, max_seqlen_q, "max_seqlen_q"), (columns, max_seqlen_k, "max_seqlen_k")):
        if max(b - a for a, b in zip(starts, starts[1:])) > int(most):
            raise ValueError(f"{who}(): {argument} is {int(most)}, but a sequence is longer: they start at {starts}")
    query = query * (float(scale) * query.shape[-1] ** 0.5)  # the call below divides by the root
    parts = []
    for a, b, c, d in zip(rows, rows[1:], columns, columns[1:]):
        parts.append(scaled_dot_product_attention(query[a:b].unsqueeze(0), key[c:d].unsqueeze(0), value[c:d].unsqueeze(0), None,
                                                  dropout, causal, training).squeeze(0))
    return naming.named((concat(parts, 0), None), name)


def _unpacked(qkv, axes, function):
    """Query, key and value of [..., groups + 2, heads of key, size]: the groups are the heads of the query."""
    qkv = as_tensor(qkv, function, "qkv")
    if len(qkv.shape) != axes or qkv.shape[-3] < 3:
        raise ValueError(f"{function}(): qkv must have {axes} axes, the third from the end of at least 3, got {list(qkv.shape)}")
    groups, heads, size = qkv.shape[-3:]
    query, key, value = qkv.split([groups - 2, 1, 1], -3)
    query = query.reshape([*qkv.shape[:-3], (groups - 2) * heads, size])
    return query, key.squeeze(-3), value.squeeze(-3)


def flash_attn_qkvpacked(qkv, dropout=0.0, causal=False, return_softmax=False, *, fixed_seed_offset=None, rng_name="",
                         training=True, name=None):
    """``flash_attention`` of one tensor [batch, length, heads / heads of key + 2, heads of key, size].

    >>> import paddle
    >>> paddle.nn.functional.flash_attn_qkvpacked(paddle.ones([1, 3, 4, 2, 8]))[0].shape
    [1, 3, 4, 8]
    """
    return flash_attention(*_unpacked(qkv, 5, "flash_attn_qkvpacked"), dropout, causal, return_softmax,
                           fixed_seed_offset=fixed_seed_offset, rng_name=rng_name, training=training, name=name)


def flash_attn_varlen_qkvpacked(qkv, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, scale, dropout=0.0, causal=False,
                                return_softmax=False, fixed_seed_offset=None, rng_name="", varlen_padded=True, training=True,
                                name=None):
    """``flash_attn_unpadded`` of one tensor [all lengths, heads / heads of key + 2, heads of key, size].

    ``varlen_padded=True`` says that every sequence takes ``max_seqlen`` rows; then the starts must say the same.

    >>> import paddle
    >>> starts = paddle.to_tensor([0, 2, 5])
    >>> qkv = paddle.ones([5, 3, 2, 8])
    >>> paddle.nn.functional.flash_attn_varlen_qkvpacked(qkv, starts, starts, 3, 3, 0.5, varlen_padded=False)[0].shape
    [5, 2, 8]
    """
    who = "flash_attn_varlen_qkvpacked"
    query, key, value = _unpacked(qkv, 4, who)
    if varlen_padded and query.shape[0] != as_tensor(cu_seqlens_q, who, "cu_seqlens_q").tolist()[-1]:
        raise NotImplementedError(f"{who}(): varlen_padded=True with rows between the sequences is not supported; leave them out "
                                  "and give varlen_padded=False")
    return flash_attn_unpadded(query, key, value, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, scale, dropout, causal,
                               return_softmax, fixed_seed_offset, rng_name, training, name)


def _check(return_softmax, fixed_seed_offset, rng_name, function):
    if return_softmax:
        raise NotImplementedError(f"{function}(): return_softmax=True is not supported; the weights are never formed")
    if fixed_seed_offset is not None or rng_name:
        raise NotImplementedError(f"{function}(): fixed_seed_offset and rng_name are of GPUs; use paddle.seed")
