"""Model-parallel units: layers, the operations below them, and random streams per rank."""

from .....core.addresses import lookup as _lookup
from . import mp_layers, mp_ops, random
from .mp_layers import ColumnParallelLinear, ParallelCrossEntropy, RowParallelLinear, VocabParallelEmbedding
from .random import RNGStatesTracker, get_rng_state_tracker, model_parallel_random_seed

__all__ = ["ColumnParallelLinear", "ParallelCrossEntropy", "RNGStatesTracker", "RowParallelLinear", "VocabParallelEmbedding",
           "get_rng_state_tracker", "model_parallel_random_seed", "mp_layers", "mp_ops", "random"]
__getattr__ = _lookup(__name__)
