"""Attention."""

import numpy as np

from ...core.errors import own_errors
from ...core.op import Symbolic
from ...ops.linalg import matmul as linalg
from ...ops.manipulation import joining
from ...ops.manipulation import reshape as manip
from ...ops.math import arithmetic
from ...ops.nn import attention, softmax
from ...tensor.convert import as_tensor, cast, numpy_dtype
from ...utils import naming
from .dropout import dropout

__all__ = ["scaled_dot_product_attention", "sparse_attention"]


def masked(dtype):
    """What is added where a bool mask says no: a number that the type of the scores holds."""
    return -1e9 if np.dtype(dtype) != np.float16 else -3e4


def additive(mask, dtype):
    """A mask to add to scores, from one of booleans (True: attend), of integers (not 0: attend) or of floats."""
    if numpy_dtype(mask).kind in "biu":
        return (cast(mask, dtype) - 1.0) * -masked(dtype)
    return cast(mask, dtype)


def attend(query, key, value, mask, scale, causal, rate, training, weights=False):
    """Attention of [batch, heads, length, size]; (result, weights or None). ``mask`` is added."""
    rate = rate if training else 0.0
    if not weights and not any(isinstance(t, Symbolic) for t in (query, key, value, mask)):
        return attention.dot_attention(query, key, value, mask, scale, causal, float(rate))[0], None
    scores = linalg.matmul(query * scale, key, False, True)
    if mask is not None:
        scores = arithmetic.add(scores, mask)
    if causal:
        seen = attention._scores_mask(query.shape[2], key.shape[2])
        kind = numpy_dtype(query)
        scores = arithmetic.add(scores, as_tensor(((seen - 1.0) * -masked(kind)).astype(kind), "attention"))
    share = softmax.softmax(scores, -1)
    if rate:
        share = dropout(share, rate, training=training, mode="upscale_in_train")
    return linalg.matmul(share, value), share


def same_heads(query, key, value, axis, enable_gqa, function):
    """Key and value with as many heads as the query, each repeated if those are a multiple (grouped queries)."""
    heads, groups = query.shape[axis], key.shape[axis]
    if heads == groups:
        return key, value
    if not enable_gqa or groups < 1 or heads % groups or value.shape[axis] != groups:
        raise ValueError(f"{function}(): query has {heads} heads, key {groups}, value {value.shape[axis]}; they must be equal"
                         + (", or those of query a multiple" if enable_gqa else ""))
    return tuple(joining.repeat_interleave(tensor, None, heads // groups, axis) for tensor in (key, value))


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, training=True, name=None, *,
                                 backend=None, scale=None, enable_gqa=True):
    """softmax(query key^T / sqrt(size) + mask) value, for [batch, length, heads, size].

    Args:
        attn_mask: booleans (True: attend) or numbers to add, broadcast to [batch, heads, queries, keys].
        dropout_p: fraction of the weights set to 0 in training.
        is_causal: may a query only attend to keys up to its own position?
        backend: None or "p2p"; what is computed is the same.
        scale: factor of the scores, 1 / sqrt(size) by default.
        enable_gqa: may query have a multiple of the heads of key and value?

    >>> q = paddle.ones([1, 3, 2, 4])
    >>> paddle.nn.functional.scaled_dot_product_attention(q, q, q).shape
    [1, 3, 2, 4]
    """
    who = "scaled_dot_product_attention"
    tensors = [as_tensor(t, who, n) for t, n in ((query, "query"), (key, "key"), (value, "value"))]
    for t, n in zip(tensors, ("query", "key", "value")):
        if len(t.shape) != 4:
            raise ValueError(f"{who}(): {n} must be [batch, length, heads, size], got shape {list(t.shape)}")
    if backend not in (None, "p2p"):
        raise ValueError(f"{who}(): backend must be None or 'p2p', got {backend!r}")
    if not 0 <= dropout_p <= 1:
        raise ValueError(f"{who}(): dropout_p must be in [0, 1], got {dropout_p}")
    if attn_mask is not None and is_causal:
        raise ValueError(f"{who}(): attn_mask and is_causal exclude each other")
    mask = None if attn_mask is None else additive(as_tensor(attn_mask, who, "attn_mask"), numpy_dtype(tensors[0]))
    tensors[1:] = same_heads(*tensors, 2, enable_gqa, who)
    q, k, v = (manip.transpose(t, [0, 2, 1, 3]) for t in tensors)
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    out, _ = attend(q, k, v, mask, scale, bool(is_causal), dropout_p, training)
    return naming.named(manip.transpose(out, [0, 2, 1, 3]), name)


@own_errors
def sparse_attention(query, key, value, sparse_csr_offset, sparse_csr_columns, key_padding_mask=None, attn_mask=None,
                     name=None):
    """Attention of [batch, heads, length, size] where row i looks only at the columns that a CSR pattern lists.

    Args:
        sparse_csr_offset, sparse_csr_columns: [batch, heads, length + 1] and [batch, heads, listed].
        key_padding_mask: [batch, length], 0 where a key is not looked at.
        attn_mask: [length, length], 0 where a query does not look at a key.

    >>> x = paddle.to_tensor([[[[1.], [2.]]]])
    >>> offset, columns = paddle.to_tensor([[[0, 1, 2]]]), paddle.to_tensor([[[0, 1]]])
    >>> paddle.nn.functional.sparse_attention(x, x, x, offset, columns).flatten().tolist()
    [1.0, 2.0]
    """
    who = "sparse_attention"
    q, k, v = (as_tensor(t, who, n) for t, n in ((query, "query"), (key, "key"), (value, "value")))
    dtype = numpy_dtype(q)
    allowed = attention.csr_rows(as_tensor(sparse_csr_offset, who, "sparse_csr_offset"),
                                 as_tensor(sparse_csr_columns, who, "sparse_csr_columns"), k.shape[2])
    seen = cast(allowed, dtype)
    if key_padding_mask is not None:
        keys = cast(as_tensor(key_padding_mask, who, "key_padding_mask") != 0, dtype)
        seen = arithmetic.multiply(seen, keys.unsqueeze([1, 2]))
    if attn_mask is not None:
        seen = arithmetic.multiply(seen, cast(as_tensor(attn_mask, who, "attn_mask") != 0, dtype))
    scores = linalg.matmul(q * q.shape[-1] ** -0.5, k, False, True) + (seen - 1.0) * -masked(numpy_dtype(q))
    return naming.named(linalg.matmul(arithmetic.multiply(softmax.softmax(scores, -1), seen), v), name)
