"""Functions of two sparse tensors, or of a sparse and a dense one."""

import math

import numpy as np

from ..core.addresses import lookup as _lookup
from ..core.errors import describe, own_errors
from ..core.tensor import wrap
from ..ops.manipulation.gather_scatter import index_select
from ..ops.manipulation.positions import coo_keys, filled_keys
from ..ops.manipulation.search import searchsorted, unique
from ..tensor import math as dense
from ..tensor.creation import ones_like
from ..tensor.joining import concat
from .tensors import SparseTensor, add_rows, coo, coo_at, flat_rows, is_tensor, known_sizes, like, rows_at

__all__ = ["add", "subtract", "multiply", "divide", "matmul", "mask_as", "masked_matmul", "mv", "addmm"]


def _pair(x, y, function):
    """Both with an index for each value, after checking that their shapes are one."""
    a, b = coo(x, function), coo(y, function, "y")
    if a.shape != b.shape or a.sparse_axes != b.sparse_axes:
        raise ValueError(f"{function}(): x and y must have the same shape and sparse axes, got {a.shape} ({a.sparse_axes} sparse) "
                         f"and {b.shape} ({b.sparse_axes} sparse)")
    return a.coalesce(), b.coalesce()


def _together(x, y, function, keys=None):
    """The op of the same name over every position that either tensor has (or over ``keys``)."""
    a, b = _pair(x, y, function)
    own = [a.keys(), b.keys()]
    keys = unique(concat(own))[0] if keys is None else keys
    left, right = (add_rows(keys, searchsorted(keys, k), one.values()) for k, one in zip(own, (a, b)))
    return like(coo_at(keys, getattr(dense, function)(left, right), a.shape, a.sparse_axes, a.indices().dtype), x)


def add(x, y, name=None):
    """The sum of two sparse tensors, at the positions that either has; a dense y gives a dense sum, but a vector is added to the
    values of one dense axis of its size.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
    >>> y = paddle.sparse.sparse_coo_tensor([[1, 2]], [5.0, 7.0], [3])
    >>> paddle.sparse.add(x, y).values().tolist()
    [1.0, 7.0, 7.0]
    """
    if not is_tensor(y):
        return _together(x, y, "add")
    one = coo(x, "add")
    if y.ndim == 1 and one.ndim == one.sparse_axes + 1 and one.shape[-1] == y.shape[0]:
        return one.with_values(one.values() + y)
    return dense.add(one.to_dense(), y)


def subtract(x, y, name=None):
    """x - y, at the positions that either sparse tensor has.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
    >>> paddle.sparse.subtract(x, x).values().tolist()
    [0.0, 0.0]
    """
    return _together(x, y, "subtract")


def multiply(x, y, name=None):
    """x * y, at the positions that either sparse tensor has; y may be a number or a dense one-element Tensor.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
    >>> paddle.sparse.multiply(x, 3.0).values().tolist()
    [3.0, 6.0]
    """
    if not isinstance(y, SparseTensor):
        coo(x, "multiply")
        return x.with_values(x.values() * y)
    return _together(x, y, "multiply")


def divide(x, y, name=None):
    """x / y. By a number: at the positions of x; by a sparse tensor: everywhere, since 0 / 0 is not 0. Integers become float32.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
    >>> paddle.sparse.divide(x, 2.0).values().tolist()
    [0.5, 1.0]
    """
    coo(x, "divide")
    x = x if x.dtype.is_floating or x.dtype.is_complex else x.astype("float32")
    if not isinstance(y, SparseTensor):
        return x.with_values(x.values() / y)
    y = y if y.dtype.is_floating or y.dtype.is_complex else y.astype("float32")
    one = _pair(x, y, "divide")[0]
    return _together(x, y, "divide", wrap(np.arange(math.prod(known_sizes(one.sparse_sizes, "divide")))))


def _matrices(x, function, argument="x"):
    """Of each value of sparse matrices its row and its column, counted through the batch, and their batch sizes and rows."""
    one = coo(x, function, argument)
    if one.ndim < 2 or one.sparse_axes != one.ndim:
        raise ValueError(f"{function}(): {argument} must hold matrices whose axes are all sparse, got shape {one.shape} with "
                         f"{one.sparse_axes} sparse axes")
    *batch, rows, columns = known_sizes(one.shape, function)
    row = coo_keys(one.indices(), [*batch, rows])
    column = coo_keys(one.indices(), [*batch, columns], [*range(len(batch)), one.ndim - 1])
    return row, column, batch, rows


def _rows_of(tensor, rows):
    """Rows of dense matrices, counted through the batch."""
    return index_select(flat_rows(tensor, tensor.ndim - 1), rows, 0)


