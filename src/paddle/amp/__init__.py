"""Mixed precision: ops run in a short float type where that is safe.

On a CPU, bfloat16 is used where the package ml-dtypes is installed; float16 is not (Paddle does not use it on CPUs
either): programs that ask for it run in float32, and a log message says so once.
"""

from ..core.addresses import lookup as _lookup
from . import debugging
from .auto_cast import auto_cast, black_list, is_bfloat16_supported, is_float16_supported, white_list  # noqa: F401  (not in __all__)
from .decorate import decorate
from .grad_scaler import GradScaler

AmpScaler, amp_guard, amp_decorate = GradScaler, auto_cast, decorate  # names of the first 2.x releases

__all__ = ["auto_cast", "GradScaler", "decorate", "is_float16_supported", "is_bfloat16_supported", "debugging"]

__getattr__ = _lookup(__name__)
