"""Optimizers of hybrid jobs: gradients made equal along the axes, clipped by their norm over all of them, states shared out."""

from .....core.addresses import lookup as _lookup
from .dygraph_sharding_optimizer import DygraphShardingOptimizer
from .hybrid_parallel_gradscaler import HybridParallelGradScaler
from .hybrid_parallel_optimizer import HybridParallelOptimizer

__all__ = ["DygraphShardingOptimizer", "HybridParallelGradScaler", "HybridParallelOptimizer"]

__getattr__ = _lookup(__name__)
