"""Written by scripts/stubs.py; change the functions, not this file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import DType
from paddle.core.tensor import Tensor as Tensor
from paddle.core.place import CPUPlace as CPUPlace
from paddle.core.place import CUDAPinnedPlace as CUDAPinnedPlace
from paddle.core.place import CUDAPlace as CUDAPlace
from paddle.core.tensor import Parameter as Parameter
from paddle.core.place import XPUPlace as XPUPlace
from . import async_io as async_io
from paddle.framework.async_io import async_save as async_save
from paddle.framework.async_io import clear_async_save_task_queue as clear_async_save_task_queue
from paddle.framework.random import get_cuda_rng_state as get_cuda_rng_state
from paddle.core.dtype import get_default_dtype as get_default_dtype
from paddle.core.flags import get_flags as get_flags
from paddle.framework.random import get_rng_state as get_rng_state
from paddle.core.backward import grad as grad
from . import inference_files as inference_files
from . import io as io
from paddle.framework.io import load as load
from . import loaded as loaded
from . import mapped as mapped
from paddle.core.autograd import no_grad as no_grad
from . import random as random
from paddle.framework.io import save as save
from paddle.core.random import seed as seed
from paddle.framework.random import set_cuda_rng_state as set_cuda_rng_state
from paddle.core.dtype import set_default_dtype as set_default_dtype
from paddle.core.flags import set_flags as set_flags
from paddle.framework.random import set_rng_state as set_rng_state
from . import signals as signals

TensorLike = Tensor | np.ndarray[Any, Any] | np.generic | complex | Sequence[Any]
DTypeLike = str | DType | np.dtype[Any] | type
IntsLike = int | Sequence[int | Tensor] | Tensor


