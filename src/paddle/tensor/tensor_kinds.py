"""Tensor methods for other kinds of tensors (sparse, selected rows, strings, distributed), and those of lazy packages."""

from ..core.autograd import Node
from ..core.rows_tensor import RowsTensor
from ..core.tensor import Tensor
from .convert import as_tensor

__all__ = []
METHODS = ["is_same_shape", "is_selected_rows", "get_selected_rows", "reconstruct_from_", "stft", "istft"]


def is_same_shape(x, y):
    """Do two tensors have the same shape?

    Args:
        x, y: Tensors.

    >>> paddle.ones([2, 3]).is_same_shape(paddle.ones([3, 2]))
    False
    """
    return list(x.shape) == list(as_tensor(y, "is_same_shape", "y").shape)


def is_selected_rows(x):
    """Does the tensor hold some rows of a larger one, as the gradient of an embedding with ``sparse=True``?

    Args:
        x: Tensor.

    >>> table = paddle.nn.Embedding(9, 2, sparse=True)
    >>> table(paddle.to_tensor([7, 3])).sum().backward()
    >>> table.weight.grad.is_selected_rows(), table.weight.grad.rows(), table.weight.grad.shape
    (True, [7, 3], [2, 2])
    """
    return x.__class__ is RowsTensor


def get_selected_rows(x):
    """The rows of a tensor of selected rows, with ``rows()``, ``height()`` and ``get_tensor()``; None for other tensors.

    Args:
        x: Tensor.

    >>> paddle.ones([2]).get_selected_rows()
    """
    return x._content() if x.__class__ is RowsTensor else None


def reconstruct_from_(x, other):
    """Become another tensor: its values, type, shape and history.

    Args:
        x, other: Tensors.

    >>> x = paddle.ones([2])
    >>> x.reconstruct_from_(paddle.to_tensor([1, 2, 3]))
    >>> x.tolist()
    [1, 2, 3]
    """
    x.become(as_tensor(other, "reconstruct_from_", "other"), "reconstruct_from_", True)


def stft(x, *args, **kwargs):
    """The short-time Fourier transform (see ``paddle.signal.stft``).

    Args:
        x: signal [length] or [batch, length].
        args, kwargs: as for ``paddle.signal.stft``.

    >>> paddle.ones([16]).stft(4).shape
    [3, 17]
    """
    from ..signal import stft  # a room above, not imported with this one
    return stft(x, *args, **kwargs)


def istft(x, *args, **kwargs):
    """The inverse short-time Fourier transform (see ``paddle.signal.istft``).

    Args:
        x: complex spectra [frequencies, frames] or [batch, frequencies, frames].
        args, kwargs: as for ``paddle.signal.istft``.

    >>> paddle.ones([16]).stft(4).istft(4).shape
    [16]
    """
    from ..signal import istft  # a room above, not imported with this one
    return istft(x, *args, **kwargs)


def _only(name, kinds):
    """A method that this (dense) kind of tensor refuses."""
    def refuse(self, *args, **kwargs):
        raise TypeError(f"{name}(): only {kinds} have it; this tensor is dense, with shape {self.shape}")
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Refused: only {kinds} have it, this tensor is dense."
    return refuse


_KINDS = {"coalesce": "sparse COO tensors", "indices": "sparse COO tensors", "values": "sparse tensors",
          "nnz": "sparse tensors", "to_dense": "sparse tensors", "cols": "sparse CSR tensors", "crows": "sparse CSR tensors",
          "rows": "selected rows", "set_vocab": "vocabularies of string tensors", "set_string_list": "string tensors"}
for _name, _kinds in _KINDS.items():
    setattr(Tensor, _name, _only(_name, _kinds))


def _sparse(name):
    def convert(self, *args, **kwargs):
        from .. import sparse  # a room above, not imported with this one
        return getattr(sparse, name)(self, *args, **kwargs)
    convert.__name__ = convert.__qualname__ = name
    call = f"{name}({2 if name == 'to_sparse_coo' else ''})"
    convert.__doc__ = ("This tensor in a sparse form (see ``paddle.sparse``).\n\n"
                       f">>> paddle.eye(2).{call}.shape\n[2, 2]\n")
    return convert


SPARSE_FORMS = {name: _sparse(name) for name in ("to_sparse_coo", "to_sparse_csr")}  # static Variables have them too
for _name, _function in SPARSE_FORMS.items():
    setattr(Tensor, _name, _function)

_NOTHING = {"num_shard": "shards", "placements": "placements on a mesh", "process_mesh": "a mesh of processes",
            "dist_attr": "attributes of distribution"}
for _name, _what in _NOTHING.items():
    setattr(Tensor, _name, property(lambda self: None, doc=f"None: the tensor lives in one place, it has no {_what}."))


class GradNodeBase:
    """A step of the way back: what ``Tensor.grad_fn`` shows of a node of the tape."""

    def __init__(self, node):
        self._node = node

    def name(self):
        """Whose gradient is computed: "AddGradNode"; "GradNodeAccumulation" where gradients arrive."""
        if self._node is None:
            return "GradNodeAccumulation"
        return "".join(part.title() for part in self._node.recipe.name.split("_")) + "GradNode"

    @property
    def next_functions(self):
        """The steps that follow, one for each input that receives a gradient; [None] behind a leaf."""
        edges = () if self._node is None else self._node.edges or ()
        each = [part for edge in edges for part in (edge if isinstance(edge, list) else [edge]) if part is not None]
        return [_step(edge) for edge in each] or [None]

    def __eq__(self, other):
        return isinstance(other, GradNodeBase) and self._node is other._node

    def __hash__(self):
        return id(self._node)


def _step(edge):
    """The step behind an edge: a node, one of its outputs, or a tensor that gradients arrive at."""
    return GradNodeBase(edge if isinstance(edge, Node) else edge[0] if edge.__class__ is tuple else None)


def _grad_fn(self):
    """How the gradient goes on from this tensor, a step with ``name()`` and ``next_functions``; None if it receives none."""
    return _step(self._edge) if self._edge is not None or not self.stop_gradient else None


Tensor.grad_fn = property(_grad_fn)
Tensor.grad_ = property(lambda self: self.grad, doc="The gradient (another name of ``grad``).")
