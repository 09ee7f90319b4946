"""fluid.data_feeder: DataFeeder."""

import numpy as np

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
        """{name: array} of a batch: one array for each field of its samples."""
        samples = list(iterable)
        fields = {}
        for n, v in enumerate(self.feed_vars):
            if getattr(v, "lod_level", 0):
                raise NotImplementedError(f"DataFeeder.feed(): {v.name} has lod_level {v.lod_level}; nested lengths (LoD) "
                                          "are not supported: pad the sequences")
            for k, sample in enumerate(samples):
                if len(sample) != len(self.feed_vars):
                    raise ValueError(f"DataFeeder.feed(): sample {k} has {len(sample)} fields, feed_list has "
                                     f"{len(self.feed_vars)}")
            array = np.array([sample[n] for sample in samples], dtype=v.dtype.name)
            shape = [len(samples), *list(v.shape)[1:]]
            fields[v.name] = array.reshape(shape) if -1 not in shape else array
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
