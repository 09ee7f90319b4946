"""Loaders over Python generators, as fluid and Paddle 2.0 have them: DataLoader.from_generator and PyReader."""

import itertools

import numpy as np

from ..core import dtype as dtypes
from ..reader.pump import Batches, Pump
from ..static.program import lod
from .dataloader.collate import default_collate_fn, default_convert_fn
from .dataloader.dataset import IterableDataset
from .reader import DataLoader, named_feed, output_form, runs_eagerly

__all__ = ["EOFException", "GeneratorLoader", "PyReader"]


class EOFException(Exception):
    """A loader that was started has no batch left; ``reset()`` and ``start()`` begin the next pass."""


class DataLoaderBase:
    """What loaders over generators have in common: each defines how it is gone through."""

    def __call__(self):
        return self

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} must define __iter__()")

    def __next__(self):
        raise NotImplementedError(f"{type(self).__name__} must define __next__()")


class GeneratorLoader(DataLoaderBase):
    """Batches out of a generator function that is given with one of the ``set_*_generator`` methods.

    With ``iterable=True`` the loader is iterated over, or called and then iterated over. With ``iterable=False``
    (static graph only) a program takes its input from it: ``start()``, then ``Executor.run`` without feed until it
    raises EOFException, then ``reset()``.

    Args:
        feed_list: the Variables that the fields of a batch are for; static graph only.
        capacity: batches that may wait, ready to be used; None means 2.
        use_double_buffer: run the generator ahead in a thread of its own; False runs it when a batch is asked for.
        iterable: see above. In a dynamic program always True.
        return_list: False gives ``{name: LoDTensor}`` per place, True lists of Tensors. In a dynamic program always True.
        use_multiprocess: run the generator in a process of its own instead; dynamic programs only.
        drop_last: with several places, leave the last batches out when there is not one for each.

    >>> loader = paddle.io.DataLoader.from_generator(capacity=2)
    >>> _ = loader.set_batch_generator(lambda: (np.full([2], i) for i in range(3)))
    >>> [int(batch[0].sum()) for batch in loader]
    [0, 2, 4]
    """

    def __init__(self, feed_list=None, capacity=None, use_double_buffer=True, iterable=True, return_list=False,
                 use_multiprocess=False, drop_last=True):
        capacity = 2 if capacity is None else capacity
        if not isinstance(capacity, (int, np.integer)) or isinstance(capacity, bool) or capacity < 1:
            raise ValueError(f"from_generator(): capacity must be a positive integer, got {capacity!r}")
        self._dynamic = runs_eagerly(feed_list)
        if use_multiprocess and not self._dynamic:
            raise ValueError("from_generator(): use_multiprocess=True is for dynamic programs, this one is static")
        if not self._dynamic and not feed_list and not (iterable and return_list):
            raise ValueError("from_generator(): a static program needs feed_list, whose variables name the fields")
        self._feed_list = None if feed_list is None else list(feed_list)
        self._capacity = int(capacity)
        self._ahead = bool(use_double_buffer)
        self._iterable = bool(iterable) or self._dynamic
        self._return_list = bool(return_list) or self._dynamic
        self._in_process = bool(use_multiprocess)
        self._drop_last = bool(drop_last)
        self._places = output_form(None, None, True, "from_generator")[1]
        self._batches = None  # function that gives an iterator over batches, each a list of arrays
        self._session = None
        self._pushed = None  # batches that the program pushes itself
        if not self._iterable:
            self._feed_list[0].block.program.loaders.append(self)

    # ---- what to read ----
    def set_sample_generator(self, reader, batch_size, drop_last=True, places=None):
        """Read single samples from ``reader()``, put together to batches here."""
        if not isinstance(batch_size, (int, np.integer)) or isinstance(batch_size, bool) or batch_size < 1:
            raise ValueError(f"set_sample_generator(): batch_size must be a positive integer, got {batch_size!r}")

        def batches():
            samples = iter(reader())
            while batch := list(itertools.islice(samples, batch_size)):
                if len(batch) == batch_size or not drop_last:
                    yield batch

        return self._read_from(batches, reader, places, "set_sample_generator", self._from_samples)

    def set_sample_list_generator(self, reader, places=None):
        """Read batches from ``reader()`` that are lists of samples, such as ``paddle.batch`` makes."""
        return self._read_from(reader, reader, places, "set_sample_list_generator", self._from_samples)

    def set_batch_generator(self, reader, places=None):
        """Read whole batches from ``reader()``: a list of arrays or Tensors, one per field."""
        return self._read_from(reader, reader, places, "set_batch_generator", _as_fields)

    def decorate_sample_generator(self, sample_generator, batch_size, drop_last=True, places=None):
        """``set_sample_generator`` by its name in 1.x."""
        return self.set_sample_generator(sample_generator, batch_size, drop_last, places)

    decorate_sample_list_generator = set_sample_list_generator
    decorate_batch_generator = set_batch_generator

    def _read_from(self, source, reader, places, function, convert):
        if not callable(reader):
            raise TypeError(f"{function}(): reader must be a function that returns a generator, got {reader!r}")
        self._batches = lambda: map(convert, source())
        self._places = output_form(None, places, True, function, self._dynamic)[1]
        return self

    def _fields_of(self, sample):
        """The fields of one sample: an array's rows are its fields, unless the Variables say that it is one."""
        if isinstance(sample, np.ndarray) and sample.ndim:
            return sample if self._dynamic or self._feed_list is None or len(sample) == len(self._feed_list) else (sample,)
        return sample if isinstance(sample, (list, tuple)) else (sample,)

    def _from_samples(self, samples):
        """The fields of a list of samples, in the shape and type of the Variables they are for."""
        columns = list(zip(*map(self._fields_of, samples)))
        if self._dynamic or self._feed_list is None:
            return [_collated(column) for column in columns]
        if len(columns) != len(self._feed_list):
            named_feed(self._feed_list, columns)  # raises
        return [_column(column, variable) for column, variable in zip(columns, self._feed_list)]

    # ---- reading it ----
    def _read(self):
        if self._batches is None:
            raise RuntimeError("from_generator(): nothing to read: call set_sample_generator, "
                               "set_sample_list_generator or set_batch_generator first")
        if self._in_process:
            return iter(DataLoader(_Stream(self._batches), batch_size=None, num_workers=1, use_buffer_reader=False,
                                   prefetch_factor=self._capacity))
        return map(default_convert_fn, self._read_ahead() if self._ahead else self._batches())

    def _read_ahead(self):
        with Pump(self._capacity, workers=1) as pump:
            pump.start(lambda: pump.put_all(self._batches()))
            yield from pump

    def __iter__(self):
        if not self._iterable:
            raise RuntimeError("from_generator(): a loader with iterable=False is used with start() and reset()")
        batches = self._read()
        if self._dynamic:
            return batches
        if not self._return_list:
            batches = ({name: _as_lod_tensor(value) for name, value in named_feed(self._feed_list, batch).items()}
                       for batch in batches)
        size = len(self._places)
        groups = iter(lambda: list(itertools.islice(batches, size)), [])
        return (group for group in groups if len(group) == size or not self._drop_last)

    @property
    def queue(self):
        """The batches that a program of 1.x pushes itself (``queue.push([...])``), instead of giving a generator."""
        if self._pushed is None:
            self._pushed = Batches(self._capacity)
        return self._pushed

    @property
    def iterable(self):
        """Is the loader iterated over, rather than started?"""
        return self._iterable

    def __call__(self):
        return iter(self)

    def start(self):
        """Begin a pass (``iterable=False``)."""
        if self._iterable:
            raise RuntimeError("start(): the loader has iterable=True: iterate over it")
        if self._session is not None:
            raise RuntimeError("start(): the loader has been started already; call reset() first")
        if self._batches is not None or self._pushed is None:
            self._session = iter(self._read())

    def reset(self):
        """End a pass, finished or not (``iterable=False``)."""
        if self._iterable:
            raise RuntimeError("reset(): the loader has iterable=True: iterate over it")
        self._session = None

    def _reset(self):
        """End a pass of either kind; each iteration over the loader reads by itself and ends with its iterator."""
        self._session = None

    def complete(self, feed):
        """A feed of Executor.run with the next batch added where it lacks a variable; EOFException when there is none.

        A loader at rest leaves what is fed as it is: programs may be run by themselves, on the inputs that the results need."""
        resting = self._session is None and self._pushed is None
        if feed and resting or all(variable.name in feed for variable in self._feed_list):
            return feed
        return {**self.next_feed(), **feed}

    def complete_all(self, feeds, trains):
        """The feeds of several places, each with a batch of its own. The last batches may be too few for all places: a program that
        does not train runs on these, unless ``drop_last`` says to leave them out."""
        found = []
        for feed in feeds:
            try:
                found.append(self.complete(feed))
            except EOFException:
                if not found or trains or self._drop_last:
                    raise
                break
        return found

    def next_feed(self):
        """{name: Tensor} of the next batch; EOFException when there is none."""
        if self._session is None and self._batches is None and self._pushed is not None:
            batch = self._pushed.pop()
            if batch is None:
                raise EOFException("the queue of the loader was closed and has no batch left")
            return named_feed(self._feed_list, list(batch))
        if self._session is None:
            raise RuntimeError("a loader of this program has not been started: call its start()")
        batch = next(self._session, None)
        if batch is None:
            raise EOFException("the loader has no batch left; call its reset()")
        return named_feed(self._feed_list, batch)


