"""Arrays as programs of 1.x expect them: one element converts and formats like a number, whatever its shape.

NumPy once allowed ``float(array)`` and ``'{:.3}'.format(array)`` for arrays of shape (1,), and results of 1.x have that shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class OneElementArray(np.ndarray):
    """An ndarray of which ``float()``, ``int()`` and ``format()`` work whenever it, or a row of it, has one element."""

    def __float__(self) -> Any:
        return float(self._number())

    def __int__(self) -> Any:
        return int(self._number())

    def __index__(self) -> Any:
        return self._number().__index__()

    def _number(self) -> Any:
        return self.item() if self.size == 1 else np.asarray(self)  # NumPy refuses that in its own words

    def __repr__(self) -> Any:
        return repr(np.asarray(self))

    def __format__(self, spec: Any) -> Any:
        if spec and self.size == 1:
            return format(self.item(), spec)
        return format(np.asarray(self), spec)


def view(array: Any) -> Any:
    """The array seen that way, if it has one element or rows of one; else as it is."""
    return array.view(OneElementArray) if array.size == 1 or array.ndim > 1 and array.shape[-1] == 1 else array
