"""Scope: values of persistable variables by name. Executors read and write it."""

import contextlib

import numpy as np

from ..core.context import changed, context, process
from ..core.errors import StoredShapeError, suggest
from ..core.rows import SelectedRows
from ..core.tensor import Tensor
from .lod_tensor import LoDTensor, LoDTensorArray


class Scope:
    """A dictionary of arrays by variable name; a nested one finds what it lacks in the scope around it."""

    def __init__(self, parent=None):
        self.values = {}
        self.lods = {}  # name -> offsets of the value's sequences, level by level, where it has any
        self._parent = parent

    def has(self, name):
        """Is there a value of that name?"""
        return name in self.values or self._parent is not None and self._parent.has(name)

    def get(self, name):
        """The array of that name; RuntimeError with the nearest names if there is none."""
        try:
            return self.values[name]
        except KeyError:
            if self._parent is not None and self._parent.has(name):
                return self._parent.get(name)
            raise RuntimeError(f"variable {name!r} has no value in this scope{suggest(name, self.values)}; "
                               "run the startup program (or load parameters) first") from None

    def set(self, name, value, expected=None):
        """Store a value (array or Tensor); ``expected``: the shape it must have (-1 is any)."""
        array = value._data if isinstance(value, Tensor) else np.asarray(value)
        if expected is not None and (len(expected) != array.ndim
                                     or any(e not in (-1, n) for e, n in zip(expected, array.shape))):
            raise StoredShapeError(f"variable {name!r} has shape {list(expected)}, the given value {list(array.shape)}")
        self.values[name] = array

    def var(self, name):
        """The holder of that name, made if needed (older interface)."""
        self.values.setdefault(name, np.zeros([0], np.float32))
        return ScopeVariable(self, name)

    def find_var(self, name):
        """The holder of that name, or None (older interface)."""
        if name not in self.values and self._parent is not None:
            return self._parent.find_var(name)
        return ScopeVariable(self, name) if name in self.values else None

    def size(self):
        """How many variables this scope holds itself."""
        return len(self.values)

    def drop_kids(self):
        """Forget nested scopes: nothing here refers to them."""

    def new_scope(self):
        """A fresh scope inside this one."""
        return Scope(self)


class ScopeVariable:
    """What ``find_var`` returns: the older interface to one value."""

    def __init__(self, scope, name):
        self._scope, self._name = scope, name

    def get_tensor(self):
        """The value's holder: ``np.array(holder)``, ``holder.set(array, place)``."""
        return ScopeTensor(self._scope, self._name)

    def get_selected_rows(self):
        """The value as SelectedRows, made if there are none."""
        value = self._scope.values.get(self._name)
        if value.__class__ is not SelectedRows:
            value = self._scope.values[self._name] = SelectedRows()
        return value

    def get_lod_tensor_array(self):
        """The value as a LoDTensorArray, made if there is none."""
        value = self._scope.values.get(self._name)
        if not isinstance(value, LoDTensorArray):
            value = self._scope.values[self._name] = LoDTensorArray(
                LoDTensor(one) for one in (value if isinstance(value, (list, tuple)) else ()))
        return value

    get_fetch_list = get_lod_tensor_array

    def name(self):
        """The variable's name."""
        return self._name

    def set_int(self, value):
        """Store an int32."""
        self._scope.set(self._name, np.array([value], np.int32))

    def is_int(self):
        """Is the value one int32?"""
        value = self._scope.get(self._name)
        return isinstance(value, np.ndarray) and value.dtype == np.int32 and value.size == 1

    def get_int(self):
        """The value as an int."""
        return int(self._scope.get(self._name).item())

    def set_float(self, value):
        """Store a float32."""
        self._scope.set(self._name, np.array([value], np.float32))

    def get_float(self):
        """The value as a float."""
        return float(self._scope.get(self._name).item())


class ScopeTensor(LoDTensor):
    """One value of a scope, to be read as an array or set."""

    def __init__(self, scope, name):
        self._scope, self._name = scope, name

    @property
    def _array(self):
        return self._scope.get(self._name)

    @_array.setter
    def _array(self, array):
        self._scope.set(self._name, array)

    @property
    def _lengths(self):
        return [np.diff(level).tolist() for level in self._scope.lods.get(self._name, ())]

    @_lengths.setter
    def _lengths(self, lengths):
        self._scope.lods[self._name] = [[0, *np.cumsum(level).tolist()] for level in lengths]


process.scope = Scope()


def global_scope():
    """The scope that Executors use unless given another.

    >>> paddle.static.global_scope().has('no such variable')
    False
    """
    return context.scope or process.scope


@contextlib.contextmanager
def scope_guard(scope):
    """Use another global scope inside the ``with`` block.

    Args:
        scope (Scope): where Executors find and keep the variables of programs meanwhile, in this thread.

    >>> with paddle.static.scope_guard(paddle.static.Scope()) as _:
    ...     pass
    """
    if not isinstance(scope, Scope):
        raise TypeError(f"scope_guard(): scope must be a Scope, got {type(scope).__name__}")
    with changed(scope=scope):
        yield scope
