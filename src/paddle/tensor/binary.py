"""Functions of two tensors, elementwise, beyond arithmetic; and comparisons with tolerance."""

import math

from ..core import dtype as dtypes
from ..core.docstrings import documented_like
from ..core.errors import ElementTypeError, describe
from ..ops.arguments import broadcast_shape
from ..ops.math import binary, integer, special, unary
from ..utils import naming
from .convert import (
    SCALARS,
    as_tensor,
    binary_function,
    cast,
    common_dtype,
    is_tensor_like,
    numpy_dtype,
    promote,
    real_arg,
    to_float,
)
from .creation import full
from .math import maximum

__all__ = ["atan2", "fmax", "fmin", "heaviside", "nextafter", "lerp", "isclose", "allclose", "equal_all", "hypot",
           "logaddexp", "gcd", "lcm", "ldexp"]
METHODS = __all__
INPLACE = ["lerp", "hypot", "gcd", "lcm", "ldexp"]


def _floats(x, y, function):
    x, y = promote(x, y, function)
    _check_shapes(x, y, function)
    return to_float(x), to_float(y)


def _check_shapes(x, y, function):
    """Raise ValueError, naming the function, unless the shapes broadcast together."""
    if -1 not in x.shape and -1 not in y.shape:
        broadcast_shape(x.shape, y.shape, function)


@documented_like(binary_function)
def atan2(x, y, name=None):
    """The angle of the point (y, x) in radians, in (-pi, pi]: atan(x / y) with the right quadrant.

    >>> round(float(paddle.atan2(paddle.to_tensor(1.0), paddle.to_tensor(-1.0))), 4)
    2.3562
    """
    x, y = promote(x, y, "atan2")
    if numpy_dtype(x).kind in "iub":
        x, y = cast(x, dtypes.to_numpy("float64")), cast(y, dtypes.to_numpy("float64"))
    return naming.named(binary.atan2(x, y), name)


@binary_function(binary.fmax)
def fmax(x, y, name=None):
    """The larger of x and y; where one of them is NaN the other one.

    >>> paddle.fmax(paddle.to_tensor([1., float('nan')]), paddle.to_tensor([0., 2.])).tolist()
    [1.0, 2.0]
    """


@binary_function(binary.fmin)
def fmin(x, y, name=None):
    """The smaller of x and y; where one of them is NaN the other one.

    >>> paddle.fmin(paddle.to_tensor([1., float('nan')]), paddle.to_tensor([0., 2.])).tolist()
    [0.0, 2.0]
    """


@binary_function(binary.heaviside)
def heaviside(x, y, name=None):
    """0 where x < 0, 1 where x > 0, y where x is 0.

    >>> paddle.heaviside(paddle.to_tensor([-1., 0., 2.]), paddle.to_tensor(0.5)).tolist()
    [0.0, 0.5, 1.0]
    """


def nextafter(x, y, name=None):
    """The next floating-point number after x in the direction of y.

    >>> bool(paddle.nextafter(paddle.to_tensor(1.0), paddle.to_tensor(2.0)) > 1)
    True
    """
    return naming.named(binary.nextafter(*_floats(x, y, "nextafter")), name)


def lerp(x, y, weight, name=None):
    """x + weight * (y - x): from x to y as weight goes from 0 to 1.

    >>> paddle.lerp(paddle.to_tensor([1., 2.]), paddle.to_tensor([3., 6.]), 0.5).tolist()
    [2.0, 4.0]
    """
    x, y = promote(x, y, "lerp")
    if isinstance(weight, SCALARS):
        weight = full([], real_arg(weight, "lerp", "weight"), x.dtype)
    return naming.named(binary.lerp(x, y, cast(as_tensor(weight, "lerp", "weight"), numpy_dtype(x))), name)


def _close(op, x, y, rtol, atol, equal_nan, function):
    tensors, numbers = [], []
    for value, what in ((rtol, "rtol"), (atol, "atol")):
        if isinstance(value, SCALARS):
            tensors.append(None)
            numbers.append(real_arg(value, function, what))
        else:
            tensors.append(as_tensor(value, function, what))
            if -1 not in tensors[-1].shape and math.prod(tensors[-1].shape) != 1:
                raise ValueError(f"{function}(): {what} must be one number, got {describe(value)}")
            numbers.append(0.0)
    return op(*promote(x, y, function), *tensors, *numbers, bool(equal_nan))


def isclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None):
    """True where |x - y| <= atol + rtol * |y|; NaNs are equal only if ``equal_nan``.

    >>> paddle.isclose(paddle.to_tensor([1., 2.]), paddle.to_tensor([1.000001, 3.])).tolist()
    [True, False]
    """
    return naming.named(_close(binary.isclose, x, y, rtol, atol, equal_nan, "isclose"), name)


def allclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None):
    """Is |x - y| <= atol + rtol * |y| everywhere?

    Args:
        x, y (Tensor): of shapes that broadcast.
        rtol (float): relative tolerance.
        atol (float): absolute tolerance.
        equal_nan (bool): does NaN equal NaN?
    Returns:
        0-D Tensor, bool.
    Raises:
        ValueError: the shapes do not broadcast together.
        TypeError: an operand is not a Tensor, array, list or number.

    >>> bool(paddle.allclose(paddle.to_tensor([1., 2.]), paddle.to_tensor([1.000001, 2.])))
    True
    """
    return naming.named(_close(binary.allclose, x, y, rtol, atol, equal_nan, "allclose"), name)


@binary_function(binary.equal_all)
def equal_all(x, y, name=None):
    """Whether x and y have the same shape and equal elements.

    Args:
        x, y (Tensor): of the same data type.
    Returns:
        a boolean Tensor of shape []: False where the shapes differ, without an error.

    >>> bool(paddle.equal_all(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 2])))
    True
    """


@documented_like(atan2)
def hypot(x, y, name=None):
    """sqrt(x * x + y * y).

    >>> float(paddle.hypot(paddle.to_tensor(3.0), paddle.to_tensor(4.0)))
    5.0
    """
    for value, argument in ((x, "x"), (y, "y")):
        if not is_tensor_like(value):
            raise TypeError(f"hypot(): {argument} must be a Tensor, got {describe(value)}")
    x, y = _floats(x, y, "hypot")
    return naming.named(unary.sqrt(x * x + y * y), name)


@documented_like(atan2)
def logaddexp(x, y, name=None):
    """log(exp(x) + exp(y)), computed without overflow.

    >>> round(float(paddle.logaddexp(paddle.to_tensor(0.0), paddle.to_tensor(0.0))), 4)
    0.6931
    """
    x, y = _floats(x, y, "logaddexp")
    return naming.named(unary.log1p(unary.exp(-unary.abs(x - y))) + maximum(x, y), name)


def _integers(x, y, function):
    x, y = as_tensor(x, function), as_tensor(y, function, "y")
    for value, what in ((x, "x"), (y, "y")):
        if numpy_dtype(value).kind not in "iu":
            raise ElementTypeError(f"{function}(): {what} must hold integers, got {describe(value)}")
    kind = common_dtype(numpy_dtype(x), numpy_dtype(y))
    return cast(x, kind), cast(y, kind)


def gcd(x, y, name=None):
    """The greatest common divisor of two integers.

    Args:
        x, y: integer Tensors that broadcast together.

    >>> int(paddle.gcd(paddle.to_tensor(12), paddle.to_tensor(20)))
    4
    """
    return naming.named(integer.gcd(*_integers(x, y, "gcd")), name)


@documented_like(gcd)
def lcm(x, y, name=None):
    """The least common multiple of two integers.

    >>> int(paddle.lcm(paddle.to_tensor(12), paddle.to_tensor(20)))
    60
    """
    return naming.named(integer.lcm(*_integers(x, y, "lcm")), name)


def ldexp(x, y, name=None):
    """x * 2 ** y.

    >>> paddle.ldexp(paddle.to_tensor([1., 3.]), paddle.to_tensor([2, 3], dtype='int32')).tolist()
    [4.0, 24.0]
    """
    x, y = to_float(as_tensor(x, "ldexp")), to_float(as_tensor(y, "ldexp", "y"))
    _check_shapes(x, y, "ldexp")
    kind = common_dtype(numpy_dtype(x), numpy_dtype(y))
    kind = dtypes.to_numpy("float32") if kind.itemsize == 2 else kind  # powers of two soon leave float16
    return naming.named(cast(x, kind) * special.power_of_two(cast(y, kind)), name)
