"""Samplers: the order in which the samples of a dataset are taken."""

import numpy as np

from ...core.errors import WrongKindError, describe
from ...core.tensor import Tensor
from ...ops.random import draws
from .dataset import IterableDataset
from .streams import index_source

__all__ = ["RandomSampler", "Sampler", "SequenceSampler", "SubsetRandomSampler", "WeightedRandomSampler"]


class Sampler:
    """Base of samplers: subclasses define ``__iter__``, which gives sample numbers, and ``__len__`` where it is known.

    >>> class Backwards(paddle.io.Sampler):
    ...     def __iter__(self):
    ...         return iter(range(len(self.data_source) - 1, -1, -1))
    >>> list(Backwards("abc"))
    [2, 1, 0]
    """

    def __init__(self, data_source=None):
        self.data_source = data_source

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} must define __iter__")


class SequenceSampler(Sampler):
    """0, 1, 2, … in order.

    Args:
        data_source (Dataset): whose samples are numbered.
    Raises:
        TypeError: the data source has no ``len()``.

    >>> list(paddle.io.SequenceSampler([5, 6, 7]))
    [0, 1, 2]
    """

    def __init__(self, data_source):
        super().__init__(data_source)

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """Numbers of samples at random.

    Args:
        data_source (Dataset): the dataset.
        replacement (bool): True draws every number independently; False gives a permutation.
        num_samples (int or None): how many to draw, with replacement only; None means as many as there are samples.
        generator (Generator, iterator or None): where the numbers come from: an iterator of sample numbers, or a ``paddle`` or
            NumPy generator.
    Raises:
        ValueError: ``num_samples`` is given without ``replacement``, or not positive.
        TypeError: ``replacement`` is not a bool.

    >>> sorted(paddle.io.RandomSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        super().__init__(data_source)
        if not isinstance(replacement, bool):
            raise TypeError(f"RandomSampler(): replacement must be a bool, got {replacement!r}")
        if isinstance(data_source, IterableDataset):
            raise TypeError("RandomSampler(): data_source is an IterableDataset, whose samples have no numbers")
        if num_samples is not None and not replacement:
            raise ValueError("RandomSampler(): num_samples needs replacement=True; without it every sample comes once")
        if num_samples is not None and (not isinstance(num_samples, (int, np.integer)) or num_samples <= 0):
            raise ValueError(f"RandomSampler(): num_samples must be a positive integer, got {num_samples!r}")
        if generator is not None and not hasattr(generator, "__next__"):
            index_source(generator, "RandomSampler")
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator

    @property
    def num_samples(self):
        """How many numbers one pass gives."""
        return len(self.data_source) if self._num_samples is None else int(self._num_samples)

    def __iter__(self):
        if hasattr(self.generator, "__next__"):
            return (index for _, index in zip(range(self.num_samples), self.generator))
        source, size = index_source(self.generator, "RandomSampler"), len(self.data_source)
        order = source.choice(size, self.num_samples) if self.replacement else source.permutation(size)
        return iter(order.tolist())

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given numbers, in a new random order each time, drawn from the generator that ``paddle.seed`` seeds.

    >>> sorted(paddle.io.SubsetRandomSampler([7, 3, 5]))
    [3, 5, 7]
    """

    def __init__(self, indices):
        super().__init__()
        if len(indices) == 0:
            raise ValueError("SubsetRandomSampler(): indices must have at least one number")
        self.indices = indices

    def __iter__(self):
        order = draws.permutation(0, len(self.indices))
        return (self.indices[i] for i in order.tolist())

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Numbers drawn with given weights.

    Args:
        weights: one weight per sample, not negative; they need not sum to 1.
        num_samples: how many numbers one pass gives.
        replacement: False draws every number at most once.

    >>> list(paddle.io.WeightedRandomSampler([0., 1., 0.], 2))
    [1, 1]
    """

    def __init__(self, weights, num_samples, replacement=True):
        super().__init__()
        values = np.asarray(weights._data if isinstance(weights, Tensor) else weights, dtype="float64")
        if values.ndim != 1 or not values.size:
            raise ValueError(f"WeightedRandomSampler(): weights must be a list of numbers, got {describe(weights)}")
        if not (np.isfinite(values).all() and (values >= 0).all() and values.sum() > 0):
            raise ValueError("WeightedRandomSampler(): weights must be finite, not negative, and not all 0")
        if not isinstance(num_samples, (int, np.integer)) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"WeightedRandomSampler(): num_samples must be a positive integer, got {num_samples!r}")
        if not isinstance(replacement, bool):
            raise WrongKindError(f"WeightedRandomSampler(): replacement must be a bool, got {replacement!r}")
        if not replacement and num_samples > (values > 0).sum():
            raise ValueError(f"WeightedRandomSampler(): num_samples {num_samples} is more than the "
                             f"{(values > 0).sum()} weights above 0, and replacement is False")
        self.weights = weights
        self.num_samples = int(num_samples)
        self.replacement = replacement
        self._chances = values / values.sum()

    def __iter__(self):
        source = index_source(None, "WeightedRandomSampler")
        return iter(source.choice(len(self._chances), self.num_samples, self.replacement, self._chances).tolist())

    def __len__(self):
        return self.num_samples
