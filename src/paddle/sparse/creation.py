"""Sparse tensors from positions and values, and from dense tensors."""

import math

import numpy as np

from ..core.addresses import lookup as _lookup
from ..core.errors import WrongKindError, own_errors
from ..core.op import Symbolic
from ..core.tensor import Tensor, wrap
from ..ops.manipulation import positions
from ..ops.manipulation.gather_scatter import index_select
from ..tensor.creation import to_tensor
from .tensors import SparseCooTensor, SparseCsrTensor, coo_at, flat_rows, is_tensor, known_sizes

__all__ = ["sparse_coo_tensor", "sparse_csr_tensor"]


def _whole(value, function, argument, dims):
    """Positions as they are given, or as int64 unless they are of another type that positions may have."""
    if not is_tensor(value):
        array = np.asarray(value)
        value = wrap(array.astype(np.int64) if array.dtype.kind == "u" or not array.size else array)
    if value.dtype.dtype.kind not in "iu" or value.ndim != dims:
        raise WrongKindError(f"{function}(): {argument} must be integers of {dims} dimension{'s' * (dims > 1)}, got "
                             f"{value.dtype.name} of shape {list(value.shape)}")
    return value if value.dtype.name in ("int32", "int64") else value.astype("int64")


def _values(values, dtype, place, stop_gradient):
    dtype = dtype or None  # Paddle takes False, too, for none
    if is_tensor(values):
        values = values if dtype is None else values.astype(dtype)
        if not stop_gradient:
            values.stop_gradient = False  # the given tensor's, as in Paddle, so that it receives the gradient
        return values
    return to_tensor(values, dtype, place, stop_gradient)


@own_errors
def sparse_coo_tensor(indices, values, shape=None, dtype=None, place=None, stop_gradient=True):
    """A sparse tensor from the index of each value; all other elements are zero.

    Args:
        indices: integers [sparse axes, n], as a Tensor, array or list.
        values: [n, sizes of dense axes]; a Tensor keeps its gradient.
        stop_gradient: False asks for gradients of the values.
        shape: sizes of all axes; None takes the smallest that hold the indices.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], [3, 3])
    >>> x.to_dense().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [3.0, 0.0, 0.0]]
    """
    name = "sparse_coo_tensor"
    indices, values = _whole(indices, name, "indices", 2), _values(values, dtype, place, stop_gradient)
    axes = indices.shape[0]
    if axes < 0:
        raise ValueError(f"{name}(): the first size of indices, how many axes are sparse, must be known, got shape "
                         f"{list(indices.shape)}")
    if shape is None:
        shape = _smallest(indices, values)
    shape = [-1 if n is None else int(n) for n in (shape.tolist() if isinstance(shape, Tensor) else shape)]
    rest = shape[axes:]
    if isinstance(values, Symbolic) and len(shape) >= axes and math.prod(values.shape[1:]) == math.prod(rest) != 0:
        values = values if list(values.shape[1:]) == rest else values.reshape([-1, *rest])  # a feed of either form fits
    if values.ndim and (len(shape) != axes + values.ndim - 1 or rest != list(values.shape[1:])):
        raise ValueError(f"{name}(): shape {shape} does not fit indices of {axes} axes and values of shape {list(values.shape)}")
    if -1 in shape[1:axes]:
        raise ValueError(f"{name}(): of the sparse axes only the first may have an unknown size, got shape {shape}")
    return SparseCooTensor(positions.coo_indices(indices, values, shape[:axes]), values, shape)


def _smallest(indices, values):
    """The smallest sizes that hold the indices."""
    if isinstance(indices, Symbolic):
        raise ValueError("sparse_coo_tensor(): shape is needed in programs, where the indices are not known")
    if not indices._data.size:
        raise ValueError("sparse_coo_tensor(): shape is needed when there are no indices")
    return [*(indices._data.max(axis=1) + 1).tolist(), *values.shape[1:]]


@own_errors
def sparse_csr_tensor(crows, cols, values, shape, dtype=None, place=None, stop_gradient=True):
    """A sparse matrix, or a batch of them [B, M, N], from compressed rows.

    Args:
        crows: [M + 1] (or [B * (M + 1)]): where each row begins in cols and values.
        cols: [n], the column of each value.
        values: [n].

    >>> x = paddle.sparse.sparse_csr_tensor([0, 2, 3], [0, 2, 1], [1.0, 2.0, 3.0], [2, 3])
    >>> x.to_dense().tolist()
    [[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]
    """
    name, shape = "sparse_csr_tensor", [int(n) for n in shape]
    crows, cols = _whole(crows, name, "crows", 1), _whole(cols, name, "cols", 1)
    values = _values(values, dtype, place, stop_gradient)
    if len(shape) not in (2, 3):
        raise ValueError(f"{name}(): shape must have 2 or 3 axes, got {shape}")
    return SparseCsrTensor(crows, positions.csr_indices(crows, cols, values, known_sizes(shape, name)), values, shape)


def to_sparse_coo(x, sparse_dim=None):
    """A dense Tensor with its first ``sparse_dim`` axes (all for None) sparse: positions where anything is not zero."""
    axes = x.ndim if sparse_dim is None else sparse_dim
    if not 0 < axes <= x.ndim:
        raise ValueError(f"to_sparse_coo(): sparse_dim must be in [1, {x.ndim}], got {sparse_dim}")
    if -1 in x.shape[1:]:
        raise ValueError(f"to_sparse_coo(): only the first size of x may be unknown while a program is built, got {list(x.shape)}")
    keys = positions.filled_keys(x, axes)
    return coo_at(keys, index_select(flat_rows(x, axes), keys, 0), x.shape, axes)


def to_sparse_csr(x):
    """A dense Tensor of 2 or 3 axes as compressed rows, which keep their gradient, as they are leaves in Paddle."""
    made = to_sparse_coo(x).to_sparse_csr()
    if not made.stop_gradient and isinstance(x, Tensor):
        made.retain_grads()
    return made


__getattr__ = _lookup(__name__)
