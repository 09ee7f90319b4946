"""Functions that fit no other file: linear."""

from ...core import hooks
from ...core.op import Symbolic
from ...ops import linalg
from ...ops import math as M
from ...ops.fused import linear_act
from ...tensor.convert import as_tensor, promote

__all__ = ["linear"]


def linear(x, weight, bias=None, name=None):
    """x @ weight + bias, with weight [in, out].

    >>> import paddle
    >>> paddle.nn.functional.linear(paddle.ones([2, 3]), paddle.ones([3, 4]), paddle.zeros([4])).shape
    [2, 4]
    """
    x, weight = promote(x, weight, "linear")
    if bias is None:
        return linalg.matmul(x, weight)
    bias = as_tensor(bias, "linear", "bias")
    return linear_act(x, weight, bias) if _as_one_op(x, weight, bias) else M.add(linalg.matmul(x, weight), bias)


def _as_one_op(x, weight, bias):
    """Whether product and sum can be one op: no program and no hook wants to see two, and shapes and types are as usual."""
    if hooks.active or isinstance(x, Symbolic) or isinstance(weight, Symbolic) or isinstance(bias, Symbolic):
        return False
    a, w, b = x._data, weight._data, bias._data
    return b.ndim == 1 and w.ndim == 2 and a.ndim >= 2 and w.shape == (a.shape[-1], b.size) and b.dtype is w.dtype
