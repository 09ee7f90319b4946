"""What a tensor is: shape, rank, number of elements, kind of its data type."""

from ..core.addresses import lookup as _lookup
from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import describe
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..ops.manipulation import creation
from ..utils import naming
from .convert import as_tensor

__all__ = ["shape", "rank", "numel", "is_complex", "is_floating_point", "is_integer", "is_empty"]
METHODS = ["rank", "numel", "is_complex", "is_floating_point", "is_integer", "is_empty"]


def shape(input):
    """The sizes of a tensor as a 1-d int32 Tensor.

    Args:
        input (Tensor): of any shape.
    Returns:
        Tensor [number of axes], int32.
    Raises:
        TypeError: input is not a Tensor, array, list or number.

    >>> paddle.shape(paddle.zeros([2, 3])).tolist()
    [2, 3]
    """
    out = creation.shape(as_tensor(input, "shape", "input"))
    return out.astype("int64") if context.rules.long_shapes else out


@documented_like(shape)
def rank(input):
    """The number of axes of a tensor as a 0-d int32 Tensor.

    >>> paddle.rank(paddle.zeros([2, 3])).item()
    2
    """
    from .creation import full  # it needs the sizes of this module
    return full([], len(as_tensor(input, "rank", "input").shape), "int32")


def numel(x, name=None):
    """The number of elements of a tensor as a 0-d int64 Tensor.

    Args:
        x: Tensor.

    >>> paddle.numel(paddle.zeros([2, 3])).item()
    6
    """
    return naming.named(creation.size(as_tensor(x, "numel")), name)


def _dtype(x, function):
    if not isinstance(x, (Tensor, Symbolic)):
        raise TypeError(f"{function}(): x must be a Tensor, got {describe(x)}")
    return x.dtype


@documented_like(numel)
def is_complex(x):
    """Is the data type complex?

    >>> paddle.is_complex(paddle.to_tensor([1+2j]))
    True
    """
    return _dtype(x, "is_complex").is_complex


@documented_like(numel)
def is_floating_point(x):
    """Is the data type a floating-point one?

    >>> paddle.is_floating_point(paddle.zeros([1]))
    True
    """
    return _dtype(x, "is_floating_point").is_floating


@documented_like(numel)
def is_integer(x):
    """Is the data type an integer one?

    >>> paddle.is_integer(paddle.arange(3))
    True
    """
    return _dtype(x, "is_integer").is_integer


@documented_like(numel)
def is_empty(x, name=None):
    """Does a tensor have no elements? The answer is a 0-d bool Tensor.

    >>> paddle.is_empty(paddle.zeros([0, 3])).item()
    True
    """
    return naming.named(creation.is_empty(as_tensor(x, "is_empty")), name)


__getattr__ = _lookup(__name__)
