"""Values of a run that is being noted, as kernels, gradient rules and ops see them.

An Operand has the shape and dtype of its value and does what arrays and Tensors both do, arithmetic, ``reshape``, basic indexing;
ops called with one note the kernels that they come down to. Whatever needs the values themselves raises NotNoted.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.steps import contiguous
from ...core.symbolic import Symbolic

if TYPE_CHECKING:
    from ...core.op import Op


class NotNoted(AttributeError):
    """Something was asked of an Operand that can't be noted as a call of its own."""


class Operand(Symbolic):
    """A value, the register in which it will be, and the Binding that takes notes."""

    __slots__ = ("note", "register", "value")

    def __init__(self, note: Any, register: int, value: Any) -> None:
        self.note, self.register, self.value = note, register, value

    def record(self, op: Op, args: tuple[Any, ...]) -> Operand | tuple[Any, ...]:
        """Note a call of an op."""
        return self.note.op(op, args)

    shape = property(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)
    ndim = property(lambda self: self.value.ndim)
    size = property(lambda self: self.value.size)
    itemsize = property(lambda self: self.value.itemsize)
    flags = property(lambda self: self.value.flags)
    strides = property(lambda self: self.value.strides)
    kernels = property(lambda self: self.note.kernels)
    T = property(lambda self: self.transpose())

    def dense(self) -> Operand:
        """Itself, or a copy with one element after the other in memory."""
        return self if self.flags.c_contiguous and self.flags.aligned else self.note(contiguous, self)

    def reshape(self, *shape: Any) -> Operand:
        """The same elements in another shape."""
        shape = self.value.reshape(*shape).shape
        return self if shape == self.shape else self.note(np.ndarray.reshape, self, shape)

    def transpose(self, *axes: Any) -> Any:
        """The axes in another order."""
        return self.note(np.ndarray.transpose, self, *axes)

    def repeat(self, count: int) -> Operand:
        """Every element so many times, as a row."""
        return self.note(np.ndarray.repeat, self, count)

    def swapaxes(self, first: int, second: int) -> Operand:
        """Two axes exchanged."""
        return self.note(np.ndarray.swapaxes, self, first, second)

    def astype(self, dtype: Any, copy: bool = True) -> Operand:
        """The elements in another type."""
        return self if not copy and self.dtype == dtype else self.note(np.ndarray.astype, self, dtype)

    def __getitem__(self, index: tuple[Any, ...]) -> Operand:
        places = index if index.__class__ is tuple else [index]
        if any(i is not None and not isinstance(i, (int, slice, type(...))) for i in places):
            raise NotNoted("an index that is not basic")
        return self.note(operator.getitem, self, index)

    def __neg__(self) -> Any:
        return self.note.arithmetic(None, operator.neg, self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Operand:
        """``array + operand`` comes here too."""
        if method != "__call__" or options or ufunc not in _UFUNCS:
            raise NotNoted(ufunc.__name__)
        return self.note.arithmetic(*_UFUNCS[ufunc], *inputs)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise NotNoted("the value itself")

    __array__ = __array_function__ = __setitem__ = __bool__ = __float__ = __int__ = __index__ = __iter__ = __len__ = _refuse
    __contains__ = __matmul__ = __rmatmul__ = __iadd__ = __isub__ = __imul__ = __itruediv__ = _refuse
    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> Any:
        raise NotNoted(name)


def _methods(name: str, native: str | None, function: Callable[..., Any]) -> None:
    def method(self: Operand, other: Any) -> Operand:
        return self.note.arithmetic(native, function, self, other)

    def swapped(self: Operand, other: int) -> Operand:
        return self.note.arithmetic(native, function, other, self)
    setattr(Operand, f"__{name}__", method)
    setattr(Operand, f"__r{name}__", swapped)


for _name, _native in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": None, "gt": None, "ge": None, "lt": None,
                       "le": None, "eq": None, "ne": None}.items():
    _methods(_name, _native, getattr(operator, _name))
_UFUNCS = {np.add: ("add", operator.add), np.subtract: ("sub", operator.sub), np.multiply: ("mul", operator.mul),
           np.divide: ("div", operator.truediv), np.matmul: (None, np.matmul)}
