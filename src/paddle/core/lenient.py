"""Arrays as programs of 1.x expect them: one element converts and formats like a number, whatever its shape.

NumPy once allowed ``float(array)`` and ``'{:.3}'.format(array)`` for arrays of shape (1,), and results of 1.x have that shape.
A float32 taken out of an array counted in double precision with Python's numbers, so that ``total += loss[0]`` did.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Float32(np.float32):
    """A float32 that computes and compares with Python's numbers in double precision, as before NumPy 2."""

    __slots__ = ()
    __hash__ = np.float32.__hash__


def _in_doubles(name: str) -> Any:
    single, double = getattr(np.float32, name), getattr(np.float64, name)

    def operator(self: Any, other: Any) -> Any:
        return double(np.float64(self), other) if other.__class__ in (float, int, bool) else single(self, other)
    return operator


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    for _reflected in ("", "r"):
        setattr(Float32, f"__{_reflected}{_name}__", _in_doubles(f"__{_reflected}{_name}__"))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Float32, f"__{_name}__", _in_doubles(f"__{_name}__"))


class OneElementArray(np.ndarray):
    """An ndarray of which ``float()``, ``int()`` and ``format()`` work whenever it, or a row of it, has one element."""

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Float32(found) if found.__class__ is np.float32 else found

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
