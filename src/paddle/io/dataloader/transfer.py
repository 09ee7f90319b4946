"""Batches from a worker process to its parent, through memory that both map.

The arrays of a batch are copied once, by the worker, into a slot: a file without a name (it has no entry anywhere, so
the system frees it with its last user however that ends). The parent's arrays are views of the slot; it becomes free
when the last of them is gone. What is not array data (the nesting, strings, numbers) goes through the pipe.
"""

import collections
import io
import itertools
import mmap
import os
import pickle
import tempfile
import weakref
from multiprocessing import reduction

import numpy as np

from ...core.tensor import Tensor, wrap

# An open file reaches another process through a Unix socket only; elsewhere arrays go through the pipe.
SHARED_MEMORY_WORKS = os.name == "posix" and reduction.HAVE_SEND_HANDLE

# Slots of one worker that the program may hold. Beyond that batches are copied out of their slots, so that keeping all
# batches of an epoch in a list does not run out of open files.
MAX_LENT = 4

_ALIGN = 64


class Parcel:
    """A batch on its way: its frame, the sizes of its arrays, and their memory (a slot's number, or the bytes)."""

    __slots__ = ("frame", "sizes", "slot", "room", "contents")

    def __init__(self, frame, sizes, slot=None, room=0, contents=()):
        self.frame, self.sizes, self.slot, self.contents = frame, sizes, slot, contents
        self.room = room  # bytes of the slot's new memory, whose file follows; 0: memory that the parent knows

    def __getstate__(self):
        return self.frame, self.sizes, self.slot, self.room, self.contents

    def __setstate__(self, state):
        self.frame, self.sizes, self.slot, self.room, self.contents = state


class SlotWriter:
    """A worker's side: puts batches into free slots, making a new slot when there is none."""

    def __init__(self, shared):
        self.shared = shared
        self.maps = {}
        self.free = set()

    def send(self, connection, head, batch):
        """Send ``(*head, parcel)`` with a batch in it."""
        frame, buffers = _taken_apart(batch)
        sizes = [buffer.nbytes for buffer in buffers]
        if not self.shared or not sum(sizes):
            connection.send((*head, Parcel(frame, sizes, contents=[bytearray(buffer) for buffer in buffers])))
            return
        slot, room, fd = self._slot_for(_ends(sizes)[-1])
        try:
            with memoryview(self.maps[slot]) as memory:
                for end, buffer in zip(_ends(sizes), buffers):
                    memory[end - buffer.nbytes:end] = buffer
            connection.send((*head, Parcel(frame, sizes, slot, room)))
            if fd is not None:
                reduction.send_handle(connection, fd, None)
        finally:
            if fd is not None:
                os.close(fd)

    def release(self, slots):
        """The parent needs these slots no longer."""
        self.free.update(slots)

    def _slot_for(self, size):
        """A slot with room; with the size and file of its memory where that is new."""
        fitting = [slot for slot in self.free if len(self.maps[slot]) >= size]
        if fitting:
            slot = min(fitting, key=lambda number: len(self.maps[number]))
            self.free.remove(slot)
            return slot, 0, None
        if self.free:  # all too small: one of them gets new memory
            slot = self.free.pop()
            self.maps.pop(slot).close()
        else:
            slot = len(self.maps)
        fd = _nameless_file()
        try:
            room = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(fd, 0, room)  # too little memory is an error here, not a SIGBUS later
            else:
                os.ftruncate(fd, room)
            self.maps[slot] = mmap.mmap(fd, room)
        except BaseException:
            os.close(fd)
            raise
        return slot, room, fd


class SlotReader:
    """The parent's side: arrays over the slots of one worker."""

    def __init__(self):
        self.maps = {}
        self.lent = 0
        self.returned = collections.deque()

    def receive(self, connection):
        """The next message of the worker; takes over the file that follows a parcel with new memory."""
        message = connection.recv()
        parcel = message[-1]
        if isinstance(parcel, Parcel) and parcel.room:
            fd = reduction.recv_handle(connection)
            try:
                self.maps[parcel.slot] = mmap.mmap(fd, parcel.room)
            finally:
                os.close(fd)
        return message

    def open(self, parcel):
        """The batch of a parcel, its arrays being views of the slot unless too many slots are out already."""
        buffers = parcel.contents
        if parcel.slot is not None:
            memory = np.frombuffer(self.maps[parcel.slot], "uint8")
            buffers = [memory[end - size:end] for end, size in zip(_ends(parcel.sizes), parcel.sizes)]
            if self.lent - len(self.returned) >= MAX_LENT:
                buffers = [buffer.copy() for buffer in buffers]
                self.discard(parcel)
            else:
                self.lent += 1
                weakref.finalize(memory, self.returned.append, parcel.slot).atexit = False
        return pickle.loads(parcel.frame, buffers=buffers)  # noqa: S301 (made a moment ago by our own worker)

    def discard(self, parcel):
        """Take back the slot of a message's parcel that nobody wants, if it has one."""
        if isinstance(parcel, Parcel) and parcel.slot is not None:
            self.lent += 1
            self.returned.append(parcel.slot)

    def take_returned(self):
        """The slots that became free since the last call."""
        slots = []
        while self.returned:
            slots.append(self.returned.popleft())
        self.lent -= len(slots)
        return slots


class _BatchPickler(reduction.ForkingPickler):
    """Pickles a batch without its array data, which goes to ``take`` instead."""

    def __init__(self, file, take):
        super().__init__(file, 5, True, take)

    def reducer_override(self, value):
        if type(value) is Tensor:
            return _tensor, (value._data, value.stop_gradient)
        if type(value) is np.ndarray and not value.flags.c_contiguous and not value.dtype.hasobject:
            return np.ascontiguousarray(value).__reduce_ex__(5)  # other layouts would be pickled by value
        return NotImplemented


def _tensor(array, stop_gradient):
    tensor = wrap(array)
    tensor.stop_gradient = stop_gradient
    return tensor


def _taken_apart(batch):
    """The frame of a batch, and the memory of its arrays."""
    frame, buffers = io.BytesIO(), []
    _BatchPickler(frame, buffers.append).dump(batch)
    return frame.getvalue(), [buffer.raw() for buffer in buffers]


def _ends(sizes):
    """Where each array ends in a slot, such that each starts at a multiple of 64."""
    starts = itertools.accumulate((-(-size // _ALIGN) * _ALIGN for size in sizes), initial=0)
    return [start + size for start, size in zip(starts, sizes)]


def _nameless_file():
    if hasattr(os, "memfd_create"):
        return os.memfd_create("paddle_dataloader", os.MFD_CLOEXEC)
    file = tempfile.TemporaryFile()
    try:
        return os.dup(file.fileno())
    finally:
        file.close()
