"""Written by scripts/stubs.py; change the functions, not this file."""

from typing import Any
from paddle.core.dtype import DType
from paddle.core.tensor import DTypeLike, IntsLike, TensorLike
from .version import __version__ as __version__
from .tensor import *  # all of it is here too
from paddle.core.place import CPUPlace as CPUPlace
from paddle.core.place import CUDAPinnedPlace as CUDAPinnedPlace
from paddle.core.place import CUDAPlace as CUDAPlace
from paddle.distributed.parallel import DataParallel as DataParallel
from paddle.static.executor import Executor as Executor
from paddle.core.random import Generator as Generator
from paddle.nn.lazy_init import LazyGuard as LazyGuard
from paddle.framework.mapped import MmapStorage as MmapStorage
from paddle.hapi.model import Model as Model
from paddle.nn.param_attr import ParamAttr as ParamAttr
from paddle.core.tensor import Tensor as Tensor
from paddle.core.place import XPUPinnedPlace as XPUPinnedPlace
from paddle.core.place import XPUPlace as XPUPlace
from . import amp as amp
from . import audio as audio
from paddle.amp.auto_cast import autocast as autocast
from . import autograd as autograd
from paddle.audio.windows import bartlett_window as bartlett_window
from . import base as base
from paddle.reader.simple import batch as batch
from paddle.audio.windows import blackman_window as blackman_window
from . import callbacks as callbacks
from . import compat as compat
from . import core as core
from . import cuda as cuda
from . import dataset as dataset
from . import declarative as declarative
from . import decomposition as decomposition
from paddle.static.program.program import default_main_program as default_main_program
from paddle.static.program.program import default_startup_program as default_startup_program
from . import device as device
from paddle.compat.proxy import disable_torch_proxy as disable_compat
from paddle.imperative.era import disable_imperative as disable_imperative
from paddle.framework.signals import disable_signal_handler as disable_signal_handler
from paddle.static.mode import disable_static as disable_static
from . import distributed as distributed
from . import distribution as distribution
from paddle.core.dtype import DType as dtype
from paddle.compat.proxy import enable_torch_proxy as enable_compat
from paddle.core.autograd import enable_grad as enable_grad
from paddle.imperative.era import enable_imperative as enable_imperative
from paddle.static.mode import enable_static as enable_static
from . import fft as fft
from paddle.hapi.flops import flops as flops
from . import fluid as fluid
from . import framework as framework
from paddle.utils.dlpack import from_dlpack as from_dlpack
from . import functional as functional
from . import geometric as geometric
from paddle.amp.auto_cast import get_autocast_dtype as get_autocast_cpu_dtype
from paddle.amp.auto_cast import get_autocast_dtype as get_autocast_dtype
from paddle.amp.auto_cast import get_autocast_dtype as get_autocast_gpu_dtype
from paddle.framework.random import get_cuda_rng_state as get_cuda_rng_state
from paddle.device import get_cudnn_version as get_cudnn_version
from paddle.device import get_device as get_default_device
from paddle.core.dtype import get_default_dtype as get_default_dtype
from paddle.device import get_device as get_device
from paddle.core.flags import get_flags as get_flags
from paddle.core.context import get_generation as get_generation
from paddle.kernels.threads import get_num_threads as get_num_threads
from paddle.framework.random import get_rng_state as get_rng_state
from paddle.core.backward import grad as grad
from paddle.audio.windows import hamming_window as hamming_window
from paddle.audio.windows import hann_window as hann_window
from . import hapi as hapi
from . import hub as hub
from . import imperative as imperative
from paddle.core.context import in_dynamic_mode as in_dynamic_mode
from paddle.imperative.era import enabled as in_imperative_mode
from . import incubate as incubate
from . import inference as inference
from . import io as io
from paddle.amp.auto_cast import is_autocast_enabled as is_autocast_enabled
from paddle.device import is_compiled_with_cinn as is_compiled_with_cinn
from paddle.device import is_compiled_with_cuda as is_compiled_with_cuda
from paddle.device import is_compiled_with_custom_device as is_compiled_with_custom_device
from paddle.device import is_compiled_with_distribute as is_compiled_with_distribute
from paddle.device import is_compiled_with_ipu as is_compiled_with_ipu
from paddle.device import is_compiled_with_mlu as is_compiled_with_mlu
from paddle.device import is_compiled_with_npu as is_compiled_with_npu
from paddle.device import is_compiled_with_rocm as is_compiled_with_rocm
from paddle.device import is_compiled_with_xpu as is_compiled_with_xpu
from paddle.core.autograd import is_grad_enabled as is_grad_enabled
from . import jit as jit
from paddle.audio.windows import kaiser_window as kaiser_window
from . import kernels as kernels
from . import linalg as linalg
from paddle.framework.io import load as load
from paddle.framework.random import manual_seed as manual_seed
from . import metric as metric
from . import neighbours as neighbours
from . import nn as nn
from paddle.core.autograd import no_grad as no_grad
from . import onnx as onnx
from . import ops as ops
from . import optimizer as optimizer
from . import pir as pir
from . import pir_utils as pir_utils
from . import profiler as profiler
from . import quantization as quantization
from . import random as random
from . import reader as reader
from . import regularizer as regularizer
from paddle.framework.io import save as save
from paddle.core.random import seed as seed
from . import serialization as serialization
from paddle.framework.random import set_cuda_rng_state as set_cuda_rng_state
from paddle.device import set_device as set_default_device
from paddle.core.dtype import set_default_dtype as set_default_dtype
from paddle.device import set_device as set_device
from paddle.core.flags import set_flags as set_flags
from paddle.core.context import set_generation as set_generation
from paddle.core.autograd import set_grad_enabled as set_grad_enabled
from paddle.kernels.threads import set_num_threads as set_num_threads
from paddle.framework.random import set_rng_state as set_rng_state
from . import signal as signal
from . import sparse as sparse
from . import special as special
from . import static as static
from paddle.hapi.summary import summary as summary
from . import sysconfig as sysconfig
from . import tensor as tensor
from . import text as text
from paddle.utils.dlpack import to_dlpack as to_dlpack
from paddle.compat.proxy import use_torch_proxy_guard as use_compat_guard
from . import utils as utils
from . import version as version
from . import vision as vision

