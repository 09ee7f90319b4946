"""DyGraph: define-by-run deep learning on a CPU, for PaddlePaddle programs of every generation.

Public names come from the rooms below. Modules listed in ``_LAZY`` are imported on first use, and so are the functions of
``paddle.tensor``, all at once, with whatever is first asked for besides ``_ALONE`` (``core/alone.py`` says why).
Examples in docstrings begin after ``import numpy as np`` and ``import paddle``.
"""

import importlib.util  # programs that import importlib alone count on Paddle's having loaded it
import sys

from . import neighbours  # noqa: F401  (first: a file that another distribution left here must not be imported)

# isort: split
from . import kernels  # noqa: F401  (then this: sets the thread pool up before NumPy starts its own)

# isort: split
from .core import dtype as _dtype
from .core import nan as _nan  # noqa: F401  (declares FLAGS_check_nan_inf)
from .core.addresses import Finder as _Finder
from .core.addresses import late as _late
from .core.addresses import names_of as _names_of
from .core.alone import FIRST as _FIRST
from .core.alone import complete as _complete
from .core.autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled  # noqa: F401
from .core.backward import grad  # noqa: F401
from .core.context import context as _context
from .core.context import get_generation, set_generation  # noqa: F401
from .core.dtype import get_default_dtype, set_default_dtype  # noqa: F401
from .core.flags import get_flags, set_flags  # noqa: F401
from .core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, XPUPlace  # noqa: F401
from .core.random import seed  # noqa: F401
from .kernels.threads import get_num_threads, set_num_threads  # noqa: F401

sys.meta_path.append(_Finder())  # module paths of Paddle that no file here has
sys.meta_path.insert(0, _FIRST)
globals().update(_dtype.ALL | _dtype.EIGHT_BITS)
dtype = _dtype.DType

_ALONE = frozenset({"inference", "tensor", "version"})  # come without the functions of tensors
_LAZY = _names_of({
    ".": [
        "_C_ops", "_legacy_C_ops", "amp", "audio", "autograd", "base", "callbacks", "compat", "cuda", "dataset", "declarative",
        "decomposition", "device", "distributed", "distribution", "fft", "fluid", "framework", "functional", "geometric", "hapi",
        "hub", "imperative", "incubate", "inference", "io", "jit", "linalg", "metric", "nn", "onnx", "ops", "optimizer", "pir",
        "pir_utils", "profiler", "quantization", "random", "reader", "regularizer", "serialization", "signal", "sparse", "special",
        "static", "sysconfig", "tensor", "text", "utils", "version", "vision"],
    ".amp": ["autocast", "get_autocast_cpu_dtype", "get_autocast_dtype", "get_autocast_gpu_dtype", "is_autocast_enabled"],
    ".audio.windows": ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"],
    ".compat.proxy": [
        "disable_compat=disable_torch_proxy", "enable_compat=enable_torch_proxy", "use_compat_guard=use_torch_proxy_guard"],
    ".core.context": ["in_dynamic_mode"],
    ".core.place": ["XPUPinnedPlace"],
    ".core.random": ["Generator"],
    ".device": [
        "get_default_device=get_device", "set_default_device=set_device", "get_cudnn_version", "get_device",
        "is_compiled_with_cinn", "is_compiled_with_cuda", "is_compiled_with_custom_device", "is_compiled_with_distribute",
        "is_compiled_with_ipu", "is_compiled_with_mlu", "is_compiled_with_npu", "is_compiled_with_rocm", "is_compiled_with_xpu",
        "set_device"],
    ".distributed": ["DataParallel"],
    ".framework.io": ["load", "save"],
    ".framework.mapped": ["MmapStorage"],
    ".framework.random": ["manual_seed", "get_cuda_rng_state", "get_rng_state", "set_cuda_rng_state", "set_rng_state"],
    ".framework.signals": ["disable_signal_handler"],
    ".hapi.flops": ["flops"],
    ".hapi.model": ["Model"],
    ".hapi.summary": ["summary"],
    ".imperative": ["disable_imperative", "enable_imperative", "in_imperative_mode=enabled"],
    ".nn.functional": ["adaptive_avg_pool1d", "conv1d", "conv2d", "conv3d", "group_norm", "layer_norm", "softmax"],
    ".nn.lazy_init": ["LazyGuard"],
    ".nn.param_attr": ["ParamAttr"],
    ".reader": ["batch"],
    ".static": ["Executor", "default_main_program", "default_startup_program"],
    ".static.mode": ["disable_static", "enable_static"],
    ".utils.dlpack": ["from_dlpack", "to_dlpack"],
}, __name__)
_getattr, _dir = _late(__name__, _LAZY, alpha=True)


def _functions():
    """The public functions of ``paddle.tensor``, from the first call on names of this module too."""
    here = globals()
    if "Tensor" not in here and _complete():
        functions = importlib.import_module("paddle.tensor.public").FUNCTIONS
        here.update({name: value for name, value in functions.items() if name not in here})
    return here


def _public():
    """What ``from paddle import *`` takes: functions, classes and types; no modules, and nothing in the place of ``int``, ``float``
    and ``range``, which programs need and 2.x left alone."""
    here, module = _functions(), type(sys)
    names = {name for name, value in here.items() if not name.startswith("_") and not isinstance(value, module)}
    names |= {name for name, (_, attribute) in _LAZY.items() if attribute is not None}
    return sorted(names - {"int", "float", "range"})


def __dir__():
    _functions()
    return _dir()


def __getattr__(name):
    if name == "__version__":
        return _context.rules.version
    if name == "__git_commit__":
        from .version import commit
        return commit
    if name == "paddle":  # packages write paddle.paddle.zeros, where the original has itself
        return sys.modules["paddle"]
    if name == "__all__":
        return _public()
    if name not in _ALONE and not name.startswith("__"):
        here = _functions()
        if name in here:
            return here[name]
    return _getattr(name)
