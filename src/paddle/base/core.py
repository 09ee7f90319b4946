"""paddle.base.core: what 2.5 and 2.6 took from the C++ side; element types and LoDTensor are those of fluid.core."""

import enum
from collections.abc import MutableMapping
from types import SimpleNamespace

import numpy as np

from ..core import flags
from ..core.context import process
from ..core.dtype import DType as DataType  # noqa: F401
from ..core.dtype import convert
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, CustomPlace, XPUPlace  # noqa: F401
from ..core.random import Generator  # noqa: F401
from ..core.tensor import Tensor as _Eager
from ..core.tensor import wrap
from ..serialization.program_desc import AttrType  # noqa: F401
from ..sparse import creation
from ..static import primitive
from ..static.graph import Graph  # noqa: F401
from ..static.graph import IrNode as Node  # noqa: F401
from ..static.lod_tensor import LoDTensor  # noqa: F401
from ..static.lod_tensor import LoDTensor as Tensor  # noqa: F401  (C++ has one class under both names)
from ..static.op_desc import BlockDesc, OpDesc, ProgramDesc, get_grad_op_desc  # noqa: F401
from ..static.scope import Scope  # noqa: F401
from ..static.var_types import VarDesc  # noqa: F401
from .operators import Operator, op_proto_and_checker_maker  # noqa: F401
from .protos import (  # noqa: F401
    _get_all_register_op_kernels,
    get_all_op_protos,
    get_attrtibute_type,
    get_op_attrs_default_value,
    get_op_extra_attrs,
    has_grad_op_maker,
    has_infer_inplace,
    op_support_gpu,
)
from .scalars import Scalar  # noqa: F401


def _add_backward_final_hook(hook):
    """Call ``hook()`` at the end of the next backward pass."""
    def once():
        process.end_watchers.remove(once)
        hook()

    process.end_watchers.append(once)


def _sparse_coo_tensor(indices, values, shape, stop_gradient):
    """``paddle.sparse.sparse_coo_tensor`` of values that may be in any form of as many elements."""
    whole = values.reshape([values.shape[0], *shape[indices.shape[0]:]])
    return creation.sparse_coo_tensor(indices, whole, shape, stop_gradient=stop_gradient)


def _sparse_csr_tensor(crows, cols, values, shape, stop_gradient):
    """``paddle.sparse.sparse_csr_tensor``."""
    return creation.sparse_csr_tensor(crows, cols, values, shape, stop_gradient=stop_gradient)


eager = SimpleNamespace(Tensor=_Eager, _add_backward_final_hook=_add_backward_final_hook, sparse_coo_tensor=_sparse_coo_tensor,
                        sparse_csr_tensor=_sparse_csr_tensor)


class DeviceType(enum.IntEnum):
    """Kinds of devices, by their numbers in C++."""

    CPU, CUDA, XPU, CUSTOM_DEVICE = 0, 1, 2, 3


def get_xpu_device_count():
    """0: this is a CPU build."""
    return 0


def cudnn_version():
    """-1: there is no cuDNN."""
    return -1



def device_memory_stat_current_value(stat_type, dev_id):
    """Bytes in use on a GPU: none."""
    return 0


def device_memory_stat_peak_value(stat_type, dev_id):
    """The most bytes that were in use on a GPU: none."""
    return 0


def get_custom_device_count(device_type):
    """There are no devices by plugins: RuntimeError, as on Paddle's CPU build."""
    raise RuntimeError(f"get_custom_device_count(): {device_type!r} is no device here; only the CPU is")


def default_cuda_generator(device_id):
    """There is no GPU: RuntimeError, as on Paddle's CPU build."""
    raise RuntimeError(f"default_cuda_generator(): there is no GPU {device_id}; the CPU's generator is paddle.framework.core."
                       "default_cpu_generator()")


def default_xpu_generator(device_id):
    """There is no XPU: RuntimeError, as on Paddle's CPU build."""
    raise RuntimeError(f"default_xpu_generator(): there is no XPU {device_id}; the CPU's generator is paddle.framework.core."
                       "default_cpu_generator()")


