"""Written by scripts/stubs.py; change the functions, not this file."""

from typing import Any
from paddle.core.tensor import DTypeLike, IntsLike, Tensor, TensorLike
from paddle.static.strategy import BuildStrategy as BuildStrategy
from paddle.static.strategy import CompiledProgram as CompiledProgram
from paddle.static.strategy import ExecutionStrategy as ExecutionStrategy
from paddle.static.executor import Executor as Executor
from paddle.static.averaging import ExponentialMovingAverage as ExponentialMovingAverage
from paddle.static.input import InputSpec as InputSpec
from paddle.static.ipu import IpuCompiledProgram as IpuCompiledProgram
from paddle.static.ipu import IpuStrategy as IpuStrategy
from paddle.static.debug import Print as Print
from paddle.static.program.program import Program as Program
from paddle.static.scope import Scope as Scope
from paddle.static.program.variable import Variable as Variable
from paddle.static.weight_norm import WeightNormParamAttr as WeightNormParamAttr
from paddle.static.metric import accuracy as accuracy
from . import amp as amp
from paddle.static.backward import append_backward as append_backward
from . import array as array
import paddle.static.ir.nodes.array as array_calls
from . import at_once as at_once
from paddle.static.metric import auc as auc
from . import averaging as averaging
from . import backward as backward
import paddle.static.ir.nodes.beam as beam_calls
from . import clips as clips
from . import composites as composites
import paddle.static.ir.nodes.control as control_calls
from paddle.static.program.parameters import cpu_places as cpu_places
from paddle.static.program.parameters import create_global_var as create_global_var
from paddle.static.metric import ctr_metric_bundle as ctr_metric_bundle
from paddle.static.program.parameters import cuda_places as cuda_places
from paddle.static.input import data as data
from . import debug as debug
from paddle.static.program.program import default_main_program as default_main_program
from paddle.static.program.program import default_startup_program as default_startup_program
from paddle.static.inference_io import deserialize_persistables as deserialize_persistables
from paddle.static.inference_io import deserialize_program as deserialize_program
from paddle.static.program.parameters import device_guard as device_guard
from . import draw as draw
from . import executor as executor
from . import feeds as feeds
from paddle.static.scope import global_scope as global_scope
from paddle.static.backward import gradients as gradients
from . import graph as graph
from . import inference_io as inference_io
from . import input as input
from . import inspection as inspection
from . import io as io
from paddle.static.ipu import ipu_shard_guard as ipu_shard_guard
from . import ir as ir
from paddle.static.io import load as load
from paddle.static.inference_io import load_from_file as load_from_file
from paddle.static.inference_io import load_inference_model as load_inference_model
from paddle.static.io import load_program_state as load_program_state
from . import lod_tensor as lod_tensor
from . import methods as methods
from . import metric as metric
from . import mode as mode
from . import model_files as model_files
from paddle.static.program.parameters import name_scope as name_scope
from . import nn as nn
from paddle.static.program.transform import normalize_program as normalize_program
from . import op_desc as op_desc
from . import optimize as optimize
from . import primitive as primitive
from . import program as program
from paddle.static.program.program import program_guard as program_guard
from paddle.static.debug import py_func as py_func
from . import recompute as recompute
import paddle.static.program.record as record
from paddle.static.io import save as save
from paddle.static.inference_io import save_inference_model as save_inference_model
from paddle.static.inference_io import save_to_file as save_to_file
from . import schedule as schedule
from . import scope as scope
from paddle.static.scope import scope_guard as scope_guard
from paddle.static.inference_io import serialize_persistables as serialize_persistables
from paddle.static.inference_io import serialize_program as serialize_program
from paddle.static.ipu import set_ipu_shard as set_ipu_shard
from paddle.static.io import set_program_state as set_program_state
from . import shares as shares
from . import slots as slots
from . import strategy as strategy
from . import structure as structure
from . import weight_norm as weight_norm
from paddle.static.program.parameters import xpu_places as xpu_places

def create_parameter(shape: IntsLike, dtype: DTypeLike | None, name: str | None = ..., attr: Any = ..., is_bias: bool = ..., default_initializer: Any = ...) -> Tensor: ...
def setitem(x: TensorLike, index: Any, value: Any) -> Any: ...
