"""Operators of files that are made of others here: losses, products and activations that later versions compose."""

from __future__ import annotations

import numpy as np

from ...core.dtype import to_numpy
from ...core.facts import Spec
from ...core.op import op
from ..composed import composed
from ..families.rows import each_value
from ..library import by_library
from ..linalg.matmul import matmul
from ..manipulation.gather_scatter import index_select, take_along_axis
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


@composed("squared_l2_norm(X) -> Out", family="own", shapes="_ -> 1")
def squared_l2_norm(x):
    """The sum of the squares, [1]."""
    return reshape(reduction.sum(x * x, None, False), None, None, [1])


@composed("clip_by_norm(X) -> Out", family="same", on_rows=each_value)
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


@composed("bpr_loss(X, Label) -> Y", family="own", shapes=lambda x, label: x.like((*x.shape[:-1], 1)))
def bpr_loss(x, label):
    """Mean of log(1 + exp(x_j - x_label)) over the other classes j, [N, 1]."""
    chosen = take_along_axis(x, reshape(label, None, None, [x.shape[0], 1]), 1)
    each = log1p(exp(x - chosen))  # log(2) for the label itself
    return (reduction.sum(each, [1], True) - float(np.log(2.0))) / (x.shape[1] - 1)


@composed("fsp(X, Y) -> Out", family="own", shapes=lambda x, y: x.like((x.shape[0], x.shape[1], y.shape[1])))
def fsp(x, y):
    """Products of the channels of two pictures, averaged over the pixels: [N, C of x, C of y]."""
    (n, c, h, w), d = x.shape, y.shape[1]
    flat = matmul(reshape(x, None, None, [n, c, h * w]), reshape(y, None, None, [n, d, h * w]), False, True)
    return flat / (h * w)


def _nll_shapes(x, label, reduction):
    return x.like(label.shape if reduction == "none" else ()), x.like(())


@composed("nll_loss(X, Label, Weight?) -> Out, Total_weight", family="own", shapes=_nll_shapes)
def nll_loss(x, label, weight=None, ignore_index=-100, reduction="mean"):
    """-x[label] times the weight of the class, 0 where the label is ignore_index: each, their sum, or their mean by weight;
    and the sum of the weights, 0 without a reduction."""
    counted = label != ignore_index
    index = where(counted, label, label * 0)
    picked = take_along_axis(x, reshape(index, None, None, [x.shape[0], 1, *x.shape[2:]]), 1)
    picked = reshape(picked, None, None, list(label.shape))
    scale = picked * 0 + 1 if weight is None else reshape(index_select(weight, reshape(index, None, None, [-1]), 0), None, None,
                                                          list(label.shape))
    scale = where(counted, scale, scale * 0)
    each = -picked * scale
    if reduction == "none":
        return each, _sum(scale) * 0
    total = _sum(scale)
    if reduction == "sum":
        return _sum(each), total
    return _sum(each) / where(total != 0, total, total + 1), total


@composed("norm(X) -> Out, Norm", family="own",
          shapes=lambda x, axis: (x.like(x.shape), x.like([1 if k == axis % len(x.shape) else n for k, n in enumerate(x.shape)])))
def norm(x, axis=-1, epsilon=1e-10, is_test=False):
    """x over its Euclidean norm along an axis, sqrt(sum of squares + epsilon); and the norm."""
    length = sqrt(reduction.sum(x * x, [axis], True) + epsilon)
    return x / length, length


@composed("lrn(X) -> Out, MidOut", family="own", shapes=lambda x: (x.like(x.shape), x.like(x.shape)))
def lrn(x, n=5, k=2.0, alpha=1e-4, beta=0.75, data_format="AnyLayout"):
    """x / (k + alpha * sum of the squares of n channels around)^beta; and what is in brackets."""
    if len(x.shape) != 4 or n < 1 or n % 2 == 0:
        raise ValueError(f"lrn(): X must have 4 axes and n be odd, got shape {list(x.shape)} and {n}")
    axis = 3 if data_format == "NHWC" else 1
    count, half = x.shape[axis], n // 2
    around = np.abs(np.subtract.outer(np.arange(count), np.arange(count))) <= half  # which channels are summed
    squares = x * x
    last = squares if axis == 3 else transpose(squares, [0, 2, 3, 1])
    total = matmul(last, around.astype(to_numpy(x.dtype, "lrn")), False, False)
    middle = (total if axis == 3 else transpose(total, [0, 3, 1, 2])) * alpha + k
    return x * middle ** -beta, middle


@op("fill_zeros_like2(X) -> Out", family="own",
    shapes=lambda x, dtype: x.like(x.shape) if dtype == -1 else Spec(x.shape, to_numpy(dtype, "fill_zeros_like2")))
def fill_zeros_like2(x, dtype=-1):
    """Zeros of the shape of x, of another element type if one is given."""
    return np.zeros(x.shape, x.dtype if dtype == -1 else to_numpy(dtype, "fill_zeros_like2"))



@op("grad_add(X, Y) -> Out", family="same")
def grad_add(x, y, axis=-1):
    """The sum of two tensors of one shape."""
    return x + y


grad_add.grad(x=lambda g: g, y=lambda g: g)


@op("proximal_gd(Param, Grad, LearningRate) -> ParamOut", family="own", shapes=lambda param, grad, rate: param.like(param.shape))
def proximal_gd(param, grad, rate, l1=0.0, l2=0.0):
    """A step of gradient descent, then the proximal step of l1 |p| + l2 p^2 / 2."""
    moved = param - rate * grad
    return (np.sign(moved) * np.maximum(np.abs(moved) - rate * l1, 0) / (1 + rate * l2)).astype(param.dtype, copy=False)


by_library(bmm, mv, log_loss, kldiv_loss, nll_loss, huber_loss, norm, lrn, squared_l2_norm, shuffle_channel)
