"""Scope: values of persistable variables by name. Executors read and write it."""

import contextlib

import numpy as np

from ..core.context import changed, context, process
from ..core.errors import suggest
from ..core.tensor import Tensor, wrap


class Scope:
    """A dictionary of arrays by variable name."""

    def __init__(self):
        self.values = {}

    def has(self, name):
        """Is there a value of that name?"""
        return name in self.values

    def get(self, name):
        """The array of that name; RuntimeError with the nearest names if there is none."""
        try:
            return self.values[name]
        except KeyError:
            raise RuntimeError(f"variable {name!r} has no value in this scope{suggest(name, self.values)}; "
                               "run the startup program (or load parameters) first") from None

    def tensor(self, name):
        """The value as a Tensor."""
        t = wrap(self.get(name))
        t.name, t.persistable = name, True
        return t

    def set(self, name, value, expected=None):
        """Store a value (array or Tensor); ``expected``: the shape it must have (-1 is any)."""
        array = value._data if isinstance(value, Tensor) else np.asarray(value)
        if expected is not None and (len(expected) != array.ndim
                                     or any(e not in (-1, n) for e, n in zip(expected, array.shape))):
            raise ValueError(f"variable {name!r} has shape {list(expected)}, the given value {list(array.shape)}")
        self.values[name] = array

    def var(self, name):
        """The holder of that name, made if needed (older interface)."""
        self.values.setdefault(name, np.zeros([0], np.float32))
        return ScopeVariable(self, name)

    def find_var(self, name):
        """The holder of that name, or None (older interface)."""
        return ScopeVariable(self, name) if name in self.values else None

    def drop_kids(self):
        """Forget nested scopes: there are none here."""

    def new_scope(self):
        """A fresh scope."""
        return Scope()


class ScopeVariable:
    """What ``find_var`` returns: the older interface to one value."""

    def __init__(self, scope, name):
        self._scope, self._name = scope, name

    def get_tensor(self):
        """The value's holder: ``np.array(holder)``, ``holder.set(array, place)``."""
        return ScopeTensor(self._scope, self._name)

    def name(self):
        """The variable's name."""
        return self._name


class ScopeTensor:
    """One value of a scope, to be read as an array or set."""

    def __init__(self, scope, name):
        self._scope, self._name = scope, name

    def set(self, array, place=None):
        """Store another array."""
        self._scope.set(self._name, np.array(array))

    def shape(self):
        """Sizes of the value."""
        return list(self._scope.get(self._name).shape)

    def lod(self):
        """Offsets of sequences: a scope keeps persistable values, which have none."""
        return []

    recursive_sequence_lengths = lod

    def __array__(self, dtype=None, copy=None):
        return np.array(self._scope.get(self._name), dtype)


process.scope = Scope()


def global_scope():
    """The scope that Executors use unless given another.

    >>> import paddle
    >>> paddle.static.global_scope().has('no such variable')
    False
    """
    return context.scope or process.scope


@contextlib.contextmanager
def scope_guard(scope):
    """Use another global scope inside the ``with`` block.

    >>> import paddle
    >>> with paddle.static.scope_guard(paddle.static.Scope()) as _:
    ...     pass
    """
    if not isinstance(scope, Scope):
        raise TypeError(f"scope_guard(): scope must be a Scope, got {type(scope).__name__}")
    with changed(scope=scope):
        yield scope
