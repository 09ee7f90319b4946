"""Models of hybrid jobs: wrappers that give all ranks the same start."""

from ....nn import Layer
from ..utils.hybrid_parallel_util import (
    broadcast_dp_parameters,
    broadcast_input_data,
    broadcast_mp_parameters,
    broadcast_sep_parameters,
    broadcast_sharding_parameters,
)


class MetaParallelBase(Layer):
    """A model and its place in the grid of ranks; names in files are those of the model itself."""

    def __init__(self, layers, hcg, strategy):
        if not isinstance(layers, Layer):
            raise TypeError(f"{type(self).__name__}(): layers must be a paddle.nn.Layer, got {type(layers).__name__}")
        super().__init__(layers.full_name() + "_meta_parallel_base")
        self._layers, self._hcg, self._strategy = layers, hcg, strategy
        self._prepare_for_model()

    def _prepare_for_model(self):
        """Give ranks that hold the same parameters the same values."""
        broadcast_mp_parameters(self._layers, self._hcg)
        broadcast_sep_parameters(self._layers, self._hcg)
        broadcast_sharding_parameters(self._layers, self._hcg)
        broadcast_dp_parameters(self._layers, self._hcg)

    def forward(self, *inputs, **kwargs):
        return self._layers(*inputs, **kwargs)

    def _state_dict_impl(self, destination, include_sublayers, prefix, use_hook, all_buffers):
        return self._layers._state_dict_impl(destination, include_sublayers, prefix, use_hook, all_buffers)


class TensorParallel(MetaParallelBase):
    """A model with layers that are cut over the model axis; all its ranks compute with the first one's inputs."""

    def forward(self, *inputs, **kwargs):
        if self._strategy.hybrid_configs["mp_configs"]["need_broadcast_data"]:
            inputs, kwargs = broadcast_input_data(self._hcg, *inputs, **kwargs)
        return self._layers(*inputs, **kwargs)


class ShardingParallel(MetaParallelBase):
    """A model whose optimizer states are shared out along the sharding axis."""


class SegmentParallel(MetaParallelBase):
    """A model whose sequences are cut along the sep axis."""
