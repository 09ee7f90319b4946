"""paddle.cuda as Paddle 3's CPU build has it: no device is there, and asking for one raises."""

from .device import Event, Stream, accelerator, current_stream, set_stream, stream_guard, synchronize
from .tensor.kinds import FACTORIES

_NAMES = ("check_error", "cudart", "current_device", "device", "device_count", "empty_cache", "get_device_capability",
          "get_device_name", "get_device_properties", "get_rng_state", "get_stream_from_external", "ipc_collect", "is_available",
          "is_bf16_supported", "is_initialized", "manual_seed", "manual_seed_all", "max_memory_allocated", "mem_get_info",
          "memory_allocated", "memory_reserved", "reset_peak_memory_stats", "set_rng_state")
globals().update(FACTORIES)
globals().update({name: getattr(accelerator, name) for name in _NAMES})
set_device, stream, StreamContext = accelerator.set_device_number, stream_guard, stream_guard
__all__ = [*FACTORIES, *_NAMES, "Event", "Stream", "StreamContext", "current_stream", "set_device", "set_stream", "stream",
           "synchronize"]
