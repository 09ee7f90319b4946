"""BatchSampler as 2.0 alpha had it: over a dataset, or over given numbers of samples."""

from ..core.errors import ArgumentError
from ..io import BatchSampler as _Modern
from ..io import RandomSampler


class _Numbers:
    """The given numbers, in order or shuffled anew each time."""

    def __init__(self, numbers, shuffle):
        self.numbers, self.shuffle = list(numbers), shuffle

    def __iter__(self):
        return iter(self.numbers) if not self.shuffle else (self.numbers[k] for k in RandomSampler(self.numbers))

    def __len__(self):
        return len(self.numbers)


class BatchSampler(_Modern):
    """Lists of sample numbers, one list per batch (2.0 alpha; successor: paddle.io.BatchSampler with sampler=)."""

    def __init__(self, dataset=None, indices=None, shuffle=False, batch_size=1, drop_last=False):
        if (dataset is None) == (indices is None):
            raise ArgumentError(f"BatchSampler(): give either dataset or indices, not {'neither' if dataset is None else 'both'}")
        if indices is not None and not isinstance(indices, (list, tuple)):
            raise ArgumentError(f"BatchSampler(): indices must be a list or tuple, got {type(indices).__name__}")
        numbers = None if indices is None else _Numbers(indices, shuffle)
        super().__init__(dataset, numbers, shuffle and numbers is None, batch_size, drop_last)
