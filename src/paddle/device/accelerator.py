"""What Paddle 3's CPU build answers about accelerators: there are none; their memory, streams and properties are refused."""

from ..core import place as places
from ..core import random
from ..core.errors import describe
from ..framework.random import get_rng_state as _get_state
from ..framework.random import set_rng_state as _set_state


def device_count():
    """How many accelerators there are: 0.

    >>> paddle.cuda.device_count()
    0
    """
    return 0


def is_available():
    """Is an accelerator there? False.

    >>> paddle.cuda.is_available()
    False
    """
    return False


def is_initialized():
    """Is an accelerator in use? False."""
    return False


def is_bf16_supported(including_emulation=True):
    """Can bfloat16 be computed with? Yes, in a slower way; False if that does not count."""
    return bool(including_emulation)


def is_current_stream_capturing():
    """Is a stream recorded? False: there are none."""
    return False


def current_device():
    """The number of the device in use: 0."""
    return 0


def manual_seed(seed):
    """Seed the generator; there is one for all.

    >>> paddle.cuda.manual_seed(3)
    """
    random.seed(seed)


manual_seed_all = manual_seed


def get_rng_state(device=None):
    """The state of the CPU's generator."""
    places.convert(device, "get_rng_state")
    return _get_state()[0]


def set_rng_state(new_state, device=None):
    """Continue from a state of the CPU's generator."""
    places.convert(device, "set_rng_state")
    _set_state([new_state])


class device:
    """Use a device for a while: only the CPU is there, another one means it (see paddle.set_device).

    >>> with paddle.device.device('cpu'):
    ...     pass
    """

    def __init__(self, device=None):
        self.device = device
        if isinstance(device, str):
            places.convert(device, "device")
        if not (device is None or isinstance(device, (str, int, places.Place))):
            raise TypeError(f"device(): device must be a str, a number or a Place, got {describe(device)}")

    def __enter__(self):
        return None

    def __exit__(self, *error):
        return False


device_guard = device


def _refused(name, what, error=ValueError):
    def refuse(*args, **kwargs):
        raise error(f"{name}(): there is no accelerator, this is a CPU build")
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"{what}: refused, there is no accelerator."
    return refuse


_REFUSED = {"empty_cache": "Give cached memory back", "mem_get_info": "Free and total memory", "cudart": "CUDA's library",
            "check_error": "Check an error code of CUDA", "set_device_number": "Use a device by its number",
            "get_stream_from_external": "A stream made elsewhere", "memory_summary": "A table of memory",
            "vmm_compact": "Compact memory", "memory_total": "Total memory", "memory_used": "Memory in use",
            "set_debug_level": "How much is logged",
            "memory_allocated": "Memory that tensors take", "memory_reserved": "Memory that is reserved",
            "max_memory_allocated": "The most memory that tensors took", "max_memory_reserved": "The most memory that was reserved",
            "reset_max_memory_allocated": "Forget the most", "reset_max_memory_reserved": "Forget the most",
            "reset_peak_memory_stats": "Forget the most", "get_device_name": "A device's name",
            "get_device_properties": "A device's properties", "get_device_capability": "A device's capability"}
globals().update({name: _refused(name, what) for name, what in _REFUSED.items()})
ipc_collect = _refused("ipc_collect", "Give memory of other processes back", RuntimeError)
