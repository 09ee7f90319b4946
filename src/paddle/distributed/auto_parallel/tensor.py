"""Tensors that are cut over the ranks of a mesh.

A rank holds its part as ``_data``; shape, values and everything that people see are those of the whole. Reading values is a
collective: all ranks of the mesh do it. Operators meet such a tensor in ``record``, which runs them on the parts (see
propagation.py).
"""

import math

import numpy as np

from ...core.context import context
from ...core.size import Size
from ...core.tensor import ZERO, Parameter, Tensor, wrap
from .moves import passing
from .placement_type import Replicate


class Placed:
    """What tensors and parameters that are cut have in common."""

    __slots__ = ()

    def place(self, mesh, placements, sizes):
        """Say what this rank's array is a part of."""
        self._placed = True
        self._mesh, self._places, self._sizes = mesh, list(placements), tuple(int(n) for n in sizes)
        return self

    @property
    def process_mesh(self):
        """The ranks that have a part."""
        return self._mesh

    @property
    def placements(self):
        """For each dimension of the mesh, what its ranks have."""
        return self._places

    @property
    def dist_attr(self):
        """The older way of saying how the tensor is cut."""
        return TensorDistAttr(self)

    @property
    def num_shard(self):
        """In how many parts the tensor is cut."""
        return math.prod(n for n, p in zip(self._mesh.shape, self._places) if p.is_shard())

    def is_dist(self):
        """True: the tensor is cut over ranks."""
        return True

    def record(self, op, args):
        """What a call of an op gives, with this among its bound arguments."""
        from .propagation import run  # it makes tensors of this class
        return run(op, args)

    # ---- what it is ----
    @property
    def shape(self):
        """The sizes of the axes of the whole tensor."""
        return Size(self._sizes) if context.rules.sizes else list(self._sizes)

    @property
    def size(self):
        """The number of elements of the whole tensor."""
        return math.prod(self._sizes)

    @property
    def _local_shape(self):
        return list(self._data.shape)

    def _local_value(self):
        """This rank's part, as a plain tensor on the same tape."""
        return local_of(self)

    def get_tensor(self):
        """This rank's part."""
        return local_of(self)

    def _is_initialized(self):
        """Has this rank a part?"""
        return self.process_mesh.coordinates() is not None

    # ---- values ----
    def whole(self):
        """The whole tensor, on every rank of the mesh, as a plain one on the same tape."""
        _resharding().need_member(self.process_mesh, "reading values")
        return local_of(_resharding().moved(self, [Replicate()] * self.process_mesh.ndim))

    def meeting(self, terms):
        """Tensors that may lie on different meshes, on one that they have in common."""
        return _transfer().meeting(terms)

    def beside(self, other):
        """Another tensor, replicated, on the mesh of this one."""
        if other.process_mesh == self.process_mesh:
            return other
        return _transfer().across(other, self.process_mesh, [Replicate()] * self.process_mesh.ndim)

    def numpy(self, dtype=None):
        """The values of the whole tensor as a NumPy array of its own."""
        return self.whole().numpy(dtype)

    def __array__(self, dtype=None, copy=None):
        return self.whole().__array__(dtype, copy)

    def item(self, *args):
        """One element as a Python number."""
        return self.whole().item(*args)

    def tolist(self):
        """The values of the whole tensor as nested lists."""
        return self.whole().tolist()

    def __float__(self):
        return float(self.whole())

    def __int__(self):
        return int(self.whole())

    def __bool__(self):
        return bool(self.whole())

    def __index__(self):
        return self.whole().__index__()

    def __len__(self):
        return len(self.whole())

    def __iter__(self):
        return (self[k] for k in range(self._sizes[0])) if self._sizes else iter(self.whole())

    def __repr__(self):
        places = f"process_mesh={{{self.process_mesh}}}, placements={self.placements}"
        if self.process_mesh.coordinates() is None:
            return f"Tensor({places}, shape={list(self._sizes)}, without values on this rank)"
        return f"{self.whole()!r}".replace("Tensor(", f"Tensor({places}, ", 1)

    __str__ = __repr__

    def __format__(self, spec):
        return format(self.whole(), spec)

    def __deepcopy__(self, memo):
        copied = like(self, self._data.copy(), self.placements)
        copied.stop_gradient = self.stop_gradient
        if isinstance(self, Parameter):
            copied = parameter_like(self, copied, f"{self.name}_copy")
        memo[id(self)] = copied
        return copied

    def __reduce_ex__(self, protocol):
        raise TypeError("a tensor that is cut over ranks can't be pickled or saved by paddle.save; use dist.save_state_dict, or "
                        "save dist.unshard_dtensor(tensor)")

    def detach(self):
        """The values without their history."""
        return like(self, self._data, self.placements)

    def snapshot(self):
        """See Tensor.snapshot."""
        old = like(self, self._data, self.placements)
        old._edge, old.stop_gradient = self._edge, self.stop_gradient
        return old

    def become(self, other, by, reshapes=False):
        """Take over the value and history of ``other``, placed as this tensor is."""
        other = other if other._placed else _resharding().replicated(other, self.process_mesh)
        target = self.placements if list(other._sizes) == list(self._sizes) else other.placements
        super().become(_resharding().moved(other, target), by, reshapes)
        self.place(self.process_mesh, target, other._sizes)
        return self

    def set_value(self, value):
        """Put in other values: a tensor placed in any way, or an array of the whole."""
        if not isinstance(value, Tensor):
            value = wrap(np.array(value, self._data.dtype))
        if list(value.shape) != list(self._sizes):
            raise ValueError(f"set_value(): the value's shape {list(value.shape)} is not the tensor's {list(self._sizes)}")
        if value._data.dtype != self._data.dtype:
            raise TypeError(f"set_value(): the tensor's dtype is {self._data.dtype.name}, the value's {value._data.dtype.name}")
        value = value if value._placed else _resharding().replicated(value, self.process_mesh)
        self.replace(np.array(_resharding().moved(value.detach(), self.placements)._data, order="C"))

    # ---- gradients ----
    def own_gradient(self, g):
        """This rank's part of a gradient of the tensor."""
        g = g if g._placed else _resharding().replicated(g, self.process_mesh)
        return local_of(_resharding().moved(g, self._gradient_places()))

    def whole_gradient(self, g):
        """A gradient of which this is the rank's part."""
        return placed_over(g, self.process_mesh, self._gradient_places(), self._sizes)

    def state(self, part):
        """What an optimizer keeps for the tensor, of which this is the rank's part: placed as it is, or whole if of another
        shape."""
        if part._data.shape == self._data.shape:
            return self.whole_gradient(part)
        return placed_over(part, self.process_mesh, [Replicate()] * self.process_mesh.ndim, part._data.shape)

    def register_hook(self, hook):
        """Call a function with the gradient of the tensor, placed as the tensor is; see Tensor.register_hook."""
        where = self.outline()

        def of_part(g):
            result = hook(where.whole_gradient(g))
            return None if result is None else where.own_gradient(result)

        return super().register_hook(of_part)

    _register_grad_hook = register_hook

    def alike(self, part):
        """A tensor placed as this one, of which a plain tensor is this rank's part, at the same place on the tape."""
        return placed_over(part, self.process_mesh, self.placements, self._sizes)

    def outline(self):
        """Where and how large the tensor is, without its values."""
        return like(self, np.empty(0, self._data.dtype), self.placements)

    def _gradient_places(self):
        return [Replicate() if p.is_partial() else p for p in self.placements]

    def _grad_ivar(self):
        """The accumulated gradient, placed as the tensor is; zeros after it was cleared."""
        g = self._grad
        if g is None:
            return None
        if g is ZERO or not g._placed:
            array = np.zeros_like(self._data) if g is ZERO else g._data
            g = self._grad = like(self, array, self._gradient_places())
        g.stop_gradient = False
        return g

    @Tensor.grad.setter
    def grad(self, value):
        if value is not None and (not isinstance(value, Tensor) or list(value.shape) != list(self._sizes)):
            raise ValueError(f"grad: must be None or a Tensor {list(self._sizes)}, got {value!r}")
        if value is not None:
            value = value if value._placed else _resharding().replicated(value, self.process_mesh)
            value = _resharding().moved(value, self._gradient_places())
        self._grad = value


