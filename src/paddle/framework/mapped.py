"""Tensors that lie in a file: read when they are looked at, never written back."""

import os

import numpy as np

from ..core import dtype as dtypes
from ..core.errors import describe
from ..core.tensor import wrap

__all__ = ["MmapStorage"]


class MmapStorage:
    """The bytes of a file as memory, of which tensors are cut out.

    Args:
        filename: path of the file.
        nbytes: how many of its bytes.

    >>> import os, tempfile, numpy
    >>> path = os.path.join(tempfile.mkdtemp(), 'numbers')
    >>> numpy.arange(6, dtype='float32').tofile(path)
    >>> paddle.MmapStorage(path, 24).get_slice('float32', 2, 5).tolist()
    [2.0, 3.0, 4.0]
    """

    def __init__(self, filename, nbytes):
        if isinstance(nbytes, bool) or not isinstance(nbytes, (int, np.integer)) or nbytes < 1:
            raise ValueError(f"MmapStorage(): nbytes must be an int of at least 1, got {describe(nbytes)}")
        if os.path.getsize(filename) < nbytes:
            raise ValueError(f"MmapStorage(): {filename} has {os.path.getsize(filename)} bytes, fewer than {nbytes}")
        self._bytes = np.memmap(filename, np.uint8, "c", shape=int(nbytes))  # what a tensor is set to stays in memory

    def get_slice(self, dtype="uint8", start=0, stop=-1, step=1):
        """A tensor in the elements start to stop (-1: the end), every step-th, of the file seen as a vector of a type."""
        kind = dtypes.to_numpy(dtype, "get_slice")
        whole = self._bytes[:len(self._bytes) // kind.itemsize * kind.itemsize].view(kind)
        stop = len(whole) if stop in (None, -1) else stop
        for name, value, low in (("start", start, 0), ("stop", stop, 0), ("step", step, 1)):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= max(len(whole), 1):
                raise ValueError(f"get_slice(): {name} must be an int from {low} to {len(whole)}, got {describe(value)}")
        return wrap(np.asarray(whole[start:stop:step]))
