"""fluid.layers: readers as parts of a program, which take no feed."""

import random

import numpy as np

from ...core.errors import check_type
from ...io.generator_loader import EOFException, PyReader
from ...static import data
from ...static.lod_tensor import LoDTensor
from ...utils import unique_name
from ..state import fluid_call

__all__ = ["py_reader", "create_py_reader_by_data", "read_file", "double_buffer", "batch", "shuffle"]


class _ProgramReader(PyReader):
    """A PyReader that a program reads from, under the method names of 1.3 and before; what ``batch`` and ``shuffle`` do to what
    it reads are functions around each other."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._next, self._waiting = super().next_feed, []

    def next_feed(self):
        """{name: value} of the next batch; EOFException when there is none."""
        return self._next()

    def reset(self):
        """End a pass, finished or not."""
        super().reset()
        for waiting in self._waiting:
            waiting.clear()

    def decorate_paddle_reader(self, reader, places=None):
        """Read batches that are lists of samples, such as ``paddle.batch`` makes."""
        return self.set_sample_list_generator(reader, places)

    def decorate_tensor_provider(self, reader, places=None):
        """Read batches that are lists of arrays, one for each variable."""
        return self.set_batch_generator(reader, places)


@fluid_call
def py_reader(capacity, shapes, dtypes, lod_levels=None, name=None, use_double_buffer=True):
    """A reader with variables of its own, for ``read_file``; ``start()`` it, run until ``fluid.core.EOFException``, ``reset()``
    it (1.x; successor: paddle.io.DataLoader)."""
    name = name or unique_name.generate("py_reader")
    levels = [0] * len(shapes) if lod_levels is None else list(lod_levels)
    if not len(shapes) == len(dtypes) == len(levels):
        raise ValueError(f"py_reader(): {len(shapes)} shapes, {len(dtypes)} dtypes and {len(levels)} lod_levels")
    variables = [data(f"{name}_{k}", list(shape), dtype, level)
                 for k, (shape, dtype, level) in enumerate(zip(shapes, dtypes, levels))]
    for variable in variables:
        variable.need_check_feed = False  # what comes may have other sizes, in every release
    return create_py_reader_by_data(capacity, variables, name, use_double_buffer)


@fluid_call
def create_py_reader_by_data(capacity, feed_list, name=None, use_double_buffer=True):
    """A reader for variables that are there already (1.x; successor: paddle.io.DataLoader)."""
    return _ProgramReader(feed_list, capacity, use_double_buffer, iterable=False)


def read_file(reader):
    """The variables that a reader fills (1.x; successor: paddle.io.DataLoader)."""
    variables = list(reader._feed_list)
    return variables[0] if len(variables) == 1 else variables


def double_buffer(reader, place=None, name=None):
    """The reader as it is: it reads ahead already (1.x; successor: paddle.io.DataLoader)."""
    return reader


def _reader(reader, size, function, argument):
    check_type(reader, _ProgramReader, function, "reader")
    check_type(size, int, function, argument)
    if size < 1:
        raise ValueError(f"{function}(): {argument} must be positive, got {size}")


def _joined(values):
    """Values of one variable one behind the other, with the lengths of their sequences."""
    arrays = np.concatenate([np.asarray(value) for value in values])
    if not all(isinstance(value, LoDTensor) for value in values):
        return arrays
    joined = LoDTensor()
    joined.set(arrays)
    joined.set_recursive_sequence_lengths([sum(levels, []) for levels in zip(*(v.recursive_sequence_lengths() for v in values))])
    return joined


def batch(reader, batch_size):
    """The reader, giving ``batch_size`` of what it read as one, along the first axis; too few at the end are left out
    (1.x; successor: paddle.io.DataLoader)."""
    _reader(reader, batch_size, "batch", "batch_size")
    inner = reader._next

    def several():
        feeds = [inner() for _ in range(batch_size)]
        return {name: _joined([feed[name] for feed in feeds]) for name in feeds[0]}
    reader._next = several
    return reader


def shuffle(reader, buffer_size):
    """The reader, giving what it read in random order within runs of ``buffer_size`` (1.x; successor:
    paddle.io.DataLoader)."""
    _reader(reader, buffer_size, "shuffle", "buffer_size")
    inner, waiting = reader._next, []
    reader._waiting.append(waiting)

    def any_one():
        if not waiting:
            try:
                while len(waiting) < buffer_size:
                    waiting.append(inner())
            except EOFException:
                if not waiting:
                    raise
            random.shuffle(waiting)
        return waiting.pop()
    reader._next = any_one
    return reader
