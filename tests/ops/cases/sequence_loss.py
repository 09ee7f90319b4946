"""Attention, losses over alignments, losses over very many classes."""

import itertools

import numpy as np
from opcase import OpCase, bad, const, f, i

import paddle
from paddle.ops.nn import attention

F = "paddle.nn.functional."
LENGTHS = [const([4, 3], "int64"), const([2, 1], "int64")]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attend_ref(q, k, v, mask=None, is_causal=False):
    q, k, v = (t.transpose(0, 2, 1, 3) for t in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores + mask
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
    return (softmax(scores) @ v).transpose(0, 2, 1, 3)


def ctc_ref(x, labels, times, sizes, blank=0, **_):
    """The sum over all paths, one by one."""
    p, losses = softmax(x), []
    for n in range(x.shape[1]):
        total = 0
        for path in itertools.product(range(x.shape[2]), repeat=int(times[n])):
            spelled = [c for c, before in zip(path, (-1, *path)) if c != before and c != blank]
            if spelled == labels[n, :sizes[n]].tolist():
                total += np.prod([p[t, n, c] for t, c in enumerate(path)])
        losses.append(-np.log(total))
    return np.array(losses)


def rnnt_ref(x, labels, times, sizes, **_):
    losses = []
    for n in range(x.shape[0]):
        total, size = 0, int(sizes[n])
        for when in itertools.combinations_with_replacement(range(int(times[n])), size):
            score, u = 0, 0
            for t in range(int(times[n])):
                for _ in range(when.count(t)):
                    score, u = score + x[n, t, u, labels[n, u]], u + 1
                score += x[n, t, u, 0]
            total += np.exp(score)
        losses.append(-np.log(total))
    return np.array(losses)


def tree_ref(x, label, weight, bias, num_classes):
    out = np.zeros((len(x), 1))
    for n, c in enumerate(label):
        code = int(c) + num_classes
        for j in range((2 * num_classes - 1).bit_length() - 1):
            node = (code >> (j + 1)) - 1
            s = x[n] @ weight[node] + bias[node, 0] if node >= 0 else 0.0
            out[n, 0] += np.log1p(np.exp(s)) - (code >> j & 1) * s
    return out


def margin_ref(x, label, margin2, scale):
    x = x.copy()
    at = np.arange(len(x)), label
    x[at] = np.cos(np.arccos(x[at]) + margin2)
    return -np.log(softmax(x * scale)[at])[:, None]


def attended(q, k, v, mask, causal):
    return attention.dot_attention(q, k, v, mask, 0.5, causal)[0]


def attended_ref(q, k, v, mask, causal):
    scores = q @ k.swapaxes(-1, -2) * 0.5 + mask
    seen = np.tril(np.ones(scores.shape[-2:]), scores.shape[-1] - scores.shape[-2])
    return softmax(np.where(seen + (not causal) > 0, scores, -np.inf)) @ v


CASES = [
    OpCase(F + "scaled_dot_product_attention", [f(2, 3, 2, 4), f(2, 5, 2, 4), f(2, 5, 2, 3)], ref=attend_ref, tol=1e-4,
           unknown=False, bits=False, errors=[bad(ValueError, f(2, 3), f(2, 3), f(2, 3))]),
    OpCase(F + "scaled_dot_product_attention", [f(1, 3, 2, 4), f(1, 3, 2, 4), f(1, 3, 2, 4)], is_causal=True, ref=attend_ref,
           tol=1e-4, unknown=False, bits=False),
    OpCase(F + "scaled_dot_product_attention", [f(1, 3, 1, 4), f(1, 3, 1, 4), f(1, 3, 1, 4), f(1, 1, 3, 3)], ref=attend_ref,
           tol=1e-4, unknown=False, bits=False),
    OpCase(attention.attention_weights, [f(1, 2, 3, 4), f(1, 2, 3, 4), f(1, 1, 3, 3)], scale=0.5, unknown=False,
           ref=lambda q, k, mask, scale: softmax(q @ k.swapaxes(-1, -2) * scale + mask)),
    *(OpCase(attended, [f(1, 2, n, 4), f(1, 2, n + 1, 4), f(1, 2, n + 1, 4), f(1, 1, n, n + 1)], causal=causal, tol=1e-4, unknown=False,
             noncontiguous=False, ref=attended_ref, rejects_text=False) for n in (3, 260) for causal in (False, True)),
    *(OpCase(attended, [f(a, 2, 3, 4), f(b, 2, 5, 4), f(b, 2, 5, 4), f(c, 1, 3, 5)], causal=False, tol=1e-4, unknown=False,
             noncontiguous=False, ref=attended_ref, rejects_text=False) for a, b, c in ((2, 1, 1),)),  # keys that are repeated
    OpCase(F + "sparse_attention", [f(1, 1, 2, 3), f(1, 1, 2, 3), f(1, 1, 2, 3), const([[[0, 1, 3]]], "int32"),
                                    const([[[0, 0, 1]]], "int32")], noncontiguous=False, tol=1e-4,
           ref=lambda q, k, v, o, c: softmax(q @ k.swapaxes(-1, -2) / np.sqrt(3) + np.array([[0, -1e9], [0, 0]])) @ v),
    OpCase(F + "ctc_loss", [f(4, 2, 3), const([[1, 2], [2, 0]], "int32"), *LENGTHS], reduction="none", ref=ctc_ref, tol=1e-4,
           noncontiguous=False, errors=[bad(ValueError, f(4, 2, 3), i(2, 2), i(3), i(2), match="input_lengths")]),
    OpCase(F + "ctc_loss", [f(4, 2, 3), const([[1, 1], [2, 0]], "int32"), *LENGTHS], reduction="none", ref=ctc_ref, tol=1e-4,
           noncontiguous=False),
    OpCase(F + "rnnt_loss", [f(2, 4, 3, 4), const([[1, 3], [2, 0]], "int32"), *LENGTHS], reduction="none",
           fastemit_lambda=0.0, ref=rnnt_ref, tol=1e-4, noncontiguous=False, unknown=False),
    OpCase(lambda x, k, w, b, num_classes: paddle.nn.functional.hsigmoid_loss(x, k, num_classes, w, b), [
        f(3, 2), const([0, 4, 2], "int64"), f(4, 2), f(4, 1)], num_classes=5, ref=tree_ref, tol=1e-4, noncontiguous=False,
        unknown=False, rejects_text=False),
    OpCase(F + "margin_cross_entropy", [f(3, 4, low=-0.8, high=0.8), const([0, 3, 2], "int64")], margin2=0.3, scale=4.0,
           reduction="none", ref=lambda x, k, margin2, scale, reduction: margin_ref(x, k, margin2, scale), tol=1e-4,
           noncontiguous=False, unknown=False),
    OpCase(F + "class_center_sample", [const([7, 3, 7], "int64")], num_classes=10, num_samples=4, grad=False,
           noncontiguous=False, check=lambda out, label: (out[1][out[0]] == label).all() and len(set(out[1].tolist())) == 4),
]
