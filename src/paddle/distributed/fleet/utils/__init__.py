"""``fleet.utils``: recomputation, the local file system, and what training loops of hybrid jobs call themselves."""

from ....core.addresses import lookup as _lookup
from ..recompute import recompute
from . import hybrid_parallel_util, mix_precision_utils, sequence_parallel_utils, timer_helper
from .fs import HDFSClient, LocalFS

__all__ = ["HDFSClient", "LocalFS", "hybrid_parallel_util", "mix_precision_utils", "recompute", "sequence_parallel_utils",
           "timer_helper"]
__getattr__ = _lookup(__name__)
