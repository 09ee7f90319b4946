"""Sparse tensors: where their elements are (an integer Tensor) and what they are (a Tensor, with its gradient).

Functions of this package find positions with the ops of ``ops/manipulation/positions.py`` and compute values with those of dense
tensors, so that gradients of every order come from there. In a program indices and values are Variables: how many
there are is known in a run only, the shape when the program is built.
"""

import math

from ..core import backward
from ..core.context import context
from ..core.errors import ModeError, WrongKindError, describe
from ..core.op import Symbolic
from ..core.size import Size
from ..core.tensor import Tensor
from ..ops.manipulation import positions
from ..ops.manipulation.gather_scatter import index_select
from ..ops.manipulation.search import unique
from ..tensor.printing import data_text


class SparseTensor:
    """What both kinds share: a shape, the values, and whatever does not depend on how positions are written down."""

    def __init__(self, values, shape):
        self._values, self._shape = values, [-1 if n is None else int(n) for n in shape]

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
        g = self._values.grad if isinstance(self._values, Symbolic) else self._values._grad_ivar()
        return None if g is None else self.with_values(g)

    def values(self):
        """The values, one for each position."""
        return self._values

    def nnz(self):
        """How many positions are written down."""
        if self._values.shape[0] < 0:
            raise ModeError("nnz(): how many values a sparse tensor of a program has is known in a run only; "
                            "paddle.shape(x.values()) tells it there")
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
        start = None if grad_tensor is None else self._values_of(grad_tensor)
        if isinstance(self._values, Symbolic):
            self._values.backward(start, retain_graph)
        else:
            backward.backward([self._values], [start], retain_graph)

    def _values_of(self, other):
        """The elements that another tensor of the same shape has at the positions of this one."""
        if list(other.shape) != self._shape:
            raise ValueError(f"backward(): grad_tensor must have the shape {self._shape} of the tensor, got {list(other.shape)}")
        whole = other.to_dense() if isinstance(other, SparseTensor) else other
        return rows_at(whole, self.to_sparse_coo())

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
        self.__dict__.update(fields, _values=fields.pop("_values").detach().clone())
        return self

    def astype(self, dtype):
        """The same with values of another type."""
        return self.with_values(self._values.astype(dtype))

    def _text(self, **parts):
        parts = [f"{name}={t if isinstance(t, Symbolic) else data_text(t._data, len(name) + 8)}"
                 for name, t in {**parts, "values": self._values}.items()]
        head = (f"Tensor(shape={self._shape}, dtype=paddle.{self.dtype.name}, place={self.place}, "
                f"stop_gradient={self.stop_gradient}, ")
        return "\n       ".join([head, *(p + ", " for p in parts[:-1]), parts[-1] + ")"])


class SparseCooTensor(SparseTensor):
    """Values with an index each: ``indices`` is [sparse axes, n], ``values`` [n, sizes of the dense axes behind them]."""

    def __init__(self, indices, values, shape, coalesced=False):
        super().__init__(values, shape)
        self._indices, self.coalesced = indices, coalesced

    def taken_apart(self):
        """(what is not a tensor of it, its tensors), of which ``of_tensors`` makes it again."""
        return (tuple(self._shape), self.coalesced), [self._indices, self._values]

    def open_shapes(self):
        """Shapes of its tensors, with -1 for the number of values."""
        return [[self.sparse_axes, -1], [-1, *self._values.shape[1:]]]

    @classmethod
    def of_tensors(cls, facts, tensors):
        """The sparse tensor of what ``taken_apart`` gave, or of other tensors in their place."""
        return cls(*tensors, *facts)

    sparse_axes = property(lambda self: self._indices.shape[0], doc="How many of the axes, the first ones, are sparse.")
    sparse_sizes = property(lambda self: self._shape[:self._indices.shape[0]], doc="Sizes of the sparse axes.")

    def with_values(self, values):
        """The same positions with other values."""
        return SparseCooTensor(self._indices, values, [*self.sparse_sizes, *values.shape[1:]], self.coalesced)

    def indices(self):
        """The index of each value, [sparse axes, n]."""
        return self._indices

    def is_coalesced(self):
        """Is it known that no position is written down twice?"""
        return self.coalesced

    def keys(self):
        """One number for each position: that of the element in the flattened sparse axes."""
        return positions.coo_keys(self._indices, self.sparse_sizes)

    def coalesce(self):
        """Positions in order, each once; values of the same position are added."""
        if self.coalesced:
            return self
        return coo_from_keys(self.keys(), self._values, self._shape, self.sparse_axes, self._indices.dtype)

    def to_dense(self):
        """The Tensor with zeros everywhere else."""
        sizes, rest = known_sizes(self.sparse_sizes, "to_dense"), self._shape[self.sparse_axes:]
        return add_rows(math.prod(sizes), self.keys(), self._values).reshape([*sizes, *rest])

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
        *batch, rows, _ = known_sizes(self._shape, "to_sparse_csr")
        numbers = positions.coo_keys(one._indices, [*batch, rows])
        return SparseCsrTensor(positions.csr_starts(numbers, math.prod(batch), rows, one._indices.dtype.name), one._indices[-1],
                               one._values, self._shape)

    def __repr__(self):
        return self._text(indices=self._indices)


