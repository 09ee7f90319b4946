"""Places where values are kept outside the names of a function: attributes, names of other scopes, members of containers."""

import weakref

from .errors import Unset, Untranslatable

_MARK = object()


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

    def refill(self, value):
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
        return self.owner.get(self.name, Unset(self.name))

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

    def refill(self, value):
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
