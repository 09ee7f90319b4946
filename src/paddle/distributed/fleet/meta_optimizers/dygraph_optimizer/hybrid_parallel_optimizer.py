"""The optimizer of a hybrid job: gradients made equal along the axes, clipped by their norm over all of them."""

from .....core.addresses import lookup as _lookup
from .....core.autograd import no_grad
from ...utils.hybrid_parallel_util import fused_allreduce_gradients, obtain_optimizer_parameters_list
from .dygraph_sharding_optimizer import DygraphShardingOptimizer, HybridParallelClipGrad


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


__getattr__ = _lookup(__name__)
