"""Written by scripts/stubs.py; change the functions, not this file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import DType
from paddle.core.tensor import Tensor as Tensor
from paddle.fluid.dygraph.base import BackwardStrategy as BackwardStrategy
from paddle.fluid.dygraph.nn import BatchNorm as BatchNorm
from paddle.fluid.dygraph.nn import BilinearTensorProduct as BilinearTensorProduct
from paddle.static.compiled import BuildStrategy as BuildStrategy
from paddle.core.place import CPUPlace as CPUPlace
from paddle.core.place import CUDAPinnedPlace as CUDAPinnedPlace
from paddle.core.place import CUDAPlace as CUDAPlace
from paddle.static.compiled import CompiledProgram as CompiledProgram
from paddle.fluid.dygraph.nn import Conv2D as Conv2D
from paddle.fluid.dygraph.nn import Conv2DTranspose as Conv2DTranspose
from paddle.fluid.dygraph.nn import Conv3D as Conv3D
from paddle.fluid.dygraph.nn import Conv3DTranspose as Conv3DTranspose
from paddle.fluid.dygraph.learning_rate_scheduler import CosineDecay as CosineDecay
from paddle.base.data_feeder import DataFeeder as DataFeeder
from paddle.io.reader import DataLoader as DataLoader
from paddle.distributed.parallel import LegacyDataParallel as DataParallel
from paddle.fluid.dygraph.nn import Dropout as Dropout
from paddle.fluid.dygraph.nn import Embedding as Embedding
from paddle.distributed.env import ParallelEnv as Env
from paddle.static.compiled import ExecutionStrategy as ExecutionStrategy
from paddle.fluid.executor import Executor as Executor
from paddle.fluid.dygraph.learning_rate_scheduler import ExponentialDecay as ExponentialDecay
from paddle.fluid.dygraph.nn import FC as FC
from paddle.fluid.dygraph.rnn import GRUCell as GRUCell
from paddle.fluid.dygraph.nn import GRUUnit as GRUUnit
from paddle.fluid.dygraph.nn import GroupNorm as GroupNorm
from paddle.fluid.dygraph.special import HSigmoid as HSigmoid
from paddle.fluid.dygraph.nn import InstanceNorm as InstanceNorm
from paddle.fluid.dygraph.learning_rate_scheduler import InverseTimeDecay as InverseTimeDecay
from paddle.fluid.dygraph.rnn import LSTMCell as LSTMCell
from paddle.fluid.dygraph.layers import Layer as Layer
from paddle.nn.layer.container import LayerList as LayerList
from paddle.fluid.dygraph.nn import LayerNorm as LayerNorm
from paddle.fluid.dygraph.learning_rate_scheduler import LearningRateDecay as LearningRateDecay
from paddle.fluid.dygraph.nn import Linear as Linear
from paddle.fluid.dygraph.learning_rate_scheduler import LinearLrWarmup as LinearLrWarmup
from paddle.static.lod_tensor import LoDTensor as LoDTensor
from paddle.static.lod_tensor import LoDTensorArray as LoDTensorArray
from paddle.fluid.dygraph.special import NCE as NCE
from paddle.fluid.dygraph.learning_rate_scheduler import NaturalExpDecay as NaturalExpDecay
from paddle.fluid.dygraph.learning_rate_scheduler import NoamDecay as NoamDecay
from paddle.fluid.dygraph.nn import PRelu as PRelu
from paddle.distributed.env import ParallelEnv as ParallelEnv
from paddle.fluid.executor import ParallelExecutor as ParallelExecutor
from paddle.fluid.param_attr import ParamAttr as ParamAttr
from paddle.nn.layer.container import ParameterList as ParameterList
from paddle.fluid.dygraph.learning_rate_scheduler import PiecewiseDecay as PiecewiseDecay
from paddle.fluid.dygraph.learning_rate_scheduler import PolynomialDecay as PolynomialDecay
from paddle.fluid.dygraph.nn import Pool2D as Pool2D
from paddle.static.program import Program as Program
from paddle.jit.traced_layer import ProgramTranslator as ProgramTranslator
from paddle.fluid.dygraph.py_layer import PyLayer as PyLayer
from paddle.io.generator_loader import PyReader as PyReader
from paddle.fluid.dygraph.special import RowConv as RowConv
from paddle.static.scope import Scope as Scope
from paddle.fluid.dygraph.special import SequenceConv as SequenceConv
from paddle.nn.layer.container import Sequential as Sequential
from paddle.fluid.dygraph.nn import SpectralNorm as SpectralNorm
from paddle.static.lod_tensor import LoDTensor as Tensor
from paddle.jit.traced_layer import FolderTracedLayer as TracedLayer
from paddle.fluid.dygraph.special import TreeConv as TreeConv
from paddle.static.variable import Variable as Variable
from paddle.static.weight_norm import WeightNormParamAttr as WeightNormParamAttr
from . import average as average
from . import averages as averages
from . import backward as backward
from . import clip as clip
from . import compiler as compiler
from . import contrib as contrib
from paddle.jit.calls import convert_call as convert_call
from . import core as core
from paddle.fluid.framework import cpu_places as cpu_places
from paddle.fluid.lod_tensor import create_lod_tensor as create_lod_tensor
from paddle.fluid.lod_tensor import create_random_int_lodtensor as create_random_int_lodtensor
from paddle.fluid.framework import cuda_places as cuda_places
from paddle.static.input import data as data
from . import data_feeder as data_feeder
from paddle.jit.api import to_static as declarative
from paddle.static.program import default_main_program as default_main_program
from paddle.static.program import default_startup_program as default_startup_program
from paddle.fluid.state import disable_dygraph as disable_dygraph
from . import dygraph as dygraph
from . import dygraph_grad_clip as dygraph_grad_clip
from paddle.jit.api import to_static as dygraph_to_static_output
from paddle.fluid.input import embedding as embedding
from paddle.fluid.state import enable_dygraph as enable_dygraph
from paddle.fluid.dygraph.base import enabled as enabled
from . import executor as executor
from . import framework as framework
from paddle.core.flags import get_flags as get_flags
from paddle.static.scope import global_scope as global_scope
from paddle.fluid.dygraph.base import grad as grad
from paddle.static.backward import gradients as gradients
from paddle.fluid.state import guard as guard
from paddle.fluid.state import in_dygraph_mode as in_dygraph_mode
from . import incubate as incubate
from . import initializer as initializer
from . import input as input
from . import install_check as install_check
from . import io as io
from paddle.fluid.core import is_compiled_with_cuda as is_compiled_with_cuda
from . import layer_helper as layer_helper
from . import layers as layers
from paddle.static.io import load as load
from paddle.fluid.dygraph.checkpoint import load_dygraph as load_dygraph
from paddle.fluid.dygraph.checkpoint import load_persistables as load_persistables
from . import lod_tensor as lod_tensor
from . import metrics as metrics
from paddle.static.variables import name_scope as name_scope
from . import nets as nets
from paddle.fluid.dygraph.base import _NoGrad as no_grad
from . import older_optimizers as older_optimizers
from paddle.fluid.input import one_hot as one_hot
from . import optimizer as optimizer
from . import param_attr as param_attr
from paddle.distributed.parallel import prepare_context as prepare_context
from . import profiler as profiler
from paddle.static.program import program_guard as program_guard
from . import reader as reader
from . import regularizer as regularizer
from paddle.fluid.framework import require_version as require_version
from paddle.static.io import save as save
from paddle.fluid.dygraph.checkpoint import save_dygraph as save_dygraph
from paddle.fluid.dygraph.checkpoint import save_persistables as save_persistables
from paddle.static.scope import scope_guard as scope_guard
from paddle.core.flags import set_flags as set_flags
from . import state as state
from paddle.fluid.dygraph.base import switch_to_static_graph as switch_to_static_graph
from paddle.fluid.dygraph.base import to_variable as to_variable
import paddle.utils.unique_name as unique_name
from . import wrapped_decorator as wrapped_decorator

TensorLike = Tensor | np.ndarray[Any, Any] | np.generic | complex | Sequence[Any]
DTypeLike = str | DType | np.dtype[Any] | type
IntsLike = int | Sequence[int | Tensor] | Tensor


