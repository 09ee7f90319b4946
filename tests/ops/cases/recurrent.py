"""Recurrence and labels over packed sequences, beams, sampled classes."""

import itertools

import numpy as np
from opcase import OpCase, bad, const, f, i, pos

from cases.sequences import KEEP, LOD, parts
from paddle.ops.loss import sampled_softmax as sampled


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_ref(x, h0, c0, w, b, lod, use_peepholes=True, is_reverse=False, project=None):
    d, hidden, cells = x.shape[1] // 4, [], []
    b = b.ravel()
    to_i, to_f, to_o = (b[k * d:k * d + d] if use_peepholes else np.zeros(d) for k in (4, 5, 6))
    for n, s in enumerate(parts(x, lod)):
        h = np.zeros(w.shape[0]) if h0 is None else h0[n]
        c = np.zeros(d) if c0 is None else c0[n]
        out = []
        for row in s[::-1] if is_reverse else s:
            z = row + h @ w + b[:4 * d]
            c, before = 0, c
            i_, f_ = sigmoid(z[d:2 * d] + before * to_i), sigmoid(z[2 * d:3 * d] + before * to_f)
            c = f_ * before + i_ * np.tanh(z[:d])
            h = sigmoid(z[3 * d:] + c * to_o) * np.tanh(c)
            h = h if project is None else np.tanh(h @ project)
            out.append((h, c))
        for h, c in out[::-1] if is_reverse else out:
            hidden.append(h)
            cells.append(c)
    return [np.array(hidden).astype(x.dtype), np.array(cells).astype(x.dtype)]


def lstm_unit_ref(x, c, forget_bias):
    taken, forget, out, candidate = np.split(x, 4, axis=1)
    cell = sigmoid(forget + forget_bias) * c + sigmoid(taken) * np.tanh(candidate)
    return [cell, sigmoid(out) * np.tanh(cell)]


def gru_unit_ref(x, h, w, b=None, origin_mode=False):
    d = h.shape[1]
    flat = w.ravel()
    x = x if b is None else x + b.reshape(1, -1)
    gates = sigmoid(x[:, :2 * d] + h @ flat[:2 * d * d].reshape(d, 2 * d))
    u, r = gates[:, :d], gates[:, d:]
    c = np.tanh(x[:, 2 * d:] + (r * h) @ flat[2 * d * d:].reshape(d, d))
    return [np.concatenate([gates, c], 1), r * h, u * h + (1 - u) * c if origin_mode else (1 - u) * h + u * c]


def gru_ref(x, h0, w, b, lod, is_reverse=False):
    out = []
    for n, s in enumerate(parts(x, lod)):
        h, some = h0[n:n + 1], []
        for row in s[::-1] if is_reverse else s:
            h = gru_unit_ref(row[None], h, w, b)[2]
            some.append(h[0])
        out += some[::-1] if is_reverse else some
    return np.array(out)


def path_score(x, w, path):
    return w[0, path[0]] + w[1, path[-1]] + sum(x[t, k] for t, k in enumerate(path)) + sum(
        w[a + 2, b] for a, b in zip(path, path[1:]))


def crf_ref(x, w, label, length, lod):
    """The sum over all paths, one by one."""
    out = []
    for s, tags in zip(parts(x, lod), parts(label.ravel(), lod)):
        every = [path_score(s, w, p) for p in itertools.product(range(x.shape[1]), repeat=len(s))]
        out.append([np.log(np.exp(every).sum()) - path_score(s, w, tags)])
    return np.array(out)


def viterbi_ref(x, w, label, length, lod):
    best = [max(itertools.product(range(x.shape[1]), repeat=len(s)), key=lambda p: path_score(s, w, p)) for s in parts(x, lod)]
    return np.concatenate(best).reshape(-1, 1)


def nearest_ref(x, y, x_length, y_length, x_lod, y_lod, normalized):
    def distance(a, b):
        if not len(a) or not len(b):
            return max(len(a), len(b))
        return min(distance(a[:-1], b) + 1, distance(a, b[:-1]) + 1, distance(a[:-1], b[:-1]) + (a[-1] != b[-1]))
    pairs = list(zip(parts(x.ravel(), x_lod), parts(y.ravel(), y_lod)))
    return [np.array([len(pairs)]), np.array([[distance(a, b) / (len(b) if normalized else 1)] for a, b in pairs], "float32")]


def data_norm_ref(scale, shift, x, size, total, square, enable_scale_and_shift=False):
    y = (x - total / size) * np.sqrt(size / square)
    return y * scale + shift if enable_scale_and_shift else y


def sampled_ref(x, samples, true):
    expected = np.log((samples + 2) / (samples + 1)) / np.log(x.shape[1] + 1) * (samples.shape[1] - true)
    out = np.take_along_axis(x, samples, 1) - np.log(expected)
    return np.where((np.arange(samples.shape[1]) >= true) & (samples == samples[:, :1]), out - 1e20, out).astype(x.dtype)


