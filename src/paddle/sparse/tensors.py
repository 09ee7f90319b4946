"""Sparse tensors: where their elements are (plain integer arrays) and what they are (a Tensor, with its gradient).

Functions of this package find positions with NumPy and compute values with the ops of dense tensors, so that gradients of
every order come from there.
"""

import numpy as np

from ..core import backward
from ..core.context import context
from ..core.errors import OutOfRangeError, WrongKindError, describe, own_errors
from ..core.size import Size
from ..core.tensor import Tensor, wrap
from ..tensor.creation import to_tensor, zeros
from ..tensor.printing import data_text

__all__ = ["sparse_coo_tensor", "sparse_csr_tensor"]


class SparseTensor:
    """What both kinds share: a shape, the values, and whatever does not depend on how positions are written down."""

    def __init__(self, values, shape):
        self._values, self._shape = values, [int(n) for n in shape]

    shape = property(lambda self: (Size if context.rules.sizes else list)(self._shape), doc="Sizes of all axes.")
    ndim = property(lambda self: len(self._shape), doc="Number of axes.")
    dtype = property(lambda self: self._values.dtype, doc="Type of the values.")
    place = property(lambda self: self._values.place, doc="Where the values are.")
    stop_gradient = property(lambda self: self._values.stop_gradient, doc="Are gradients kept away from the values?")

    @stop_gradient.setter
    def stop_gradient(self, value):
        self._values.stop_gradient = value

    @property
    def grad(self):
        """The gradient of the values at their positions, or None."""
        g = self._values._grad_ivar()
        return None if g is None else self.with_values(g)

    def values(self):
        """The values, one for each position."""
        return self._values

    def nnz(self):
        """How many positions are written down."""
        return self._values.shape[0]

    def is_sparse(self):
        """True."""
        return True

    def is_sparse_coo(self):
        """Is it of the kind with an index for each value?"""
        return isinstance(self, SparseCooTensor)

    def is_sparse_csr(self):
        """Is it of the kind with compressed rows?"""
        return isinstance(self, SparseCsrTensor)

    def is_dense(self):
        """False."""
        return False

    def numpy(self):
        """All elements, zeros included, as an array."""
        return self.to_dense().numpy()

    def detach(self):
        """The same positions with values cut off from the tape."""
        return self.with_values(self._values.detach())

    is_leaf = property(lambda self: self._values.is_leaf, doc="Do the values begin the tape?")

    def backward(self, grad_tensor=None, retain_graph=False):
        """Compute the gradients of all that the values depend on.

        Args:
            grad_tensor: gradient to start with, sparse or dense, of the shape of the tensor; ones for None.
            retain_graph: keep the tape for another backward.
        """
        backward.backward([self._values], [None if grad_tensor is None else self._values_of(grad_tensor)], retain_graph)

    def _values_of(self, other):
        """The elements that another tensor of the same shape has at the positions of this one."""
        if list(other.shape) != self._shape:
            raise ValueError(f"backward(): grad_tensor must have the shape {self._shape} of the tensor, got {list(other.shape)}")
        whole = other.to_dense() if isinstance(other, SparseTensor) else other
        own = self.to_sparse_coo()
        sizes = self._shape[:own.sparse_axes]
        return whole.reshape([int(np.prod(sizes)), *self._shape[own.sparse_axes:]]).index_select(wrap(own.keys()), 0)

    def retain_grads(self):
        """Keep the gradient of the values, though they do not begin the tape."""
        self._values.retain_grads()

    def clear_gradient(self, set_to_zero=True):
        """Forget the gradient of the values: it reads as zeros, or as None when ``set_to_zero`` is False."""
        self._values.clear_gradient(set_to_zero)

    clear_grad = clear_gradient

    def copy_(self, other, blocking=True):
        """Become the values and positions of another sparse tensor of the same kind; blocking or not, they are there at once."""
        if type(other) is not type(self):
            raise TypeError(f"copy_(): other must be a {type(self).__name__}, got {describe(other)}")
        fields = dict(vars(other))
        self.__dict__.update(fields, _values=wrap(fields.pop("_values")._data.copy()))
        return self

    def astype(self, dtype):
        """The same with values of another type."""
        return self.with_values(self._values.astype(dtype))

    def _text(self, **positions):
        parts = [f"{name}={data_text(array, len(name) + 8)}" for name, array in positions.items()]
        parts.append(f"values={data_text(self._values._data, 14)}")
        head = (f"Tensor(shape={self._shape}, dtype=paddle.{self.dtype.name}, place={self.place}, "
                f"stop_gradient={self.stop_gradient}, ")
        return "\n       ".join([head, *(p + ", " for p in parts[:-1]), parts[-1] + ")"])


