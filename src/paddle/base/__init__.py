"""paddle.base: names that programs of 2.5 and 2.6 reach for inside Paddle, as a table over the public ones."""

import importlib

from ..core.addresses import find as _find_address

_STATIC = "paddle.static"
_LAZY = {
    **dict.fromkeys(("Executor", "Program", "Variable", "program_guard", "default_main_program", "default_startup_program",
                     "global_scope", "scope_guard", "Scope", "CompiledProgram", "BuildStrategy", "ExecutionStrategy", "data",
                     "gradients", "name_scope", "cpu_places", "cuda_places", "device_guard"), _STATIC),
    **dict.fromkeys(("CPUPlace", "CUDAPlace", "CUDAPinnedPlace", "XPUPlace", "ParamAttr", "set_flags", "get_flags"),
                    "paddle"),
    **dict.fromkeys(("enable_dygraph", "disable_dygraph", "in_dygraph_mode", "is_compiled_with_cuda"), "paddle.base.dygraph"),
    "append_backward": _STATIC, "is_compiled_with_xpu": "paddle.device", "Tensor": "paddle.base.core",
    "DataFeedDesc": "paddle.base.data_feed_desc",
    "create_lod_tensor": "paddle.fluid", "create_random_int_lodtensor": "paddle.fluid",
}
_MODULES = {"backward": "paddle.base.backward", "core": "paddle.base.core", "dygraph": "paddle.base.dygraph",
            "executor": "paddle.base.executor",
            "framework": "paddle.base.framework",
            "unique_name": "paddle.utils.unique_name", "data_feeder": "paddle.base.data_feeder",
            "layer_helper": "paddle.base.layer_helper", "log_helper": "paddle.base.log_helper",
            "libpaddle": "paddle.base.libpaddle", "proto": "paddle.base.proto",
            "wrapped_decorator": "paddle.base.wrapped_decorator"}
__all__ = sorted([*_LAZY, *_MODULES])


def __getattr__(name):
    if name in _MODULES:
        value = importlib.import_module(_MODULES[name])
    elif name in _LAZY:
        value = getattr(importlib.import_module(_LAZY[name]), name)
    else:
        return _find_address(__name__, name, __all__)
    globals()[name] = value
    return value


def __dir__():
    return __all__
