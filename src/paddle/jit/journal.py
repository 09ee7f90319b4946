"""The journal of a trace: what the function reads and changes outside itself.

The text of a branch or loop says which names it changes (see ``transforms.names``); what happens inside functions that it calls
shows only when they run. Translated code tells of every read and every change, before it happens. Branches and loops open a
``Frame``, take back what changed in it, and make it part of the ``State`` that they merge or carry. At the end of the trace
everything is put back: what changed gets a Setter, what was read becomes a guard (see ``places``).
"""

import copy
import dis
import sys
import types

from ..core.context import context, process
from ..core.op import Symbolic
from ..core.references import references
from ..core.tensor import Tensor
from ..nn.layer.layers import Layer
from . import settings
from .arrays import TensorList
from .errors import Unset, Untranslatable
from .places import (
    PLAIN,
    Asked,
    Attribute,
    Cell,
    Container,
    Global,
    Inherited,
    Item,
    LayerSeen,
    Length,
    Seen,
    Setter,
    Slot,
    Slots,
)
from .training import StepGuards
from .transforms.build import HELPER
from .values import flatten

MUTATORS = {"append", "pop", "insert", "extend", "remove", "clear", "update", "setdefault", "sort", "reverse", "add", "discard",
            "popitem", "appendleft", "popleft"}
_VALUES = (Symbolic, Tensor, TensorList, Unset)
_KNOWN_MODULES = settings.LIBRARIES | sys.stdlib_module_names | {__name__.partition(".")[0]}


class Frame:
    """Notes what is changed inside the ``with`` block: Variables of outer blocks in place (x[i] = v, x.add_(y)), and Places.

    Args:
        outer: the block around it; None for the whole function.
        known: keys of Places that are part of the state already. When they were looked for, objects that are not among them
            were made inside.
    """

    def __init__(self, outer=None, known=None):
        self.outer, self.known, self.variables, self.places = outer, known, {}, {}

    def __enter__(self):
        self.frames, self.previous, context.journal = context.trace.journal.frames, context.journal, self
        self.frames.append(self)
        return self

    def __exit__(self, *exc):
        context.journal = self.previous
        self.frames.remove(self)

    def note(self, var):
        """A Variable is about to be changed in place."""
        if self.outer is not None and id(var) not in self.variables and self.outer.find(var.name) is not None:
            self.variables[id(var)] = (var, dict(var.__dict__))
        if self.previous is not None:
            self.previous.note(var)

    def touch(self, key, kind, *args):
        """Remember the contents of a Place unless they are known."""
        if key not in self.places:
            place = self.places[key] = kind(*args)
            place.key = key

    def undo(self):
        """Take the changes of Variables back; returns what they had become: id -> (variable, Variable that it was)."""
        after = {}
        for key, (var, old) in self.variables.items():
            after[key] = (var, copy.copy(var))
            var.__dict__.clear()
            var.__dict__.update(old)
        return after

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

    def frame(self, outer):
        """A Frame for the next attempt."""
        return Frame(outer, None if self.places is None else {p.key for p in self.places})

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


