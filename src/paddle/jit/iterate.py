"""What ``for`` goes over when a tensor decides the number of iterations: ranges, tensors, enumerate, zip, lists of the program."""

from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..static.array import array_length, is_array
from ..tensor.creation import to_tensor
from ..tensor.joining import stack
from .arrays import TensorList
from .branching import choose
from .errors import Untranslatable
from .values import shape


class Range:
    """``range`` with tensors among its bounds."""

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = start, stop, step

    def length(self):
        """Number of items: a tensor, or a number."""
        if self.step.__class__ is int and self.step == 1:
            span = self.stop - self.start if not (self.start.__class__ is int and self.start == 0) else self.stop
        else:
            up = choose(self.step > 0, lambda: self.stop - self.start + self.step - 1,
                                lambda: self.stop - self.start + self.step + 1)
            span = up // self.step
        return span

    def item(self, i):
        """The item number i."""
        if self.step.__class__ is int and self.step == 1:
            return i if self.start.__class__ is int and self.start == 0 else i + self.start
        return i * self.step + self.start


class Rows:
    """The first axis of a tensor."""

    def __init__(self, tensor):
        self.tensor = tensor

    def length(self):
        """The first size."""
        return shape(self.tensor)[0]

    def item(self, i):
        """A row."""
        return self.tensor[i]


class Members:
    """A list of the program, or an array that the function itself writes (``paddle.tensor.array_write``)."""

    def __init__(self, array):
        self.array = array

    def length(self):
        """Number of members."""
        return array_length(self.array) if is_array(self.array) else self.array.length

    def item(self, i):
        """A member."""
        return self.array[i]


class Enumerate:
    """``enumerate`` of one of the others."""

    def __init__(self, source, start):
        self.source, self.start = source, start

    def length(self):
        """As the source."""
        return self.source.length()

    def item(self, i):
        """(number, item)."""
        return i + self.start if self.start.__class__ is not int or self.start else i, self.source.item(i)


class Zip:
    """``zip`` of several, the shortest of which ends it."""

    def __init__(self, sources):
        self.sources = sources

    def length(self):
        """The least length."""
        least, *rest = [s.length() for s in self.sources]
        for n in rest:
            least = choose(least < n, lambda a=least: a, lambda b=n: b)
        return least

    def item(self, i):
        """One item of each."""
        return tuple(s.item(i) for s in self.sources)


_SOURCES = (Range, Rows, Members, Enumerate, Zip)


def graph_iterable(value):
    """A source of items whose number a tensor decides, or None."""
    if isinstance(value, _SOURCES):
        return value
    if value.__class__ is TensorList and isinstance(value.length, Symbolic) or is_array(value):
        return Members(value)
    if isinstance(value, Symbolic) and value.shape and value.shape[0] < 0:
        return Rows(value)
    return None


def range_(*args):
    """``range``, also of tensors."""
    if any(isinstance(a, Symbolic) for a in args):
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args
        return Range(start, stop, step)
    return range(*[int(a) if isinstance(a, Tensor) else a for a in args])


def enumerate_(iterable, start=0):
    """``enumerate``, also of what a tensor decides the length of."""
    source = graph_iterable(iterable)
    return enumerate(iterable, start) if source is None else Enumerate(source, start)


def zip_(*iterables, **options):
    """``zip``, also of what a tensor decides the length of."""
    sources = [graph_iterable(i) for i in iterables]
    if not any(sources):
        return zip(*iterables, **options)
    return Zip([s or _Fixed(i) for s, i in zip(sources, iterables)])


class _Fixed:
    """A sequence of known length beside others."""

    def __init__(self, sequence):
        if isinstance(sequence, (Symbolic, TensorList)):
            self.sequence, self.size = sequence, len(sequence)
        elif isinstance(sequence, range):
            self.sequence, self.size = Range(sequence.start, sequence.stop, sequence.step), len(sequence)
        else:
            self.sequence = _stacked(list(sequence))
            self.size = len(self.sequence)

    def length(self):
        """Its length."""
        return self.size

    def item(self, i):
        """A member."""
        return self.sequence.item(i) if isinstance(self.sequence, Range) else self.sequence[i]


def _stacked(members):
    """Members of a Python sequence as the rows of one tensor."""
    if members and all(isinstance(m, (Symbolic, Tensor)) for m in members):
        if len({(m.dtype, tuple(m.shape)) for m in members}) == 1:
            return stack(members)
    elif members and len({m.__class__ for m in members}) == 1 and isinstance(members[0], (int, float)):
        return to_tensor(members)
    raise Untranslatable("zip of a Python sequence of different things with something whose length depends on a tensor")
