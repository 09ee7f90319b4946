"""What ranks with different gradients have to agree on."""

import numpy as np

from .....core.addresses import lookup as _lookup
from ....comm import ReduceOp


class GroupShardedScaler:
    """A scaler whose decisions are equal on all ranks of a group, which have different gradients."""

    def __init__(self, scaler, group):
        self._scaler, self._group = scaler, group

    def __getattr__(self, name):
        return getattr(self._scaler, name)

    def unscale_(self, optimizer):
        """Divide gradients by the scale, and look on all ranks for ones that are not finite."""
        if self._scaler.is_enable():
            self._scaler.unscale_(optimizer)
            found = np.array([self._scaler._found_inf], np.uint8)
            self._group.comm.allreduce(found, ReduceOp.MAX).wait()
            self._scaler._found_inf = bool(found[0])

    def step(self, optimizer):
        """Unscale unless done, and step the optimizer unless a gradient is not finite."""
        if self._scaler.is_enable() and id(optimizer) not in self._scaler._unscaled:
            self.unscale_(optimizer)
        self._scaler.step(optimizer)

    def minimize(self, optimizer, *args, **kwargs):
        """Unscale, call ``optimizer.minimize`` unless a gradient is not finite, and update the scale."""
        if self._scaler.is_enable() and id(optimizer) not in self._scaler._unscaled:
            self.unscale_(optimizer)
        return self._scaler.minimize(optimizer, *args, **kwargs)


__getattr__ = _lookup(__name__)
