"""paddle.fluid: the generations 1.4 to 1.8, as tables of names over the rest of the package.

Static by default; calls run at once inside ``fluid.dygraph.guard()``.
"""

import importlib

from .. import static as _static  # noqa: F401  (fluid is static outside guards)
from ..core.addresses import find as _find_address
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
from .param_attr import ParamAttr
from .state import adopt_version as _adopt_version
from .state import disable_dygraph, enable_dygraph
from .state import disable_dygraph as disable_imperative
from .state import enable_dygraph as enable_imperative

_LAZY = {
    **{name: ("paddle.fluid.dygraph", name) for name, home in _of_dygraph.items() if home is not None},
    "Executor": ("paddle.fluid.executor", "Executor"), "global_scope": ("paddle.static", "global_scope"),
    "device_guard": ("paddle.static", "device_guard"),
    "scope_guard": ("paddle.static", "scope_guard"), "Scope": ("paddle.static", "Scope"),
    "data": ("paddle.static", "data"), "gradients": ("paddle.static", "gradients"),
    "embedding": ("paddle.fluid.input", "embedding"),
    "one_hot": ("paddle.fluid.input", "one_hot"), "CompiledProgram": ("paddle.static", "CompiledProgram"),
    "BuildStrategy": ("paddle.static", "BuildStrategy"), "ExecutionStrategy": ("paddle.static", "ExecutionStrategy"),
    "ParallelExecutor": ("paddle.fluid.executor", "ParallelExecutor"), "DataFeeder": ("paddle.fluid.data_feeder", "DataFeeder"),
    "WeightNormParamAttr": ("paddle.static", "WeightNormParamAttr"), "save": ("paddle.static", "save"),
    "load": ("paddle.static", "load"), "set_flags": ("paddle.core.flags", "set_flags"),
    "get_flags": ("paddle.core.flags", "get_flags"), "require_version": ("paddle.fluid.framework", "require_version"),
    "is_compiled_with_cuda": ("paddle.fluid.core", "is_compiled_with_cuda"), "PyReader": ("paddle.fluid.reader", "PyReader"),
    "DataLoader": ("paddle.fluid.reader", "DataLoader"), "unique_name": ("paddle.utils.unique_name", None),
    "install_check": ("paddle.fluid.install_check", None), "append_backward": ("paddle.static", "append_backward"),
    **{name: ("paddle.fluid.transpiler", name) for name in ("memory_optimize", "release_memory", "DistributeTranspiler",
                                                            "DistributeTranspilerConfig")},
    **{m: ("paddle.fluid." + m, None) for m in ("dygraph", "executor", "io", "clip", "backward", "metrics", "nets", "profiler",
                                               "contrib", "reader", "compiler", "data_feeder", "input", "lod_tensor", "average",
                                               "debugger", "default_scope_funcs",
                                               "dygraph_grad_clip", "layer_helper", "wrapped_decorator",
                                               "incubate", "transpiler", "evaluator")},
    "create_lod_tensor": ("paddle.fluid.lod_tensor", "create_lod_tensor"),
    "create_random_int_lodtensor": ("paddle.fluid.lod_tensor", "create_random_int_lodtensor"),
}

_adopt_version()


def __getattr__(name):
    entry = _LAZY.get(name)
    if entry is None:
        return _find_address(__name__, name, [*globals(), *_LAZY])
    module = importlib.import_module(entry[0])
    value = module if entry[1] is None else getattr(module, entry[1])
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LAZY})
