"""Losses that ask for a margin: between scores, between classes, between distances."""

from ...core.docstrings import documented_like
from ...core.errors import describe, own_errors
from ...core.tensor import Tensor
from ...ops.manipulation.gather_scatter import gather, take_along_axis
from ...ops.math import arithmetic, unary
from ...ops.math import reduction as reduction_ops
from ...ops.nn import activation
from ...tensor.convert import as_tensor, cast, numpy_dtype, promote, to_float
from ...utils import naming
from .distance import pairwise_distance
from .loss import pair, reduced, same_shape

__all__ = ["cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss", "multi_label_soft_margin_loss",
           "multi_margin_loss", "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss"]


@own_errors
def margin_ranking_loss(input, other, label, margin=0.0, reduction="mean", name=None):
    """max(0, -label * (input - other) + margin), with labels 1 or -1.

    Args:
        input (Tensor): predictions.
        other (Tensor): compared with the input.
        label (Tensor): targets.
        margin (float): distance from which there is no loss.
        reduction ('mean', 'sum' or 'none'): how the elementwise losses are reduced.
    Returns:
        0-D Tensor, or of the shape of the losses for 'none'.

    >>> one = paddle.ones([1])
    >>> float(paddle.nn.functional.margin_ranking_loss(one, one * 3, one))
    2.0
    """
    x, other = promote(input, other, "margin_ranking_loss", ("input", "other"))
    y = cast(as_tensor(label, "margin_ranking_loss", "label"), numpy_dtype(x))
    with naming.layer("margin_ranking_loss", name):
        return reduced(activation.relu(y * (other - x) + float(margin)), reduction, "margin_ranking_loss")


@own_errors
@documented_like(margin_ranking_loss)
def hinge_embedding_loss(input, label, margin=1.0, reduction="mean", name=None):
    """input where the label is 1, max(0, margin - input) where it is -1.

    >>> float(paddle.nn.functional.hinge_embedding_loss(paddle.to_tensor([0.25]), paddle.to_tensor([-1.])))
    0.75
    """
    x, y = pair(input, label, "hinge_embedding_loss")
    positive, negative = cast(y == 1, numpy_dtype(x)), cast(y == -1, numpy_dtype(x))
    loss = x * positive + activation.relu(float(margin) - x) * negative
    return naming.named(reduced(loss, reduction, "hinge_embedding_loss"), name)


@documented_like(margin_ranking_loss)
def cosine_embedding_loss(input1, input2, label, margin=0, reduction="mean", name=None):
    """1 - cos(input1, input2) where the label is 1, max(0, cos - margin) where it is -1.

    Args:
        input1 (Tensor): the first of each pair.
        input2 (Tensor): the second of each pair.

    >>> x = paddle.ones([1, 2])
    >>> abs(float(paddle.nn.functional.cosine_embedding_loss(x, x, paddle.to_tensor([1])))) < 1e-6
    True
    """
    a, b = map(to_float, promote(input1, input2, "cosine_embedding_loss"))
    if not -1 <= margin <= 1:
        raise ValueError(f"cosine_embedding_loss(): margin must be in [-1, 1], got {margin}")
    y = as_tensor(label, "cosine_embedding_loss", "label")
    if numpy_dtype(y).name not in ("int32", "int64", "float32", "float64"):
        raise ValueError(f"cosine_embedding_loss(): label must be of int32, int64, float32 or float64, got {describe(label)}")
    if len(y.shape) != 1 or len(a.shape) > 2:
        raise ValueError(f"cosine_embedding_loss(): label must be 1-d and the inputs 1-d or 2-d, got {list(y.shape)} and "
                         f"{list(a.shape)}")
    if list(a.shape) != list(b.shape):
        raise ValueError(f"cosine_embedding_loss(): inputs must have one shape, got {list(a.shape)} and {list(b.shape)}")
    eps = 1e-12
    cos = arithmetic.divide(reduction_ops.sum(a * b, -1),
                            unary.sqrt((reduction_ops.sum(a * a, -1) + eps) * (reduction_ops.sum(b * b, -1) + eps)))
    kind = numpy_dtype(a)
    loss = (1 - cos) * cast(y == 1, kind) + activation.relu(cos - float(margin)) * cast(y == -1, kind)
    return naming.named(reduced(loss, reduction, "cosine_embedding_loss"), name)


@own_errors
def soft_margin_loss(input, label, reduction="mean", name=None):
    """log(1 + exp(-label * input)), with labels 1 or -1.

    >>> round(float(paddle.nn.functional.soft_margin_loss(paddle.zeros([1]), paddle.ones([1]))), 4)
    0.6931
    """
    x, y = pair(input, label, "soft_margin_loss")
    same_shape(x, y, "soft_margin_loss")
    return naming.named(reduced(-activation.log_sigmoid(x * y), reduction, "soft_margin_loss"), name)


