"""DyGraph: define-by-run deep learning on a CPU, for PaddlePaddle programs of every generation.

Public names come from the rooms below; modules listed in ``_LAZY`` are imported on first use, so that ``import paddle``
stays quick. Examples in docstrings begin after ``import paddle``.
"""

import importlib
import sys

from . import (
    kernels,  # noqa: F401  (then this: sets the thread pool up before NumPy starts its own)
    neighbours,  # noqa: F401, I001  (first: a file that another distribution left here must not be imported)
)
from .core import dtype as _dtype
from .core import nan as _nan  # noqa: F401  (declares FLAGS_check_nan_inf)
from .core.addresses import Finder as _Finder
from .core.autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled  # noqa: F401
from .core.backward import grad  # noqa: F401
from .core.context import context as _context
from .core.context import get_generation, set_generation  # noqa: F401
from .core.dtype import get_default_dtype, set_default_dtype  # noqa: F401
from .core.flags import get_flags, set_flags  # noqa: F401
from .core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, XPUPlace  # noqa: F401
from .core.random import seed  # noqa: F401
from .core.rooms import rooms as _rooms
from .core.tensor import Tensor  # noqa: F401
from .kernels.threads import get_num_threads, set_num_threads  # noqa: F401

sys.meta_path.append(_Finder())  # module paths of Paddle that no file here has
globals().update(_dtype.ALL | _dtype.EIGHT_BITS)
dtype = _dtype.DType

from . import tensor  # noqa: E402, I001
from .core.generation import published as _published  # noqa: E402
from .core.spelling import spelled as _spelled  # noqa: E402
from .tensor import *  # noqa: E402, F403
from .tensor.spelled import ALIASES as _ALIASES  # noqa: E402

globals().update({name: _spelled(_ALIASES.get(name, name), _published(getattr(tensor, name)), "paddle." + name)
                  for name in tensor.__all__})
globals().update(tensor.kinds.CONSTANTS)

# name -> (module, attribute or None for the module itself)
_LAZY = {name: ("paddle." + name, None) for name in (
    "_C_ops", "_legacy_C_ops", "amp", "audio", "autograd", "base", "callbacks", "compat", "cuda", "dataset", "declarative",
    "decomposition", "device", "distributed", "distribution", "fft", "fluid", "framework", "functional", "geometric", "hapi", "hub",
    "imperative", "incubate", "inference", "io", "jit", "linalg", "metric", "nn", "onnx", "ops", "optimizer", "pir", "pir_utils",
    "profiler", "quantization", "random", "reader",
    "regularizer",
    "serialization", "signal", "sparse", "special", "static", "sysconfig", "text", "utils", "version", "vision")}
_LAZY.update({
    "DataParallel": ("paddle.distributed", "DataParallel"),
    "Executor": ("paddle.static", "Executor"),
    "LazyGuard": ("paddle.nn.lazy_init", "LazyGuard"),
    "Model": ("paddle.hapi.model", "Model"),
    "ParamAttr": ("paddle.nn.param_attr", "ParamAttr"),
    "Generator": ("paddle.core.random", "Generator"),
    "XPUPinnedPlace": ("paddle.core.place", "XPUPinnedPlace"),
    "autocast": ("paddle.amp", "autocast"),
    "get_default_device": ("paddle.device", "get_device"),
    "set_default_device": ("paddle.device", "set_device"),
    "batch": ("paddle.reader", "batch"),
    "from_dlpack": ("paddle.utils.dlpack", "from_dlpack"),
    "manual_seed": ("paddle.framework.random", "manual_seed"),
    "to_dlpack": ("paddle.utils.dlpack", "to_dlpack"),
    **{name: ("paddle.amp", name) for name in (
        "get_autocast_cpu_dtype", "get_autocast_dtype", "get_autocast_gpu_dtype", "is_autocast_enabled")},
    **{name: ("paddle.nn.functional", name) for name in (
        "adaptive_avg_pool1d", "conv1d", "conv2d", "conv3d", "group_norm", "layer_norm", "softmax")},
    "default_main_program": ("paddle.static", "default_main_program"),
    "default_startup_program": ("paddle.static", "default_startup_program"),
    "disable_imperative": ("paddle.imperative", "disable_imperative"),
    "enable_imperative": ("paddle.imperative", "enable_imperative"),
    "disable_static": ("paddle.static.mode", "disable_static"),
    "enable_static": ("paddle.static.mode", "enable_static"),
    "in_imperative_mode": ("paddle.imperative", "enabled"),
    "in_dynamic_mode": ("paddle.core.context", "in_dynamic_mode"),
    **{name: ("paddle.device", name) for name in (
        "get_cudnn_version", "get_device", "is_compiled_with_cinn", "is_compiled_with_cuda", "is_compiled_with_custom_device",
        "is_compiled_with_distribute", "is_compiled_with_ipu", "is_compiled_with_npu",
        "is_compiled_with_rocm", "is_compiled_with_xpu", "set_device")},
    "disable_signal_handler": ("paddle.framework.signals", "disable_signal_handler"),
    **{name: ("paddle.audio.windows", name) for name in (
        "bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window")},
    "flops": ("paddle.hapi.flops", "flops"),
    "get_cuda_rng_state": ("paddle.framework.random", "get_cuda_rng_state"),
    "MmapStorage": ("paddle.framework.mapped", "MmapStorage"),
    "disable_compat": ("paddle.compat.proxy", "disable_torch_proxy"),
    "enable_compat": ("paddle.compat.proxy", "enable_torch_proxy"),
    "use_compat_guard": ("paddle.compat.proxy", "use_torch_proxy_guard"),
    "get_rng_state": ("paddle.framework.random", "get_rng_state"),
    "load": ("paddle.framework.io", "load"),
    "save": ("paddle.framework.io", "save"),
    "set_cuda_rng_state": ("paddle.framework.random", "set_cuda_rng_state"),
    "set_rng_state": ("paddle.framework.random", "set_rng_state"),
    "summary": ("paddle.hapi.summary", "summary"),
})


def __getattr__(name):
    if name == "__version__":
        return _context.rules.version
    if name == "__git_commit__":
        from .version import commit
        return commit
    if name == "paddle":  # packages write paddle.paddle.zeros, where the original has itself
        return sys.modules["paddle"]
    entry = _LAZY.get(name)
    if entry is None:
        if name.startswith("__"):
            raise AttributeError(f"module 'paddle' has no attribute {name!r}")
        return _rooms.older_name("paddle", name, [*globals(), *_LAZY])
    module = importlib.import_module(entry[0])
    value = module if entry[1] is None else getattr(module, entry[1])
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LAZY})
