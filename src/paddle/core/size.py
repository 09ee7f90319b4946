"""The shape of a tensor as Paddle 3 shows it."""

from __future__ import annotations

import math
import operator
from typing import Any


class Size(list[int]):
    """A shape: a list of ints that equals a tuple of the same ints, and counts elements.

    >>> size = paddle.Size([2, 3]); size, size.numel(), size == (2, 3), size[:1]
    (paddle.Size([2, 3]), 6, True, paddle.Size([2]))
    """

    def __init__(self, values: Any = ()) -> None:
        super().__init__(operator.index(v) for v in values)

    def numel(self) -> Any:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return Size(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> Any:
        return Size([*self, *other]) if isinstance(other, (list, tuple)) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Size([*other, *self]) if isinstance(other, (list, tuple)) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        return Size(super().__mul__(count))

    __rmul__ = __mul__

    def __eq__(self, other: Any) -> Any:
        return list(self) == list(other) if isinstance(other, (list, tuple)) else NotImplemented

    def __ne__(self, other: Any) -> Any:
        return list(self) != list(other) if isinstance(other, (list, tuple)) else NotImplemented

    __hash__ = None

    def __repr__(self) -> Any:
        return f"paddle.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__