def default_custom_device_generator(place):
    """There are no devices by plugins: RuntimeError, as on Paddle's CPU build."""
    raise RuntimeError(f"default_custom_device_generator(): {place} is no device here; only the CPU is")


class AmpLevel(enum.IntEnum):
    """How much of mixed precision is on."""

    OD, O0, O1, O2, O3 = range(-1, 4)


def size_of_dtype(dtype):
    """Bytes of an element."""
    return convert(dtype, "size_of_dtype").dtype.itemsize


class _Globals(MutableMapping):
    """All flags by name."""

    def __getitem__(self, name):
        return flags.get_flags(name)[name]

    def __setitem__(self, name, value):
        flags.set_flags({name: value})

    def __delitem__(self, name):
        raise TypeError("flags can't be deleted")

    def __iter__(self):
        return iter(flags.names())

    def __len__(self):
        return len(flags.names())

    def is_public(self, name):
        """May programs set this flag?"""
        return name in self


def globals():
    """The flags as a dict."""
    return _Globals()


def get_low_precision_op_list():
    """{operator: "float16,bfloat16,float32,other"}: calls that ``paddle.amp.debugging`` has counted."""
    from ..amp.debugging import operator_counts  # a room above this one
    return operator_counts()


def frombuffer(buffer, dtype, count=-1, offset=0):
    """A tensor with a copy of the numbers in a buffer of bytes.

    Args:
        buffer: bytes, or what shares its memory as bytes.
        dtype: element type.
        count: how many numbers, -1 for all that follow.
        offset: byte of the first.
    """
    kind = convert(dtype, "frombuffer").dtype
    return wrap(np.frombuffer(buffer, kind, count, offset).copy())


def is_compiled_with_cuda():
    """False: this is a CPU build."""
    return False


is_compiled_with_rocm = is_compiled_with_xpu = is_compiled_with_cinn = is_compiled_with_ipu = is_compiled_with_cuda
is_compiled_with_nccl = is_compiled_with_mpi = is_compiled_with_brpc = is_compiled_with_ngraph = is_compiled_with_cuda


def is_compiled_with_dist():
    """True: ranks work together through MPI."""
    return True


def supports_bfloat16():
    """True: operators take bfloat16 and compute in float32."""
    return True


supports_int8 = supports_vnni = supports_bfloat16_fast_performance = is_compiled_with_cuda


def is_float16_supported(place):
    """Does a place compute in float16 by itself? The CPU does not."""
    return False


def is_bfloat16_supported(place):
    """Can a place compute in bfloat16? The CPU can, through float32."""
    return True


def _set_prim_forward_enabled(value):
    """Shall translated programs have composite operators as their parts?"""
    primitive.forward.value = bool(value)


def _set_prim_backward_enabled(value):
    """Shall gradients of programs be written as the operators that rules are made of?"""
    primitive.backward.value = bool(value)


def _set_prim_all_enabled(value):
    """Both of them."""
    primitive.forward.value = primitive.backward.value = bool(value)


def set_prim_eager_enabled(value):
    """Noted: the gradients of dynamic code are made of operators in any case."""
    primitive.eager.value = bool(value)


def _clear_prim_vjp_skip_default_ops():
    """Empties 3.x's list of operators whose gradients stay whole under ``_set_prim_backward_enabled``: there is none here."""


def _is_fwd_prim_enabled():
    """What ``_set_prim_forward_enabled`` was told."""
    return primitive.forward.value


def _is_bwd_prim_enabled():
    """What ``_set_prim_backward_enabled`` was told."""
    return primitive.backward.value


def _is_eager_prim_enabled():
    """What ``set_prim_eager_enabled`` was told."""
    return primitive.eager.value


def _is_all_prim_enabled():
    """Are both directions on?"""
    return primitive.forward.value and primitive.backward.value


def enable_layout_autotune():
    """Noted by GPUs only, as in Paddle: the kernels of a CPU have one layout."""


def disable_layout_autotune():
    """Leaves layouts as they are."""


def use_layout_autotune():
    """Are layouts tuned? Not on a CPU."""
    return False


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'paddle.base.core' has no attribute {name!r}")
    if name == "default_cpu_generator":  # the one that paddle.seed seeds
        return process.generator
    from ..fluid import core
    return getattr(core, name)
