"""Static graphs: programs that are built first and run by an Executor."""

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
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
from .ir.nodes import (
    steps as step_calls,
)
from .program import record  # noqa: F401  (Variables get the methods of Tensors; recording is plugged into the engine)
from .program.program import Program, Variable, default_main_program, default_startup_program, program_guard  # noqa: F401
from .scope import Scope, global_scope, scope_guard  # noqa: F401

_LAZY = _names_of({  # for building programs: those that only run one do without
    ".": ["input", "io", "nn"],
    "paddle.tensor.indexing": ["setitem"],
    ".averaging": ["ExponentialMovingAverage"],
    ".backward": ["append_backward", "gradients"],
    ".input": ["InputSpec", "data"],
    ".io": [
        "deserialize_persistables", "deserialize_program", "load", "load_from_file", "load_inference_model", "load_program_state",
        "save", "save_inference_model", "save_to_file", "serialize_persistables", "serialize_program", "set_program_state"],
    ".ipu": ["IpuCompiledProgram", "IpuStrategy", "ipu_shard_guard", "set_ipu_shard"],
    ".metric": ["accuracy", "auc", "ctr_metric_bundle"],
    ".program.parameters": [
        "cpu_places", "create_global_var", "create_parameter", "cuda_places", "device_guard", "name_scope", "xpu_places"],
    ".program.transform": ["normalize_program"],
    ".strategy": ["BuildStrategy", "CompiledProgram", "ExecutionStrategy"],
    ".weight_norm": ["WeightNormParamAttr"],
}, __name__)

__getattr__, __dir__ = _late(__name__, _LAZY)
