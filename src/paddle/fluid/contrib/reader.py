"""fluid.contrib.reader (1.x; successor: paddle.io.DistributedBatchSampler)."""

from ...core.errors import typos as _typos
from ...distributed.reader import distributed_batch_reader

__all__ = ["distributed_batch_reader"]

__getattr__ = _typos(__name__)
