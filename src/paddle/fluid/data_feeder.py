"""fluid.data_feeder: DataFeeder."""


from ..core.addresses import lookup as _lookup
from ..static import lod
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
        """{name: LoDTensor} of a batch: one for each field of its samples, with sequence lengths where lod_level says so."""
        samples = list(iterable)
        fields = {}
        for k, sample in enumerate(samples):
            if len(sample) != len(self.feed_vars):
                raise ValueError(f"DataFeeder.feed(): sample {k} has {len(sample)} fields, feed_list has {len(self.feed_vars)}")
        for n, v in enumerate(self.feed_vars):
            values = [sample[n] for sample in samples]
            fields[v.name] = lod.packed(v, values)
        return fields

    def feed_parallel(self, iterable, num_places=None):
        """One batch for each place (here there is one)."""
        _one_place(num_places, "feed_parallel")
        for batch in iterable:
            yield self.feed(batch)

    def decorate_reader(self, reader, multi_devices=False, num_places=None, drop_last=True):
        """A reader of fed batches from a reader of batches of samples; ``drop_last`` is about places that get none, of which
        there are none here."""
        _one_place(num_places, "decorate_reader")

        def fed():
            for batch in reader():
                yield [self.feed(batch)] if multi_devices else self.feed(batch)
        return fed


def _one_place(num_places, function):
    if num_places not in (None, 1):
        raise NotImplementedError(f"DataFeeder.{function}(): num_places must be 1, got {num_places!r}; several processes run "
                                  "through paddle.distributed.launch")


__getattr__ = _lookup(__name__)
