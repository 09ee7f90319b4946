"""Parts of complex numbers. A gradient by a complex tensor is dL/dRe + i dL/dIm, as Paddle has it."""

import numpy as np

from ...core.errors import ElementTypeError
from ...core.op import op
from ..arguments import quiet
from ..families.sharding import elementwise
from ..library import by_library
from ..manipulation.construct import complex as from_parts
from ..manipulation.reshape import cast
from .arithmetic import is_complex


def _need_complex(x, function):
    if x.dtype.kind != "c":
        raise ElementTypeError(f"{function}(): x must be complex64 or complex128, got {x.dtype.name}")


@op("real(X) -> Out", family="same", gives="real", sharding=elementwise, view="2.6")
@quiet
def real(x):
    """The real parts."""
    _need_complex(x, "real")
    return x.real


@op("imag(X) -> Out", family="same", gives="real", sharding=elementwise, view="2.6")
@quiet
def imag(x):
    """The imaginary parts."""
    _need_complex(x, "imag")
    return x.imag


real.grad(x=lambda g, x_dtype: cast(g, x_dtype))
imag.grad(x=lambda g, x_dtype: cast(cast(g, x_dtype) * 1j, x_dtype))  # NumPy 1 widens a number times 1j


@op("angle(X) -> Out", family="same", gives="real", sharding=elementwise)
@quiet
def angle(x):
    """The angle of each number in the complex plane; of real ones 0 or pi."""
    return np.angle(x) if x.dtype.kind == "c" else np.where(np.isnan(x), x, np.where(x < 0, np.pi, 0)).astype(x.dtype)


def _angle_grad(g, x):
    if not is_complex(x):
        return g * 0
    a, b = real(x), imag(x)
    size = a * a + b * b
    size = size + (size == 0)  # at 0 there is no angle, and no gradient
    return from_parts(-(g * b / size), g * a / size)


angle.grad(x=_angle_grad)
by_library(angle)
