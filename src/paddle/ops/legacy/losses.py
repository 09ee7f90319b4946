"""Operators of files that are made of others here: losses, products and activations that later versions compose."""

from __future__ import annotations

import numpy as np

from ..composed import composed
from ..linalg.matmul import matmul
from ..manipulation.masking import where
from ..manipulation.reshape import reshape, transpose
from ..math import reduction
from ..math.arithmetic import clip
from ..math.unary import abs as absolute
from ..math.unary import exp, log, log1p, sqrt


@composed("bmm(X, Y) -> Out", family="own", shapes="b n k, b k m -> b n m")
def bmm(x, y):
    """Products of matrices, one for each member of a batch."""
    return matmul(x, y, False, False)


@composed("mv(X, Vec) -> Out", family="own", shapes="n k, k -> n")
def mv(x, vec):
    """A matrix times a vector."""
    return matmul(x, vec, False, False)


@composed("log_loss(Predicted, Labels) -> Loss", family="own",
          shapes=lambda predicted, labels, epsilon: predicted.like(predicted.shape))
def log_loss(predicted, labels, epsilon=1e-4):
    """-labels log(predicted + epsilon) - (1 - labels) log(1 - predicted + epsilon)."""
    return -labels * log(predicted + epsilon) - (1 - labels) * log(1 - predicted + epsilon)


@composed("huber_loss(X, Y) -> Out, Residual", family="own", shapes=lambda x, y, delta: (x.like(y.shape), x.like(y.shape)))
def huber_loss(x, y, delta=1.0):
    """Half the square of y - x up to delta, a line beyond; and y - x."""
    residual = y - reshape(x, None, None, list(y.shape))
    far = absolute(residual)
    return where(far <= delta, 0.5 * residual * residual, delta * (far - 0.5 * delta)), residual


@composed("hinge_loss(Logits, Labels) -> Loss", family="own", shapes=lambda logits, labels: logits.like(logits.shape))
def hinge_loss(logits, labels):
    """max(0, 1 - (2 labels - 1) logits) for labels 0 and 1."""
    return clip(1 - (2 * labels - 1) * logits, min=0.0)


@composed("rank_loss(Label, Left, Right) -> Out", family="own", shapes=lambda label, left, right: left.like(label.shape))
def rank_loss(label, left, right):
    """log(1 + exp(left - right)) - label (left - right), in the shape of the labels."""
    ahead = reshape(left, None, None, list(label.shape)) - reshape(right, None, None, list(label.shape))
    return log1p(exp(ahead)) - label * ahead


@composed("modified_huber_loss(X, Y) -> IntermediateVal, Out", family="own",
          shapes=lambda x, y: (x.like(x.shape), x.like(x.shape)))
def modified_huber_loss(x, y):
    """m = (2y - 1) x for labels y 0 and 1; and (1 - m)^2 up to 1 and 0 beyond, -4m below -1."""
    margin = x * (2 * y - 1)
    short = clip(1 - margin, min=0.0)
    return margin, where(margin < -1, -4 * margin, short * short)


@composed("squared_l2_norm(X) -> Out", family="own", shapes=lambda x: x.like((1,)))
def squared_l2_norm(x):
    """The sum of the squares, [1]."""
    return reshape(reduction.sum(x * x, None, False), None, None, [1])


@composed("clip_by_norm(X) -> Out", family="same")
def clip_by_norm(x, max_norm=1.0):
    """x, shortened to the length max_norm if it is longer."""
    length = sqrt(reduction.sum(x * x, None, True))  # with axes: numbers alone would not keep a short type
    return where(length > max_norm, x * (max_norm / where(length > max_norm, length, length * 0 + 1)), x)


@composed("brelu(X) -> Out", family="same")
def brelu(x, t_min=0.0, t_max=24.0):
    """x between two bounds."""
    return clip(x, min=t_min, max=t_max)


@composed("soft_relu(X) -> Out", family="same")
def soft_relu(x, threshold=40.0):
    """log(1 + exp(x)), x between -threshold and threshold."""
    return log1p(exp(clip(x, min=-threshold, max=threshold)))


@composed("shuffle_channel(X) -> Out", family="same")
def shuffle_channel(x, group=1):
    """Channels of [N, C, H, W] dealt out: the first of each group, the second of each group, ..."""
    if len(x.shape) != 4 or group < 1 or x.shape[1] % group:
        raise ValueError(f"shuffle_channel(): X must be [N, C, H, W] with C a multiple of group, got {list(x.shape)} and {group}")
    n, c, h, w = x.shape
    split = reshape(x, None, None, [n, group, c // group, h, w])
    return reshape(transpose(split, [0, 2, 1, 3, 4]), None, None, [n, c, h, w])


def _loss_shape(x, target, reduction):
    return x.like(x.shape if reduction == "none" else ())


@composed("kldiv_loss(X, Target) -> Loss", family="own", shapes=_loss_shape)
def kldiv_loss(x, target, reduction="mean"):
    """target (log(target) - x) where target is positive, else 0: of all elements, their mean, their sum, or the sum over the size
    of the first axis."""
    positive = target > 0
    each = where(positive, target * (log(where(positive, target, target * 0 + 1)) - x), x * 0)
    if reduction == "none":
        return each
    total = _sum(each)
    return total if reduction == "sum" else total / (x.shape[0] if reduction == "batchmean" else int(np.prod(x.shape)))


def _sum(x):
    return reduction.sum(x, None, False)
