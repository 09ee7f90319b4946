"""Arrays as programs of 1.x expect them: one element converts and formats like a number, whatever its shape.

NumPy once allowed ``float(array)`` and ``'{:.3}'.format(array)`` for arrays of shape (1,), and results of 1.x have that shape.
"""

import numpy as np


class OneElementArray(np.ndarray):
    """An ndarray of which ``float()``, ``int()`` and ``format()`` work whenever it has one element."""

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __index__(self):
        return self.item().__index__()

    def __repr__(self):
        return repr(np.asarray(self))

    def __format__(self, spec):
        if spec and self.size == 1:
            return format(self.item(), spec)
        return format(np.asarray(self), spec)


def view(array):
    """The array seen that way, if it has one element; else as it is."""
    return array.view(OneElementArray) if array.size == 1 else array
