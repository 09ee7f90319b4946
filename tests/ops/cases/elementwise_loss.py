"""Losses of single elements, sums over rows with gradients of their own, and gates."""

import numpy as np
from opcase import OpCase, away, bad, const, distinct, f, pos

F = "paddle.nn.functional."


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def huber(x, y, reduction="none", delta=1.0):
    d = np.abs(x - y)
    return np.where(d < delta, d * d / 2, delta * (d - delta / 2))


def entropy(x, y, reduction="none"):
    return -(y * np.log(sigmoid(x)) + (1 - y) * np.log(sigmoid(-x)))


def divergence(x, y, reduction="none"):
    return np.where(y > 0, y * (np.log(np.where(y > 0, y, 1)) - x), 0)


def gated(x, axis=-1):
    a, b = np.split(x, 2, axis)
    return a * sigmoid(b)


def segmented(x, label, ignore_index, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    p = e / e.sum(axis, keepdims=True)
    safe = np.where(label == ignore_index, 0, label)
    return [p, np.where(label == ignore_index, 0, -np.log(np.take_along_axis(p, safe, axis)))]


shares = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]])
classes = const(np.array([[[[0, 2], [1, 3]]], [[[3, 0], [2, 1]]]]))

CASES = [
    OpCase(F + "smooth_l1_loss", [distinct(3, 4), const(np.full((3, 4), 0.05))], reduction="none", delta=0.4, ref=huber,
           bits=False),
    OpCase("huber_elements", [distinct(3, 4), const(np.full((3, 4), 0.05))], grad=[0, 1], static=False, ref=huber),
    OpCase(F + "binary_cross_entropy_with_logits", [f(3, 4), const(np.linspace(0, 1, 12).reshape(3, 4))], reduction="none", bits=False,
           ref=entropy, grad=[0]),
    OpCase("logits_entropy", [f(3, 4), const(np.linspace(0, 1, 12).reshape(3, 4))], grad=[0], static=False, ref=entropy),
    OpCase(F + "kl_div", [f(2, 3), const(shares)], reduction="none", ref=divergence, grad=[0], bits=False),
    OpCase("divergence", [f(3, 4), pos(3, 4)], grad=[0], static=False, ref=divergence),
    OpCase(F + "glu", [f(3, 4)], ref=gated, bits=False, errors=[bad(ValueError, f(2, 3), match="even")]), OpCase(F + "glu", [f(4, 3)], axis=0, ref=gated, unknown=False),
    OpCase("gated", [f(3, 4)], ref=gated, static=False),
    OpCase("beyond", [distinct(3, 4, step=0.13)], ref=lambda x: (np.abs(x) > 0.5).astype(x.dtype), grad=False),
    OpCase("rising", [distinct(3, 4, step=0.13)], ref=lambda x: (x > 0).astype(x.dtype), grad=False),
    OpCase("soft_entropy_logits_grad", [f(2, 3), const(shares), f(2, 1)], grad=[0, 2], ref=lambda p, y, g: (p - y) * g),
    OpCase("softmax_with_cross_entropy", [f(2, 4, 2, 2), classes], ignore_index=1, axis=1, ref=segmented, unknown=False),
    OpCase("paddle.prod", [away(3, 5)], ref=lambda x: np.prod(x)),
    OpCase("paddle.prod", [const([[0.0, 2.0, 3.0], [1.5, -2.0, 0.5]])], axis=1, ref=lambda x, axis: np.prod(x, axis)),
    OpCase("paddle.dot", [f(3, 4), f(3, 4)], ref=lambda x, y: (x * y).sum(-1)),
    OpCase("paddle.linalg.norm", [away(3, 4)], ref=lambda x: np.sqrt((x * x).sum())),
]