def _resharding():
    from . import resharding  # it computes with the tensors of this module
    return resharding


def _transfer():
    from . import transfer  # it computes with the tensors of this module
    return transfer


class TensorDistAttr:
    """How a tensor is cut, by its axes: ``dims_mapping`` has the dimension of the mesh that cuts each, -1 for none."""

    def __init__(self, tensor):
        self.process_mesh, self._places, self._ndim = tensor.process_mesh, tensor.placements, tensor.ndim

    @property
    def dims_mapping(self):
        """For each axis the dimension of the mesh that cuts it, -1 for none."""
        return [next((dim for dim, p in enumerate(self._places) if p.is_shard(axis)), -1) for axis in range(self._ndim)]

    def _is_partial(self):
        return bool(self._partial_dims())

    def _partial_dims(self):
        return {dim for dim, p in enumerate(self._places) if p.is_partial()}


class ShardedTensor(Placed, Tensor):
    """A Tensor that is cut over ranks. ``paddle.distributed.shard_tensor`` makes it."""


class ShardedParameter(Placed, Parameter):
    """A Parameter that is cut over ranks."""


def like(tensor, array, placements, sizes=None):
    """A leaf on the mesh of a tensor over this rank's array."""
    return made(array, tensor.process_mesh, placements, tensor._sizes if sizes is None else sizes)


def made(array, mesh, placements, sizes):
    """A leaf over this rank's array."""
    t = ShardedTensor.__new__(ShardedTensor)
    t._data, t._edge, t._grad, t._meta, t._version, t.stop_gradient = array, None, None, None, 0, True
    return t.place(mesh, placements, sizes)


def parameter_like(parameter, placed, name):
    """A parameter over the array of a placed tensor, with everything else as another parameter has it."""
    made_ = ShardedParameter.__new__(ShardedParameter)
    Parameter.__init__(made_, placed._data, name, not parameter.stop_gradient)
    made_.__dict__.update(parameter.__dict__)
    return made_.place(placed.process_mesh, placed.placements, placed._sizes)


def local_of(tensor):
    """This rank's part as a plain tensor at the same place on the tape; a leaf of the tape stays where its gradient goes."""
    if not tensor._placed:
        return tensor
    part = wrap(tensor._data)
    if not tensor.stop_gradient:
        part._edge, part.stop_gradient = tensor if tensor._edge is None else tensor._edge, False
    return part


def placed_over(part, mesh, placements, sizes):
    """A plain tensor, this rank's part, as a placed one at the same place on the tape."""
    if not part.stop_gradient and (part._edge is None or isinstance(part._edge, Tensor)):
        part = passing(part)  # a leaf: the result is none
    t = made(part._data, mesh, placements, sizes)
    t._edge, t.stop_gradient = part._edge, part.stop_gradient
    return t
