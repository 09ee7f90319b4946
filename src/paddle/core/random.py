"""The random generator behind every random op: same seed, same bytes."""

import os

import numpy as np


class Generator:
    """A seeded stream of random numbers (Philox, counter based: streams can be split without overlap)."""

    def __init__(self, seed=None):
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1 if seed is None else seed)
        self.seeded = seed is not None  # did anybody choose the seed? paddle.io follows it if so

    def manual_seed(self, seed):
        """Start again from a seed; returns self."""
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise TypeError(f"seed(): seed must be an int, got {seed!r}")
        self._seed = int(seed)
        self.numpy = np.random.Generator(np.random.Philox(self._seed & (2 ** 64 - 1)))
        self.seeded = True
        return self

    def initial_seed(self):
        """The seed this generator started from."""
        return self._seed

    def seed(self):
        """Start again from a fresh random seed and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1)
        self.seeded = False
        return self._seed

    def get_state(self):
        """Everything needed to continue the stream bit for bit, as plain picklable data."""
        return {"seed": self._seed, "state": self.numpy.bit_generator.state}

    def set_state(self, state):
        """Continue from what ``get_state`` returned."""
        self._seed = int(state["seed"])
        self.seeded = True
        self.numpy.bit_generator.state = state["state"]

    def random(self):
        """A fresh 63-bit integer, e.g. the key of a kernel's own counter-based stream."""
        return int(self.numpy.integers(0, 2 ** 63 - 1))


_default = Generator(0 if os.environ.get("PADDLE_DETERMINISTIC_START") else None)


def default_generator():
    """The generator that random functions use unless given a seed of their own."""
    return _default


def seed(seed):
    """Seed the global generator and return it.

    Args:
        seed: integer.

    >>> import paddle
    >>> _ = paddle.seed(7)
    >>> a = paddle.rand([2]); _ = paddle.seed(7); b = paddle.rand([2])
    >>> bool((a == b).all())
    True
    """
    return _default.manual_seed(seed)


def numpy_generator(seed=0):
    """NumPy generator for an op's ``seed`` attribute: the global one for 0, else a fresh one of that seed."""
    return Generator(seed).numpy if seed else _default.numpy