class SparseCsrTensor(SparseTensor):
    """Matrices (or a batch of them) as compressed rows: ``crows`` tells where each row's columns and values begin."""

    def __init__(self, crows, cols, values, shape):
        super().__init__(values, shape)
        self._crows, self._cols = crows, cols

    def taken_apart(self):
        """(what is not a tensor of it, its tensors), of which ``of_tensors`` makes it again."""
        return tuple(self._shape), [self._crows, self._cols, self._values]

    def open_shapes(self):
        """Shapes of its tensors, with -1 for the number of values."""
        return [self._crows.shape, [-1], [-1]]

    @classmethod
    def of_tensors(cls, facts, tensors):
        """The sparse tensor of what ``taken_apart`` gave, or of other tensors in their place."""
        return cls(*tensors, facts)

    def with_values(self, values):
        """The same positions with other values."""
        return SparseCsrTensor(self._crows, self._cols, values, self._shape)

    def crows(self):
        """Where each row begins, and where the last one ends; one such list after another for a batch."""
        return self._crows

    def cols(self):
        """The column of each value."""
        return self._cols

    def to_sparse_coo(self, sparse_dim=None):
        """The same with an index for each value."""
        if sparse_dim not in (None, self.ndim):
            raise ValueError(f"to_sparse_coo(): sparse_dim must be {self.ndim}: all axes of compressed rows are sparse, "
                             f"got {sparse_dim}")
        return SparseCooTensor(positions.csr_places(self._crows, self._cols, self._shape), self._values, self._shape)

    def to_sparse_csr(self):
        """Itself."""
        return self

    def to_dense(self):
        """The Tensor with zeros everywhere else."""
        return self.to_sparse_coo().to_dense()

    def __repr__(self):
        return self._text(crows=self._crows, cols=self._cols)


def known_sizes(sizes, function):
    """Sizes that a function needs as numbers; in a program the first one may be unknown, which raises ValueError here."""
    if -1 in sizes:
        raise ValueError(f"{function}(): the sizes of the sparse axes must be known while the program is built, got {list(sizes)}")
    return sizes


def add_rows(count, rows, values):
    """A Tensor of ``count`` rows, or of one for each key if ``count`` is a Tensor of them: the sums of the values that belong to
    each."""
    if isinstance(count, int):
        return positions.row_sums(values, rows, None, count)
    return positions.row_sums(values, rows, count, -1)


def rows_at(x, one):
    """The elements that a dense tensor has at the positions of a sparse one of its shape."""
    return index_select(flat_rows(x, one.sparse_axes), one.keys(), 0)


def flat_rows(x, axes):
    """A dense tensor with its first axes made one."""
    return x.reshape([math.prod(x.shape[:axes]) if x.shape[0] >= 0 else -1, *x.shape[axes:]])


def coo_at(keys, values, shape, sparse_axes, kind="int64"):
    """A coalesced tensor from keys in rising order, each once."""
    return SparseCooTensor(positions.coo_places(keys, list(shape[:sparse_axes]), getattr(kind, "name", kind)), values, shape, True)


def coo_from_keys(keys, values, shape, sparse_axes, kind="int64"):
    """A coalesced tensor from the number of each value's position in the flattened sparse axes."""
    found, _, rows, _ = unique(keys, False, True)
    return coo_at(found, add_rows(found, rows, values), shape, sparse_axes, kind)


def coo(x, function, argument="x"):
    """x as a tensor with an index for each value; anything dense raises an error."""
    if not isinstance(x, SparseTensor):
        raise WrongKindError(f"{function}(): {argument} must be a sparse tensor, got {describe(x)}")
    return x.to_sparse_coo()


def like(result, x):
    """A result in the form that x has."""
    return result.to_sparse_csr() if isinstance(x, SparseCsrTensor) else result


def is_tensor(value):
    """Is it a dense tensor, of dynamic code or of a program?"""
    return isinstance(value, (Tensor, Symbolic))
