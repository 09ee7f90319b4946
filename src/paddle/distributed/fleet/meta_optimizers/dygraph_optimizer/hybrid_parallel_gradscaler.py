"""The scaler of a hybrid job."""

import numpy as np

from ....comm import ReduceOp


class HybridParallelGradScaler:
    """A scaler whose decisions are equal on all ranks: one gradient that is not finite anywhere stops the step everywhere."""

    def __init__(self, scaler, hcg):
        self._scaler, self._hcg = scaler, hcg

    def __getattr__(self, name):
        return getattr(self._scaler, name)

    def unscale_(self, optimizer):
        """Divide gradients by the scale, and look on all ranks for ones that are not finite."""
        scaler = self._scaler
        if not scaler.is_enable():
            return
        scaler.unscale_(optimizer)
        found = np.array([scaler._found_inf], np.uint8)
        for group in (self._hcg.get_check_parallel_group(sharding=True), self._hcg.get_dp_sep_parallel_group()):
            group.comm.allreduce(found, ReduceOp.MAX).wait()
        scaler._found_inf = bool(found[0])

    def _prepare(self, optimizer):
        if self._scaler.is_enable() and id(optimizer) not in self._scaler._unscaled:
            self.unscale_(optimizer)

    def step(self, optimizer):
        """Unscale unless done, and step the optimizer unless a gradient is not finite."""
        self._prepare(optimizer)
        self._scaler.step(optimizer)

    def minimize(self, optimizer, *args, **kwargs):
        """Unscale, call ``optimizer.minimize`` unless a gradient is not finite, and update the scale."""
        self._prepare(optimizer)
        return self._scaler.minimize(optimizer, *args, **kwargs)
