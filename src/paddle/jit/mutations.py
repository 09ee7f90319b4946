"""What the functions that a branch or loop calls change outside themselves.

The text of a branch or loop says which names it changes (see ``transforms.names``); what happens inside functions that it calls
shows only when they run. Translated code tells of every change (``touch``), and changes that the text did not announce become
part of the state that branches merge and loops carry.
"""

import dis
import types

from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..nn.layer.layers import Layer
from .arrays import TensorList
from .errors import Unset, Untranslatable
from .places import Attribute, Cell, Container, Global
from .tracing import current

MUTATORS = {"append", "pop", "insert", "extend", "remove", "clear", "update", "setdefault", "sort", "reverse", "add", "discard",
            "popitem", "appendleft", "popleft"}
_IGNORED = (Symbolic, Tensor, TensorList, Unset, types.ModuleType, type)


class Mutations:
    """Notes what is touched inside the ``with`` block.

    Args:
        known: keys of Places that are part of the state already. When they were looked for, objects that are not among them
            were made inside.
    """

    def __init__(self, known):
        self.known, self.places = known, {}

    def __enter__(self):
        self.trace = current()
        self.trace.mutations.append(self)
        return self

    def __exit__(self, *exc):
        self.trace.mutations.remove(self)

    def note(self, key, kind, *args):
        """Remember the contents of a place unless they are known."""
        if key not in self.places:
            place = self.places[key] = kind(*args)
            place.key = key

    def unannounced(self, put_back):
        """Places that changed and that ``put_back``, which puts the known state back, leaves alone; they are put back too."""
        for place in self.places.values():
            place.mark()
        put_back()
        found = []
        for place in [p for p in self.places.values() if p.marked()]:
            if self.known is not None and place.key not in self.known:
                place.restore(place.last)
                continue
            place.restore(place.before)
            if place.changed:
                if not place.mergeable:
                    raise Untranslatable(f"{place.name} changes under the control of a tensor")
                found.append(place)
        return found


class State:
    """The accessors of a branch or loop, with the Places that turned out to be changed as well."""

    def __init__(self, get, set_, names, live=()):
        self._get, self._set, self._names, self._live, self.places = get, set_, tuple(names), tuple(live), None

    def mutations(self):
        """A Mutations for the next attempt."""
        return Mutations(None if self.places is None else {p.key for p in self.places})

    def extend(self, places):
        """Make Places part of the state."""
        self.places = [*(self.places or ()), *{p.key: p for p in places}.values()]

    def get(self):
        return [*self._get(), *[p.get() for p in self.places or ()]]

    def set(self, values):
        n = len(self._names)
        self._set(values[:n])
        for place, value in zip(self.places or (), values[n:]):
            place.put(value)

    @property
    def names(self):
        return [*self._names, *[p.name for p in self.places or ()]]

    @property
    def live(self):
        return [*self._live, *[True for _ in self.places or ()]]


# ---- what translated code tells ------------------------------------------------------------------------------------------
def touch(owner, attribute=None):
    """An attribute of an object, or the members of a container, are about to change."""
    trace = current()
    if trace is None or isinstance(owner, _IGNORED):
        return
    if attribute is not None:
        if isinstance(owner, Layer):
            trace.meet(owner)
        note(trace, (id(owner), attribute), Attribute, owner, attribute)
    elif isinstance(owner, (list, dict, set)) or hasattr(owner, "popleft"):
        note(trace, id(owner), Container, owner)


def touch_scopes(function, trace):
    """A function that may assign names of other scopes is about to be called."""
    cells, names = stored(function.__code__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if name in cells:
            note(trace, id(cell), Cell, cell, name)
    for name in names:
        note(trace, (id(function.__globals__), name), Global, function.__globals__, name)


def note(trace, *place):
    """Tell the trace and all branches and loops that are under way."""
    for mutations in trace.mutations:
        mutations.note(*place)


_stored = {}


def stored(code):
    """(names of enclosing functions, global names) that a code object assigns, or functions inside it."""
    found = _stored.get(code)
    if found is None:
        cells, names = set(), set()
        for instruction in dis.get_instructions(code):
            if instruction.opname in ("STORE_DEREF", "DELETE_DEREF"):
                cells.add(instruction.argval)
            elif instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                names.add(instruction.argval)
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                more = stored(inner)
                cells |= more[0] & set(inner.co_freevars)
                names |= more[1]
        found = _stored[code] = (cells & set(code.co_freevars), names)
    return found
