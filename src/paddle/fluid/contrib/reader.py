"""fluid.contrib.reader (1.x; successor: paddle.io.DistributedBatchSampler)."""

from ...distributed.reader import distributed_batch_reader

__all__ = ["distributed_batch_reader"]
