"""paddle.device.cuda as Paddle's CPU build has it: no device is there, and asking for one raises."""

from contextlib import contextmanager

from ...core.addresses import lookup as _lookup
from .. import accelerator

__all__ = ["Stream", "Event", "current_stream", "synchronize", "device_count", "empty_cache", "max_memory_allocated",
           "max_memory_reserved", "memory_allocated", "memory_reserved", "stream_guard", "get_device_properties",
           "get_device_name", "get_device_capability"]


def device_count():
    """How many GPUs there are: 0.

    Returns:
        int.

    >>> paddle.device.cuda.device_count()
    0
    """
    return 0


def empty_cache():
    """Give cached GPU memory back: there is none, so nothing happens.

    >>> paddle.device.cuda.empty_cache()
    """


def _refusing(name, error, doc):
    def refuse(*args, **kwargs):
        raise error(f"paddle.device.cuda.{name}(): there is no GPU, this is a CPU build")
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = doc + ": refused, there is no GPU."
    return refuse


max_memory_allocated = _refusing("max_memory_allocated", ValueError, "The most GPU memory that tensors took")
max_memory_reserved = _refusing("max_memory_reserved", ValueError, "The most GPU memory that was reserved")
memory_allocated = _refusing("memory_allocated", ValueError, "The GPU memory that tensors take")
memory_reserved = _refusing("memory_reserved", ValueError, "The GPU memory that is reserved")
get_device_properties = _refusing("get_device_properties", ValueError, "A GPU's properties")
get_device_name = _refusing("get_device_name", ValueError, "A GPU's name")
get_device_capability = _refusing("get_device_capability", ValueError, "A GPU's compute capability")
current_stream = _refusing("current_stream", RuntimeError, "The stream in use")
synchronize = _refusing("synchronize", RuntimeError, "Wait for a GPU's work")


class Stream:
    """A queue of work on a GPU: refused, there is no GPU."""

    def __init__(self, device=None, priority=None):
        raise RuntimeError("paddle.device.cuda.Stream(): there is no GPU, this is a CPU build")


class Event:
    """A mark in a GPU's stream: refused, there is no GPU."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        raise RuntimeError("paddle.device.cuda.Event(): there is no GPU, this is a CPU build")


@contextmanager
def stream_guard(stream):
    """Use a GPU's stream for a while: refused unless it is None, there is no GPU.

    >>> with paddle.device.cuda.stream_guard(None):
    ...     pass
    """
    if stream is not None:
        raise TypeError("paddle.device.cuda.stream_guard(): there is no GPU, this is a CPU build")
    yield


memory_summary, vmm_compact = accelerator.memory_summary, accelerator.vmm_compact
reset_max_memory_allocated = accelerator.reset_max_memory_allocated
reset_max_memory_reserved = accelerator.reset_max_memory_reserved
__all__ += ["memory_summary", "reset_max_memory_allocated", "reset_max_memory_reserved", "vmm_compact"]

__getattr__ = _lookup(__name__)
