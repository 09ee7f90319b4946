"""Datasets: numbered samples, streams of samples, and ways to combine them."""

import bisect
import itertools
import math

import numpy as np

from ...core.errors import describe
from ...core.tensor import Tensor, wrap
from ...ops.random import draws
from .streams import index_source

__all__ = ["ChainDataset", "ComposeDataset", "ConcatDataset", "Dataset", "IterableDataset", "Subset", "TensorDataset",
           "random_split"]


class Dataset:
    """Base of datasets whose samples have numbers: subclasses define ``__getitem__`` and ``__len__``.

    Raises:
        NotImplementedError: a subclass does not define ``__getitem__`` or ``__len__``.

    >>> class Squares(paddle.io.Dataset):
    ...     def __getitem__(self, index):
    ...         return index * index
    ...     def __len__(self):
    ...         return 4
    >>> [Squares()[i] for i in range(4)]
    [0, 1, 4, 9]
    """

    def __getitem__(self, idx):
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")

    def __len__(self):
        raise NotImplementedError(f"{type(self).__name__} must define __len__")


class IterableDataset(Dataset):
    """Base of datasets that are streams: subclasses define ``__iter__``.

    In a DataLoader with worker processes every worker iterates a copy of its own; ``get_worker_info()`` tells it which
    part of the stream to give, otherwise every sample comes once per worker.

    >>> class Countdown(paddle.io.IterableDataset):
    ...     def __iter__(self):
    ...         return iter([3, 2, 1])
    >>> list(Countdown())
    [3, 2, 1]
    """

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} must define __iter__")

    def __getitem__(self, idx):
        raise RuntimeError(f"{type(self).__name__} is an IterableDataset: its samples have no numbers, iterate over it")

    def __len__(self):
        raise TypeError(f"{type(self).__name__} is an IterableDataset and does not define __len__")


class TensorDataset(Dataset):
    """Samples are the rows of one or more tensors: sample i is ``(tensors[0][i], tensors[1][i], …)``.

    Args:
        tensors: a list or tuple of Tensors (or arrays) with the same size of dimension 0.

    >>> data = paddle.io.TensorDataset([paddle.ones([5, 2]), paddle.zeros([5])])
    >>> len(data), data[0][0].shape
    (5, [2])
    """

    def __init__(self, tensors):
        if not isinstance(tensors, (list, tuple)) or not tensors:
            raise TypeError(f"TensorDataset(): tensors must be a non-empty list or tuple, got {describe(tensors)}")
        arrays = [_array_of(tensor) for tensor in tensors]
        sizes = [array.shape[0] if array.ndim else None for array in arrays]
        if None in sizes or len(set(sizes)) > 1:
            raise ValueError("TensorDataset(): tensors must have the same size of dimension 0, got shapes "
                             f"{', '.join(str(list(array.shape)) for array in arrays)}")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return len(_array_of(self.tensors[0]))

    def gather(self, indices):
        """The collated batch of these samples, one indexing operation per tensor."""
        batch = []
        for tensor in self.tensors:
            rows = _array_of(tensor)[indices]
            batch.append(wrap(rows) if isinstance(tensor, Tensor) else rows)
        return batch


class ComposeDataset(Dataset):
    """Puts the fields of several datasets of one length side by side: sample i has the fields of every dataset's i.

    >>> pairs = paddle.io.ComposeDataset([[(1, 2), (3, 4)], [5, 6]])
    >>> pairs[1]
    (3, 4, 6)
    """

    def __init__(self, datasets):
        self.datasets = _non_empty(datasets, "ComposeDataset")
        _refuse_iterable(self.datasets, "ComposeDataset")
        sizes = [len(dataset) for dataset in self.datasets]
        if len(set(sizes)) > 1:
            raise ValueError(f"ComposeDataset(): datasets must have one length, got lengths {sizes}")

    def __len__(self):
        return len(self.datasets[0])

    def __getitem__(self, idx):
        sample = []
        for dataset in self.datasets:
            fields = dataset[idx]
            sample.extend(fields if isinstance(fields, (list, tuple)) else [fields])
        return tuple(sample)


class ChainDataset(IterableDataset):
    """The samples of several IterableDatasets, one dataset after the other."""

    def __init__(self, datasets):
        self.datasets = _non_empty(datasets, "ChainDataset")
        for i, dataset in enumerate(self.datasets):
            if not isinstance(dataset, IterableDataset):
                raise TypeError(f"ChainDataset(): datasets[{i}] must be an IterableDataset, got "
                                f"{type(dataset).__name__} (ConcatDataset joins datasets whose samples have numbers)")

    def __iter__(self):
        return itertools.chain.from_iterable(self.datasets)


class ConcatDataset(Dataset):
    """The samples of several datasets, numbered through.

    >>> both = paddle.io.ConcatDataset([["a", "b"], ["c"]])
    >>> len(both), both[2], both[-3]
    (3, 'c', 'a')
    """

    def __init__(self, datasets):
        self.datasets = _non_empty(datasets, "ConcatDataset")
        _refuse_iterable(self.datasets, "ConcatDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence):
        """The lengths of datasets, summed from the first on."""
        return list(itertools.accumulate(len(part) for part in sequence))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        size = len(self)
        if not -size <= idx < size:
            raise IndexError(f"ConcatDataset: index {idx} is out of range for {size} samples")
        idx = idx % size
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[which][idx - (self.cumulative_sizes[which - 1] if which else 0)]


class Subset(Dataset):
    """The samples of a dataset that have the given numbers, in their order.

    >>> list(paddle.io.Subset("abcdef", [4, 0]))
    ['e', 'a']
    """

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx):
        return self.dataset[self.indices[idx]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """Deal the samples of a dataset out at random into non-overlapping Subsets.

    Args:
        dataset: the dataset to split.
        lengths: the number of samples of each part, their sum being ``len(dataset)``; or fractions of 1 that sum to 1
            (samples left over by rounding down go to the first parts, one each).
        generator: a ``paddle`` or NumPy generator; None uses the one that ``paddle.seed`` seeds.

    >>> [len(part) for part in paddle.io.random_split(list(range(10)), [7, 3])]
    [7, 3]
    """
    size = len(dataset)
    lengths = list(lengths)
    if lengths and math.isclose(sum(lengths), 1) and all(0 <= part <= 1 for part in lengths) and size != 1:
        fractions, lengths = lengths, [math.floor(part * size) for part in lengths]
        for i in range(size - sum(lengths)):
            lengths[i % len(fractions)] += 1
    if sum(lengths) != size or any(part < 0 or part != int(part) for part in lengths):
        raise ValueError(f"random_split(): lengths must be whole numbers that sum to the dataset's {size} samples, "
                         f"got {lengths}")
    if generator is None:
        order = draws.permutation(0, size).tolist()
    else:
        order = index_source(generator, "random_split").permutation(size).tolist()
    ends = list(itertools.accumulate(int(part) for part in lengths))
    return [Subset(dataset, order[end - int(part):end]) for end, part in zip(ends, lengths)]


def _array_of(tensor):
    return tensor._data if isinstance(tensor, Tensor) else np.asarray(tensor)


def _non_empty(datasets, function):
    datasets = list(datasets)
    if not datasets:
        raise ValueError(f"{function}(): datasets must have at least one dataset")
    return datasets


def _refuse_iterable(datasets, function):
    for i, dataset in enumerate(datasets):
        if isinstance(dataset, IterableDataset):
            raise TypeError(f"{function}(): datasets[{i}] is an IterableDataset, whose samples have no numbers "
                            "(ChainDataset joins those)")
