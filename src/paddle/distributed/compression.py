"""Sums over ranks that travel in half precision: half the bytes, with the terms added up in float32."""

import numpy as np

from ..core import dtype as dtypes

KINDS = ("float16", "bfloat16")


def half_type(name, function):
    """The NumPy type of a kind of compression; None for None."""
    if name is None:
        return None
    if name not in KINDS:
        raise ValueError(f"{function}(): compression must be None, 'float16' or 'bfloat16', got {name!r}")
    return dtypes.to_numpy(name)


class HalfSum:
    """The sum of a flat array over the ranks of a communicator, under way.

    Each rank gets one part of all arrays, adds it up in float32, rounds the sum once and gives it to the others. The second half
    of that starts in ``wait``, so ranks have to wait for several of these in the same order.

    Args:
        comm: a communicator.
        array: a flat array; it holds the sum after ``wait``.
        half: the type that travels.
    """

    def __init__(self, comm, array, half):
        self._comm, self._array, part = comm, array, -(-array.size // comm.size)
        sent = np.zeros(part * comm.size, half)
        sent[:array.size] = array
        self._parts = np.empty((comm.size, part), half)
        self._work = comm.alltoall(self._parts.reshape(-1), sent, [part] * comm.size, [part] * comm.size)

    def test(self):
        """Has the first half of the transfer ended?"""
        return self._work.test()

    def wait(self):
        """Finish, and put the sum into the array."""
        if self._parts is None:
            return
        self._work.wait()
        mine = self._parts.astype(np.float32).sum(0).astype(self._parts.dtype)
        whole = np.empty_like(self._parts)
        self._comm.allgather(whole, mine).wait()
        self._array[...] = whole.reshape(-1)[:self._array.size]
        self._parts = None
