"""Where the loader's random numbers come from.

``paddle.seed`` decides when it was called: the order of samples comes from the global generator, and before every
batch the streams that dataset code uses (``random``, ``numpy.random``, ``paddle``) start anew from a number made of the
epoch's seed and the batch's number. The data is then the same whichever process makes a batch, and however many there
are.

Without ``paddle.seed``, NumPy's global stream decides, so that programs which call ``numpy.random.seed`` get the order
they get in Paddle.
"""

import contextlib
import random
import threading

import numpy as np

from ...core.random import Generator, default_generator

_MASK = 2 ** 64 - 1
_swapping = threading.RLock()  # the streams are the process's: one thread at a time may borrow them
_spare_bits = []               # making one costs more than all the rest of a loan


def index_source(generator, function):
    """An object with NumPy's ``permutation`` and ``choice`` for a ``generator`` argument (None: the global stream)."""
    if generator is None:
        return default_generator().numpy if default_generator().seeded else np.random
    if isinstance(generator, Generator):
        return generator.numpy
    if isinstance(generator, (np.random.Generator, np.random.RandomState)):
        return generator
    raise TypeError(f"{function}(): generator must be a paddle or NumPy generator or None, got {generator!r}")


def epoch_seed():
    """A new seed for the batches of one epoch."""
    if default_generator().seeded:
        return default_generator().random()
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


@contextlib.contextmanager
def borrowed_streams(seed):
    """Run a block with streams of its own, started from a seed; what the process drew from before stays untouched."""
    generator = default_generator()
    with _swapping:
        python_state, numpy_bits, paddle_state = random.getstate(), np.random.get_bit_generator(), dict(vars(generator))
        lent_bits = _spare_bits.pop() if _spare_bits else np.random.MT19937(0)
        np.random.set_bit_generator(lent_bits)
        try:
            seed_streams(seed)
            yield
        finally:
            random.setstate(python_state)
            np.random.set_bit_generator(numpy_bits)
            vars(generator).update(paddle_state)
            _spare_bits.append(lent_bits)
