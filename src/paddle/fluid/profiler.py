"""fluid.profiler: a table of time per operator (1.x; successor: paddle.profiler)."""

from ..core.addresses import lookup as _lookup
from ..profiler.older import cuda_profiler, profiler, reset_profiler, start_profiler, stop_profiler

__all__ = ["profiler", "start_profiler", "stop_profiler", "reset_profiler", "cuda_profiler"]

__getattr__ = _lookup(__name__)
