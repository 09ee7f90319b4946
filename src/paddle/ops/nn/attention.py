"""Scaled dot-product attention in one op, on the native kernel where there is one."""

import math

import numpy as np

from ...core.op import op
from ...core.sharding import matched
from ...core.steps import dense, interpreter
from ..linalg.matmul import matmul
from ..manipulation.reshape import transpose
from ..math import reduction as reduce
from ..math.arithmetic import sum_to
from ..random import draws
from ..short import rule_in_float32, through_float32
from .dropout import apply_mask


def _scores_mask(queries, keys):
    """True where a query may look: keys up to its own place, counted from the end."""
    return np.arange(keys) <= np.arange(queries)[:, None] + keys - queries


def _attended(q, k, v, dropout):
    weights = q.like((*q.shape[:-1], k.shape[-2]))
    return q.like((*q.shape[:-1], v.shape[-1])), weights, weights.like(dtype=bool) if dropout else None


def _cut(op, inputs, attrs):
    """Batches and heads may be cut; with dropout not, since all ranks would draw the same numbers for different heads."""
    return None if attrs["dropout"] else matched("B H q d, B H k d, B H k d, B H q k -> B H q d, B H q k, B H q k", inputs)


@op("dot_attention(Q, K, V, Mask?) -> Out, Softmax, Keep", family="own", sharding=_cut, random="dropout", amp="white",
    shapes=_attended,
    flops=lambda args, outs: 2 * math.prod(outs[1].shape) * args[0].shape[-1])
def dot_attention(q, k, v, mask=None, scale=1.0, causal=False, dropout=0.0):
    """softmax(scale q k^T + mask) v for [batch, heads, length, size]; also the weights and which of them dropout kept."""
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * q.dtype.type(scale)
    if mask is not None:
        scores = scores + mask.astype(q.dtype)
    if causal:
        scores = np.where(_scores_mask(q.shape[2], k.shape[2]), scores, q.dtype.type(-np.inf))
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = weights.sum(-1, keepdims=True)
    weights = weights / np.where(total > 0, total, 1)
    if not dropout:
        return np.matmul(weights, v), weights, None
    keep = draws.kept(0, weights.shape, dropout)
    return np.matmul(weights * keep / q.dtype.type(1 - dropout), v), weights, keep


def _fast(q, k, v, mask, scale, causal, dropout):
    return (q.dtype.char in "fd" and q.dtype == k.dtype == v.dtype and q.ndim == 4
            and min(q.size, k.size, v.size) > 0 and dropout < 1)


def _dense_rows(x):
    return x if x.strides[-1] == x.itemsize or x.shape[-1] == 1 else dense(x)


@dot_attention.kernel(when=_fast, noted=False)
def _(run, q, k, v, mask, scale, causal, dropout):
    if mask is not None:
        mask = np.ascontiguousarray(mask.reshape((1,) * (4 - mask.ndim) + mask.shape), q.dtype)
    keep = draws.kept(0, (*q.shape[:3], k.shape[2]), dropout) if dropout else None
    return (*run.attention(_dense_rows(q), _dense_rows(k), _dense_rows(v), mask, scale, causal, dropout, keep), keep)


def _turned(x):
    return transpose(x, [0, 1, 3, 2])


@dot_attention.vjp(takes_none=True)
@rule_in_float32("q", "k", "v", "mask")
def _(needs, g, out, q, k, v, mask, scale, dropout):
    weights, keep = out[1], out[2]
    run = None if g[1] is not None or needs[3] else interpreter(g[0])
    if run is not None and q.dtype.char in "fd" and q.ndim == 4 and min(q.size, k.size, v.size) > 0:
        return (*run.attention_backward(_dense_rows(q), _dense_rows(k), _dense_rows(v), weights, _dense_rows(g[0]), scale, keep,
                                        dropout), None)
    kept = weights if keep is None else apply_mask(weights, keep, dropout)
    d_v = d_weights = None
    if g[0] is not None:
        d_v = matmul(_turned(kept), g[0])
        d_weights = matmul(g[0], _turned(v))
        if keep is not None:
            d_weights = apply_mask(d_weights, keep, dropout)
    if g[1] is not None:
        d_weights = g[1] if d_weights is None else d_weights + g[1]
    inner = d_weights * weights
    d_scores = inner - weights * reduce.sum(inner, -1, True)
    d_mask = sum_to(d_scores, tuple(mask.shape)) if needs[3] else None
    return matmul(d_scores, k) * scale, matmul(_turned(d_scores), q) * scale, d_v, d_mask


@op("csr_rows(Offset, Columns) -> Out", family="dynamic")
def csr_rows(offset, columns, size=1):
    """True at the listed columns of every row: [B, H, M + 1] offsets and [B, H, nnz] columns to [B, H, M, size]."""
    b, h, rows = offset.shape[0], offset.shape[1], offset.shape[2] - 1
    out = np.zeros((b, h, rows, size), bool)
    for i, j in np.ndindex(b, h):
        counts = np.diff(offset[i, j])
        at = columns[i, j, :int(offset[i, j, -1])]
        if (counts < 0).any() or (at.size and (at.min() < 0 or at.max() >= size)):
            raise ValueError(f"offsets must rise and columns be in [0, {size})")
        out[i, j, np.repeat(np.arange(rows), counts), at] = True
    return out


through_float32(dot_attention, like_first=True)
