"""DataLoader: batches of a dataset, made here or in worker processes."""

import collections
import itertools
import warnings

import numpy as np

from ..core import place as places_
from ..core.context import context
from ..core.errors import describe
from ..core.hooks import each_phase
from ..core.op import Symbolic
from .dataloader.batch_sampler import BatchSampler, InfiniteBatches
from .dataloader.collate import default_collate_fn, default_convert_fn, listed_collate_fn
from .dataloader.dataloader_iter import _DataLoaderIterBase
from .dataloader.dataset import IterableDataset
from .dataloader.fetcher import EndOfStream, Fetcher
from .dataloader.pool import END, Pool
from .dataloader.sampler import RandomSampler, SequenceSampler
from .dataloader.streams import epoch_seed
from .dataloader.transfer import SHARED_MEMORY_WORKS
from .dataloader.worker import Plan, _DatasetKind

__all__ = ["DataLoader"]


class DataLoader:
    """Iterates over the batches of a dataset; ``for batch in loader`` and ``for batch in loader()`` are the same.

    A batch is what ``collate_fn`` makes of a list of samples, with every array in it turned into a Tensor that shares
    its memory (``stop_gradient=True``).

    ``numpy.random.seed(n)`` decides the order of samples. With workers it also decides the random numbers that the
    dataset draws (from ``random``, ``numpy.random`` or ``paddle``), however many workers there are; a stream that
    ``worker_init_fn`` seeds is left alone. Without workers the dataset draws from the program's own streams.

    Args:
        dataset (Dataset): a Dataset, or any object with ``__getitem__`` and ``__len__``; or an IterableDataset.
        feed_list (list of Variable or None): the Variables that the fields of a batch are for; static graph only.
        places (Place, list or None): the devices the batches are for. With several (static graph only) each item is a list of
            as many batches; batches left over at the end are dropped.
        return_list (bool or None): False gives ``[{name: Tensor}]`` with the names of ``feed_list``; static graph only. None is
            True, but False for programs of 1.x and 2.0 alpha.
        batch_sampler (BatchSampler or None): where the lists of sample numbers come from, instead of the next three.
        batch_size (int or None): samples per batch. None hands samples out one by one, uncollated.
        shuffle (bool): a new random order in each pass.
        drop_last (bool): leave an incomplete last batch out.
        collate_fn (callable or None): makes a batch out of a list of samples; None stacks field by field.
        num_workers (int): how many processes make batches; 0 makes them here, when they are asked for.
        use_buffer_reader (bool): have the workers make further batches ahead, one less than ``reader_buffer_size`` says.
            Batches made here are never made ahead: the dataset's code runs in the caller's thread.
        prefetch_factor (int): batches that each worker makes ahead.
        use_shared_memory (bool): hand arrays over in memory that both processes map; False sends them through a pipe.
        timeout (float): seconds to wait for a batch from the workers before raising RuntimeError; 0 waits as long as they live.
        worker_init_fn (callable or None): called in each worker with its number (from 0) before it makes its first batch.
        persistent_workers (bool): keep the workers (and their copies of the dataset) for the next pass.
        reader_buffer_size (int): batches that are held, the one in use among them.
    Raises:
        ValueError: a number is out of range, ``batch_sampler`` is given beside what it replaces, or the samples of a batch
            have different shapes.
        KeyError: (or another) raised by the dataset, here or in a worker; a worker's traceback is part of it.

    >>> squares = [np.float32(i * i) for i in range(5)]
    >>> [batch.shape for batch in paddle.io.DataLoader(squares, batch_size=2)]
    [[2], [2], [1]]
    """

    def __init__(self, dataset, feed_list=None, places=None, return_list=None, batch_sampler=None, batch_size=1,
                 shuffle=False, drop_last=False, collate_fn=None, num_workers=0, use_buffer_reader=True,
                 prefetch_factor=2, use_shared_memory=True, timeout=0, worker_init_fn=None, persistent_workers=False, *,
                 reader_buffer_size=2):
        _check_whole("num_workers", num_workers, 0)
        _check_whole("prefetch_factor", prefetch_factor, 1)
        _check_whole("reader_buffer_size", reader_buffer_size, 1)
        if not isinstance(timeout, (int, float, np.number)) or isinstance(timeout, bool) or not timeout >= 0:
            raise ValueError(f"DataLoader(): timeout must be seconds, 0 or more, got {timeout!r}")
        for name, function in (("collate_fn", collate_fn), ("worker_init_fn", worker_init_fn)):
            if function is not None and not callable(function):
                raise TypeError(f"DataLoader(): {name} must be callable or None, got {describe(function)}")
        self.dataset = dataset
        dynamic = runs_eagerly(feed_list)
        if return_list is None:
            return_list = dynamic or not context.rules.named_batches
        self.feed_list, self.places, self.return_list = output_form(feed_list, places, return_list, dynamic=dynamic)
        self._is_stream = isinstance(dataset, IterableDataset)
        if batch_sampler is not None:
            if (batch_size, shuffle, drop_last) != (1, False, False):
                raise ValueError("DataLoader(): batch_sampler excludes batch_size, shuffle and drop_last")
            if self._is_stream:
                raise ValueError("DataLoader(): batch_sampler needs samples with numbers, an IterableDataset has none")
            batch_size = None
        elif self._is_stream and shuffle:
            raise ValueError("DataLoader(): shuffle=True needs samples with numbers, an IterableDataset has none")
        elif batch_size is not None:
            _check_whole("batch_size", batch_size, 1)
            if not self._is_stream:
                batch_sampler = BatchSampler(dataset, shuffle=shuffle, batch_size=batch_size, drop_last=drop_last)
        self.dataset_kind = _DatasetKind.ITER if self._is_stream else _DatasetKind.MAP
        self.batch_sampler = batch_sampler
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.auto_collate_batch = batch_sampler is not None or batch_size is not None
        self.collate_fn = collate_fn
        collate = listed_collate_fn if context.rules.listed_fields else default_collate_fn
        self._collate = collate_fn or (collate if self.auto_collate_batch else _as_it_is)
        self.num_workers = int(num_workers)
        self.use_buffer_reader = bool(use_buffer_reader)
        self.prefetch_factor, self.reader_buffer_size = int(prefetch_factor), int(reader_buffer_size)
        self.use_shared_memory = bool(use_shared_memory) and SHARED_MEMORY_WORKS
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.persistent_workers = bool(persistent_workers)
        self._idle_pool = None

    @staticmethod
    def from_generator(feed_list=None, capacity=None, use_double_buffer=True, iterable=True, return_list=False,
                       use_multiprocess=False, drop_last=True):
        """A loader over a Python generator, as fluid and Paddle 2.0 have it: see ``GeneratorLoader``."""
        from .generator_loader import GeneratorLoader  # a kind of the loader of this module
        return GeneratorLoader(feed_list, capacity, use_double_buffer, iterable, return_list, use_multiprocess,
                               drop_last)

    @staticmethod
    def from_dataset(dataset, places, drop_last=True):
        """A loader over the files of a dataset with slots (paddle.distributed.QueueDataset): lists of feeds for Executor.run, one
        for each place. Batches at the end that are too few for all places are left out, with ``drop_last`` also smaller ones."""
        places = places if isinstance(places, (list, tuple)) else [places]
        if not hasattr(dataset, "batches"):
            raise TypeError(f"from_dataset(): dataset must be a QueueDataset or InMemoryDataset, got {describe(dataset)}")
        return _Feeds(dataset, len(places), bool(drop_last))

    def __len__(self):
        if self._is_stream:
            raise TypeError("DataLoader: an IterableDataset gives no number of batches")
        return (len(self.batch_sampler) if self.auto_collate_batch else len(self.dataset)) // max(1, len(self.places))

    @each_phase("Dataloader")
    def __iter__(self):
        batches = self._from_workers() if self.num_workers else self._from_here()
        return _DataLoaderIterBase(self, batches if self.return_list and len(self.places) == 1 else self._for_static_graph(batches))

    def __call__(self):
        return iter(self)

    def _requests(self):
        if self._is_stream:
            return iter(InfiniteBatches(self.batch_size))
        if self.auto_collate_batch:
            return iter(self.batch_sampler)
        return iter((RandomSampler if self.shuffle else SequenceSampler)(self.dataset))

    def _from_here(self):
        fetch = None
        for request in self._requests():
            try:
                fetch = fetch or Fetcher(self.dataset, self._collate, self.drop_last).fetch
                batch = fetch(request)
            except EndOfStream:
                return
            yield default_convert_fn(batch)

    def _from_workers(self):
        seed = epoch_seed()
        pool, self._idle_pool = self._idle_pool or self._new_pool(seed), None
        try:
            yield from self._collected(pool, seed)
        except GeneratorExit:  # dropped in mid-epoch: the workers are fine
            self._done_with(pool)
            raise
        except BaseException:
            pool.close()
            raise
        else:
            self._done_with(pool)

    def _collected(self, pool, seed):
        """The batches in order, with work for the workers given out ahead."""
        pool.begin(seed)
        requests = self._requests()
        rotation = collections.deque(range(self.num_workers))
        under_way = collections.deque()  # (batch number, worker), in the order in which they are handed out
        numbers = itertools.count()
        ahead = self.prefetch_factor * self.num_workers + self.use_buffer_reader * (self.reader_buffer_size - 1)

        def give_out_work():
            while rotation and len(under_way) < ahead:
                request = next(requests, END)
                if request is END:
                    rotation.clear()
                    return
                number, which = next(numbers), rotation[0]
                pool.request(which, number, request)
                under_way.append((number, which))
                rotation.rotate(-1)

        give_out_work()
        while under_way:
            number, which = under_way.popleft()
            batch = pool.wait_for(number)
            if batch is END:
                if which in rotation:
                    rotation.remove(which)
                give_out_work()
                continue
            give_out_work()
            yield default_convert_fn(batch)
            del batch  # its memory may be used again while the next one is awaited

    def _new_pool(self, seed):
        return Pool([Plan(i, self.num_workers, self.dataset, self._collate, self.drop_last, self.worker_init_fn,
                          self.use_shared_memory, seed) for i in range(self.num_workers)], self.timeout)

    def _done_with(self, pool):
        if self.persistent_workers and self._idle_pool is None:
            self._idle_pool = pool
        else:
            pool.close()

    def __getstate__(self):
        return {**self.__dict__, "_idle_pool": None}  # a copy starts workers of its own

    def _for_static_graph(self, batches):
        """Batches in the form that Executor.run takes: by name, and one per place."""
        if not self.return_list:
            batches = (named_feed(self.feed_list, batch) for batch in batches)
        size = len(self.places)
        if self.return_list and size == 1:
            return batches
        return (group for group in iter(lambda: list(itertools.islice(batches, size)), []) if len(group) == size)


