"""What is global: saving and loading, random state, default dtype, places, flags."""

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
from ..core.autograd import no_grad
from ..core.backward import grad
from ..core.dtype import get_default_dtype, set_default_dtype
from ..core.flags import get_flags, set_flags
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, XPUPlace
from ..core.random import seed
from ..core.tensor import Parameter

__getattr__, __dir__ = _late(__name__, _names_of({
    ".": ["io", "random", "recall_error"],
    ".async_io": ["async_save", "clear_async_save_task_queue"],
    ".io": ["load", "save"],
    ".random": ["get_cuda_rng_state", "get_rng_state", "set_cuda_rng_state", "set_rng_state"],
    # of rooms above
    "paddle.nn.param_attr": ["ParamAttr"], "paddle.base.framework": ["dygraph_only", "_no_check_dy2st_diff"]}, __name__))
