"""Losses over all alignments of a sequence with its labels: CTC and the transducer (RNN-T)."""

import numpy as np

from ...core.context import process
from ...core.steps import dense
from ..composed import composed
from ..manipulation.gather_scatter import take_along_axis
from ..manipulation.joining import stack
from ..manipulation.pad import pad_around
from ..manipulation.slicing import basic_get
from ..math import arithmetic
from ..math.cumulative import cumsum, logcumsumexp
from ..math.reduction import sum as sum_of
from ..math.stat import logsumexp
from ..nn.grid_sample import plain
from ..nn.softmax import log_softmax
from ..short import through_float32

IMPOSSIBLE = -1e30  # log of a probability of nothing; finite, so that differences of two of them are numbers


def _lengths(lengths, count, longest, function, argument):
    values = np.ravel(plain(lengths)).astype(np.int64)
    if values.size != count or values.size and (values.min() < 0 or values.max() > longest):
        raise ValueError(f"{function}(): {argument} must be {count} numbers from 0 to {longest}, got {values.tolist()}")
    return values


def _batch(logits, label, logits_length, label_length, blank):
    """(labels, times, sizes) of a batch of CTC as int64 arrays, checked."""
    if len(logits.shape) != 3 or len(label.shape) != 2 or label.shape[0] != logits.shape[1]:
        raise ValueError(f"ctc_loss(): logits must be [T, N, C] and labels [N, L], got {list(logits.shape)} and "
                         f"{list(label.shape)}")
    if logits_length is None or label_length is None:
        raise ValueError("ctc_loss(): logits and labels need their lengths (packed sequences are not supported)")
    steps, count, classes = logits.shape
    labels = np.ascontiguousarray(plain(label)).astype(np.int64, copy=False)
    times = _lengths(logits_length, count, steps, "ctc_loss", "input_lengths")
    sizes = _lengths(label_length, count, labels.shape[1], "ctc_loss", "label_lengths")
    inside = labels[np.arange(labels.shape[1]) < sizes[:, None]]
    if not 0 <= blank < classes or (inside.size and not 0 <= inside.min() <= inside.max() < classes):
        raise ValueError(f"ctc_loss(): blank and labels must be in [0, {classes})")
    return labels, times, sizes


def _row(x, t):
    return basic_get(x, (t,))


@composed("warpctc(Logits, Label, LogitsLength?, LabelLength?) -> Loss, WarpCTCGrad?", family="own", amp="black",
    shapes="? b ? -> b 1")
def warpctc(logits, label, logits_length=None, label_length=None, blank=0, norm_by_times=False):
    """-log of the probability of all paths through logits [T, N, C] that spell each row of label [N, L]; [N, 1]."""
    labels, times, sizes = _batch(logits, label, logits_length, label_length, blank)
    steps, count, classes = logits.shape
    dtype = plain(logits).dtype
    inside = np.arange(labels.shape[1]) < sizes[:, None]
    states = 2 * labels.shape[1] + 1
    spelled = np.full((count, states), blank, np.int64)
    spelled[:, 1::2] = np.where(inside, labels, blank)
    jump = np.full((count, states), IMPOSSIBLE)  # from two states before: only between different labels
    jump[:, 3::2] = np.where(spelled[:, 3::2] != spelled[:, 1:-2:2], 0, IMPOSSIBLE)
    jump[:, 1:2] = 0
    valid = np.where(np.arange(states) < 2 * sizes[:, None] + 1, 0, IMPOSSIBLE).astype(dtype)
    emitted = take_along_axis(log_softmax(logits, -1), np.broadcast_to(spelled, (steps, *spelled.shape)).copy(), -1)
    start = np.where(np.arange(states) < 2, 0, IMPOSSIBLE).astype(dtype) + valid
    alpha = arithmetic.add(_row(emitted, 0), start)
    none = np.full((count, 1), IMPOSSIBLE, dtype)
    away = {k: np.concatenate([np.repeat(none, k, 1), np.zeros((count, states - k), dtype)], 1) for k in (1, 2)}
    for t in range(1, steps):
        one = pad_around(basic_get(alpha, (slice(None), slice(0, states - 1))), ((0, 0), (1, 0))) + away[1]
        ways = [alpha, one]
        if states > 2:
            two = pad_around(basic_get(alpha, (slice(None), slice(0, states - 2))), ((0, 0), (2, 0))) + away[2]
            ways.append(two + jump.astype(dtype))
        new = logsumexp(stack(ways, 0), 0) + _row(emitted, t) + valid
        running = (t < times)[:, None].astype(dtype)
        alpha = new * running + alpha * (1 - running)
    last = np.where((np.arange(states) == 2 * sizes[:, None]) | (np.arange(states) == 2 * sizes[:, None] - 1), 0, IMPOSSIBLE)
    loss = logsumexp(arithmetic.add(alpha, last.astype(dtype)), 1).reshape([count, 1]) * -1.0
    if norm_by_times:  # the value stays, the gradient is divided
        share = (1 / np.maximum(times, 1)).astype(dtype)[:, None]
        loss = loss * share + plain(loss) * (1 - share)
    return loss


