"""paddle.fluid: the generations 1.4 to 1.8, as tables of names over the rest of the package.

Static by default; calls run at once inside ``fluid.dygraph.guard()``.
"""

from .. import static as _static  # noqa: F401  (fluid is static outside guards)
from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
from . import core, framework, initializer, layers, optimizer, param_attr, regularizer
from .core import CPUPlace, CUDAPinnedPlace, CUDAPlace, LoDTensor, LoDTensorArray
from .core import LoDTensor as Tensor
from .dygraph import *  # noqa: F403
from .dygraph import _LAZY as _of_dygraph
from .framework import (
    Program,
    Variable,
    cpu_places,
    cuda_places,
    default_main_program,
    default_startup_program,
    in_dygraph_mode,
    name_scope,
    program_guard,
)
from .param_attr import ParamAttr, WeightNormParamAttr
from .state import adopt_version as _adopt_version
from .state import disable_dygraph, enable_dygraph
from .state import disable_dygraph as disable_imperative
from .state import enable_dygraph as enable_imperative
from .state import enter as _enter

_LAZY = _names_of({
    "paddle.core.flags": ["set_flags", "get_flags"],
    "paddle.device": ["is_compiled_with_npu"],
    "paddle.static": ["global_scope", "device_guard", "scope_guard", "Scope", "data", "gradients", "CompiledProgram",
                      "BuildStrategy", "ExecutionStrategy", "save", "load", "append_backward"],
    "paddle.utils.unique_name": ["unique_name="],
    ".": ["dygraph", "executor", "io", "clip", "backward", "metrics", "nets", "profiler", "contrib", "reader", "compiler",
          "data_feed_desc", "data_feeder", "input", "lod_tensor", "average", "debugger", "net_drawer", "default_scope_funcs",
          "dygraph_grad_clip", "layer_helper", "wrapped_decorator", "incubate", "transpiler", "evaluator", "install_check"],
    ".core": ["is_compiled_with_cuda"],
    ".data_feed_desc": ["DataFeedDesc"],
    ".data_feeder": ["DataFeeder"],
    ".dygraph": [name for name, (_, there) in _of_dygraph.items() if there is not None],
    ".executor": ["Executor", "ParallelExecutor"],
    ".framework": ["require_version"],
    ".input": ["embedding", "one_hot"],
    ".lod_tensor": ["create_lod_tensor", "create_random_int_lodtensor"],
    ".reader": ["PyReader", "DataLoader"],
    ".transpiler": ["memory_optimize", "release_memory", "DistributeTranspiler", "DistributeTranspilerConfig"],
}, __name__)

_adopt_version()
_enter()

__getattr__, __dir__ = _late(__name__, _LAZY)
