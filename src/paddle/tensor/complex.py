"""Complex numbers: their parts, conjugates, angles and signs."""

from ..core.errors import own_errors
from ..ops.math import arithmetic, unary
from ..ops.math import complex as complex_ops
from .convert import unary_function

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
    """The complex conjugates; real numbers stay as they are.

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
@unary_function(unary.unit)
def sgn(x, name=None):
    """x / |x|, and 0 at 0: the sign of real numbers, the direction of complex ones.

    >>> paddle.sgn(paddle.to_tensor([3 + 4j])).tolist()
    [(0.6000000238418579+0.800000011920929j)]
    """
