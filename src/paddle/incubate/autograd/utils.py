"""paddle.incubate.autograd.utils: tensors as tuples of tensors."""

from ...core.addresses import lookup as _lookup
from ...core.op import Symbolic
from ...core.tensor import Tensor

__all__ = ["as_tensors"]


def as_tensors(xs):
    """A tensor as a tuple of one, several as a tuple; None and other values as they are.

    >>> from paddle.incubate.autograd.utils import as_tensors
    >>> len(as_tensors(paddle.ones([2])))
    1
    """
    if isinstance(xs, (Tensor, Symbolic)):
        return (xs,)
    return tuple(xs) if isinstance(xs, (list, tuple)) else xs


__getattr__ = _lookup(__name__)
