"""``paddle.complex`` of 1.8: there a module of functions, here the function of 2.x with those functions as attributes.

Complex tensors are tensors like others here, so each of them is a function of today with the arguments of 1.8.
"""

from . import math, product, reduction
from .construct import complex
from .manipulation import reshape, transpose

__all__ = []  # its functions are attributes of paddle.complex


def _sum(input, dim=None, keep_dim=False, name=None):
    """The sum over axes, of shape [1] over all (1.8; successor: paddle.sum)."""
    total = reduction.sum(input, dim, keepdim=keep_dim)
    return total if total.shape else reshape(total, [1])


def _trace(input, offset=0, dim1=0, dim2=1, name=None):
    """The sum of a diagonal (1.8; successor: paddle.trace)."""
    return product.trace(input, offset, dim1, dim2)


def _reshape(x, shape, inplace=False, name=None):
    """x in another shape (1.8; successor: paddle.reshape)."""
    if inplace:
        raise NotImplementedError("complex.reshape(): inplace=True is not supported; use the result")
    return reshape(x, shape)


def _matmul(x, y, transpose_x=False, transpose_y=False, alpha=1.0, name=None):
    """The product of matrices, times a number (1.8; successor: paddle.matmul)."""
    made = product.matmul(x, y, transpose_x, transpose_y)
    return made if alpha == 1.0 else made * alpha


for _name, _function in {
        "elementwise_add": math._add_with_axis, "elementwise_sub": math._subtract_with_axis,
        "elementwise_mul": math._multiply_with_axis, "elementwise_div": math._divide_with_axis, "kron": product.kron,
        "sum": _sum, "trace": _trace, "reshape": _reshape, "transpose": transpose, "matmul": _matmul}.items():
    setattr(complex, _name, _function)
