"""paddle.jit.utils (3.x): a set that keeps the order in which its elements came."""

from collections.abc import MutableSet

__all__ = ["OrderedSet"]


class OrderedSet(MutableSet):
    """A set whose elements stay in the order in which they were added; equal to another one that has them in the same order.

    Args:
        items (iterable or None): what it begins with.

    >>> from paddle.jit.utils import OrderedSet
    >>> list(OrderedSet([3, 1, 3]) | OrderedSet([2]))
    [3, 1, 2]
    """

    def __init__(self, items=None):
        self._items = dict.fromkeys(items or ())

    def __contains__(self, item):
        return item in self._items

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __eq__(self, other):
        return isinstance(other, OrderedSet) and list(self) == list(other)

    def __repr__(self):
        return f"OrderedSet({', '.join(map(repr, self))})"

    def add(self, item):
        """Take an element in, behind the others if it is new."""
        self._items.setdefault(item)

    def discard(self, item):
        """Leave an element out, if it is there."""
        self._items.pop(item, None)
