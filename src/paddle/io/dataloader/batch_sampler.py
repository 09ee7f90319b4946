"""Batch samplers: which samples make up each batch."""

import itertools
import math
import os

import numpy as np

from ...core.errors import ArgumentError
from ...core.generation import construction
from .dataset import IterableDataset
from .sampler import RandomSampler, Sampler, SequenceSampler

__all__ = ["BatchSampler", "DistributedBatchSampler"]


@construction("paddle.imperative.samplers.BatchSampler", alpha_only={"indices"}, only_modern={"sampler"})
class BatchSampler(Sampler):
    """Lists of sample numbers, one list per batch.

    Args:
        dataset (Dataset or None): the dataset, taken in order or shuffled; or None when ``sampler`` is given.
        sampler (Sampler or None): where the numbers come from instead; any iterable of them.
        shuffle (bool): take the dataset's samples in a new random order each time.
        batch_size (int): samples per batch.
        drop_last (bool): leave an incomplete last batch out.
    Raises:
        ValueError: not exactly one of ``dataset`` and ``sampler`` is given, or ``batch_size`` is not positive.
        TypeError: ``sampler`` cannot be iterated, or ``shuffle`` or ``drop_last`` is not a bool.

    >>> list(paddle.io.BatchSampler("abcde", batch_size=2))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, dataset=None, sampler=None, shuffle=False, batch_size=1, drop_last=False):
        if (dataset is None) == (sampler is None):
            raise ArgumentError("BatchSampler(): give either dataset or sampler, not "
                                + ("neither" if dataset is None else "both"))
        if isinstance(dataset, IterableDataset):
            raise TypeError("BatchSampler(): dataset is an IterableDataset, whose samples have no numbers")
        if sampler is not None and not hasattr(sampler, "__iter__"):
            raise TypeError(f"BatchSampler(): sampler must be an iterable of numbers, got {type(sampler).__name__}")
        if sampler is not None and shuffle:
            raise ArgumentError("BatchSampler(): shuffle=True needs dataset; the order of sampler is its own")
        _check_batch("BatchSampler", batch_size, shuffle, drop_last)
        super().__init__(dataset)
        self.sampler = sampler if sampler is not None else (RandomSampler if shuffle else SequenceSampler)(dataset)
        self.batch_size = int(batch_size)
        self.drop_last = drop_last

    def __iter__(self):
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self):
        size = len(self.sampler)
        return size // self.batch_size if self.drop_last else -(-size // self.batch_size)


class DistributedBatchSampler(BatchSampler):
    """The batches of one process of several that share a dataset.

    The samples (shuffled in the same way in every process) are dealt out batch by batch. So that every process gets as
    many, some samples come twice when their number does not divide.

    Args:
        dataset (Dataset): the dataset.
        batch_size (int): samples per batch and process.
        num_replicas (int or None): number of processes; None asks ``paddle.distributed``.
        rank (int or None): number of this process; None asks ``paddle.distributed``.
        shuffle (bool): shuffle, differently in each epoch: ``set_epoch`` or the number of passes so far decides how.
        drop_last (bool): leave an incomplete last batch out.
    Raises:
        ValueError: ``batch_size`` is not positive, or there is no such rank.
        TypeError: ``shuffle`` or ``drop_last`` is not a bool.

    >>> list(paddle.io.DistributedBatchSampler("abcdefgh", 2, num_replicas=2, rank=1))
    [[2, 3], [6, 7]]
    """

    def __init__(self, dataset, batch_size, num_replicas=None, rank=None, shuffle=False, drop_last=False):
        _check_batch("DistributedBatchSampler", batch_size, shuffle, drop_last)
        if isinstance(dataset, IterableDataset):
            raise TypeError("DistributedBatchSampler(): dataset is an IterableDataset, whose samples have no numbers")
        here, total = _process_group(rank, num_replicas)
        if total < 1 or not 0 <= here < total:
            raise ValueError(f"DistributedBatchSampler(): rank {here} is not one of num_replicas={total} processes")
        self.dataset = self.data_source = dataset
        self.batch_size = int(batch_size)
        self.shuffle = shuffle
        self.nranks = total
        self.local_rank = here
        self.drop_last = drop_last
        self.epoch = 0
        self.num_samples = math.ceil(len(dataset) / total)
        self.total_size = self.num_samples * total
        self._pass = self._resumed = None  # (epoch, samples in order, how many of them were taken before) of a pass

    def __iter__(self):
        epoch, size, start = self._pass = self._resumed or (self.epoch, self.total_size, 0)
        self._resumed = None
        order = np.resize(np.arange(len(self.dataset)), size)  # repeats from the start
        if self.shuffle:
            np.random.RandomState(epoch).shuffle(order)
            self.epoch = epoch + 1
        if start:
            order = np.resize(order[start:], -(-(size - start) // self.nranks) * self.nranks)
        rounds = order.size // (self.batch_size * self.nranks)
        whole = order[:rounds * self.nranks * self.batch_size].reshape(rounds, self.nranks, self.batch_size)
        rest = order[whole.size:].reshape(self.nranks, -1)[self.local_rank]
        yield from whole[:, self.local_rank].tolist()
        if len(rest) and not self.drop_last:
            yield rest.tolist()

    def __len__(self):
        samples = self.num_samples
        if self._resumed is not None:
            samples = -(-(self._resumed[1] - self._resumed[2]) // self.nranks)
        return samples // self.batch_size if self.drop_last else -(-samples // self.batch_size)

    def state_dict(self, batches):
        """What a checkpoint needs to go on with the samples after so many batches of this pass, on any number of processes.

        >>> sampler = paddle.io.DistributedBatchSampler(range(8), 2, num_replicas=2, rank=0)
        >>> batches = iter(sampler)
        >>> next(batches)
        [0, 1]
        >>> state = sampler.state_dict(1)  # each of the two processes has had one batch
        >>> alone = paddle.io.DistributedBatchSampler(range(8), 2, num_replicas=1, rank=0)
        >>> alone.set_state_dict(state)
        >>> list(alone)
        [[4, 5], [6, 7]]
        """
        epoch, size, start = self._pass or self._resumed or (self.epoch, self.total_size, 0)
        return {"epoch": epoch, "size": size, "taken": min(start + int(batches) * self.batch_size * self.nranks, size)}

    def set_state_dict(self, state):
        """Let the next pass go on where ``state_dict`` was taken; after the last sample of a pass the next one begins."""
        epoch, size, taken = (int(state[name]) for name in ("epoch", "size", "taken"))
        if not 0 <= taken <= size or size < len(self.dataset):
            raise ValueError(f"DistributedBatchSampler.set_state_dict(): {state} is not of a dataset of {len(self.dataset)}")
        self._pass, self._resumed = None, (epoch, size, taken)
        if taken == size:
            self._resumed = None
            self.epoch = epoch + 1

    def set_epoch(self, epoch):
        """Set the number that decides how the next pass is shuffled; the same in every process."""
        if not isinstance(epoch, (int, np.integer)) or epoch < 0:
            raise ValueError(f"DistributedBatchSampler.set_epoch(): epoch must be a number from 0, got {epoch!r}")
        self.epoch = int(epoch)


class InfiniteBatches:
    """Endless requests for batches of a stream: there are no numbers, only sizes (None: a single sample)."""

    def __init__(self, batch_size):
        self.batch_size = batch_size

    def __iter__(self):
        return itertools.repeat(self.batch_size)


def _process_group(rank, world_size):
    """This process's number and how many there are, from the arguments or else from paddle.distributed."""
    if rank is not None and world_size is not None:
        return int(rank), int(world_size)
    try:
        from ...distributed import get_rank, get_world_size  # only a sampler of a job of several processes asks
    except ImportError:  # a build without it: the launcher's own variables say the same
        def get_rank():
            return int(os.environ.get("PADDLE_TRAINER_ID", "0"))

        def get_world_size():
            return int(os.environ.get("PADDLE_TRAINERS_NUM", "1"))
    return (get_rank() if rank is None else int(rank)), (get_world_size() if world_size is None else int(world_size))


class _InfiniteIterableSampler(Sampler):
    """Requests without sample numbers, and without an end, for the batches of a stream."""

    def __init__(self, dataset, batch_size=1):
        if not isinstance(dataset, IterableDataset):
            raise TypeError(f"_InfiniteIterableSampler(): dataset must be an IterableDataset, got {type(dataset).__name__}")
        self.dataset, self.batch_size = dataset, batch_size

    def __iter__(self):
        return itertools.repeat([None] * self.batch_size)


def _check_batch(function, batch_size, shuffle, drop_last):
    if not isinstance(batch_size, (int, np.integer)) or isinstance(batch_size, bool) or batch_size <= 0:
        raise ValueError(f"{function}(): batch_size must be a positive integer, got {batch_size!r}")
    for name, value in (("shuffle", shuffle), ("drop_last", drop_last)):
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{function}(): {name} must be a bool, got {value!r}")