def named_feed(feed_list, batch):
    """{name: Tensor} of a batch whose fields are for the Variables of ``feed_list``."""
    fields = batch if isinstance(batch, (list, tuple)) else [batch]
    if len(fields) != len(feed_list):
        names = ", ".join(variable.name for variable in feed_list)
        raise ValueError(f"DataLoader(): feed_list has {len(feed_list)} variables ({names}), "
                         f"but a batch has {len(fields)} fields")
    return {variable.name: field for variable, field in zip(feed_list, fields)}


def in_dynamic_mode():
    """Does the program run eagerly?"""
    import paddle
    return paddle.in_dynamic_mode()


def runs_eagerly(feed_list):
    """Is a loader for a program that runs eagerly? Variables to be fed say that it is not."""
    return in_dynamic_mode() and not any(isinstance(variable, Symbolic) for variable in feed_list or ())


def _as_it_is(sample):
    return sample


def output_form(feed_list, places, return_list, function="DataLoader", dynamic=True):
    """Checked ``feed_list``, ``places`` as a list, and ``return_list``, for a dynamic program or not."""
    if places is None or isinstance(places, (str, places_.Place)):
        places = [places]
    places = [places_.convert(place, function) for place in places] or [places_.CPU]
    if feed_list is not None:
        feed_list = list(feed_list)
    if (return_list and len(places) == 1) or dynamic:
        if len(places) > 1:
            raise ValueError(f"{function}(): several places need the static graph; a dynamic program has one")
        if not return_list:
            warnings.warn(f"{function}(): return_list=False means names for the static graph; here batches are lists",
                          stacklevel=3)
        return feed_list, places, True
    if not return_list and not feed_list:
        raise ValueError(f"{function}(): return_list=False needs feed_list, whose variables name the fields")
    return feed_list, places, bool(return_list)


def _check_whole(name, value, least):
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise ValueError(f"DataLoader(): {name} must be an integer of at least {least}, got {value!r}")


class _Feeds:
    """Goes through a dataset with slots, as often as it is asked."""

    def __init__(self, dataset, places, drop_last):
        self.dataset, self.places, self.drop_last = dataset, places, drop_last

    def __iter__(self):
        feeds = iter(self.dataset.batches(self.drop_last))
        groups = iter(lambda: list(itertools.islice(feeds, self.places)), [])
        return (group for group in groups if len(group) == self.places)

    def __call__(self):
        return iter(self)


def use_pinned_memory(*given):
    """None: whether batches are copied to page-locked memory, which serves GPUs; it can't be set."""
    if given and given[0]:
        raise RuntimeError("use_pinned_memory(): page-locked memory serves GPUs; there is none")


def _convert_places(given):
    """The Places of one, of several, or of names."""
    return [places_.convert(place, "_convert_places") for place in (given if isinstance(given, (list, tuple)) else [given])]
