"""Places where values are kept: attributes, names of other scopes, members of containers, slots of layers, gradients, arguments.

What a function that is traced reads and changes outside itself is a Place: ``Seen`` is the guard that it is as it was, ``Setter``
what puts the result of every run there.
"""

import weakref

import numpy as np

from ..core.attributes import exactly
from ..core.context import process
from ..core.tensor import Tensor
from .errors import Unset, Untranslatable
from .values import flatten

PLAIN = (bool, int, float, complex, str, bytes, type(None))
_MARK = object()
_REGISTRIES = ("_parameters", "_buffers", "_sub_layers")


def token(value):
    """What a program traced with a value asks of a later one (``holds``): to be equal, or the same object."""
    if isinstance(value, PLAIN):
        return exactly(value)
    if value.__class__ is Unset:
        return (Unset,)
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value  # held: another would get its address


def holds(known, value):
    """Is a value what ``token`` made ``known`` of?"""
    if known.__class__ is tuple:
        return known[0] is value.__class__ and token(value) == known
    return value is not None and known() is value


class Loose:
    """An object that is not kept alive, to be read and written as if it were there; without it there are no attributes."""

    __slots__ = ("_ref",)

    def __init__(self, owner):
        object.__setattr__(self, "_ref", weakref.ref(owner))

    def __getattr__(self, name):
        return getattr(self._ref(), name)

    def __setattr__(self, name, value):
        if self._ref() is not None:
            setattr(self._ref(), name, value)


def loose(owner):
    """The object as one that is not kept alive, if its class allows that."""
    try:
        return Loose(owner)
    except TypeError:
        return owner


class Place:
    """A place of one value. ``before``: its contents when it was first touched."""

    mergeable = True  # can branches and loops choose among its contents?
    references = 1  # to the owner

    def __init__(self, owner, name):
        self.owner, self.name = owner, name
        self.before = self.contents()

    def loosen(self):
        """Let the owner go when nobody else needs it."""

    def contents(self):
        """The values that are kept now."""
        return [self.get()]

    def restore(self, contents):
        """Put contents back."""
        self.put(contents[0])

    def value(self):
        """The contents as one value; ``refill`` takes it."""
        return self.get()

    def refill(self, value, inputs=()):
        """Put the value of a run there; ``inputs``: the arguments of the run."""
        self.put(value)

    def differs(self):
        """Are the contents others than before?"""
        now = self.contents()
        return len(now) != len(self.before) or any(a is not b and not (a.__class__ is b.__class__ is Unset)
                                                   for a, b in zip(now, self.before))

    def mark(self):
        """Put a mark in place of the contents, to see who puts them back; notes whether they had changed."""
        self.last, self.changed = self.contents(), self.differs()
        self.put(_MARK)

    def marked(self):
        """Is the mark still there?"""
        return self.get() is _MARK


class Attribute(Place):
    """An attribute of an object."""

    def __init__(self, owner, attribute):
        self.attribute = attribute
        super().__init__(owner, f"{type(owner).__name__}.{attribute}")

    def loosen(self):
        self.owner = loose(self.owner)

    def get(self):
        return getattr(self.owner, self.attribute) if hasattr(self.owner, self.attribute) else Unset(self.attribute)

    def put(self, value):
        if value is _MARK:
            if self.attribute in getattr(self.owner, "__dict__", ()):
                self.owner.__dict__[self.attribute] = value
        elif value.__class__ is not Unset:
            if getattr(self.owner, self.attribute, None) is not value:
                setattr(self.owner, self.attribute, value)
        elif self.attribute in getattr(self.owner, "__dict__", ()):
            delattr(self.owner, self.attribute)

    def mark(self):
        super().mark()
        self.stands = self.get()  # the mark; or the value, where it is kept in another way

    def marked(self):
        return self.get() is self.stands


class Cell(Place):
    """A name of an enclosing function."""

    def get(self):
        try:
            return self.owner.cell_contents
        except ValueError:
            return Unset("a name of an enclosing function")

    def put(self, value):
        self.owner.cell_contents = value


class Global(Place):
    """A name of a module, whose table is the owner."""

    def get(self):
        try:
            return self.owner[self.name]
        except KeyError:
            return Unset(self.name)

    def put(self, value):
        if value.__class__ is Unset:
            self.owner.pop(self.name, None)
        else:
            self.owner[self.name] = value


class Container(Place):
    """A list, dict, set or deque: the object stays, its members change."""

    def __init__(self, owner):
        self.mergeable = owner.__class__ in (list, dict)
        super().__init__(owner, f"a {type(owner).__name__}")

    def get(self):
        return self.owner

    def put(self, value):
        if value is not self.owner:
            raise Untranslatable(f"{self.name} that a function changes depends on a tensor")

    def contents(self):
        return [*self.owner, *self.owner.values()] if isinstance(self.owner, dict) else list(self.owner)

    def restore(self, contents):
        half = len(contents) // 2
        self.refill(dict(zip(contents[:half], contents[half:])) if isinstance(self.owner, dict) else contents)

    def value(self):
        return dict(self.owner) if isinstance(self.owner, dict) else list(self.owner)

    def refill(self, value, inputs=()):
        self.owner.clear()
        (self.owner.extend if hasattr(self.owner, "extend") else self.owner.update)(value)

    def mark(self):
        self.last, self.changed = self.contents(), self.differs()
        if self.owner.__class__ is list:
            self.owner.append(_MARK)
        elif self.owner.__class__ is dict:
            self.owner[_MARK] = _MARK

    def marked(self):
        return not self.mergeable or bool(self.owner) and [*self.owner][-1] is _MARK


