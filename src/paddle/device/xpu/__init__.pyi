"""Written by scripts/stubs.py; change the functions, not this file."""

from typing import Any
from paddle.device.accelerator import device_count as device_count
from paddle.device.accelerator import empty_cache as empty_cache
from paddle.device.accelerator import max_memory_allocated as max_memory_allocated
from paddle.device.accelerator import max_memory_reserved as max_memory_reserved
from paddle.device.accelerator import memory_allocated as memory_allocated
from paddle.device.accelerator import memory_reserved as memory_reserved
from paddle.device.accelerator import memory_total as memory_total
from paddle.device.accelerator import memory_used as memory_used
from paddle.device.accelerator import reset_max_memory_allocated as reset_max_memory_allocated
from paddle.device.accelerator import reset_max_memory_reserved as reset_max_memory_reserved
from paddle.device.accelerator import set_debug_level as set_debug_level

Event: Any
Stream: Any
synchronize: Any
