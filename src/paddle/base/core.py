"""paddle.base.core: what 2.5 and 2.6 took from the C++ side; element types and LoDTensor are those of fluid.core."""

from types import SimpleNamespace

from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, XPUPlace  # noqa: F401
from ..core.tensor import Tensor
from ..static.scope import Scope  # noqa: F401

eager = SimpleNamespace(Tensor=Tensor)


def is_compiled_with_cuda():
    """False: this is a CPU build."""
    return False


is_compiled_with_rocm = is_compiled_with_xpu = is_compiled_with_cuda


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'paddle.base.core' has no attribute {name!r}")
    from ..fluid import core
    return getattr(core, name)
