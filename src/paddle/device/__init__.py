"""paddle.device: where tensors live. Here that is the CPU; what needs another device says so, as Paddle's CPU build does."""

import sys
import types

from ..core import place as places
from ..core.addresses import lookup as _lookup
from ..core.errors import describe
from ..core.place import XPUPlace
from ..core.tensor import Tensor
from ..tensor.kinds import FACTORIES
from . import accelerator, cuda, xpu

__all__ = ["get_cudnn_version", "set_device", "get_device", "XPUPlace", "IPUPlace", "is_compiled_with_xpu",
           "is_compiled_with_ipu", "is_compiled_with_cinn", "is_compiled_with_cuda", "is_compiled_with_rocm",
           "is_compiled_with_distribute", "is_compiled_with_custom_device", "get_all_device_type",
           "get_all_custom_device_type", "get_available_device", "get_available_custom_device", "Stream", "Event",
           "current_stream", "set_stream", "stream_guard", "synchronize"]


def set_device(device):
    """Choose the device by name. Only the CPU is here: another one warns once and means the CPU, or raises (FLAGS_strict_device).

    Returns:
        the Place that is used, the CPU.

    Args:
        device (str): 'cpu'; 'gpu', 'gpu:0', 'xpu:1' and the like are understood as names of other devices.
    Raises:
        ValueError: there is no such kind of device.
        TypeError: ``device`` is not a str.

    >>> paddle.device.set_device('cpu')
    Place(cpu)
    """
    if not isinstance(device, str):
        raise TypeError(f"set_device(): device must be a str such as 'cpu', got {describe(device)}")
    places.convert(device, "set_device")
    return places.CPU


def _convert_to_place(device):
    """The Place of a device's name."""
    return places.convert(device, "_convert_to_place")


def get_device(input=None):
    """The name of the device in use: 'cpu'; for a tensor the number of its GPU, which is -1 on the CPU.

    Args:
        input (Tensor, None): a tensor to ask for instead of the default device.

    >>> paddle.device.get_device()
    'cpu'
    """
    return -1 if isinstance(input, Tensor) else "cpu"


def get_cudnn_version():
    """None: cuDNN is not here.

    >>> paddle.device.get_cudnn_version()
    """
    return None


class IPUPlace(places._AbsentPlace):
    """A Graphcore accelerator; absent here, so it means the CPU (see CUDAPlace)."""

    kind = "ipu"


def _built_with(name, what, answer=False):
    def is_compiled_with():
        return answer
    is_compiled_with.__name__ = is_compiled_with.__qualname__ = name
    is_compiled_with.__doc__ = f"""Was this built with {what}? {answer}.

    >>> paddle.device.{name}()
    {answer}
    """
    return is_compiled_with


is_compiled_with_xpu = _built_with("is_compiled_with_xpu", "XPU")
is_compiled_with_npu = _built_with("is_compiled_with_npu", "NPU (2.0 to 2.4)")
is_compiled_with_mlu = _built_with("is_compiled_with_mlu", "MLU (2.3 and 2.4)")
is_compiled_with_ipu = _built_with("is_compiled_with_ipu", "IPU")
is_compiled_with_cinn = _built_with("is_compiled_with_cinn", "CINN")
is_compiled_with_cuda = _built_with("is_compiled_with_cuda", "CUDA")
is_compiled_with_rocm = _built_with("is_compiled_with_rocm", "ROCM")
is_compiled_with_distribute = _built_with("is_compiled_with_distribute", "distributed training", True)


def is_compiled_with_custom_device(device_type):
    """Was this built with a plug-in device of this type? False.

    >>> paddle.device.is_compiled_with_custom_device('npu')
    False
    """
    if not isinstance(device_type, str):
        raise TypeError(f"is_compiled_with_custom_device(): device_type must be a str, got {describe(device_type)}")
    return False


def get_all_device_type():
    """Types of all devices besides the CPU: none.

    >>> paddle.device.get_all_device_type()
    []
    """
    return []


def get_all_custom_device_type():
    """Types of plug-in devices: none.

    >>> paddle.device.get_all_custom_device_type()
    []
    """
    return []


def get_available_device():
    """Names of all devices besides the CPU: none.

    >>> paddle.device.get_available_device()
    []
    """
    return []


def get_available_custom_device():
    """Names of plug-in devices: none.

    >>> paddle.device.get_available_custom_device()
    []
    """
    return []


def _refuse(function, device=None):
    given = "" if device is None else f", got {device!r}"
    raise TypeError(f"{function}(): streams belong to GPUs and XPUs, and this is a CPU build{given}")


class Stream:
    """A queue of work on an accelerator: refused, the CPU has none."""

    def __init__(self, device=None, priority=2, stream_base=None):
        _refuse("Stream", device)


class Event:
    """A mark in a stream: refused, the CPU has no streams."""

    def __init__(self, device=None, enable_timing=False, blocking=False, interprocess=False):
        _refuse("Event", device)


def current_stream(device=None):
    """The stream in use: refused, the CPU has none."""
    _refuse("current_stream", device)


def set_stream(stream):
    """Use a stream: refused, the CPU has none."""
    _refuse("set_stream")


class stream_guard:
    """Use a stream for a while: refused when it is entered, the CPU has none; None changes nothing.

    >>> with paddle.device.stream_guard(None):
    ...     pass
    """

    def __init__(self, stream=None):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            _refuse("stream_guard")

    def __exit__(self, *error):
        return None


def synchronize(device=None):
    """Wait for a device's work: refused for other devices; the CPU's is done when a call returns."""
    if device is not None and str(device).lower().replace("place(cpu)", "cpu") == "cpu":
        return
    _refuse("synchronize", device)


StreamContext = stream_guard
_ADDED = ("device", "device_count", "device_guard", "empty_cache", "get_device_capability", "get_device_name",
          "get_device_properties", "get_rng_state", "get_stream_from_external", "ipc_collect", "is_available", "is_bf16_supported",
          "is_current_stream_capturing", "manual_seed", "manual_seed_all",
          "max_memory_allocated", "max_memory_reserved", "memory_allocated",
          "memory_reserved", "reset_max_memory_allocated", "reset_max_memory_reserved", "reset_peak_memory_stats", "set_rng_state")
globals().update(FACTORIES)
globals().update({name: getattr(accelerator, name) for name in _ADDED})
__all__ += [*FACTORIES, *_ADDED, "StreamContext"]


class _Callable(types.ModuleType):
    """The module ``paddle.device``, which Paddle 3 lets one call: ``paddle.device('cpu')`` is a device's name."""

    def __call__(self, device="cpu", index=None):
        name = device if isinstance(device, str) else "cpu" if device is None else str(device).removeprefix("Place(").rstrip(")")
        places.convert(name, "device")
        return name if index is None else f"{name}:{int(index)}"


sys.modules[__name__].__class__ = _Callable
__getattr__ = _lookup(__name__)