IDS, OTHER = const([[1], [2], [3], [4], [5], [1]], "int64"), const([[1], [3], [4], [4], [5], [6], [1]], "int64")
SHORT = [const([0, 2, 3, 5], "int64")]
STEPS = [const([1, 0, 2], "int64"), const([0, 3, 5, 1, 4, 2], "int64"), const([0, 3, 5, 6], "int64"), const([1], "int64")]
CASES = [
    OpCase("lstm", [f(6, 8), f(3, 2), f(3, 2), f(2, 8), f(1, 14), LOD], ref=lstm_ref, tol=1e-4, unknown=False, **KEEP,
           errors=[bad(ValueError, f(6, 8), None, None, f(2, 8), f(1, 8), LOD, match="peepholes", named=False)]),
    OpCase("lstm", [f(6, 8), None, None, f(2, 8), f(1, 8), LOD], use_peepholes=False, is_reverse=True, ref=lstm_ref, tol=1e-4,
           unknown=False, **KEEP),
    OpCase("lstmp", [f(6, 8), None, None, f(3, 8), f(2, 3), f(1, 14), LOD], tol=1e-4, unknown=False, **KEEP,
           ref=lambda x, h, c, w, p, b, lod: lstm_ref(x, h, c, w, b, lod, project=p)),
    OpCase("gru", [f(6, 6), f(3, 2), f(2, 6), f(1, 6), LOD], is_reverse=True, ref=gru_ref, tol=1e-4, unknown=False, **KEEP,
           errors=[bad(ValueError, f(6, 6), None, f(3, 6), None, LOD, match="weight", named=False)]),
    OpCase("lstm_unit", [f(3, 8), f(3, 2)], forget_bias=0.5, ref=lstm_unit_ref, tol=1e-4, unknown=False, **KEEP,
           errors=[bad(ValueError, f(3, 6), f(3, 2), match="4 * width")]),
    OpCase("mean_iou", [const([0, 1, 1, 3], "int64"), const([0, 1, 0, 3], "int64")], num_classes=5, unknown=False,
           grad=False, **KEEP, ref=lambda got, wanted, num_classes: [
               np.array([(1 / 2 + 1 / 2 + 1) / 3], "float32"), np.array([1, 1, 0, 0, 0], "int32"), np.array([1, 1, 0, 1, 0], "int32")],
           errors=[bad(ValueError, const([5], "int64"), const([0], "int64"), num_classes=5, match="must be in")]),
    OpCase("gru_unit", [f(3, 6), f(3, 2), f(2, 6), f(1, 6)], ref=gru_unit_ref, tol=1e-4, unknown=False, **KEEP,
           errors=[bad(ValueError, f(3, 5), f(3, 2), f(2, 6))]),
    OpCase("gru_unit", [f(3, 6), f(3, 2), f(2, 6)], origin_mode=True, ref=gru_unit_ref, tol=1e-4, unknown=False, **KEEP),
    OpCase("lod_rank_table", [f(6, 2), [const([0, 2, 5, 6], "int64")]], grad=False, **KEEP,
           ref=lambda x, lod: [np.array([1, 0, 2]), np.array([2, 0, 5, 3, 1, 4]), np.array([0, 3, 5, 6]), np.array([0, 2, 5, 6])],
           errors=[bad(ValueError, f(6, 2), [const([0, 2, 6], "int64")], match="level 1", level=1)]),
    OpCase("max_sequence_len", [STEPS[0], STEPS[1:3]], grad=False, ref=lambda table, steps: np.array([3]), **KEEP),
    OpCase("shrink_rnn_memory", [f(3, 2), STEPS[0], STEPS[3], None, STEPS[1:3]], **KEEP,
           ref=lambda x, table, step, lod, steps: x[:2]),
    OpCase("shrink_rnn_memory", [f(6, 2), STEPS[0], STEPS[3], LOD, STEPS[1:3]], **KEEP,
           ref=lambda x, table, step, lod, steps: [x[:4], np.array([0, 3, 4])]),
    OpCase("reorder_lod_tensor_by_rank", [f(3, 2), STEPS[0]], ref=lambda x, order: x[[1, 0, 2]], unknown=False, **KEEP),
    OpCase("reorder_lod_tensor_by_rank", [f(6, 2), STEPS[0], LOD], unknown=False, **KEEP,
           ref=lambda x, order, lod: [x[[3, 0, 1, 2, 4, 5]], np.array([0, 1, 4, 6])]),
    OpCase("step_reorder", [f(6, 2), const([1, 2], "int64"), LOD], unknown=False, **KEEP,
           ref=lambda x, order, lod: [x[[3, 4, 5]], np.array([0, 1, 3])]),
    OpCase("linear_chain_crf", [f(6, 3), f(5, 3), const([[0], [1], [2], [2], [0], [1]], "int64"), None, LOD, LOD], tol=1e-4,
           ref=lambda x, w, label, length, lod, label_lod: crf_ref(x, w, label, length, lod), unknown=False, **KEEP,
           errors=[bad(ValueError, f(6, 3), f(4, 3), i(6, 1, high=3), None, LOD, LOD, match="transition")]),
    OpCase("crf_decoding", [f(6, 3), f(5, 3), None, None, LOD], grad=False, ref=viterbi_ref, unknown=False, **KEEP),
    OpCase("crf_decoding", [f(2, 4, 3), f(5, 3), None, const([4, 2], "int64")], grad=False, unknown=False, **KEEP,
           ref=lambda x, w, label, length: np.stack([
               np.pad(viterbi_ref(x[k, :n], w, None, None, [np.array([0, n])])[:, 0], (0, 4 - n)) for k, n in enumerate(length)])),
    OpCase("edit_distance", [IDS, OTHER, None, None, LOD, [const([0, 2, 6, 7], "int64")]], normalized=True, ref=nearest_ref, **KEEP,
           grad=False, errors=[bad(ValueError, IDS, IDS, None, None, LOD, [const([0, 6], "int64")], match="sequences")]),
    OpCase("sequence_erase", [IDS, LOD], tokens=[1, 4], grad=False, **KEEP,
           ref=lambda x, lod, tokens: [x[[1, 2, 4]], np.array([0, 2, 2, 3])]),
    OpCase("ctc_align", [const([[0], [2], [2], [0], [5], [5]], "int64"), None, LOD], grad=False, **KEEP,
           ref=lambda x, length, lod: [np.array([[2], [5]]), np.array([[1], [0], [1]]), np.array([0, 1, 1, 2])]),
    OpCase("ctc_align", [const([[0, 2, 2, 3], [1, 0, 1, 1]], "int64"), const([[4], [3]], "int64")], padding_value=9, grad=False,
           **KEEP, ref=lambda x, length, padding_value: [np.array([[2, 3, 9, 9], [1, 1, 9, 9]]), np.array([[2], [2]])]),
    OpCase("chunk_eval", [const([[0], [1], [4], [2], [3], [0]], "int64"), const([[0], [4], [4], [2], [2], [0]], "int64"), None, LOD,
                          LOD], num_chunk_types=2, chunk_scheme="IOB", grad=False, **KEEP,
           ref=lambda x, y, length, lod, y_lod, num_chunk_types, chunk_scheme: [
               np.array([v], "float32") for v in (0.75, 0.75, 0.75)] + [np.array([n]) for n in (4, 4, 3)],
           errors=[bad(ValueError, i(6, 1), i(6, 1), None, LOD, LOD, chunk_scheme="IO", match="chunk_scheme")]),
    OpCase("beam_search", [const([[1], [2], [0]], "int64"), const([[-1.0], [-2.0], [-0.5]]), const([[3, 4], [3, 5], [1, 2]], "int64"),
                           const([[-1.2, -3.0], [-2.1, -2.2], [-9.0, -9.5]]), None, [const([0, 2, 3], "int64")]],
           beam_size=2, end_id=0, grad=False, unknown=False, **KEEP,
           ref=lambda pre, reached, ids, scores, p, lod, beam_size, end_id: [
               np.array([[3], [3]]), np.array([[-1.2], [-2.1]], scores.dtype), np.array([0, 1]), np.array([0, 2, 3]),
               np.array([0, 1, 2, 2])],
           errors=[bad(ValueError, i(2, 1), f(2, 1), i(2, 3), f(2, 3), None, LOD, match="prefixes")]),
    OpCase("class_samples", [const([[3], [0]], "int64")], count=4, total=6, grad=False, **KEEP,
           check=lambda out, label: tuple(out.shape) == (2, 5) and (out[:, :1] == label).all() and len(set(out[0, 1:].tolist())) == 4
           and (out[0, 1:] == out[1, 1:]).all() and 0 <= out.min() <= out.max() < 6,
           errors=[bad(ValueError, const([[7]], "int64"), count=2, total=6, match="labels"),
                   bad(ValueError, const([[1]], "int64"), count=7, total=6, match="drawn")]),
    OpCase("sampled_logits", [f(2, 6), const([[3, 1, 2], [0, 2, 4]], "int64")], true=1, ref=sampled_ref, **KEEP),
    OpCase(lambda x, s: sampled.sampled_logits(x, s)[:, 2] < -1e19, [f(2, 6), const([[3, 1, 3], [0, 2, 4]], "int64")], grad=False,
           ref=lambda x, s: np.array([True, False]), rejects_text=False, **KEEP),
    OpCase("data_norm", [None, None, f(4, 3), const([4.0, 2.0, 3.0]), f(3), pos(3)], ref=data_norm_ref, grad=[0],
           unknown=False, rejects_text=False, **KEEP, errors=[bad(NotImplementedError, None, None, f(4, 3), f(3), f(3), f(3), sync_stats=True)]),
    OpCase("data_norm", [f(3), f(3), f(4, 3), const([4.0, 2.0, 3.0]), f(3), pos(3)], enable_scale_and_shift=True, grad=[0, 1, 2],
           unknown=False, rejects_text=False, ref=data_norm_ref, **KEEP),
]