class SparseCooTensor(SparseTensor):
    """Values with an index each: ``indices`` is [sparse axes, n], ``values`` [n, sizes of the dense axes behind them]."""

    def __init__(self, indices, values, shape, coalesced=False):
        super().__init__(values, shape)
        self.positions, self.coalesced = indices, coalesced

    sparse_axes = property(lambda self: len(self.positions), doc="How many of the axes, the first ones, are sparse.")

    def with_values(self, values):
        """The same positions with other values."""
        return SparseCooTensor(self.positions, values, [*self._shape[:self.sparse_axes], *values.shape[1:]], self.coalesced)

    def indices(self):
        """The index of each value, [sparse axes, n]."""
        return wrap(self.positions)

    def is_coalesced(self):
        """Is it known that no position is written down twice?"""
        return self.coalesced

    def keys(self):
        """One number for each position: that of the element in the flattened sparse axes."""
        sizes = self._shape[:self.sparse_axes]
        return np.ravel_multi_index(tuple(self.positions), sizes) if sizes else np.zeros(self.nnz(), np.int64)

    def coalesce(self):
        """Positions in order, each once; values of the same position are added."""
        if self.coalesced:
            return self
        return coo_from_keys(self.keys(), self._values, self._shape, self.sparse_axes)

    def to_dense(self):
        """The Tensor with zeros everywhere else."""
        sizes, rest = self._shape[:self.sparse_axes], self._shape[self.sparse_axes:]
        return add_rows(int(np.prod(sizes)), self.keys(), self._values).reshape([*sizes, *rest])

    def to_sparse_coo(self, sparse_dim=None):
        """Itself."""
        if sparse_dim not in (None, self.sparse_axes):
            raise ValueError(f"to_sparse_coo(): sparse_dim must be {self.sparse_axes}, that of the tensor, got {sparse_dim}")
        return self

    def to_sparse_csr(self):
        """The same as compressed rows; for tensors of 2 or 3 axes, all of them sparse."""
        if self.ndim not in (2, 3) or self.sparse_axes != self.ndim:
            raise ValueError(f"to_sparse_csr(): the tensor must have 2 or 3 axes, all sparse; it has {self.ndim}, of which "
                             f"{self.sparse_axes} are sparse")
        one = self.coalesce()
        *batch, rows, _ = self._shape
        counts = np.bincount(one.keys() // max(self._shape[-1], 1), minlength=int(np.prod([*batch, rows])))
        crows = np.zeros((int(np.prod(batch)), rows + 1), np.int64)
        np.cumsum(counts.reshape(-1, rows), axis=1, out=crows[:, 1:])
        return SparseCsrTensor(crows.reshape(-1), one.positions[-1], one._values, self._shape)

    def __repr__(self):
        return self._text(indices=self.positions)


class SparseCsrTensor(SparseTensor):
    """Matrices (or a batch of them) as compressed rows: ``crows`` tells where each row's columns and values begin."""

    def __init__(self, crows, cols, values, shape):
        super().__init__(values, shape)
        self.row_starts, self.columns = crows, cols

    def with_values(self, values):
        """The same positions with other values."""
        return SparseCsrTensor(self.row_starts, self.columns, values, self._shape)

    def crows(self):
        """Where each row begins, and where the last one ends; one such list after another for a batch."""
        return wrap(self.row_starts)

    def cols(self):
        """The column of each value."""
        return wrap(self.columns)

    def row_numbers(self):
        """The row of each value, counted through the batch."""
        counts = np.diff(self.row_starts.reshape(-1, self._shape[-2] + 1), axis=1).reshape(-1)
        return np.repeat(np.arange(counts.size), counts)

    def to_sparse_coo(self, sparse_dim=None):
        """The same with an index for each value."""
        if sparse_dim not in (None, self.ndim):
            raise ValueError(f"to_sparse_coo(): sparse_dim must be {self.ndim}: all axes of compressed rows are sparse, "
                             f"got {sparse_dim}")
        rows = self.row_numbers()
        batch = [rows // self._shape[-2]] if self.ndim == 3 else []
        return SparseCooTensor(np.stack([*batch, rows % self._shape[-2], self.columns]).astype(np.int64), self._values,
                               self._shape)

    def to_sparse_csr(self):
        """Itself."""
        return self

    def to_dense(self):
        """The Tensor with zeros everywhere else."""
        return self.to_sparse_coo().to_dense()

    def __repr__(self):
        return self._text(crows=self.row_starts, cols=self.columns)


def add_rows(count, rows, values):
    """A Tensor of ``count`` rows, the sums of the values that belong to each."""
    return zeros([count, *values.shape[1:]], values.dtype).index_add(wrap(np.asarray(rows, np.int64)), 0, values)


def coo_from_keys(keys, values, shape, sparse_axes):
    """A coalesced tensor from the number of each value's position in the flattened sparse axes."""
    unique, rows = np.unique(keys, return_inverse=True)
    if len(unique) < len(keys):
        values = add_rows(len(unique), rows.reshape(-1), values)
    elif len(keys) and (np.diff(keys) < 0).any():
        values = values.index_select(wrap(np.argsort(keys, kind="stable")), 0)
    places = np.unravel_index(unique, shape[:sparse_axes]) if sparse_axes else ()
    return SparseCooTensor(np.asarray(places, np.int64).reshape(sparse_axes, len(unique)), values, shape, True)


def coo(x, function, argument="x"):
    """x as a tensor with an index for each value; anything dense raises TypeError."""
    if not isinstance(x, SparseTensor):
        raise TypeError(f"{function}(): {argument} must be a sparse tensor, got {describe(x)}")
    return x.to_sparse_coo()


def like(result, x):
    """A result in the form that x has."""
    return result.to_sparse_csr() if isinstance(x, SparseCsrTensor) else result


def _whole(value, function, argument, dims):
    array = value._data if isinstance(value, Tensor) else np.asarray(value)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu" or array.ndim != dims:
        raise WrongKindError(f"{function}(): {argument} must be integers of {dims} dimension{'s' * (dims > 1)}, got "
                         f"{array.dtype.name} of shape {list(array.shape)}")
    return array.astype(np.int64)


def _values(values, dtype, place, stop_gradient):
    if isinstance(values, Tensor):
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
    if values.ndim == 0 or values.shape[0] != indices.shape[1]:
        raise ValueError(f"{name}(): values must have {indices.shape[1]} rows, one for each index, got shape {values.shape}")
    if indices.size and indices.min() < 0:
        raise IndexError(f"{name}(): indices must not be negative, got {indices.min()}")
    if shape is None:
        if not indices.size:
            raise ValueError(f"{name}(): shape is needed when there are no indices")
        shape = [*(indices.max(axis=1) + 1).tolist(), *values.shape[1:]]
    shape = [int(n) for n in (shape.tolist() if isinstance(shape, Tensor) else shape)]
    if len(shape) != len(indices) + values.ndim - 1 or shape[len(indices):] != values.shape[1:]:
        raise ValueError(f"{name}(): shape {shape} does not fit indices of {len(indices)} axes and values of shape {values.shape}")
    for axis, (row, size) in enumerate(zip(indices, shape)):
        if row.size and row.max() >= size:
            raise OutOfRangeError(f"{name}(): index {row.max()} of axis {axis} is out of range for size {size}")
    return SparseCooTensor(indices, values, shape)


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
    batch, rows = (shape[0] if len(shape) == 3 else 1), shape[-2]
    if crows.size != batch * (rows + 1) or values.shape != [cols.size]:
        raise ValueError(f"{name}(): shape {shape} needs {batch * (rows + 1)} crows and as many values as cols, got "
                         f"{crows.size} crows, {cols.size} cols, values of shape {values.shape}")
    starts = crows.reshape(batch, rows + 1)
    if (starts[:, 0] != 0).any() or (np.diff(starts, axis=1) < 0).any() or starts[:, -1].sum() != cols.size:
        raise ValueError(f"{name}(): crows must begin with 0, never fall, and end with the number of values, got {crows.tolist()}")
    if cols.size and (cols.min() < 0 or cols.max() >= shape[-1]):
        raise IndexError(f"{name}(): column {cols.min() if cols.min() < 0 else cols.max()} is out of range for size {shape[-1]}")
    return SparseCsrTensor(crows, cols, values, shape)


def to_sparse_coo(x, sparse_dim=None):
    """A dense Tensor with its first ``sparse_dim`` axes (all for None) sparse: positions where anything is not zero."""
    axes = x.ndim if sparse_dim is None else sparse_dim
    if not 0 < axes <= x.ndim:
        raise ValueError(f"to_sparse_coo(): sparse_dim must be in [1, {x.ndim}], got {sparse_dim}")
    sizes = x.shape[:axes]
    keys = np.flatnonzero((x._data != 0).any(axis=tuple(range(axes, x.ndim))))
    rows = x.reshape([int(np.prod(sizes)), *x.shape[axes:]]).index_select(wrap(keys), 0)
    return coo_from_keys(keys, rows, x.shape, axes)


def to_sparse_csr(x):
    """A dense Tensor of 2 or 3 axes as compressed rows, which keep their gradient, as they are leaves in Paddle."""
    made = to_sparse_coo(x).to_sparse_csr()
    if not made.stop_gradient:
        made.retain_grads()
    return made
