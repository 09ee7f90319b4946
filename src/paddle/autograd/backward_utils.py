"""paddle.autograd.backward_utils (3.x): dicts and sets of values of a program. Variables are compared by identity: ``==`` of two
of them is an operator of the program, so a plain dict or set of them would build programs."""

from collections.abc import MutableMapping, MutableSet

__all__ = ["ValueDict", "ValueSet"]


class ValueDict(MutableMapping):
    """A dict whose keys are values of a program.

    Args:
        iterable (dict|iterable of pairs|None): what it begins with.
        default_factory (callable|None): makes what is looked up and absent, as in ``collections.defaultdict``.
    """

    def __init__(self, iterable=None, *, default_factory=None):
        self._pairs, self._default = {}, default_factory
        self.update(iterable or {})

    def __getitem__(self, key):
        if id(key) not in self._pairs:
            if self._default is None:
                raise KeyError(key)
            self[key] = self._default()
        return self._pairs[id(key)][1]

    def __setitem__(self, key, value):
        self._pairs[id(key)] = key, value  # the key too: its identity is its own while it lives

    def __delitem__(self, key):
        if id(key) not in self._pairs:
            raise KeyError(key)
        del self._pairs[id(key)]

    def __contains__(self, key):
        return id(key) in self._pairs

    def __iter__(self):
        return iter([key for key, _ in self._pairs.values()])

    def __len__(self):
        return len(self._pairs)

    def __repr__(self):
        return f"ValueDict({', '.join(f'{key!r}: {value!r}' for key, value in self.items())})"

    def get(self, key, default=None):
        """What the key stands for, or ``default``; nothing is made."""
        return self[key] if key in self else default

    def copy(self):
        """Another one with the same pairs."""
        return ValueDict(self.items(), default_factory=self._default)


class ValueSet(MutableSet):
    """A set of values of a program, in the order in which they came.

    Args:
        iterable (iterable|None): what it begins with.
    """

    def __init__(self, iterable=None):
        self._values = {id(value): value for value in iterable or ()}

    def __contains__(self, value):
        return id(value) in self._values

    def __iter__(self):
        return iter(list(self._values.values()))

    def __len__(self):
        return len(self._values)

    def __repr__(self):
        return f"ValueSet({', '.join(map(repr, self))})"

    def add(self, value):
        """Take a value in."""
        self._values.setdefault(id(value), value)

    def discard(self, value):
        """Leave a value out, if it is there."""
        self._values.pop(id(value), None)

    def update(self, other):
        """Take all of these in."""
        for value in other:
            self.add(value)

    def copy(self):
        """Another one with the same values."""
        return ValueSet(self)