class Journal:
    """All that one trace reads and changes around the function."""

    def __init__(self):
        self.frames = []  # of the whole function, then of the branches and loops that are being traced
        self.layers = {}  # id -> Slots
        self.reads = {}  # key -> Place: what the code read from objects and containers
        self.outer = []  # Places that the code may read from around functions
        self.known = set()  # ids of tensors that belong to layers, closures and globals
        self.met = set()  # ids of eager tensors that operators met
        self.frozen = []  # (weak reference, version) of tensors that became constants
        self.arguments = set()  # ids of lists and dicts that are arguments
        self.expected = []  # Seen: guards of what the function changes

    def meet(self, layer):
        """Remember the state of a layer before it is used."""
        if id(layer) not in self.layers:
            slots = self.layers[id(layer)] = Slots(layer)
            self.known.update(id(v) for v in slots.before.values() if isinstance(v, Tensor))
            for child in layer._sub_layers.values():
                if child is not None:
                    self.meet(child)

    def look_around(self, places):
        """Note what the code may read from around a function."""
        self.outer += places
        self.known.update(id(p.before[0]) for p in places if isinstance(p.before[0], Tensor))

    def ask(self, read):
        """What a call gives back; another answer needs another program."""
        self.outer.append(Asked(read, "a call"))
        return self.outer[-1].before[0]

    def read(self, key, kind, owner, *args):
        """Note a value that is read; the program reads a tensor that is found so at every run."""
        place = self.reads.get(key)
        if place is None:
            place = self.reads[key] = kind(owner, *args)
        if isinstance(place.before[0], Tensor):
            self.known.add(id(place.before[0]))

    def touched(self, key):
        """Is it a Place that the function changes?"""
        return key in self.frames[0].places

    def touch(self, *place):
        """Something is about to change: the whole function and all branches and loops under way want to know."""
        for frame in self.frames:
            frame.touch(*place)

    # ---- the end ----
    def rewind(self):
        """Put everything back."""
        self.rewind_places()
        for slots in self.layers.values():
            slots.restore(slots.before)

    def rewind_places(self):
        """Put everything but layers back."""
        for place in [p for frame in self.frames[:1] for p in frame.places.values()]:
            if not isinstance(place.owner, Layer):
                place.restore(place.before)

    def settle(self):
        """The setters of what changed around the function, layers aside; it is as before again."""
        places = self.frames[0].places
        _forget(places, self.reads)
        known = [p for p in places.values() if not isinstance(p.owner, Layer)]
        changed = [p for p in known if p.differs()]
        for place in changed:
            if id(place.owner) in self.arguments:
                raise Untranslatable(f"{place.name} that is an argument of the function is changed by it")
            if place.value().__class__ is Unset:
                raise Untranslatable(f"{place.name} is deleted")
        setters = [Setter(p, p.value()) for p in changed]
        self.rewind_places()
        guarded = [p for p in known if p in changed or isinstance(p, (Cell, Global))]
        self.expected = [Seen(p, self.met) for p in [*guarded, *self.reads.values()]]
        for place in [*known, *self.reads.values()]:
            place.loosen()
        return setters

    def stored(self):
        """(Slot, value before or None, value) of what the code stored in layers and that holds tensors of the program."""
        for slots in self.layers.values():
            for key, value in slots.contents().items():
                old = slots.before.get(key)
                if value is not old and holds_variables(value):
                    yield Slot(slots.owner, *key), old, value

    def rewind_layers(self):
        """Take the program's variables out of all layers."""
        for slots in self.layers.values():
            for key, value in slots.contents().items():
                if holds_variables(value):
                    slots.restore_one(key)


def holds_variables(value):
    """Are tensors of the program in a value?"""
    leaves = []
    flatten(value, leaves)
    return any(isinstance(leaf, Symbolic) for leaf in leaves)


def _forget(*tables):
    """Leave out what the function made for itself: nobody but the tables knows it."""
    before = None
    while sum(map(len, tables)) != before:
        before = sum(map(len, tables))
        by_owner = {}
        for table in tables:
            for key, kept in table.items():
                by_owner.setdefault(id(kept.owner), []).append((table, key))
        for places in by_owner.values():
            table, key = places[0]
            if references(getattr, table[key], "owner") == sum(t[k].references for t, k in places):
                for t, k in places:
                    del t[k]


class Guards:
    """True while nothing that the trace looked at has changed."""

    def __init__(self, trace):
        journal = trace.journal
        self.layers = [LayerSeen(slots) for slots in journal.layers.values()]
        self.frozen = [(ref, version) for ref, version in journal.frozen if ref() is not None]
        self.step = StepGuards(trace) if trace.gradients.trains or trace.gradients.leaves else None
        self.seen, self.expected = None, [*[Seen(place) for place in journal.outer], *journal.expected]

    def hold(self, tensors):
        """May the program be used with these arguments?"""
        if self.step is not None and not self.step.hold(tensors):
            return False
        for expected in self.expected:
            if not expected.hold():
                return False
        for ref, version in self.frozen:
            tensor = ref()
            if tensor is not None and tensor._version != version:
                return False
        if self.seen == process.layer_changes:
            return True
        for expected in self.layers:
            if not expected.hold():
                return False
        self.seen = process.layer_changes
        return True


