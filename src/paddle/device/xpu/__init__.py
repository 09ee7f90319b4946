"""paddle.device.xpu as Paddle's CPU build has it: no such device is there."""

from .. import accelerator

_NAMES = ("device_count", "empty_cache", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved",
          "memory_total", "memory_used", "reset_max_memory_allocated", "reset_max_memory_reserved", "set_debug_level")
globals().update({name: getattr(accelerator, name) for name in _NAMES})
__all__ = ["synchronize", "Event", "Stream", *_NAMES]


class Stream:
    """A queue of work on an XPU: refused, there is no XPU."""

    def __init__(self, device=None):
        raise RuntimeError("paddle.device.xpu.Stream(): there is no XPU, this is a CPU build")


class Event:
    """A mark in a stream of an XPU: refused, there is no XPU."""

    def __init__(self):
        raise RuntimeError("paddle.device.xpu.Event(): there is no XPU, this is a CPU build")


def synchronize(device=None):
    """Wait for an XPU's work: refused, there is no XPU."""
    raise RuntimeError("paddle.device.xpu.synchronize(): there is no XPU, this is a CPU build")
