"""Written by scripts/stubs.py; change the functions, not this file."""

from typing import Any
from paddle.tensor.kinds import BFloat16Tensor as BFloat16Tensor
from paddle.tensor.kinds import BoolTensor as BoolTensor
from paddle.tensor.kinds import ByteTensor as ByteTensor
from paddle.tensor.kinds import CharTensor as CharTensor
from paddle.tensor.kinds import DoubleTensor as DoubleTensor
from paddle.tensor.kinds import FloatTensor as FloatTensor
from paddle.tensor.kinds import HalfTensor as HalfTensor
from paddle.tensor.kinds import IntTensor as IntTensor
from paddle.tensor.kinds import LongTensor as LongTensor
from paddle.tensor.kinds import ShortTensor as ShortTensor
from paddle.core.place import XPUPlace as XPUPlace
from . import accelerator as accelerator
from . import cuda as cuda
from paddle.device.accelerator import device as device
from paddle.device.accelerator import device_count as device_count
from paddle.device.accelerator import device as device_guard
from paddle.device.accelerator import empty_cache as empty_cache
from paddle.device.accelerator import get_device_capability as get_device_capability
from paddle.device.accelerator import get_device_name as get_device_name
from paddle.device.accelerator import get_device_properties as get_device_properties
from paddle.device.accelerator import get_rng_state as get_rng_state
from paddle.device.accelerator import get_stream_from_external as get_stream_from_external
from paddle.device.accelerator import ipc_collect as ipc_collect
from paddle.device.accelerator import is_available as is_available
from paddle.device.accelerator import is_bf16_supported as is_bf16_supported
from paddle.device.accelerator import is_current_stream_capturing as is_current_stream_capturing
from paddle.device.accelerator import manual_seed as manual_seed
from paddle.device.accelerator import manual_seed as manual_seed_all
from paddle.device.accelerator import max_memory_allocated as max_memory_allocated
from paddle.device.accelerator import max_memory_reserved as max_memory_reserved
from paddle.device.accelerator import memory_allocated as memory_allocated
from paddle.device.accelerator import memory_reserved as memory_reserved
from paddle.device.accelerator import reset_max_memory_allocated as reset_max_memory_allocated
from paddle.device.accelerator import reset_max_memory_reserved as reset_max_memory_reserved
from paddle.device.accelerator import reset_peak_memory_stats as reset_peak_memory_stats
from paddle.device.accelerator import set_rng_state as set_rng_state
from . import xpu as xpu

Event: Any
IPUPlace: Any
Stream: Any
StreamContext: Any
current_stream: Any
get_all_custom_device_type: Any
get_all_device_type: Any
get_available_custom_device: Any
get_available_device: Any
get_cudnn_version: Any
get_device: Any
is_compiled_with_cinn: Any
is_compiled_with_cuda: Any
is_compiled_with_custom_device: Any
is_compiled_with_distribute: Any
is_compiled_with_ipu: Any
is_compiled_with_rocm: Any
is_compiled_with_xpu: Any
set_device: Any
set_stream: Any
stream_guard: Any
synchronize: Any