# ---- what translated code tells ------------------------------------------------------------------------------------------
def touch(owner, attribute=None):
    """An attribute of an object, or the members of a container, are about to change."""
    trace = context.trace
    if trace is None or isinstance(owner, (*_VALUES, types.ModuleType, type)):
        return
    if attribute is not None:
        if isinstance(owner, Layer):
            trace.journal.meet(owner)
        trace.journal.touch((id(owner), attribute), Attribute, owner, attribute)
    elif isinstance(owner, (list, dict, set)) or hasattr(owner, "popleft"):
        trace.journal.touch(id(owner), Container, owner)


def touch_scopes(function, journal):
    """A function that may assign names of other scopes is about to be called."""
    cells, names = stored(function.__code__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if name in cells:
            journal.touch(id(cell), Cell, cell, name)
    for name in names:
        journal.touch((id(function.__globals__), name), Global, function.__globals__, name)


def read(owner, name):
    """``owner.name``."""
    value = getattr(owner, name)
    trace = context.trace
    if trace is None or isinstance(owner, _VALUES) or isinstance(value, Symbolic):
        return value
    if isinstance(owner, Layer):
        trace.journal.meet(owner)
    elif not trace.journal.touched((id(owner), name)):
        if isinstance(value, PLAIN) or not isinstance(owner, (type, types.ModuleType)):
            _note_attribute(trace.journal, owner, name)
    return value


def _note_attribute(journal, owner, name):
    """Note an attribute that is kept in a plain way, but for those of libraries' modules."""
    if isinstance(owner, types.ModuleType) and owner.__name__.partition(".")[0] in _KNOWN_MODULES:
        return
    table = getattr(owner, "__dict__", None)
    if table is not None and name in table:
        journal.read((id(owner), name), Item, owner, table, name)
        return
    for cls in getattr(type(owner), "__mro__", ()):
        if name in cls.__dict__:
            if isinstance(cls.__dict__[name], PLAIN):
                journal.read((id(owner), name), Inherited, owner, name)
            return


def member(owner, key):
    """``owner[key]``."""
    value = owner[key]
    trace = context.trace
    if trace is not None and owner.__class__ in (list, dict) and not trace.journal.touched(id(owner)):
        if not isinstance(value, Symbolic) and not isinstance(key, (Symbolic, slice)):
            trace.journal.read((id(owner), key), Item, owner, owner, key)
    return value


def go_through(owner):
    """All members of a container are about to be read; returns it."""
    trace = context.trace
    if trace is not None and owner.__class__ in (list, dict) and not trace.journal.touched(id(owner)):
        trace.journal.read((id(owner), Length), Length, owner, "a length")
        for key in owner if isinstance(owner, dict) else range(len(owner)):
            member(owner, key)
    return owner


def outer_places(function):
    """Places of the plain values and tensors that a function reads from its globals and closure.

    Names that it assigns are left out: see ``touch_scopes``.
    """
    code = function.__code__
    cells, assigned = stored(code)
    names = set(code.co_names).union(*[inner.co_names for inner in code.co_consts if hasattr(inner, "co_names")])
    table = function.__globals__
    found = [Global(table, name) for name in names - assigned
             if name in table and isinstance(table[name], (*PLAIN, Tensor)) and not name.startswith("__")]
    if HELPER not in code.co_freevars:  # else made by translated code: what it shares with that code is no outer value
        around = [Cell(cell, name) for name, cell in zip(code.co_freevars, function.__closure__ or ()) if name not in cells]
        found += [place for place in around if isinstance(place.before[0], (*PLAIN, Tensor))]
    return found


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
