"""Complex numbers: their parts, conjugates, angles and signs."""

from ..core.errors import own_errors
from ..ops.math import arithmetic, unary
from ..ops.math import complex as complex_ops
from ..utils import naming
from .convert import as_tensor, to_float

__all__ = ["real", "imag", "conj", "angle", "sgn"]
METHODS = __all__


def real(x, name=None):
    """The real parts of complex numbers.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.real(paddle.to_tensor([1 + 2j])).tolist()
    [1.0]
    """
    return naming.named(complex_ops.real(as_tensor(x, "real")), name)


def imag(x, name=None):
    """The imaginary parts of complex numbers.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.imag(paddle.to_tensor([1 + 2j])).tolist()
    [2.0]
    """
    return naming.named(complex_ops.imag(as_tensor(x, "imag")), name)


def conj(x, name=None):
    """The complex conjugates; real numbers stay as they are.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> paddle.conj(paddle.to_tensor([1 + 2j])).tolist()
    [(1-2j)]
    """
    return naming.named(arithmetic.conj(as_tensor(x, "conj")), name)


def angle(x, name=None):
    """The angle of each number in the complex plane, in radians; 0 or pi for real ones.

    Args:
        x: Tensor of any shape; the result has the same.

    >>> import paddle
    >>> round(float(paddle.angle(paddle.to_tensor(1j))), 4)
    1.5708
    """
    return naming.named(complex_ops.angle(to_float(as_tensor(x, "angle"))), name)


@own_errors
def sgn(x, name=None):
    """x / |x|, and 0 at 0: the sign of real numbers, the direction of complex ones.

    >>> import paddle
    >>> paddle.sgn(paddle.to_tensor([3 + 4j])).tolist()
    [(0.6000000238418579+0.800000011920929j)]
    """
    return naming.named(unary.unit(as_tensor(x, "sgn")), name)
