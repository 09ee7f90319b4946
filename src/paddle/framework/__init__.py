"""What is global: saving and loading, random state, default dtype, places, flags."""

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
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

__getattr__, __dir__ = _late(__name__, _names_of({  # of rooms above, so not imported with this one
    "paddle.nn.param_attr": ["ParamAttr"], "paddle.base.framework": ["dygraph_only", "_no_check_dy2st_diff"]}))