def matmul(x, y, name=None):
    """The matrix product of a sparse tensor with a dense one (dense), or with a sparse one (sparse).

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
    >>> paddle.sparse.matmul(x, paddle.ones([3, 1])).tolist()
    [[1.0], [2.0]]
    """
    row, column, batch, rows = _matrices(x, "matmul")
    if list(x.shape[:-2]) != list(y.shape[:-2]) or x.shape[-1] != y.shape[-2:][0]:
        raise ValueError(f"matmul(): sizes do not fit: x {x.shape} and y {list(y.shape)}")
    if isinstance(y, SparseTensor):
        return _sparse_product(x, y)
    if not is_tensor(y):
        raise TypeError(f"matmul(): y must be a Tensor or sparse tensor, got {describe(y)}")
    products = x.to_sparse_coo().values().unsqueeze(-1) * _rows_of(y, column)
    return add_rows(math.prod(batch) * rows, row, products).reshape([*batch, rows, y.shape[-1]])


def _sparse_product(x, y):
    """The product of sparse matrices, at the positions that some pair of values reaches."""
    shape = [*x.shape[:-1], y.shape[-1]]
    keys = filled_keys(_ones(x) @ _ones(y), len(shape))
    mask = coo_at(keys, keys, shape, len(shape), coo(x, "matmul").indices().dtype)
    return like(masked_matmul(x.to_dense(), y.to_dense(), mask), x)


def _ones(x):
    one = x.to_sparse_coo()
    return one.with_values(ones_like(one.values().detach(), "float32")).to_dense()


def masked_matmul(x, y, mask, name=None):
    """The product of dense matrices, computed only at the positions of a sparse ``mask``.

    >>> mask = paddle.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 1.0], [2, 2])
    >>> paddle.sparse.masked_matmul(paddle.ones([2, 3]), paddle.ones([3, 2]), mask).values().tolist()
    [3.0, 3.0]
    """
    row, column, _, _ = _matrices(mask, "masked_matmul", "mask")
    if [*x.shape[:-1], y.shape[-1]] != mask.shape or list(x.shape[:-2]) != list(y.shape[:-2]) or x.shape[-1] != y.shape[-2]:
        raise ValueError(f"masked_matmul(): sizes do not fit: x {list(x.shape)}, y {list(y.shape)}, mask {mask.shape}")
    turned = y.transpose([*range(y.ndim - 2), y.ndim - 1, y.ndim - 2])
    products = _rows_of(x, row) * _rows_of(turned, column)
    return mask.with_values(products.sum(-1))


def mask_as(x, mask, name=None):
    """The values of a dense tensor at the positions of a sparse ``mask``, sparse as that is.

    >>> mask = paddle.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 1.0], [2, 2])
    >>> paddle.sparse.mask_as(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), mask).values().tolist()
    [2.0, 3.0]
    """
    if not isinstance(mask, SparseTensor):
        raise TypeError(f"mask_as(): mask must be a sparse tensor, got {describe(mask)}")
    if list(x.shape) != list(mask.shape):
        raise ValueError(f"mask_as(): x {list(x.shape)} and mask {list(mask.shape)} must have the same shape")
    return mask.with_values(rows_at(x, coo(mask, "mask_as", "mask")))


def mv(x, vec, name=None):
    """A sparse matrix times a vector.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
    >>> paddle.sparse.mv(x, paddle.ones([3])).tolist()
    [1.0, 2.0]
    """
    for value, given in ((x, "x"), (vec, "vec")):
        if not hasattr(value, "ndim"):
            raise TypeError(f"mv(): {given} must be a tensor, got {describe(value)}")
    if x.ndim != 2 or vec.ndim != 1:
        raise ValueError(f"mv(): needs a matrix and a vector, got shapes {x.shape} and {vec.shape}")
    return matmul(x, vec.unsqueeze(-1)).squeeze(-1)


@own_errors
def addmm(input, x, y, beta=1.0, alpha=1.0, name=None):
    """beta * input + alpha * (x @ y), x sparse; sparse if input and y are.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
    >>> paddle.sparse.addmm(paddle.ones([2, 1]), x, paddle.ones([3, 1]), alpha=2.0).tolist()
    [[3.0], [5.0]]
    """
    product = matmul(x, y)
    if isinstance(product, SparseTensor):
        return add(multiply(coo(input, "addmm", "input"), beta), multiply(product, alpha))
    if not is_tensor(input):
        raise TypeError(f"addmm(): input must be a Tensor where the product is dense, got {describe(input)}")
    return input * beta + product * alpha


__getattr__ = _lookup(__name__)
