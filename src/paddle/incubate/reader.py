"""paddle.incubate.reader: readers that share their batches among ranks, as 2.0 alpha named them."""

from ..distributed.reader import distributed_batch_reader

__all__ = ["distributed_batch_reader"]
