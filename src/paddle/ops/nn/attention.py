"""Scaled dot-product attention in one op, on the native kernel where there is one."""

import math

import numpy as np

from ...core.op import op
from ...core.sharding import matched
from ...core.steps import dense, interpreter
from ...kernels.thresholds import ATTENTION_WEIGHTS
from ..linalg.matmul import matmul
from ..manipulation.reshape import transpose
from ..math import reduction as reduce
from ..math.arithmetic import sum_to
from ..random import draws
from ..short import is_short, narrow, rule_in_float32, through_float32, widened
from .dropout import apply_mask


def _scores_mask(queries, keys):
    """True where a query may look: keys up to its own place, counted from the end."""
    return np.arange(keys) <= np.arange(queries)[:, None] + keys - queries


def _keeps_weights(q, k):
    """Are the weights of each head so few that the gradient gets them? Else it gets the logarithm of each row's sum."""
    return q.shape[-2] * k.shape[-2] <= ATTENTION_WEIGHTS


def _attended(q, k, v, dropout):
    rows = q.shape[:-1]
    saved = q.like((*rows, k.shape[-2])) if _keeps_weights(q, k) else q.like(rows, np.result_type(q.dtype, np.float32))
    return q.like((*rows, v.shape[-1])), saved, q.like((*rows, k.shape[-2]), dtype=bool) if dropout else None


def _cut(op, inputs, attrs):
    """Batches and heads may be cut; with dropout not, since all ranks would draw the same numbers for different heads."""
    if attrs["dropout"]:
        return None
    saved = "B H q k" if _keeps_weights(*inputs[:2]) else "B H q"
    return matched(f"B H q d, B H k d, B H k d, B H q k -> B H q d, {saved}, B H q k", inputs)


