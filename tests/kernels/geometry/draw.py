"""What a random geometry is made of: sizes around the vectors' lengths, and arrays beside forbidden pages."""

import numpy as np

from ..guard import guarded

WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 23, 31, 32, 33, 34, 47, 48, 49, 63, 64, 65)  # around vectors and their doubles
SMALL = (1, 2, 3, 4, 5, 7, 8, 9, 11)


class Draw:
    """Random sizes and guarded arrays of one case."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.dtype = np.dtype(self.pick((np.float32, np.float32, np.float64)))
        self.at_end = bool(self.rng.integers(4))

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def upto(self, most):
        return int(self.rng.integers(most + 1))

    def chance(self):
        return bool(self.rng.integers(2))

    def guard(self, array):
        return guarded(array, self.at_end)

    def array(self, *shape):
        return self.guard(self.rng.standard_normal(shape).astype(self.dtype))

    def room(self, *shape, dtype=None):
        """Where a result goes."""
        return self.guard(np.zeros(shape, dtype or self.dtype))

    def ids(self, count, below):
        return self.guard(self.rng.integers(0, below, count).astype(self.pick((np.int32, np.int64))))

    def lines(self):
        """A shape of rows: one that is long now and then."""
        return (self.pick(SMALL), self.pick(SMALL), self.pick(WIDTHS)) if self.chance() else (self.pick(WIDTHS), self.pick(WIDTHS))


def close(actual, expected, scale=None, limit=None):
    """Within rounding of a result computed in double precision, relative to its largest value."""
    assert actual.shape == np.shape(expected), (actual.shape, np.shape(expected))
    if not actual.size:
        return
    limit = limit or (3e-5 if actual.dtype == np.float32 else 1e-11)
    error = np.abs(actual - expected).max()
    scale = max(np.abs(expected).max(), 1e-2) if scale is None else scale
    assert error <= limit * scale, (error, scale)
