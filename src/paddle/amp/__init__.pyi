"""Written by scripts/stubs.py; change the functions, not this file."""

from paddle.amp.grad_scaler import GradScaler as GradScaler
from paddle.amp.auto_cast import auto_cast as auto_cast
from paddle.amp.auto_cast import autocast as autocast
from . import debugging as debugging
from paddle.amp.decorate import decorate as decorate
from paddle.amp.auto_cast import get_autocast_dtype as get_autocast_cpu_dtype
from paddle.amp.auto_cast import get_autocast_dtype as get_autocast_dtype
from paddle.amp.auto_cast import get_autocast_dtype as get_autocast_gpu_dtype
from paddle.amp.auto_cast import is_autocast_enabled as is_autocast_enabled
from paddle.amp.auto_cast import is_bfloat16_supported as is_bfloat16_supported
from paddle.amp.auto_cast import is_float16_supported as is_float16_supported
