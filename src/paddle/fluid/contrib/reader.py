"""fluid.contrib.reader (1.x; successor: paddle.io.DistributedBatchSampler)."""

from ...core.addresses import lookup as _lookup
from ...distributed.reader import distributed_batch_reader

__all__ = ["distributed_batch_reader"]

__getattr__ = _lookup(__name__)
__path__ = []  # a package in Paddle: the paths below it are addresses
