"""fluid.data_feeder: DataFeeder."""

import numpy as np

from ..core.errors import typos as _typos
from ..static.lod import LoDTensor
from ..static.program import Variable, default_main_program

__all__ = ["DataFeeder"]


class DataFeeder:
    """Turns lists of samples into what ``Executor.run`` is fed with (1.x; successor: paddle.io.DataLoader)."""

    def __init__(self, feed_list, place=None, program=None):
        program = default_main_program() if program is None else program
        self.feed_vars = [v if isinstance(v, Variable) else program.global_block().var(v) for v in feed_list]
        self.feed_names = [v.name for v in self.feed_vars]
        self.place = place

    def feed(self, iterable):
        """{name: array} of a batch: one array for each field of its samples, a LoDTensor where lod_level says so."""
        samples = list(iterable)
        fields = {}
        for k, sample in enumerate(samples):
            if len(sample) != len(self.feed_vars):
                raise ValueError(f"DataFeeder.feed(): sample {k} has {len(sample)} fields, feed_list has {len(self.feed_vars)}")
        for n, v in enumerate(self.feed_vars):
            values = [sample[n] for sample in samples]
            fields[v.name] = _packed(v, values) if v.lod else _array(v, values, len(samples))
        return fields

    def feed_parallel(self, iterable, num_places=None):
        """One batch for each place (here there is one)."""
        for batch in iterable:
            yield self.feed(batch)

    def decorate_reader(self, reader, multi_devices=False, num_places=None, drop_last=True):
        """A reader of fed batches from a reader of batches of samples."""
        def fed():
            for batch in reader():
                yield [self.feed(batch)] if multi_devices else self.feed(batch)
        return fed


def _array(var, values, count):
    array = np.array(values, dtype=var.dtype.name)
    shape = [count, *list(var.shape)[1:]]
    return array.reshape(shape) if -1 not in shape else array


def _packed(var, values):
    """The values of all samples, nested as deep as the variable has levels, one behind the other with their lengths."""
    lengths = []
    for _ in var.lod:
        lengths.append([len(v) for v in values])
        values = [item for v in values for item in v]
    array = _array(var, values, len(values)) if values else np.zeros([0, *[max(n, 0) for n in var.shape[1:]]], var.dtype.name)
    return LoDTensor(array, lengths)

__getattr__ = _typos(__name__)
