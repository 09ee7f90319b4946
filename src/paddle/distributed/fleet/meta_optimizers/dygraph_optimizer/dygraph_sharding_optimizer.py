"""Clipping and sharing out of states along the axes of a hybrid job."""

from .....core.addresses import lookup as _lookup
from ....clip import clip_together
from ....sharding import ShardedOptimizer


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


__getattr__ = _lookup(__name__)