def _is_fast(logits, *others):
    return logits.dtype.char in "fd" and logits.ndim == 3 and logits.size and others[0].ndim == 2


def _are_possible(loss):
    """Has every sequence a path? What the loss is otherwise, and its gradient, is what the text above makes of IMPOSSIBLE."""
    return bool((loss < -IMPOSSIBLE / 2).all())


@warpctc.kernel(when=_is_fast, noted=False)
def _(k, logits, label, logits_length, label_length, blank, norm_by_times):
    loss = k.ctc(dense(logits), *_batch(logits, label, logits_length, label_length, blank), blank)
    return loss.astype(logits.dtype).reshape(-1, 1) if _are_possible(loss) else NotImplemented


@warpctc.first_order
def _(needs, gs, logits, label, logits_length, label_length, blank, norm_by_times):
    """All paths forward and back at once, sequence by sequence on all threads."""
    if not _is_fast(logits, label):
        return NotImplemented
    labels, times, sizes = _batch(logits, label, logits_length, label_length, blank)
    scale = gs[0].reshape(-1).astype(np.float64) / (np.maximum(times, 1) if norm_by_times else 1)
    loss, grad = process.native.ctc(dense(logits), labels, times, sizes, blank, scale)
    return (grad, None, None, None) if _are_possible(loss) else NotImplemented


@composed("warprnnt(input, label, input_lengths, label_lengths) -> loss, warprnntgrad?", family="own", shapes="b *x -> b")
def warprnnt(input, label, input_lengths, label_lengths, blank=0, fastemit_lambda=0.0):
    """-log of the probability of all paths through the lattice that spell label [B, U]; [B].

    input [B, T, U + 1, V] holds log-probabilities.
    """
    if len(input.shape) != 4 or list(label.shape) != [input.shape[0], input.shape[2] - 1]:
        raise ValueError(f"rnnt_loss(): input must be [B, T, U + 1, V] and label [B, U], got {list(input.shape)} and "
                         f"{list(label.shape)}")
    count, steps, wide, classes = input.shape
    dtype = plain(input).dtype
    labels = np.asarray(plain(label)).astype(np.int64)
    times = _lengths(input_lengths, count, steps, "rnnt_loss", "input_lengths")
    sizes = _lengths(label_lengths, count, wide - 1, "rnnt_loss", "label_lengths")
    if not 0 <= blank < classes or (labels.size and not 0 <= labels.min() <= labels.max() < classes):
        raise ValueError(f"rnnt_loss(): blank and labels must be in [0, {classes})")
    stay = basic_get(input, (Ellipsis, blank))  # [B, T, U + 1]
    at = np.broadcast_to(labels[:, None, :, None], (count, steps, wide - 1, 1)).copy()
    emit = take_along_axis(basic_get(input, (slice(None), slice(None), slice(0, wide - 1))), at, -1).reshape(
        [count, steps, wide - 1])
    if fastemit_lambda:  # emitting early pays: a steeper gradient, the same value
        emit = emit + (emit - plain(emit)) * fastemit_lambda
    passed = pad_around(cumsum(emit, 2), ((0, 0), (0, 0), (1, 0)))  # log of emitting everything up to u at time t
    alpha = basic_get(passed, (slice(None), 0))
    for t in range(1, steps):
        base = basic_get(passed, (slice(None), t))
        new = logcumsumexp(alpha + basic_get(stay, (slice(None), t - 1)) - base, 1) + base
        running = (t < times)[:, None].astype(dtype)
        alpha = new * running + alpha * (1 - running)
    final = np.zeros((count, steps, wide), dtype)
    final[np.arange(count), np.maximum(times - 1, 0), sizes] = 1
    end = (np.arange(wide) == sizes[:, None]).astype(dtype)
    return (sum_of(alpha * end, 1) + sum_of(arithmetic.multiply(stay, final), (1, 2))) * -1.0


through_float32(warpctc, warprnnt)
