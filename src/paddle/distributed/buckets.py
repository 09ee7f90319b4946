"""Tensors of one type laid side by side in one buffer, so that one collective serves many."""

import numpy as np

from ..core.references import references

ALIGN = 64  # bytes: each part starts on a cache line
MEGABYTE = 1 << 20


class Bucket:
    """Parameters whose gradients are reduced together.

    The reduced gradients are views of the buffer. A buffer that somebody still looks into is left to him, and the bucket
    takes a new one.
    """

    def __init__(self, params):
        self.params = params
        self.dtype = params[0]._data.dtype
        self.slices, end = [], 0
        step = max(1, ALIGN // self.dtype.itemsize)
        for p in params:
            self.slices.append((end, end + p._data.size))
            end += -(-p._data.size // step) * step
        self.size = end
        self.flat = None

    def buffer(self):
        """The buffer, free to be written into."""
        if self.flat is None or references(getattr, self, "flat") > 1:  # views hold it too
            self.flat = np.zeros(self.size, self.dtype)
        return self.flat

    def view(self, n):
        """The part of parameter n in the buffer."""
        start, end = self.slices[n]
        return self.flat[start:end].reshape(self.params[n]._data.shape)


def make_buckets(params, largest, last):
    """Buckets in the order in which backward completes them: the parameters from the last to the first.

    Args:
        params: in the order of the layers.
        largest: bytes of a bucket.
        last: bytes of the bucket that is reduced last, for whose transfer nothing is left to hide behind.
    """
    buckets, open_buckets = [], {}  # type of element -> (parameters, bytes)
    limits = {}
    for p in params:
        dtype, limit = p._data.dtype, limits.get(p._data.dtype, last)
        held, size = open_buckets.get(dtype, ([], 0))
        if held and size + p._data.nbytes > limit:
            buckets.append(held)
            held, size = [], 0
            limits[dtype] = largest
        open_buckets[dtype] = (held + [p], size + p._data.nbytes)
    buckets += [held for held, _ in open_buckets.values()]
    return [Bucket(held[::-1]) for held in reversed(buckets)]


def broadcast_tensors(tensors, comm, root=0):
    """Give every rank the root's values of some tensors, one transfer per type of element."""
    by_type = {}
    for t in tensors:
        by_type.setdefault(t._data.dtype, []).append(t)
    for members in by_type.values():
        bucket = Bucket(members)
        flat = bucket.buffer()
        if comm.rank == root:
            for n, t in enumerate(members):
                np.copyto(bucket.view(n), t._data)
        comm.broadcast(flat, root).wait()
        if comm.rank != root:
            for n, t in enumerate(members):
                t.replace(bucket.view(n).copy())
