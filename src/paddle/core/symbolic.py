"""Base class of everything that ops record themselves on instead of running: Variables of programs, operands of a routine that is
being recorded, values of a formula."""

from __future__ import annotations

from typing import Any

from .folding import fold
from .rooms import rooms


class Symbolic:
    """Base of static Variables: an op that meets one records itself instead of running."""

    __slots__ = ()
    _placed = False  # programs are not cut over ranks
    known = None  # the value, where it is known while the program is built

    def snapshot(self) -> Any:
        """The Variable itself: programs never change what was computed (see Tensor.snapshot)."""
        return self

    def record(self, op: Any, args: Any) -> Any:
        """What a call of an op gives, with this among its bound arguments."""
        try:
            return rooms.record(op, args)
        except ValueError as error:
            fold(error)
            raise
