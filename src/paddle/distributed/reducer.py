"""Gradients averaged over ranks while backward still runs.

The tape tells as soon as a parameter's gradient is complete. When all of a bucket are there, its reduction starts and
backward goes on; buckets start in the same order on every rank, whatever order the gradients come in. At the end of
backward the reducer waits for what is under way.
"""

import weakref

import numpy as np

from ..core.context import process
from ..core.tensor import ZERO, wrap
from .buckets import MEGABYTE, make_buckets
from .comm import ReduceOp

SHOWN_NAMES = 10


class Reducer:
    """Keeps the gradients of some parameters equal on all ranks of a communicator.

    Args:
        params: trainable parameters in the order of the layers, the same on every rank.
        comm: a communicator of the reducer's own.
        bucket_mb, last_mb: sizes of the fused buffers.
        find_unused: expect parameters that take no part in a backward pass on some ranks.
    """

    def __init__(self, params, comm, bucket_mb=25, last_mb=1, find_unused=False):
        self.params, self.comm, self.find_unused = list(params), comm, find_unused
        self.buckets = make_buckets(self.params, int(bucket_mb * MEGABYTE), int(last_mb * MEGABYTE))
        self.place = {id(p): (b, n) for b, bucket in enumerate(self.buckets) for n, p in enumerate(bucket.params)}
        self.enabled = True  # no_sync turns it off
        self.expecting = False  # a forward pass has run since the last reduction
        self._installed = False
        self.reset()

    def reset(self):
        """Forget what a backward pass has left behind."""
        self.ready = [[False] * len(bucket.params) for bucket in self.buckets]
        self.missing = [len(bucket.params) for bucket in self.buckets]
        self.works = []  # one per started bucket, in order
        self.late = {}  # parameters whose gradient changed after their bucket had started

    def prepare(self):
        """Called before each forward pass."""
        self.expecting = True
        if self.works or any(map(any, self.ready)):  # the last backward was interrupted
            self.finish_works()
            self.reset()
        if not self._installed:
            self._installed = True
            watch(self)

    # ---- during backward ----
    def on_leaf(self, leaf):
        """The gradient of a leaf is complete; start every bucket that has become ready."""
        place = self.place.get(id(leaf))
        if place is None or not self.enabled:
            return
        b, n = place
        if self.ready[b][n]:
            if b < len(self.works):
                self.late[id(leaf)] = leaf
            return
        self.ready[b][n] = True
        self.missing[b] -= 1
        while len(self.works) < len(self.buckets) and not self.missing[len(self.works)]:
            self.start(len(self.works))
        for work in self.works:  # each question also drives the transfers forward
            work.test()

    def start(self, b):
        """Start the reduction of a bucket."""
        bucket = self.buckets[b]
        flat, share = bucket.buffer(), bucket.dtype.type(1.0 / self.comm.size)
        for n, p in enumerate(bucket.params):
            g = p._grad
            if g is None or g is ZERO:
                bucket.view(n)[...] = 0
            else:
                np.multiply(g._data, share, out=bucket.view(n))
        self.works.append(self.comm.allreduce(flat, ReduceOp.SUM))

    # ---- at its end ----
    def on_end(self):
        """A backward pass has ended: reduce what is left and put the averages into the gradients."""
        if not self.enabled or not self.touched():
            return
        used = None
        if self.find_unused:
            used = np.array([flag for flags in self.ready for flag in flags], np.uint8)
            while len(self.works) < len(self.buckets):
                self.start(len(self.works))
            self.comm.allreduce(used, ReduceOp.MAX).wait()
        elif len(self.works) < len(self.buckets):
            self.complain()
        self.finish_works()
        self.hand_out(used)
        if self.late:
            late = Reducer([p for p in self.params if id(p) in self.late], self.comm)
            late.reduce_now()
        self.expecting = False
        self.reset()

    def touched(self):
        """Did the pass go through the model? With find_unused its forward pass counts, as on the other ranks."""
        return bool(self.works) or any(map(any, self.ready)) or (self.find_unused and self.expecting)

    def complain(self):
        """Raise the error of parameters that received no gradient."""
        names = [p.name for bucket, flags in zip(self.buckets, self.ready)
                 for p, flag in zip(bucket.params, flags) if not flag]
        self.finish_works()
        self.reset()
        shown = ", ".join(names[:SHOWN_NAMES])
        if len(names) > SHOWN_NAMES:
            shown += f" and {len(names) - SHOWN_NAMES} more"
        raise RuntimeError(f"DataParallel: no gradient came for {shown}. A parameter that takes no part in the loss "
                           "needs DataParallel(..., find_unused_parameters=True), or stop_gradient=True before wrapping")

    def finish_works(self):
        for work in self.works:
            work.wait()

    def hand_out(self, used=None):
        """Make the averages the parameters' gradients; those that no rank used keep what they had."""
        k = 0
        for bucket in self.buckets:
            for n, p in enumerate(bucket.params):
                if (used is None or used[k]) and id(p) not in self.late:
                    p._grad = wrap(bucket.view(n))
                k += 1

    def reduce_now(self):
        """Average the gradients as they are, all at once and outside of backward."""
        for b in range(len(self.buckets)):
            self.start(b)
        self.finish_works()
        self.hand_out()
        self.reset()


def watch(reducer):
    """Have the tape tell a reducer about gradients for as long as the reducer lives."""
    reference = weakref.ref(reducer)

    def on_leaf(leaf):
        alive = reference()
        if alive is not None:
            alive.on_leaf(leaf)

    def on_end():
        alive = reference()
        if alive is not None:
            alive.on_end()

    def forget():
        process.leaf_watchers.remove(on_leaf)
        process.end_watchers.remove(on_end)

    process.leaf_watchers.append(on_leaf)
    process.end_watchers.append(on_end)
    weakref.finalize(reducer, forget)


def sum_gradients(params, comm):
    """Replace gradients by their sums over all ranks, outside of backward: the way of the first generations."""
    with_grad = [p for p in params if p._grad is not None and p._grad is not ZERO]
    flags = np.array([p._grad is not None and p._grad is not ZERO for p in params], np.uint8)
    everywhere = flags.copy()
    comm.allreduce(everywhere, ReduceOp.MAX).wait()
    if (everywhere != flags).any():
        with_grad = [p for p, flag in zip(params, everywhere) if flag]
    buckets = [] if not with_grad else make_buckets(with_grad, 25 * MEGABYTE, MEGABYTE)
    works = []
    for bucket in buckets:
        flat = bucket.buffer()
        for n, p in enumerate(bucket.params):
            g = p._grad
            bucket.view(n)[...] = 0 if g is None or g is ZERO else g._data
        works.append(comm.allreduce(flat, ReduceOp.SUM))
    for work, bucket in zip(works, buckets):
        work.wait()
        for n, p in enumerate(bucket.params):
            p._grad = wrap(bucket.view(n))
