"""paddle.base: names that programs of 2.5 and 2.6 reach for inside Paddle, as a table over the public ones."""

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of

_LAZY = _names_of({
    "paddle.static": [
        "Executor", "Program", "Variable", "program_guard", "default_main_program", "default_startup_program", "global_scope",
        "scope_guard", "Scope", "CompiledProgram", "BuildStrategy", "ExecutionStrategy", "data", "gradients", "name_scope",
        "cpu_places", "cuda_places", "device_guard", "append_backward"],
    "paddle": ["CPUPlace", "CUDAPlace", "CUDAPinnedPlace", "XPUPlace", "ParamAttr", "set_flags", "get_flags"],
    "paddle.device": ["is_compiled_with_xpu"],
    "paddle.fluid": ["create_lod_tensor", "create_random_int_lodtensor"],
    "paddle.static.program.parameters": ["cuda_pinned_places"],
    "paddle.utils.unique_name": ["unique_name="],
    ".": ["backward", "core", "dygraph", "executor", "framework", "data_feeder", "layer_helper", "layers", "log_helper",
          "libpaddle", "proto", "wrapped_decorator"],
    ".core": ["Tensor"],
    ".data_feed_desc": ["DataFeedDesc"],
    ".dygraph": ["enable_dygraph", "disable_dygraph", "in_dygraph_mode", "is_compiled_with_cuda"],
}, __name__)
__all__ = sorted(_LAZY)

__getattr__, __dir__ = _late(__name__, _LAZY)
