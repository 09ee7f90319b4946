"""Functions that fit no other file: linear."""

import functools

from ...core.addresses import lookup as _lookup
from ...core.context import context, process
from ...core.errors import own_errors
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...ops.linalg import matmul as linalg
from ...ops.math import arithmetic
from ...ops.nn.fused import linear_act
from ...tensor.convert import as_tensor, promote
from ...utils import naming

__all__ = ["linear"]


def linear(x, weight, bias=None, name=None):
    """x @ weight + bias, with weight [in, out].

    Args:
        x (Tensor): [..., in].
        weight (Tensor): [in, out], the transposed of PyTorch's.
        bias (Tensor, None): [out].
    Returns:
        [..., out].
    Raises:
        ValueError: the inner sizes differ.

    >>> paddle.nn.functional.linear(paddle.ones([2, 3]), paddle.ones([3, 4]), paddle.zeros([4])).shape
    [2, 4]
    """
    if as_one_op(x, weight, bias):
        return linear_act(x, weight, bias)
    x, weight = promote(x, weight, "linear")
    if not isinstance(x, Symbolic):
        return _product_and_sum(x, weight, bias)
    with naming.layer("linear", name):
        return _product_and_sum(x, weight, bias)


def linear_with(x, weight, bias, act):
    """linear and an activation behind it as one op, or NotImplemented."""
    return linear_act(x, weight, bias, act) if as_one_op(x, weight, bias) else NotImplemented


@functools.partial(own_errors, name="linear")
def _product_and_sum(x, weight, bias):
    y = linalg.matmul(x, weight)
    return y if bias is None else arithmetic.add(y, as_tensor(bias, "linear", "bias"))


def as_one_op(x, weight, bias):
    """Whether product and sum can be one op: no program and no hook wants to see two, and shapes and types are as usual."""
    if not (isinstance(x, Tensor) and isinstance(weight, Tensor) and isinstance(bias, Tensor)):
        return False
    if context.hooks or process.hooks:
        return False
    a, w, b = x._data, weight._data, bias._data
    if x._placed or weight._placed:
        return False
    return (b.ndim == 1 and w.ndim == 2 and a.ndim >= 2 and w.shape == (a.shape[-1], b.size)
            and a.dtype == b.dtype == w.dtype)  # equal, not one object: dtypes of loaded arrays are copies


__getattr__ = _lookup(__name__)
