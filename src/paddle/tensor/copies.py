"""Tensors copied deeply, and pickled."""

import copy

from ..core.names import generate
from ..core.tensor import Parameter, Tensor, wrap


def __deepcopy__(self, memo):
    """A leaf of its own with the same values, without the gradient; its name says that it is a copy."""
    if self._edge is not None:
        raise RuntimeError("deepcopy(): only leaf tensors can be deep-copied; detach() this one first")
    new = type(self).__new__(type(self))
    memo[id(self)] = new
    new._data = self._data.copy()
    new._edge, new._version = None, 0
    new.stop_gradient = self.stop_gradient
    new._grad = new._meta = None
    name = self.name  # made up on first use; of a complex tensor a pair in 1.8
    new.name = (name if isinstance(name, str) else self.meta().name) + generate("_deepcopy")
    new.meta().persistable = self.persistable
    if isinstance(self, Parameter):
        new.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return new


def rebuild(kind, array, stop_gradient, name, state):
    """Make a tensor again from what pickling kept."""
    t = wrap(array) if kind == "Tensor" else Parameter(array, name)
    t.stop_gradient = stop_gradient
    if name is not None:
        t.name = name
    if state:
        t.__dict__.update(state)
    return t


def __reduce__(self):
    kind = "Parameter" if isinstance(self, Parameter) else "Tensor"
    name = self._meta.name if self._meta is not None else None
    return rebuild, (kind, self._data, self.stop_gradient, name, getattr(self, "__dict__", None))


Tensor.__deepcopy__, Tensor.__reduce__ = __deepcopy__, __reduce__
