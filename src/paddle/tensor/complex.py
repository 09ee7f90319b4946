"""Complex numbers: their parts, conjugates, angles and signs."""

from ..core.errors import describe, own_errors
from ..ops.math import arithmetic, unary
from ..ops.math import complex as complex_ops
from ..utils.naming import named
from .convert import as_tensor, numpy_dtype, unary_function

__all__ = ["real", "imag", "conj", "angle", "sgn"]
METHODS = __all__


@unary_function(complex_ops.real)
def real(x, name=None):
    """The real parts of complex numbers.

    >>> paddle.real(paddle.to_tensor([1 + 2j])).tolist()
    [1.0]
    """


@unary_function(complex_ops.imag)
def imag(x, name=None):
    """The imaginary parts of complex numbers.

    >>> paddle.imag(paddle.to_tensor([1 + 2j])).tolist()
    [2.0]
    """


@unary_function(arithmetic.conj)
def conj(x, name=None):
    """The complex conjugates; real numbers are unchanged.

    >>> paddle.conj(paddle.to_tensor([1 + 2j])).tolist()
    [(1-2j)]
    """


@unary_function(complex_ops.angle, floats=True)
def angle(x, name=None):
    """The angle of each number in the complex plane, in radians; 0 or pi for real ones.

    >>> round(float(paddle.angle(paddle.to_tensor(1j))), 4)
    1.5708
    """


@own_errors
def sgn(x, name=None):
    """x / |x|, and 0 at 0: the sign of real numbers, the direction of complex ones.

    Args:
        x (Tensor): of a floating or complex type, of any shape.
    Returns:
        Tensor of the shape of x.
    Raises:
        TypeError: x is of integers or bool, or not a Tensor, array, list or number.

    >>> paddle.sgn(paddle.to_tensor([3 + 4j])).tolist()
    [(0.6000000238418579+0.800000011920929j)]
    """
    x = as_tensor(x, "sgn")
    if numpy_dtype(x).kind not in "fcV":
        raise TypeError(f"sgn(): x must be of a floating or complex type, got {describe(x)}")
    return named(unary.unit(x), name)
