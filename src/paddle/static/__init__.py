"""Static graphs: programs that are built first and run by an Executor."""

import sys as _sys

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
from ..core.alone import complete as _complete

_LAZY = _names_of({
    ".": ["executor", "input", "io", "nn", "program", "scope"],
    "paddle.tensor.indexing": ["setitem"],
    ".averaging": ["ExponentialMovingAverage"],
    ".backward": ["append_backward", "gradients"],
    ".debug": ["Print", "py_func"],
    ".executor": ["Executor"],
    ".input": ["InputSpec", "data"],
    ".io": [
        "deserialize_persistables", "deserialize_program", "load", "load_from_file", "load_inference_model", "load_program_state",
        "save", "save_inference_model", "save_to_file", "serialize_persistables", "serialize_program", "set_program_state"],
    ".ipu": ["IpuCompiledProgram", "IpuStrategy", "ipu_shard_guard", "set_ipu_shard"],
    ".metric": ["accuracy", "auc", "ctr_metric_bundle"],
    ".program.parameters": [
        "cpu_places", "create_global_var", "create_parameter", "cuda_places", "device_guard", "name_scope", "xpu_places"],
    ".program.program": ["Program", "Variable", "default_main_program", "default_startup_program", "program_guard"],
    ".program.transform": ["normalize_program"],
    ".scope": ["Scope", "global_scope", "scope_guard"],
    ".strategy": ["BuildStrategy", "CompiledProgram", "ExecutionStrategy"],
    ".weight_norm": ["WeightNormParamAttr"],
}, __name__)

_getattr, __dir__ = _late(__name__, _LAZY)


def __getattr__(name):
    if not name.startswith("__"):
        _complete()  # whoever gets a Program or a Variable here may call all methods
    return _getattr(name)


if getattr(_sys.modules.get("paddle.tensor"), "complete", False):  # Variables get the methods of Tensors as soon as there are both
    from . import methods  # noqa: F401