# ---- places that are only read -------------------------------------------------------------------------------------------
class Item(Place):
    """A member of a container, or an attribute that lies in a table of its owner."""

    def __init__(self, owner, table, key):
        self.table, self.key = table, key
        self.references = 2 if table is owner else 1
        super().__init__(owner, key)

    def loosen(self):
        self.owner = None

    def get(self):
        try:
            return self.table[self.key]
        except (KeyError, IndexError):
            return Unset(self.key)


class Inherited(Place):
    """An attribute that an object has from its class."""

    def loosen(self):
        self.owner = loose(self.owner)

    def get(self):
        return getattr(self.owner, self.name, None)


class Length(Place):
    """How many members a container has that was gone through or measured."""

    def get(self):
        return len(self.owner)


class Members(Place):
    """All that a container holds, or the numbers of an array."""

    def contents(self):
        owner = self.owner
        if isinstance(owner, np.ndarray):
            return [owner.tobytes(), owner.dtype.str, *owner.shape]
        return [*owner, *owner.values()] if isinstance(owner, dict) else list(owner)


class Asked(Place):
    """What a call gives back: a learning rate."""

    def get(self):
        return self.owner()


class Seen:
    """True while a place holds what it held when the function was traced.

    Args:
        met: ids of the tensors that operators met; of others only that they are tensors matters. None: all of them matter.
    """

    __slots__ = ("place", "known")

    def __init__(self, place, met=None):
        self.place = place
        self.known = [Tensor if met is not None and isinstance(v, Tensor) and id(v) not in met else token(v) for v in place.before]

    def hold(self):
        """Does it?"""
        now = self.place.contents()
        for known, value in zip(self.known, now):
            if not (isinstance(value, Tensor) if known is Tensor else holds(known, value)):
                return False
        return len(now) == len(self.known)


class Bound:
    """True while a name stands for the object that it stood for, whatever that holds."""

    __slots__ = ("place", "known")

    def __init__(self, place):
        self.place, self.known = place, token(place.before[0])

    def hold(self):
        """Does it?"""
        value = self.place.get()
        return value is not None and self.known() is value


# ---- layers --------------------------------------------------------------------------------------------------------------
class Slots(Place):
    """All that a layer keeps: ``contents`` maps (registry or None, name) to the value."""

    def __init__(self, layer):
        super().__init__(layer, type(layer).__name__)

    def contents(self):
        table = self.owner.__dict__
        state = {(None, name): value for name, value in table.items() if name not in _REGISTRIES}
        for registry in _REGISTRIES[:2]:
            state.update({(registry, name): value for name, value in table.get(registry, {}).items()})
        return state

    def restore(self, contents):
        for key, value in self.contents().items():
            if key not in contents or contents[key] is not value:
                self.restore_one(key)

    def restore_one(self, key):
        """Put one value back, or take it away where there was none."""
        Slot(self.owner, *key).put(self.before.get(key, _MARK))


class Slot(Place):
    """One of them; a layer that is gone has none."""

    def __init__(self, layer, registry, slot):
        self.owner, self.registry, self.slot, self.name = weakref.ref(layer), registry, slot, f"{type(layer).__name__}.{slot}"

    def put(self, value):
        layer = self.owner()
        if layer is not None:
            table = layer.__dict__ if self.registry is None else layer.__dict__[self.registry]
            if value is _MARK:  # there was none
                table.pop(self.slot, None)
            else:
                table[self.slot] = value
            process.layer_changes += 1


class LayerSeen:
    """True while a layer keeps what it kept when the function was traced."""

    def __init__(self, slots):
        self.layer, self.known = weakref.ref(slots.owner), {key: token(v) for key, v in slots.before.items()}

    def hold(self):
        """Does it?"""
        layer = self.layer()
        if layer is None:
            return False
        for (registry, name), known in self.known.items():
            values = layer.__dict__ if registry is None else layer.__dict__[registry]
            if name not in values or not holds(known, values[name]):
                return False
        return True


# ---- tensors -------------------------------------------------------------------------------------------------------------
class Field(Place):
    """Something that a tensor has: its gradient, whether gradients stop there. The tensor may be an argument, by its number."""

    def __init__(self, tensor, field):
        self.owner, self.field = tensor, field

    def refill(self, value, inputs=()):
        setattr(inputs[self.owner] if isinstance(self.owner, int) else self.owner, self.field, value)


class Argument(Place):
    """An argument that the function changes in place, by its number: it becomes what the program computed for it."""

    def __init__(self, number):
        self.owner = number

    def refill(self, value, inputs=()):
        inputs[self.owner].become(value, "to_static", reshapes=True)


class Setter:
    """Puts what the program computed where the function put it."""

    def __init__(self, place, value):
        self.place, self.leaves = place, []
        self.structure = flatten(value, self.leaves)

    def __call__(self, value, inputs):
        self.place.refill(value, inputs)
