"""The journal of a trace: what the function reads and changes outside itself.

The text of a branch or loop says which names it changes (see ``transforms.names``); what happens inside functions that it calls
shows only when they run. Translated code tells of every read and every change, before it happens. Branches and loops open a
``Frame``, take back what changed in it, and make it part of the ``State`` that they merge or carry. At the end of the trace
everything is put back: what changed gets a Setter, what was read becomes a guard (see ``places``).
"""

import copy

from ..core.context import context, process
from ..core.dtype import get_default_dtype
from ..core.op import Symbolic
from ..core.references import references
from ..core.tensor import Tensor
from ..nn.layer.layers import Layer
from .errors import Unset, Untranslatable
from .places import Asked, Cell, Container, Global, LayerSeen, Members, Seen, Setter, Slot, Slots
from .training import StepGuards
from .values import flatten


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
        self.outer = {}  # key -> Place that the code may read from around functions
        self.bounds = {}  # key -> Bound: names of other things there
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

    def look_around(self, places, bounds):
        """Note what the code may read from around a function."""
        self.outer.update({(id(p.owner), p.name): p for p in places})
        self.known.update(id(p.before[0]) for p in places if isinstance(p.before[0], Tensor))
        self.bounds.update({(id(b.place.owner), b.place.name): b for b in bounds})

    def ask(self, read):
        """What a call gives back; another answer needs another program."""
        place = self.outer[id(read), len(self.outer)] = Asked(read, "a call")
        return place.before[0]

    def read(self, key, kind, owner, *args):
        """Note a value that is read; the program reads a tensor that is found so at every run."""
        place = self.reads.get(key)
        if place is None:
            place = self.reads[key] = kind(owner, *args)
        self.known.update(id(v) for v in place.before if isinstance(v, Tensor))

    def touched(self, key):
        """Is it a Place that the function changes?"""
        return key in self.frames[0].places

    def touch(self, *place):
        """Something is about to change: the whole function and all branches and loops under way want to know."""
        for frame in self.frames:
            frame.touch(*place)

    def touch_container(self, owner):
        """The members of a container are about to change."""
        self.touch(id(owner), Container, owner)

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
        reads = [p for p in self.reads.values() if p.__class__ is not Members or id(p.owner) not in places]  # touched later
        self.expected = [Seen(p, self.met) for p in [*guarded, *reads]]
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
        self.seen, self.dtype = None, get_default_dtype()
        self.expected = [*map(Seen, journal.outer.values()), *journal.bounds.values(), *journal.expected]

    def hold(self, tensors):
        """May the program be used with these arguments?"""
        if self.step is not None and not self.step.hold(tensors) or self.dtype is not get_default_dtype():
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
