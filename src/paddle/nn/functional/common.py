"""Functions that fit no other file: linear."""

from ...ops import linalg
from ...ops import math as M
from ...tensor.convert import as_tensor, promote

__all__ = ["linear"]


def linear(x, weight, bias=None, name=None):
    """x @ weight + bias, with weight [in, out].

    >>> import paddle
    >>> paddle.nn.functional.linear(paddle.ones([2, 3]), paddle.ones([3, 4]), paddle.zeros([4])).shape
    [2, 4]
    """
    x, weight = promote(x, weight, "linear")
    y = linalg.matmul(x, weight)
    return y if bias is None else M.add(y, as_tensor(bias, "linear", "bias"))
