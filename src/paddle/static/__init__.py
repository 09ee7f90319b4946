"""Static graphs: programs that are built first and run by an Executor."""

import importlib as _importlib

from ..core.addresses import find as _find_address
from . import methods  # noqa: F401  (Variables get the methods of Tensors; recording is plugged into the engine)
from .debug import Print, py_func  # noqa: F401  (files have their operators)
from .executor import Executor  # noqa: F401
from .ir.nodes import (  # noqa: F401  (Variables get the methods of Tensors; recording is plugged into the engine)
    array as array_calls,
)
from .ir.nodes import (
    beam as beam_calls,
)
from .ir.nodes import (
    control as control_calls,
)
from .program import record  # noqa: F401  (Variables get the methods of Tensors; recording is plugged into the engine)
from .program.program import Program, Variable, default_main_program, default_startup_program, program_guard  # noqa: F401
from .scope import Scope, global_scope, scope_guard  # noqa: F401

_LAZY = {name: module for module, names in {  # for building programs: those that only run one do without
    "paddle.tensor.indexing": ["setitem"],
    "paddle.static.averaging": ["ExponentialMovingAverage"],
    "paddle.static.backward": ["append_backward", "gradients"],
    "paddle.static.input": ["InputSpec", "data"],
    "paddle.static.io": [
        "deserialize_persistables", "deserialize_program", "load", "load_from_file", "load_inference_model", "load_program_state",
        "save", "save_inference_model", "save_to_file", "serialize_persistables", "serialize_program", "set_program_state"],
    "paddle.static.ipu": ["IpuCompiledProgram", "IpuStrategy", "ipu_shard_guard", "set_ipu_shard"],
    "paddle.static.metric": ["accuracy", "auc", "ctr_metric_bundle"],
    "paddle.static.program.parameters": [
        "cpu_places", "create_global_var", "create_parameter", "cuda_places", "device_guard", "name_scope", "xpu_places"],
    "paddle.static.program.transform": ["normalize_program"],
    "paddle.static.strategy": ["BuildStrategy", "CompiledProgram", "ExecutionStrategy"],
    "paddle.static.weight_norm": ["WeightNormParamAttr"],
}.items() for name in names}
_MODULES = ("input", "io", "nn")


def __getattr__(name):
    if name in _LAZY:
        value = globals()[name] = getattr(_importlib.import_module(_LAZY[name]), name)
        return value
    if name in _MODULES:
        return _importlib.import_module(f"paddle.static.{name}")
    return _find_address(__name__, name, __dir__())


def __dir__():
    return sorted({*globals(), *_LAZY, *_MODULES})
