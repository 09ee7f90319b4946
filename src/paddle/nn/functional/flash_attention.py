"""Attention under the names that programs for GPUs use; on a CPU it is computed as any other, by one kernel."""

import contextlib

from ...core.errors import ArgumentError
from ...tensor.convert import as_tensor, numpy_dtype
from ...tensor.creation import arange
from ...tensor.joining import concat
from ...tensor.product import matmul
from ...tensor.reduction import logsumexp
from ...utils import naming
from .attention import additive, attend, same_heads, scaled_dot_product_attention

__all__ = []


@contextlib.contextmanager
def sdp_kernel(enable_math=False, enable_flash=True, enable_mem_efficient=True):
    """Say which of a GPU's three kernels attention inside the ``with`` block may use; on a CPU there is one, which stands for each.

    Raises:
        ValueError: all three are forbidden.

    >>> q = paddle.ones([1, 2, 1, 4])
    >>> with paddle.nn.functional.sdp_kernel(enable_math=True, enable_flash=False):
    ...     paddle.nn.functional.scaled_dot_product_attention(q, q, q).shape
    [1, 2, 1, 4]
    """
    if not (enable_math or enable_flash or enable_mem_efficient):
        raise ArgumentError("sdp_kernel(): one of enable_math, enable_flash and enable_mem_efficient must be True")
    yield


def flash_attention(query, key, value, dropout=0.0, causal=False, return_softmax=False, *, fixed_seed_offset=None, rng_name="",
                    training=True, name=None, softmax_scale=None):
    """(softmax(query key^T softmax_scale) value, None), for [batch, length, heads, size]; the scale is 1 / sqrt(size) by default.

    ``fixed_seed_offset`` and ``rng_name`` choose random numbers on GPUs; here they must be left out.

    >>> q = paddle.ones([1, 3, 2, 4])
    >>> out, _ = paddle.nn.functional.flash_attention.flash_attention(q, q, q, causal=True)
    >>> out.shape
    [1, 3, 2, 4]
    """
    _check(return_softmax, fixed_seed_offset, rng_name, "flash_attention")
    out = scaled_dot_product_attention(query, key, value, None, dropout, causal, training, scale=softmax_scale), None
    return naming.named(out, name)


def _select_sdp(head_dim):
    """The way of computing attention for heads of a size: on CPUs there is one."""
    return "math"


