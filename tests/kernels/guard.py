"""Arrays that end (or begin) where the next byte may not be touched: what reads or writes past them dies at once."""

import ctypes
import mmap

import numpy as np

_PROTECT = ctypes.CDLL(None, use_errno=True).mprotect
_PROTECT.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_PAGE = mmap.PAGESIZE


def guarded(array, at_end=True):
    """A copy of ``array`` with a forbidden page right behind its last byte, or right before its first."""
    array = np.asarray(array, order="C")
    if not array.nbytes:
        return array.copy()
    room = -(-array.nbytes // _PAGE) * _PAGE
    memory = mmap.mmap(-1, room + _PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if _PROTECT(start + (room if at_end else 0), _PAGE, 0):
        raise OSError(ctypes.get_errno(), "mprotect failed")
    first = room - array.nbytes if at_end else _PAGE
    copy = np.frombuffer(memory, array.dtype, array.size, first).reshape(array.shape)
    copy[...] = array
    return copy
