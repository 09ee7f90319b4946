"""Where the loader's random numbers come from: NumPy's global stream, as in Paddle.

The order of samples is drawn from it, and with worker processes one number per epoch: before every batch a worker starts
the streams that dataset code uses (``random``, ``numpy.random``, ``paddle``) anew from that number and the batch's, so
that the data does not depend on how many workers there are. Without workers dataset code draws from the program's own
streams. ``paddle.seed`` decides what Paddle draws with its own generator: ``random_split`` and ``SubsetRandomSampler``.
"""

import random

import numpy as np

from ...core.random import Generator, default_generator

_MASK = 2 ** 64 - 1


def index_source(generator, function):
    """An object with NumPy's ``permutation`` and ``choice`` for a ``generator`` argument (None: NumPy's global stream)."""
    if generator is None:
        return np.random
    if isinstance(generator, Generator):
        return np.random.Generator(np.random.Philox(generator.random()))
    if isinstance(generator, (np.random.Generator, np.random.RandomState)):
        return generator
    raise TypeError(f"{function}(): generator must be a paddle or NumPy generator or None, got {generator!r}")


def epoch_seed():
    """A new seed for the batches of one epoch."""
    return int(np.random.randint(0, 2 ** 63 - 1, dtype=np.int64))


def batch_seed(epoch, number):
    """The 63-bit seed of one batch (splitmix64's finalizer: neighbouring numbers give unrelated seeds)."""
    z = (epoch + 0x9E3779B97F4A7C15 * (number + 1)) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return (z ^ (z >> 31)) >> 1


# Each stream that dataset code may draw from: how to start it anew, and what to compare to see if somebody else did.
STREAMS = {
    "random": (random.seed, random.getstate),
    "numpy": (lambda seed: np.random.seed(seed & 0xFFFFFFFF), lambda: np.random.get_state(legacy=False)),
    "paddle": (lambda seed: default_generator().manual_seed(seed), lambda: default_generator().get_state()),
}


def seed_streams(seed, names=tuple(STREAMS)):
    """Start the named streams of this process from a seed."""
    for name in names:
        STREAMS[name][0](seed)


def stream_states():
    """The states of all streams, as text that can be compared."""
    with np.printoptions(threshold=10 ** 6):
        return {name: repr(state()) for name, (_, state) in STREAMS.items()}
