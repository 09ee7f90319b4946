"""What translated code reads from objects, modules and containers around it: a program traced with other values is of no use."""

import sys
import types

from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..nn.layer.layers import Layer
from .arrays import TensorList
from .calls import LIBRARIES
from .errors import Unset
from .guards import PLAIN, token
from .places import loose
from .tracing import current

_IGNORED = (Symbolic, Tensor, TensorList, Unset)
_KNOWN_MODULES = LIBRARIES | sys.stdlib_module_names | {__name__.partition(".")[0]}


class Read:
    """A value that was read: attribute or member ``key`` of a table that belongs to an owner."""

    def __init__(self, owner, table, key, value):
        self.owner, self.table, self.key, self.value, self.known = owner, table, key, value, token(value)
        self.references = 2 if table is owner or isinstance(table, _Inherited) else 1  # to the owner

    def settle(self, met):
        """The trace is done. Of tensors that no operator met, only that they are tensors matters."""
        if isinstance(self.value, Tensor) and id(self.value) not in met:
            self.known = self.value = Tensor
        self.owner = None  # it is not kept alive
        if isinstance(self.table, _Inherited):
            self.table.owner = loose(self.table.owner)

    def hold(self):
        """Would the code read the same again?"""
        try:
            now = self.table[self.key]
        except (KeyError, IndexError):
            return False
        return isinstance(now, Tensor) if self.known is Tensor else token(now) == self.known


class Size:
    """How many members a container has that was gone through or measured."""

    references = 1

    def __init__(self, owner):
        self.owner, self.known = owner, len(owner)

    def settle(self, met):
        """Nothing to do."""

    def hold(self):
        """Are there as many?"""
        return len(self.owner) == self.known


def read(owner, name):
    """``owner.name``."""
    value = getattr(owner, name)
    trace = current()
    if trace is None or isinstance(owner, _IGNORED) or isinstance(value, Symbolic):
        return value
    if isinstance(owner, Layer):
        trace.meet(owner)
    elif (id(owner), name) not in trace.mutations[0].places:
        table = _table(owner, name)
        if table is not None and (isinstance(value, PLAIN) or not isinstance(owner, (type, types.ModuleType))):
            note(trace, owner, table, name, value)
    return value


class _Inherited:
    """Attributes that an object has from its class, as a table."""

    def __init__(self, owner):
        self.owner = owner

    def __getitem__(self, name):
        return getattr(self.owner, name, None)


def _table(owner, name):
    """The dict that an attribute is found in, if it is a plain one; None for modules of libraries."""
    if isinstance(owner, types.ModuleType) and owner.__name__.partition(".")[0] in _KNOWN_MODULES:
        return None
    table = getattr(owner, "__dict__", None)
    if table is not None and name in table:
        return table
    for cls in getattr(type(owner), "__mro__", ()):
        if name in cls.__dict__:
            return _Inherited(owner) if isinstance(cls.__dict__[name], PLAIN) else None
    return None


def member(owner, key):
    """``owner[key]``."""
    value = owner[key]
    trace = current()
    if trace is not None and owner.__class__ in (list, dict) and id(owner) not in trace.mutations[0].places:
        if not isinstance(value, Symbolic) and not isinstance(key, (Symbolic, slice)):
            note(trace, owner, owner, key, value)
    return value


def note(trace, owner, table, key, value):
    """Remember a value; the program reads a tensor that is found so at every run."""
    if (id(owner), key) not in trace.reads:
        trace.reads[id(owner), key] = Read(owner, table, key, value)
    if isinstance(value, Tensor):
        trace.known.add(id(value))


def go_through(owner):
    """All members of a container are about to be read; returns it."""
    trace = current()
    if trace is not None and owner.__class__ in (list, dict) and id(owner) not in trace.mutations[0].places:
        trace.reads.setdefault((id(owner), Size), Size(owner))
        for key in owner if isinstance(owner, dict) else range(len(owner)):
            member(owner, key)
    return owner
