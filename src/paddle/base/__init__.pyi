"""Written by scripts/stubs.py; change the functions, not this file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import DType
from paddle.core.tensor import Tensor as Tensor
from paddle.static.strategy import BuildStrategy as BuildStrategy
from paddle.core.place import CPUPlace as CPUPlace
from paddle.core.place import CUDAPinnedPlace as CUDAPinnedPlace
from paddle.core.place import CUDAPlace as CUDAPlace
from paddle.static.strategy import CompiledProgram as CompiledProgram
from paddle.static.strategy import ExecutionStrategy as ExecutionStrategy
from paddle.static.executor import Executor as Executor
from paddle.nn.param_attr import ParamAttr as ParamAttr
from paddle.static.program.program import Program as Program
from paddle.static.scope import Scope as Scope
from paddle.static.program.variable import Variable as Variable
from paddle.core.place import XPUPlace as XPUPlace
from paddle.static.backward import append_backward as append_backward
from . import backward as backward
from . import core as core
from paddle.static.program.parameters import cpu_places as cpu_places
from paddle.fluid.lod_tensor import create_lod_tensor as create_lod_tensor
from paddle.fluid.lod_tensor import create_random_int_lodtensor as create_random_int_lodtensor
from paddle.static.program.parameters import cuda_places as cuda_places
from paddle.static.input import data as data
from . import data_feeder as data_feeder
from paddle.static.program.program import default_main_program as default_main_program
from paddle.static.program.program import default_startup_program as default_startup_program
from paddle.static.program.parameters import device_guard as device_guard
from paddle.base.dygraph.base import disable_dygraph as disable_dygraph
from . import dygraph as dygraph
from paddle.base.dygraph.base import enable_dygraph as enable_dygraph
from . import executor as executor
from . import framework as framework
from paddle.core.flags import get_flags as get_flags
from paddle.static.scope import global_scope as global_scope
from paddle.static.backward import gradients as gradients
from paddle.base.dygraph.base import in_dygraph_mode as in_dygraph_mode
from paddle.base.dygraph.base import is_compiled_with_cuda as is_compiled_with_cuda
from paddle.device import is_compiled_with_xpu as is_compiled_with_xpu
from . import layer_helper as layer_helper
from . import libpaddle as libpaddle
from . import log_helper as log_helper
from paddle.static.program.parameters import name_scope as name_scope
from paddle.static.program.program import program_guard as program_guard
from . import proto as proto
from paddle.static.scope import scope_guard as scope_guard
from paddle.core.flags import set_flags as set_flags
import paddle.utils.unique_name as unique_name
from . import wrapped_decorator as wrapped_decorator

TensorLike = Tensor | np.ndarray[Any, Any] | np.generic | complex | Sequence[Any]
DTypeLike = str | DType | np.dtype[Any] | type
IntsLike = int | Sequence[int | Tensor] | Tensor