class PyReader(GeneratorLoader):
    """A GeneratorLoader under its name of fluid 1.4 and 1.5.

    Args: see GeneratorLoader.
    """

    def __init__(self, feed_list=None, capacity=None, use_double_buffer=True, iterable=True, return_list=False):
        super().__init__(feed_list, capacity, use_double_buffer, iterable, return_list)

    _loader = property(lambda self: self, doc="What reads: in 1.7 and 1.8 a loader of its own.")


class _Stream(IterableDataset):
    def __init__(self, batches):
        self.batches = batches

    def __iter__(self):
        return iter(self.batches())


def _as_lod_tensor(value):
    return value if isinstance(value, lod.LoDTensor) else lod.LoDTensor(np.asarray(value))


def _as_fields(batch):
    """The fields of a batch; lists are arrays."""
    fields = list(batch) if isinstance(batch, (list, tuple)) else [batch]
    return [np.asarray(field) if isinstance(field, (list, tuple)) else field for field in fields]


def _collated(column):
    """One field of all samples as an array, if it is no dictionary; lists are arrays."""
    if isinstance(column[0], (list, tuple)):
        return np.asarray(column)
    field = default_collate_fn(column)
    return field if isinstance(field, list) else np.asarray(field)


def _column(values, variable):
    """One field of all samples as a Variable takes it: packed where it has sequence lengths; lists are arrays."""
    if variable.lod:
        return lod.packed(variable, values)
    return _fitted(values if isinstance(values[0], (list, tuple)) else _collated(values), variable)


def _fitted(array, variable):
    """An array in the type of a Variable, and in its number of dimensions."""
    array = np.asarray(array).astype(dtypes.to_numpy(variable.dtype, "feed"), copy=False)
    shape = [-1 if size is None or size < 0 else size for size in variable.shape]
    if array.ndim != len(shape):
        array = array.reshape(shape)
    return array
