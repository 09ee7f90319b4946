"""``paddle.complex`` of 1.8: there a module of functions, here the function of 2.x with those functions as attributes.

Complex tensors are tensors like others here, so each of them is a function of today with the arguments of 1.8.
"""

from . import math, product, reduction
from .construct import complex
from .manipulation import reshape as _reshape
from .manipulation import transpose  # noqa: F401

__all__ = []  # its functions are attributes of paddle.complex


def sum(input, dim=None, keep_dim=False, name=None):
    """The sum over axes, of shape [1] over all (1.8; successor: paddle.sum)."""
    total = reduction.sum(input, dim, keepdim=keep_dim)
    return total if total.shape else _reshape(total, [1])


def trace(input, offset=0, dim1=0, dim2=1, name=None):
    """The sum of a diagonal (1.8; successor: paddle.trace)."""
    return product.trace(input, offset, dim1, dim2)


def reshape(x, shape, inplace=False, name=None):
    """x in another shape (1.8; successor: paddle.reshape)."""
    return x.reshape_(shape) if inplace else _reshape(x, shape)


def matmul(x, y, transpose_x=False, transpose_y=False, alpha=1.0, name=None):
    """The product of matrices, times a number (1.8; successor: paddle.matmul)."""
    made = product.matmul(x, y, transpose_x, transpose_y)
    return made if alpha == 1.0 else made * alpha


elementwise_add, elementwise_sub = math._add_with_axis, math._subtract_with_axis
elementwise_mul, elementwise_div = math._multiply_with_axis, math._divide_with_axis
kron = product.kron

for _function in ("elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div", "kron", "sum", "trace", "reshape",
                  "transpose", "matmul"):
    setattr(complex, _function, globals()[_function])
