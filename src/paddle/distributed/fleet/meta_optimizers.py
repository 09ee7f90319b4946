"""Optimizers of hybrid jobs: gradients made equal along the axes, clipped by their norm over all of them, states shared out."""

import numpy as np

from ...core.addresses import lookup as _lookup
from ...core.autograd import no_grad
from ..clip import clip_together
from ..comm import ReduceOp
from ..sharding import ShardedOptimizer
from .utils.hybrid_parallel_util import fused_allreduce_gradients, obtain_optimizer_parameters_list


class HybridParallelClipGrad:
    """A clip over the gradients of all stages and all parts of cut parameters.

    Args:
        clip: a clip of ``paddle.nn``.
        hcg: the grid of ranks.
        sharded: does each rank of the sharding axis have gradients of other parameters?
    """

    def __init__(self, clip, hcg, sharded=False):
        self._clip, self._hcg, self._sharded = clip, hcg, sharded

    def __getattr__(self, name):
        return getattr(self._clip, name)

    def __call__(self, params_grads):
        groups = [self._hcg.get_pipe_parallel_group()]
        if self._sharded:
            groups.append(self._hcg.get_sharding_parallel_group())
        return clip_together(self._clip, list(params_grads), self._hcg.get_model_parallel_group(), groups)


class DygraphShardingOptimizer(ShardedOptimizer):
    """An optimizer whose states are shared out along the sharding axis (stage 1), each parameter to one rank.

    ``reduce_gradients`` gives each parameter's owner the mean of all ranks' gradients; ``step`` updates what this rank owns
    and gives every rank the updated parameters.
    """

    def __init__(self, optimizer, hcg):
        self._hcg = hcg
        super().__init__(optimizer, hcg.get_sharding_parallel_group())

    @property
    def _inner_opt(self):
        return self._inner

    def reduce_gradients(self, parameter_list, hcg):
        """Give each owner the mean of the gradients over the sharding axis; the other ranks' are taken away."""
        self.reduce_to_owners(parameter_list, hcg.get_sharding_parallel_group())

    def _clipped(self, clip, pairs):
        return HybridParallelClipGrad(clip, self._hcg, sharded=True)(pairs)

    def _candidates(self, params):
        return [pair for pair in self._inner._with_gradients(params) if self._owners[id(pair[0])] == self._group.rank]


class HybridParallelOptimizer:
    """The optimizer of a hybrid job.

    A step makes gradients equal along data and sep, reduces them along sharding, clips them by their norm over everything,
    and updates.
    """

    def __init__(self, optimizer, hcg, strategy):
        self._hcg, self._strategy = hcg, strategy
        self._parameters = obtain_optimizer_parameters_list(optimizer)
        sharded = hcg.get_sharding_parallel_world_size() > 1
        self._inner_opt = DygraphShardingOptimizer(optimizer, hcg) if sharded else optimizer
        self._base, self._sharded = optimizer, sharded
        # DataParallel reduces during backward where data is the only axis
        self._reduces = hcg.get_parallel_mode() != 0

    def __getattr__(self, name):
        return getattr(self._inner_opt, name)

    @no_grad()
    def step(self):
        """Update all parameters."""
        if self._reduces:
            fused_allreduce_gradients(self._parameters, self._hcg)
        if self._sharded:
            self._inner_opt.reduce_gradients(self._parameters, self._hcg)
            self._inner_opt.step()
            return
        for settings in self._base._groups:
            pairs = self._base._with_gradients(settings["params"])
            pairs = HybridParallelClipGrad(settings["grad_clip"], self._hcg)(pairs)
            if pairs:
                self._base._apply(pairs, dict(settings, grad_clip=None))

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Update the parameters with the gradients that ``loss.backward()`` left."""
        pairs = self._base.backward(loss, startup_program, parameters, no_grad_set)
        self.step()
        return [], pairs


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


__getattr__ = _lookup(__name__)
__path__ = []  # a package in Paddle: the paths below it are addresses