@documented_like(margin_ranking_loss)
def multi_label_soft_margin_loss(input, label, weight=None, reduction="mean", name=None):
    """Mean over the classes of the cross entropy of sigmoid(input) with labels 0 or 1.

    Args:
        weight (Tensor or None): factor on each loss, or on each class; None is 1.

    >>> round(float(paddle.nn.functional.multi_label_soft_margin_loss(paddle.zeros([1, 2]), paddle.ones([1, 2]))), 4)
    0.6931
    """
    x, y = pair(input, label, "multi_label_soft_margin_loss")
    same_shape(x, y, "multi_label_soft_margin_loss")
    loss = -(y * activation.log_sigmoid(x) + (1 - y) * activation.log_sigmoid(-x))
    if weight is not None:
        loss = arithmetic.multiply(loss, as_tensor(weight, "multi_label_soft_margin_loss", "weight"))
    return naming.named(reduced(reduction_ops.mean(loss, -1), reduction, "multi_label_soft_margin_loss"), name)


@own_errors
@documented_like(margin_ranking_loss)
def multi_margin_loss(input, label, p=1, margin=1.0, weight=None, reduction="mean", name=None):
    """Sum over other classes of max(0, margin - input[label] + input[i])^p, divided by the number of classes.

    Args:
        p (float): the exponent of the norm.
        weight (Tensor or None): factor on each loss, or on each class; None is 1.

    >>> float(paddle.nn.functional.multi_margin_loss(paddle.to_tensor([[0., 0.]]), paddle.to_tensor([0])))
    0.5
    """
    x, y = as_tensor(input, "multi_margin_loss", "input"), as_tensor(label, "multi_margin_loss", "label")
    if len(x.shape) != 2 or len(y.shape) != 1:
        raise ValueError(f"multi_margin_loss(): input must be [N, C] and label [N], got {list(x.shape)} and {list(y.shape)}")
    at = y.unsqueeze(1)
    gap = activation.relu(x - take_along_axis(x, at, 1) + float(margin))
    if p != 1:
        gap = arithmetic.pow(gap, float(p))
    constant = float(margin) ** p
    if weight is not None:
        w = gather(as_tensor(weight, "multi_margin_loss", "weight"), y)
        total = arithmetic.multiply(reduction_ops.sum(gap, 1) - constant, w if p == 1 else arithmetic.pow(w, float(p)))
    else:
        total = reduction_ops.sum(gap, 1) - constant  # the label's own term is margin^p
    return naming.named(reduced(total / x.shape[1], reduction, "multi_margin_loss"), name)


@own_errors
def triplet_margin_loss(input, positive, negative, margin=1.0, p=2.0, epsilon=1e-6, swap=False, reduction="mean", name=None):
    """max(0, d(input, positive) - d(input, negative) + margin) with the p-norm distance.

    >>> x = paddle.zeros([1, 2])
    >>> float(paddle.nn.functional.triplet_margin_loss(x, x, x))
    1.0
    """
    if margin < 0:
        raise ValueError(f"triplet_margin_loss(): margin must not be negative, got {margin}")
    def distance(a, b):
        return pairwise_distance(a, b, p, epsilon)
    return naming.named(triplet_margin_with_distance_loss(input, positive, negative, distance, margin, swap, reduction), name)


@own_errors
def triplet_margin_with_distance_loss(input, positive, negative, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean", name=None):
    """max(0, d(input, positive) - d(input, negative) + margin) with a given distance (Euclidean for None).

    >>> x = paddle.zeros([1, 2])
    >>> float(paddle.nn.functional.triplet_margin_with_distance_loss(x, x, x))
    1.0
    """
    if not margin > 0:
        raise ValueError(f"triplet_margin_with_distance_loss(): margin must be above 0, got {margin}")
    distance = distance_function or pairwise_distance
    x, a, b = (as_tensor(t, "triplet_margin_with_distance_loss", n)
               for t, n in ((input, "input"), (positive, "positive"), (negative, "negative")))
    if not list(x.shape) == list(a.shape) == list(b.shape):
        raise ValueError(f"triplet_margin_with_distance_loss(): the shapes of input {list(x.shape)}, positive {list(a.shape)} and "
                         f"negative {list(b.shape)} differ")
    near, far = distance(x, a), distance(x, b)
    if swap:
        far = arithmetic.minimum(far, distance(a, b))
    if any(isinstance(d, Tensor) and (d._data < 0).any() for d in (near, far)):
        raise ValueError("triplet_margin_with_distance_loss(): distance_function must not give negative numbers")
    return naming.named(reduced(activation.relu(near - far + float(margin)), reduction, "triplet_margin_with_distance_loss"), name)
