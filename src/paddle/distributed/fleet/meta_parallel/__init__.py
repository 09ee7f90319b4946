"""Tensor and pipeline parallelism: layers that are cut over ranks, models that are cut into stages."""

from ....core.addresses import lookup as _lookup
from ..layers.mpu.mp_layers import ColumnParallelLinear, ParallelCrossEntropy, RowParallelLinear, VocabParallelEmbedding
from ..layers.mpu.random import RNGStatesTracker, get_rng_state_tracker, model_parallel_random_seed
from .pipeline_parallel import PipelineParallel, PipelineParallelWithInterleave, PipelineParallelWithInterleaveFthenB
from .pp_layers import LayerDesc, LocalSharedLayerDesc, PipelineLayer, SharedLayerDesc
from .wrappers import SegmentParallel, ShardingParallel, TensorParallel

__all__ = ["ColumnParallelLinear", "LayerDesc", "LocalSharedLayerDesc", "ParallelCrossEntropy", "PipelineLayer",
           "PipelineParallel", "PipelineParallelWithInterleave", "PipelineParallelWithInterleaveFthenB", "RNGStatesTracker",
           "RowParallelLinear", "SegmentParallel", "SharedLayerDesc", "ShardingParallel", "TensorParallel",
           "VocabParallelEmbedding", "get_rng_state_tracker", "model_parallel_random_seed"]
__getattr__ = _lookup(__name__)