def flash_attn_unpadded(query, key, value, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, scale, dropout=0.0,
                        causal=False, return_softmax=False, fixed_seed_offset=None, rng_name="", training=True, name=None):
    """(attention of each sequence to its own keys, None), for sequences one after the other: [all lengths, heads, size].

    Args:
        cu_seqlens_q, cu_seqlens_k: where the sequences start, and where the last one ends.
        max_seqlen_q, max_seqlen_k: the greatest lengths, which are checked.
        scale: what scores are multiplied by.

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


def _span(rows, start, end):
    return rows >= start if end is None else (rows >= start).logical_and(rows < end)


def _hidden(indices, rows, causal, function):
    """True where rows of a column are hidden: between bounds given for each column, [batch, heads, keys, bounds]."""
    bounds = [t.unsqueeze(2).astype("int64") for t in indices.unbind(-1)]
    if causal and len(bounds) in (1, 2):
        return _span(rows, bounds[0], bounds[1] if len(bounds) == 2 else None)
    if not causal and len(bounds) == 2:
        return _span(rows, bounds[0], None).logical_or(rows < bounds[1])
    if not causal and len(bounds) == 4:
        return _span(rows, *bounds[:2]).logical_or(_span(rows, *bounds[2:]))
    raise ValueError(f"{function}(): startend_row_indices must have {'1 or 2' if causal else '2 or 4'} bounds for each key with "
                     f"causal={causal}, got shape {list(indices.shape)}")


def flashmask_attention(query, key, value, startend_row_indices=None, *, dropout=0.0, causal=False, window_size=None,
                        return_softmax_lse=False, return_seed_offset=False, fixed_seed_offset=None, rng_name="", training=True,
                        name=None, softmax_scale=None, block_mask=None):
    """Attention of [batch, length, heads, size] where each key says which rows of queries do not see it; such rows alone give 0.

    Args:
        startend_row_indices: [batch, 1 or heads of key, keys, bounds]. With ``causal`` a key is hidden from the row of the first
            bound on (one bound), up to that of the second (two). Otherwise from the first bound on and above the second (two),
            or between the first two and between the others (four).
        causal: does a query see only keys up to its own place?
        window_size: how far a query sees to both sides, or a pair (back, ahead); excludes startend_row_indices.
        return_softmax_lse: give (result, logarithm of the sum of the exponentials, [batch, heads, queries]).
        softmax_scale: factor of the scores, 1 / sqrt(size) by default.
        block_mask: which blocks of 128 queries and 128 keys are seen at all, [batch, heads of startend_row_indices, ...].

    ``return_seed_offset``, ``fixed_seed_offset`` and ``rng_name`` choose random numbers on GPUs; here they must be left out.

    >>> x = paddle.to_tensor([[[[1.0]], [[2.0]], [[3.0]]]])
    >>> ends = paddle.to_tensor([2, 3, 3], dtype="int32").reshape([1, 1, 3, 1])
    >>> paddle.nn.functional.flashmask_attention(x * 0.0, x, x, ends, causal=True).flatten().tolist()
    [1.0, 1.5, 2.5]
    """
    who = "flashmask_attention"
    _check(return_seed_offset, fixed_seed_offset, rng_name, who, "return_seed_offset")
    query, key, value = (as_tensor(t, who, n) for t, n in ((query, "query"), (key, "key"), (value, "value")))
    queries, keys, heads = query.shape[1], key.shape[1], query.shape[2]
    rows, columns = arange(queries).reshape([1, 1, -1, 1]), arange(keys).reshape([1, 1, 1, -1])
    place = rows + (keys - queries)  # of a query among the keys
    hidden = columns > place if causal else columns < 0
    if window_size is not None:
        if startend_row_indices is not None:
            raise ValueError(f"{who}(): window_size and startend_row_indices exclude each other")
        back, ahead = (window_size, window_size) if isinstance(window_size, int) else window_size
        hidden = hidden.logical_or(columns < place - back).logical_or(columns > place + (0 if causal else ahead))
    if startend_row_indices is not None:
        indices = as_tensor(startend_row_indices, who, "startend_row_indices")
        if len(indices.shape) != 4 or indices.shape[1] not in (1, key.shape[2], heads) or indices.shape[2] != keys:
            raise ValueError(f"{who}(): startend_row_indices must be [batch, 1 or {key.shape[2]}, {keys}, bounds], got "
                             f"{list(indices.shape)}")
        hidden = hidden.logical_or(_hidden(indices, rows, causal, who))
        if block_mask is not None:
            blocks = as_tensor(block_mask, who, "block_mask") == 0
            hidden = hidden.logical_or(blocks.repeat_interleave(128, 2)[:, :, :queries].repeat_interleave(128, 3)[..., :keys])
    elif block_mask is not None:
        raise ValueError(f"{who}(): block_mask needs startend_row_indices")
    if hidden.shape[1] not in (1, heads):
        hidden = hidden.repeat_interleave(heads // hidden.shape[1], 1)
    key, value = same_heads(query, key, value, 2, True, who)
    q, k, v = (t.transpose([0, 2, 1, 3]) for t in (query, key, value))
    scale = q.shape[-1] ** -0.5 if softmax_scale is None else float(softmax_scale)
    seen = hidden.logical_not()
    mask = additive(seen, numpy_dtype(q))
    out, _ = attend(q, k, v, mask, scale, False, dropout, training)
    any_seen = seen.any(-1, keepdim=True)
    out = naming.named((out * any_seen.astype(out.dtype)).transpose([0, 2, 1, 3]), name)
    if not return_softmax_lse:
        return out
    return out, logsumexp(matmul(q * scale, k, False, True) + mask, -1)


def _check(given, fixed_seed_offset, rng_name, function, argument="return_softmax"):
    if given:
        raise NotImplementedError(f"{function}(): {argument}=True is not supported; neither weights nor such offsets are formed")
    if fixed_seed_offset is not None or rng_name:
        raise NotImplementedError(f"{function}(): fixed_seed_offset and rng_name are of GPUs; use paddle.seed")
