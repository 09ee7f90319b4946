"""All decorators of readers under the name that programs import them from."""

from .parallel import multiprocess_reader, xmap_readers
from .simple import ComposeNotAligned, batch, buffered, cache, chain, compose, firstn, map_readers, shuffle

__all__ = ["ComposeNotAligned", "batch", "buffered", "cache", "chain", "compose", "firstn", "map_readers",
           "multiprocess_reader", "shuffle", "xmap_readers"]
