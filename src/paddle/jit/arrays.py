"""Lists that grow or shrink under a tensor's control: a tensor array of the program with the list's interface."""

import numpy as np

from ..core.op import Symbolic
from ..ops.manipulation.masking import where
from ..ops.manipulation.reshape import reshape
from ..ops.math.arithmetic import maximum, minimum
from ..static.array import array_write, new_array, read
from ..static.nn.control_flow import while_loop
from ..static.program.open_ranks import extent_of, one_of_each_rank, possible_shapes
from ..static.program.program import default_main_program
from ..static.program.record import as_variable, constant
from .errors import Untranslatable

_OPEN = ("a list holds tensors of different numbers of dimensions, and a tensor decides which is read: that can be returned and "
         "given to operators of any shape, but what is done here asks for its shape")


def _index(value):
    """A position as the tensor that array operators take."""
    if isinstance(value, Symbolic):
        value = value if value.dtype.name == "int64" else value.astype("int64")
        return reshape(value, None, None, [1])
    return constant(np.asarray([value], np.int64))


class TensorList:
    """A list of tensors in the program; its length may be a number or a tensor.

    A mixed one holds tensors of several dtypes, so what is read from it has no type before the program runs: it can be
    written, sliced and returned, as a tensor array of the program. ``shapes`` are those of the members, one of each rank.
    """

    stale = None  # its tensors share memory with no others
    was_read = False  # with the dtype it had

    def __init__(self, dtype, members=(), mixed=False):
        self.array, self.length, self.popped, self.shapes, self.mixed = new_array(dtype), 0, False, (), mixed
        for m in members:
            self.append(m)

    def append(self, value):
        """Add a tensor at the end."""
        self._write(self.length, value)
        self.length = self.length + 1

    def _write(self, i, value):
        value = as_variable(value, default_main_program().current_block())
        if value.dtype is not self.array.dtype and not self.mixed:
            if self.was_read:
                raise Untranslatable(f"a list that depends on a tensor holds {self.array.dtype.name} and {value.dtype.name}")
            self.mixed = True
        if self.mixed:
            array_write(value, _index(i), self.array)
            return
        shapes = one_of_each_rank((*self.shapes, *possible_shapes(value)))
        if self.was_read and len(shapes) > max(len(self.shapes), 1):
            raise Untranslatable(f"a list that depends on a tensor holds tensors of shape {list(self.shapes[0])}, and after one "
                                 f"was read gets one of {list(shapes[-1])}")
        array_write(value, _index(i), self.array)
        self._hold(shapes)

    def _hold(self, shapes):
        self.shapes = shapes
        if shapes:
            self.array.shape = shapes[0] if len(shapes) == 1 else (-1,) * max(map(len, shapes))

    def _read(self, i):
        if self.mixed:
            raise Untranslatable("reading from a list that holds tensors of several dtypes")
        self.was_read = True
        return self._member(_index(i))

    def _member(self, i):
        return read(self.array, i, **extent_of(self.shapes or (self.array.shape,), _OPEN))

    def pop(self, index=-1):
        """Take the last tensor off."""
        if index.__class__ is not int or index != -1:
            raise Untranslatable("pop() of another member than the last, from a list that depends on a tensor")
        self.length, self.popped = self.length - 1, True
        return self._read(self.length)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return self._part(i)
        return self._read(self._from_start(i))

    def __setitem__(self, i, value):
        if isinstance(i, slice):
            raise Untranslatable("values for a slice of a list that depends on a tensor")
        self._write(self._from_start(i), value)

    def _from_start(self, i):
        return self.length + i if not isinstance(i, Symbolic) and i < 0 else i

    def _part(self, index):
        """The list of the members of a slice."""
        if not any(isinstance(v, Symbolic) for v in (self.length, index.start, index.stop, index.step)):
            members = (self._member(_index(k)) for k in range(self.length)[index])
            return TensorList(self.array.dtype, members, self.mixed)
        step = 1 if index.step is None else index.step
        if isinstance(step, Symbolic):
            raise Untranslatable("a slice with a tensor as the step, of a list that depends on a tensor")
        part = TensorList(self.array.dtype, mixed=self.mixed)
        part._hold(self.shapes)
        first, part.length = self._range(index.start, index.stop, step)

        def copy(k):
            array_write(self._member(first + k * step), k, part.array)
            return k + 1
        while_loop(lambda k: k < part.length, copy, [_index(0) + 0])
        return part

    def _range(self, start, stop, step):
        """(first position, number of positions) of a slice, as Python counts them."""
        length, zero = _index(self.length), _index(0)
        low, high = (zero, length) if step > 0 else (_index(-1), length - 1)

        def end(given, otherwise):
            if given is None:
                return otherwise
            given = _index(given)
            return minimum(maximum(where(given < zero, given + length, given), low), high)
        first, last = (end(start, low), end(stop, high)) if step > 0 else (end(start, high), end(stop, low))
        span = last - first if step > 0 else first - last
        return first, maximum(span if abs(step) == 1 else (span + (abs(step) - 1)) // abs(step), zero)

    def __iter__(self):
        if isinstance(self.length, Symbolic):
            raise Untranslatable("iteration over a list whose length depends on a tensor")
        return (self[i] for i in range(self.length))

    def __len__(self):
        if isinstance(self.length, Symbolic):
            raise Untranslatable("the length of a list that depends on a tensor, as a number")
        return self.length

    def __bool__(self):
        return len(self) > 0

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise Untranslatable(f"list.{name} of a list that depends on a tensor")