def _weigh(q, k, mask, scale, causal):
    """softmax(scale q k^T + mask), 0 where a query stands before all keys, and the logarithms of the sums of its powers."""
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * q.dtype.type(scale)
    if mask is not None:
        scores = scores + mask.astype(q.dtype)
    if causal:
        scores = np.where(_scores_mask(q.shape[2], k.shape[2]), scores, q.dtype.type(-np.inf))
    top = scores.max(-1, keepdims=True, initial=-np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.exp(scores - top)  # NaN where a mask hides all keys, as softmax has it
        if causal:
            weights[..., :max(q.shape[2] - k.shape[2], 0), :] = 0
        total = weights.sum(-1, keepdims=True)
        logs = top + np.log(total)
    return weights / np.where(total == 0, 1, total), logs[..., 0]


@op("attention_weights(Q, K, Mask?) -> Weights", family="own", sharding=None, amp="white",
    shapes=lambda q, k: q.like((*q.shape[:-1], k.shape[-2])))
def attention_weights(q, k, mask=None, scale=1.0, causal=False):
    """The weights of ``dot_attention``, which its gradient asks for where they are not kept and a gradient of it is wanted."""
    return _weigh(q, k, mask, scale, causal)[0]


@op("dot_attention(Q, K, V, Mask?) -> Out, Saved, Keep", family="own", sharding=_cut, random="dropout", amp="white",
    shapes=_attended, flops=lambda args, outs: 2 * math.prod(args[0].shape) * args[1].shape[-2])
def dot_attention(q, k, v, mask=None, scale=1.0, causal=False, dropout=0.0):
    """softmax(scale q k^T + mask) v for [batch, heads, length, size]; also what the gradient needs, and what dropout kept."""
    weights, logs = _weigh(q, k, mask, scale, causal)
    saved = weights if _keeps_weights(q, k) else logs
    if not dropout:
        return np.matmul(weights, v), saved, None
    keep = draws.kept(0, weights.shape, dropout)
    return np.matmul(apply_mask(weights, keep, dropout), v), saved, keep


def _fast(q, k, v, mask, scale, causal, dropout, kinds="fd"):
    """Does the kernel take these? What repeats batches, heads or a whole mask does not go there."""
    return (q.dtype.char in kinds and q.dtype == k.dtype == v.dtype and q.ndim == 4
            and min(q.size, k.size, v.size) > 0 and dropout < 1 and q.shape[:2] == k.shape[:2] == v.shape[:2]
            and (mask is None or all(a in (1, b) for a, b in zip(mask.shape[::-1], (k.shape[2], *q.shape[2::-1])))))


def _dense_rows(x):
    return x if x.strides[-1] == x.itemsize or x.shape[-1] == 1 else dense(x)


def _four_axes(mask, dtype):
    return None if mask is None else np.ascontiguousarray(mask.reshape((1,) * (4 - mask.ndim) + mask.shape), dtype)


@dot_attention.kernel(when=_fast, noted=False)
def _(run, q, k, v, mask, scale, causal, dropout):
    keep = draws.kept(0, (*q.shape[:3], k.shape[2]), dropout) if dropout else None
    arrays = _dense_rows(q), _dense_rows(k), _dense_rows(v), _four_axes(mask, q.dtype)
    return (*run.attention(*arrays, scale, causal, dropout, keep, not _keeps_weights(q, k)), keep)


@dot_attention.kernel(when=lambda *args: _fast(*args, kinds="E"), noted=False)
def _(run, q, k, v, mask, scale, causal, dropout):
    """bfloat16 on processors with products of it; sums, softmax and logarithms are float32."""
    if not run.brain_available():  # asked before numbers are drawn
        return NotImplemented
    keep = draws.kept(0, (*q.shape[:3], k.shape[2]), dropout) if dropout else None
    arrays = _dense_rows(q), _dense_rows(k), _dense_rows(v), _four_axes(mask, np.float32)
    return (*run.attention(*arrays, scale, causal, dropout, keep, not _keeps_weights(q, k)), keep)


@dot_attention.kernel(when=lambda q, k, v, mask, *_: any(map(is_short, (q, k, v))), noted=False, native=False)
def _(_, q, k, v, mask, scale, causal, dropout):
    """Other short floats, and bfloat16 elsewhere: in float32, as ``short.py`` does it, but logarithms are not rounded."""
    out, saved, keep = dot_attention.run_arrays([*(widened(x) for x in (q, k, v, mask)), scale, causal, dropout])
    if not is_short(q):
        return out, saved, keep
    return narrow(out, q.dtype), narrow(saved, q.dtype) if _keeps_weights(q, k) else saved, keep


def _turned(x):
    return transpose(x, [0, 1, 3, 2])


def _fitted(gradient, operand):
    """A gradient in the shape of an operand that may have been repeated."""
    return sum_to(gradient, tuple(operand.shape))


def _scores_gradients(needs_mask, d_weights, weights, q, k, mask, scale):
    """Gradients of q, k and the mask from that of the weights."""
    inner = d_weights * weights
    d_scores = inner - weights * reduce.sum(inner, -1, True)
    d_mask = sum_to(d_scores, tuple(mask.shape)) if needs_mask else None
    return _fitted(matmul(d_scores, k) * scale, q), _fitted(matmul(_turned(d_scores), q) * scale, k), d_mask


@attention_weights.vjp
@rule_in_float32("q", "k", "mask")
def _(needs, g, out, q, k, mask, scale):
    return _scores_gradients(needs[2], g, out, q, k, mask, scale)


@dot_attention.vjp(takes_none=True)
def _(needs, g, out, q, k, v, mask, scale, causal, dropout):
    brain = is_short(q) and not needs[3] and interpreter(q) is not None and _fast(q, k, v, mask, scale, causal, dropout, "E")
    if brain and g[0].__class__ is np.ndarray and g[0].dtype == q.dtype:
        found = interpreter(q).attention_backward(
            _dense_rows(q), _dense_rows(k), _dense_rows(v), out[1], _dense_rows(g[0]), scale, out[2], dropout,
            _four_axes(mask, np.float32), causal)
        if found is not NotImplemented:
            return (*found, None)
    return _gradients(needs, g, out, q, k, v, mask, scale, causal, dropout)


@rule_in_float32("q", "k", "v", "mask")
def _gradients(needs, g, out, q, k, v, mask, scale, causal, dropout):
    dy, saved, keep = g[0], out[1], out[2]
    run = None if needs[3] else interpreter(dy)
    if run is not None and _fast(q, k, v, mask, scale, causal, dropout):
        return (*run.attention_backward(_dense_rows(q), _dense_rows(k), _dense_rows(v), saved, _dense_rows(dy), scale, keep,
                                        dropout, _four_axes(mask, q.dtype), causal), None)
    weights = attention_weights(q, k, mask, scale, causal)
    kept = weights if keep is None else apply_mask(weights, keep, dropout)
    d_v, d_weights = _fitted(matmul(_turned(kept), dy), v), matmul(dy, _turned(v))
    if keep is not None:
        d_weights = apply_mask(d_weights, keep, dropout)
    dq, dk, d_mask = _scores_gradients(needs[3], d_weights, weights, q, k, mask, scale)
    return dq, dk, d_v, d_mask


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


through_float32(attention_weights, like_first=True)
