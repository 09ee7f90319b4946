"""What is global: saving and loading, random state, default dtype, places, flags."""

from importlib import import_module as _import_module

from ..core.addresses import find as _find_address
from ..core.autograd import no_grad
from ..core.backward import grad
from ..core.dtype import get_default_dtype, set_default_dtype
from ..core.flags import get_flags, set_flags
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, XPUPlace
from ..core.tensor import Parameter
from . import io, random, recall_error
from .async_io import async_save, clear_async_save_task_queue
from .io import load, save
from .random import get_cuda_rng_state, get_rng_state, seed, set_cuda_rng_state, set_rng_state

_ABOVE = {"ParamAttr": "paddle.nn.param_attr", "dygraph_only": "paddle.base.framework",
          "_no_check_dy2st_diff": "paddle.base.framework"}


def __getattr__(name):
    if name in _ABOVE:  # of rooms above, so not imported with this one
        return getattr(_import_module(_ABOVE[name]), name)
    return _find_address(__name__, name, [*globals(), *_ABOVE])
