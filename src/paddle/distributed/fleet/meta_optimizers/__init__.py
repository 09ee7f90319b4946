"""Optimizers that work over several ranks."""

from ....core.addresses import lookup as _lookup
from ....optimizer.refused import refused
from .dygraph_optimizer import DygraphShardingOptimizer, HybridParallelGradScaler, HybridParallelOptimizer
from .dygraph_optimizer.dygraph_sharding_optimizer import HybridParallelClipGrad  # noqa: F401

DGCMomentumOptimizer = refused("DGCMomentumOptimizer")

__all__ = ["DygraphShardingOptimizer", "HybridParallelGradScaler", "HybridParallelOptimizer"]

__getattr__ = _lookup(__name__)