def adaptive_avg_pool1d(x: TensorLike, output_size: Any, name: str | None = ...) -> Tensor: ...
bfloat16: DType
bool: DType
cdouble: DType
cfloat: DType
complex128: DType
complex64: DType
def conv1d(x: TensorLike, weight: Any, bias: Any = ..., stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., data_format: str = ..., name: str | None = ...) -> Tensor: ...
def conv2d(x: TensorLike, weight: Any, bias: Any = ..., stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., data_format: str = ..., name: str | None = ...) -> Tensor: ...
def conv3d(x: TensorLike, weight: Any, bias: Any = ..., stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., data_format: str = ..., name: str | None = ...) -> Tensor: ...
double: DType
e: Any
float: DType
float16: DType
float32: DType
float64: DType
float8_e4m3fn: DType
float8_e5m2: DType
def group_norm(x: TensorLike, num_groups: Any, epsilon: Any = ..., weight: Any = ..., bias: Any = ..., data_format: str = ..., name: str | None = ...) -> Tensor: ...
half: DType
inf: Any
int: DType
int16: DType
int32: DType
int64: DType
int8: DType
def layer_norm(x: TensorLike, normalized_shape: Any, weight: Any = ..., bias: Any = ..., epsilon: Any = ..., name: str | None = ...) -> Tensor: ...
long: DType
nan: Any
newaxis: Any
pi: Any
short: DType
def softmax(x: TensorLike, axis: IntsLike | None = ..., dtype: DTypeLike | None = ..., name: str | None = ...) -> Tensor: ...
uint8: DType
