"""Distances and similarities of vectors."""

from ...ops import math as M
from ...ops import reduce as R
from ...ops import unary as U
from ...tensor.convert import as_tensor, promote
from ...utils import naming

__all__ = ["cosine_similarity", "pairwise_distance", "normalize"]


def _p_norm(x, p, axis, keepdim):
    if p == 2:
        return U.sqrt(R.sum(x * x, axis, keepdim))
    size = U.abs(x)
    if p == 1:
        return R.sum(size, axis, keepdim)
    if p == float("inf"):
        return R.max(size, axis, keepdim)
    if p == float("-inf"):
        return R.min(size, axis, keepdim)
    return M.pow(R.sum(M.pow(size, float(p)), axis, keepdim), 1.0 / p)


def pairwise_distance(x, y, p=2.0, epsilon=1e-6, keepdim=False, name=None):
    """p-norm of x - y + epsilon along the last axis.

    >>> import paddle
    >>> paddle.nn.functional.pairwise_distance(paddle.to_tensor([[3., 4.]]), paddle.zeros([1, 2]), epsilon=0.).tolist()
    [5.0]
    """
    x, y = promote(x, y, "pairwise_distance")
    out = _p_norm(x - y + float(epsilon), p, -1, bool(keepdim))
    return out if name is None else naming.named(out, name)


def cosine_similarity(x1, x2, axis=1, eps=1e-8):
    """Cosine of the angle between x1 and x2 along an axis.

    >>> import paddle
    >>> x = paddle.to_tensor([[3., 4.]])
    >>> round(float(paddle.nn.functional.cosine_similarity(x, x)), 4)
    1.0
    """
    a, b = promote(x1, x2, "cosine_similarity")
    sizes = R.sum(a * a, axis) * R.sum(b * b, axis)
    return M.divide(R.sum(a * b, axis), U.sqrt(M.clip(sizes, None, None, float(eps) ** 2, None)))


def normalize(x, p=2, axis=1, epsilon=1e-12, name=None):
    """x divided by its p-norm along an axis (by epsilon where the norm is smaller).

    >>> import paddle
    >>> paddle.nn.functional.normalize(paddle.to_tensor([[3., 4.]])).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    x = as_tensor(x, "normalize")
    if len(x.shape) == 1:
        axis = 0
    out = M.divide(x, M.clip(_p_norm(x, p, axis, True), None, None, float(epsilon), None))
    return out if name is None else naming.named(out, name)
