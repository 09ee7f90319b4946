"""Stage 2: gradients that only the owner of a parameter keeps."""

import numpy as np

from .....core import place as places
from .....core.addresses import lookup as _lookup
from .....core.rows_tensor import whole_array
from .....core.tensor import ZERO, wrap
from ....buckets import make_buckets
from ....clip import clip_together
from ....comm import ReduceOp
from ....group import new_group
from ....parallel import DataParallel
from ....reducer import Reducer
from ....sharding import ShardedOptimizer


class OwnerReducer(Reducer):
    """Gives each parameter's owner the mean of all ranks' gradients during backward; the others' are freed."""

    def __init__(self, params, comm, owners, bucket_mb, last_mb):
        self.owners, self.reduced, self.kept = owners, False, {}
        super().__init__(params, comm, bucket_mb, last_mb, find_unused=True)

    def make_buckets(self, largest, last):
        order = {id(p): n for n, p in enumerate(self.params)}
        buckets = []
        for owner in range(self.comm.size):
            theirs = [p for p in self.params if self.owners[id(p)] == owner]
            buckets += make_buckets(theirs, largest, last) if theirs else []
        return sorted(buckets, key=lambda bucket: -max(order[id(p)] for p in bucket.params))

    def owner(self, b):
        """The rank that keeps a bucket's gradients."""
        return self.owners[id(self.buckets[b].params[0])]

    def note(self):
        """Before a forward pass: remember what is reduced already, so that accumulating adds to it only what is new."""
        if self.reduced:
            self.reduced = False
            self.kept = {id(p): whole_array(p._grad).copy() for p in self.params
                         if self.owners[id(p)] == self.comm.rank and p._grad is not None and p._grad is not ZERO}

    def forget(self):
        """After a step or a clearing: gradients begin anew."""
        self.reduced, self.kept = False, {}

    def start(self, b):
        bucket, rank = self.buckets[b], self.comm.rank
        flat, share = bucket.buffer(), bucket.dtype.type(1.0 / self.comm.size)
        for n, p in enumerate(bucket.params):
            g = p._grad
            if g is None or g is ZERO:
                bucket.view(n)[...] = 0
                continue
            np.multiply(g._data, share, out=bucket.view(n))
            if id(p) in self.kept:  # sum = kept + mean of what is new
                bucket.view(n)[...] += self.kept[id(p)] * bucket.dtype.type(1 - 1.0 / self.comm.size)
            if self.owner(b) != rank:
                p._grad = None
        self.works.append(self.comm.reduce(flat, ReduceOp.SUM, self.owner(b)))

    def hand_out(self, used=None):
        k = 0
        for b, bucket in enumerate(self.buckets):
            mine = self.owner(b) == self.comm.rank
            for n, p in enumerate(bucket.params):
                if used is None or used[k]:
                    p._grad = wrap(bucket.view(n)) if mine else None
                k += 1
            if not mine:
                bucket.flat = None
        self.reduced, self.kept = True, {}

    def on_end(self):
        if self.late:
            names = ", ".join(p.name for p in list(self.late.values())[:5])
            raise RuntimeError(f"group_sharded_parallel('os_g'): the gradient of {names} changed after it had been reduced")
        super().on_end()


class GroupShardedStage2(DataParallel):
    """A model whose gradients only their owners keep after backward."""

    def __init__(self, layer, sharding_optimizer, group=None, buffer_max_size=8.0):
        self._optimizer = sharding_optimizer
        super().__init__(layer, comm_buffer_size=buffer_max_size, group=group)

    def _prepare(self, bucket_mb, last_mb):
        params = [p for p in self._layers.parameters() if not p.stop_gradient]
        own = new_group(self.group.ranks) if self.group.id == 0 else self.group
        self._reducer = OwnerReducer(params, own.comm, self._optimizer._owners, bucket_mb, min(last_mb, bucket_mb))
        self._optimizer.reducer = self._reducer

    def forward(self, *inputs, **kwargs):
        """Call the wrapped layer."""
        if self._reducer is not None and self.training:
            self._reducer.note()
        return super().forward(*inputs, **kwargs)


class GroupShardedOptimizerStage2(ShardedOptimizer):
    """An optimizer that steps with the gradients that this rank owns.

    Args:
        params: what it updates: all parameters of the optimizer.
        optim: the optimizer.
        group: the ranks, all by default.
        offload: refused: there is one memory.
        device: where they are: on the CPU, with a warning for another name.
    """

    reducer = None
    _broadcast_overlap = False  # updated parameters have arrived when a step ends

    def __init__(self, params, optim, group=None, offload=False, device="cpu"):
        if offload:
            raise NotImplementedError("GroupShardedOptimizerStage2(): offload=True is not supported; there is one memory")
        places.convert(device, "GroupShardedOptimizerStage2")
        if {id(p) for p in params} != {id(p) for p in optim._parameter_list}:
            raise ValueError("GroupShardedOptimizerStage2(): params must be the parameters of optim, all of them")
        super().__init__(optim, group)

    def _candidates(self, params):
        return [(p, g) for p, g in self._inner._with_gradients(params) if self._owners[id(p)] == self._group.rank]

    def _clipped(self, clip, pairs):
        return clip_together(clip, pairs, groups=[self._group])

    def step(self):
        """Update all parameters, each on its owner, and share them."""
        super().step()
        if self.reducer is not None:
            self.reducer.forget()

    def clear_grad(self, set_to_zero=True):
        """Clear the gradients."""
        self._inner.clear_grad(set_to_zero)
        if self.reducer is not None:
            self.reducer.forget()

    clear_gradients = clear_grad


__getattr__ = _lookup(__name__)
