"""Mixed precision: ops run in a short float type where that is safe.

On a CPU, bfloat16 is used where the package ml-dtypes is installed; float16 is not (Paddle does not use it on CPUs
either): programs that ask for it run in float32, and a log message says so once.
"""

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
from . import debugging
from .auto_cast import (  # noqa: F401  (the lists are not in __all__)
                        auto_cast,
                        autocast,
                        black_list,
                        get_autocast_dtype,
                        is_autocast_enabled,
                        is_bfloat16_supported,
                        is_float16_supported,
                        white_list,
)
from .decorate import decorate
from .grad_scaler import GradScaler

AmpScaler, amp_guard, amp_decorate = GradScaler, auto_cast, decorate  # names of the first 2.x releases
get_autocast_cpu_dtype = get_autocast_gpu_dtype = get_autocast_dtype

__all__ = ["auto_cast", "GradScaler", "decorate", "is_float16_supported", "is_bfloat16_supported", "debugging",
           "autocast", "get_autocast_cpu_dtype", "get_autocast_dtype", "get_autocast_gpu_dtype", "is_autocast_enabled"]

__getattr__, __dir__ = _late(__name__, _names_of({".": ["accuracy_compare"]}, __name__))  # read by few programs
