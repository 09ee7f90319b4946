"""Gradients averaged over ranks while backward still runs.

The tape tells as soon as a parameter's gradient is complete. When all of a bucket are there, its reduction starts and
backward goes on; buckets start in the same order on every rank, whatever order the gradients come in. At the end of
backward the reducer waits for what is under way.
"""

import weakref

import numpy as np

from ..core.context import process
from ..core.rows_tensor import whole_array
from ..core.tensor import ZERO, wrap
from .buckets import MEGABYTE, make_buckets
from .comm import ReduceOp
from .compression import HalfSum

SHOWN_NAMES = 10


class Reducer:
    """Keeps the gradients of some parameters equal on all ranks of a communicator.

    Args:
        params: trainable parameters in the order of the layers, the same on every rank.
        comm: a communicator of the reducer's own.
        bucket_mb, last_mb: sizes of the fused buffers.
        find_unused: expect parameters that take no part in a backward pass on some ranks.
        half: the type that wider gradients travel in; None for their own.
    """

    def __init__(self, params, comm, bucket_mb=25, last_mb=1, find_unused=False, half=None):
        self.params, self.comm, self.find_unused, self.half = list(params), comm, find_unused, half
        self.buckets = self.make_buckets(int(bucket_mb * MEGABYTE), int(last_mb * MEGABYTE))
        self.place = {id(p): (b, n) for b, bucket in enumerate(self.buckets) for n, p in enumerate(bucket.params)}
        self.enabled = True  # no_sync turns it off
        self.expecting = False  # a forward pass has run since the last reduction
        self._installed = False
        self.reset()

    def make_buckets(self, largest, last):
        """The parameters in the order in which backward completes them, as fused buffers."""
        return make_buckets(self.params, largest, last)

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
                np.multiply(whole_array(g), share, out=bucket.view(n))
        narrow = self.half is not None and bucket.dtype.kind == "f" and bucket.dtype.itemsize > 2
        self.works.append(HalfSum(self.comm, flat, self.half) if narrow else self.comm.allreduce(flat, ReduceOp.SUM))

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
            late = Reducer([p for p in self.params if id(p) in self.late], self.comm, half=self.half)
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


def gradient_of(p):
    """The array of a parameter's gradient (its float32 ``main_grad`` where mixed precision keeps one), or None."""
    g = p.main_grad if hasattr(p, "main_grad") else p._grad
    return None if g is None or g is ZERO else whole_array(g)


def gradient_type(p):
    """The type that a parameter's gradient has."""
    return np.dtype(np.float32) if hasattr(p, "main_grad") else p._data.dtype


def set_gradient(p, array):
    """Put an array in the place that ``gradient_of`` reads; None takes the gradient away."""
    value = None if array is None else wrap(array)
    if hasattr(p, "main_grad"):
        p.main_grad = value
    else:
        p._grad = value


def sum_gradients(params, comm, largest=25 * MEGABYTE, scale=1.0):
    """Replace gradients by their sums over all ranks times ``scale``, outside of backward."""
    flags = np.array([gradient_of(p) is not None for p in params], np.uint8)
    comm.allreduce(flags, ReduceOp.MAX).wait()
    chosen = [p for p, flag in zip(params, flags) if flag]
    arrays = {}  # id of a tensor that stands for the gradient in its bucket -> parameter
    stands = []
    for p in chosen:
        g = gradient_of(p)
        stands.append(wrap(np.zeros(p._data.shape, gradient_type(p)) if g is None else g))
        arrays[id(stands[-1])] = p
    works = []
    for bucket in make_buckets(stands, largest, MEGABYTE) if chosen else ():
        flat = bucket.buffer()
        for n, t in enumerate(bucket.params):
            np.copyto(bucket.view(n), t._data)
        works.append((comm.allreduce(flat, ReduceOp.SUM), bucket))
    for work, bucket in works:
        work.wait()
        if scale != 1.0:
            bucket.flat *= bucket.dtype.type(scale)
        for n, t in enumerate(bucket.params):
            set_gradient(arrays[id(t)], bucket.view(n))
