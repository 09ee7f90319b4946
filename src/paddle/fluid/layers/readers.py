"""fluid.layers: readers as parts of a program, which take no feed."""

from ...io.generator_loader import PyReader
from ...static import data
from ...utils import unique_name
from ..state import fluid_call

__all__ = ["py_reader", "create_py_reader_by_data", "read_file", "double_buffer"]


class _ProgramReader(PyReader):
    """A PyReader that a program reads from, under the method names of 1.3 and before."""

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
