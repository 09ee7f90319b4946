"""Distances and similarities of vectors."""

from ...core.addresses import lookup as _lookup
from ...core.errors import own_errors
from ...ops.math import arithmetic, reduction, unary
from ...tensor.convert import as_tensor, promote
from ...utils import naming

__all__ = ["cosine_similarity", "pairwise_distance", "normalize"]


def _p_norm(x, p, axis, keepdim):
    if p == 2:
        return unary.sqrt(reduction.sum(x * x, axis, keepdim))
    size = unary.abs(x)
    if p == 0:  # how many are not 0
        return reduction.sum(unary.sign(size), axis, keepdim)
    if p == 1:
        return reduction.sum(size, axis, keepdim)
    if p == float("inf"):
        return reduction.max(size, axis, keepdim)
    if p == float("-inf"):
        return reduction.min(size, axis, keepdim)
    return arithmetic.pow(reduction.sum(arithmetic.pow(size, float(p)), axis, keepdim), 1.0 / p)


@own_errors
def pairwise_distance(x, y, p=2.0, epsilon=1e-6, keepdim=False, name=None):
    """p-norm of x - y + epsilon along the last axis.

    >>> paddle.nn.functional.pairwise_distance(paddle.to_tensor([[3., 4.]]), paddle.zeros([1, 2]), epsilon=0.).tolist()
    [5.0]
    """
    x, y = promote(x, y, "pairwise_distance")
    return naming.named(_p_norm(x - y + float(epsilon), p, -1, bool(keepdim)), name)


@own_errors
def cosine_similarity(x1, x2, axis=1, eps=1e-8):
    """Cosine of the angle between x1 and x2 along an axis.

    Args:
        x1, x2 (Tensor): of shapes that broadcast.
        axis (int, 1): the axis of the vectors; removed from the result.
        eps (float, 1e-8): the least product of the norms that is divided by.
    Returns:
        Tensor of the broadcast shape without the axis.
    Raises:
        ValueError: the shapes do not broadcast together, or the axis is out of range.
        TypeError: an operand is not a Tensor, array, list or number.

    >>> x = paddle.to_tensor([[3., 4.]])
    >>> round(float(paddle.nn.functional.cosine_similarity(x, x)), 4)
    1.0
    """
    a, b = promote(x1, x2, "cosine_similarity")
    sizes = reduction.sum(a * a, axis) * reduction.sum(b * b, axis)
    return arithmetic.divide(reduction.sum(a * b, axis), unary.sqrt(arithmetic.clip(sizes, None, None, float(eps) ** 2, None)))


@own_errors
def normalize(x, p=2, axis=1, epsilon=1e-12, name=None):
    """x divided by its p-norm along an axis (by epsilon where the norm is smaller).

    Args:
        x (Tensor): of a floating type.
        p (number, 2): exponent of the norm; inf takes the largest absolute value.
        axis (int, 1): along which the norm is taken.
        epsilon (float): the least divisor.
    Returns:
        a Tensor as x, whose p-norm along ``axis`` is 1.
    Raises:
        ValueError: the axis is out of range.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.nn.functional.normalize(paddle.to_tensor([[3., 4.]])).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    x = as_tensor(x, "normalize")
    return naming.named(arithmetic.divide(x, arithmetic.clip(_p_norm(x, p, axis, True), None, None, float(epsilon), None)), name)


__getattr__ = _lookup(__name__)
