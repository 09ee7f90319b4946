"""fluid.core: what programs of 1.x took from the C++ side: places, element types, LoDTensor."""

import collections.abc

import numpy as np

from .. import _legacy_C_ops as ops  # noqa: F401
from ..base import core as _of_later
from ..base.core import AttrType, get_op_attrs_default_value  # noqa: F401
from ..core import flags
from ..core.addresses import lookup as _lookup
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, Place  # noqa: F401
from ..core.rows import SelectedRows  # noqa: F401
from ..core.tensor import Tensor as _Eager
from ..io.generator_loader import EOFException  # noqa: F401
from ..static.lod_tensor import LoDTensor, LoDTensorArray  # noqa: F401
from ..static.lod_tensor import LoDTensor as Tensor  # noqa: F401
from ..static.op_desc import BlockDesc, OpDesc, ProgramDesc, get_grad_op_desc  # noqa: F401
from ..static.scope import Scope  # noqa: F401
from ..static.var_types import VarDesc  # noqa: F401
from ..utils.dlpack import from_dlpack as _read_capsule


def is_compiled_with_cuda():
    """False: this is a CPU build."""
    return False


def is_compiled_with_mkldnn():
    """False: kernels are our own."""
    return False


def grad_var_suffix():
    """What names of gradients end in."""
    return "@GRAD"


class _Flags(collections.abc.MutableMapping):
    """The flags as a mapping: reading and setting go to paddle.get_flags and set_flags."""

    def __getitem__(self, name):
        try:
            return flags.current(name)
        except KeyError:
            raise KeyError(f"globals(): unknown flag {name!r}") from None

    def __setitem__(self, name, value):
        flags.set_flags({name: value})

    def __delitem__(self, name):
        raise TypeError(f"globals(): flags can't be deleted, got {name!r}")

    def __iter__(self):
        return iter(flags.names())

    def __len__(self):
        return len(flags.names())


def globals():  # noqa: A001  (1.8's own name)
    """The flags by name (1.8; successor: paddle.get_flags, paddle.set_flags)."""
    return _Flags()


def _set_eager_deletion_mode(threshold, fraction, use_fast):
    """How soon C++ freed memory; here plans free every value at its last use, whatever is asked for."""


def from_dlpack(dltensor):
    """A LoDTensor over the memory that another library shares (1.x; successor: paddle.utils.dlpack.from_dlpack)."""
    return LoDTensor(_read_capsule(dltensor)._data)


def set_feed_variable(scope, tensor, name, index):
    """Put a LoDTensor at a place of the list that a program is fed from (1.x; successor: the feed of Executor.run)."""
    fed = scope.var(name).get_lod_tensor_array()
    while len(fed) <= index:
        fed.append(LoDTensor())
    fed[index] = tensor


def get_fetch_variable(scope, name, index):
    """The LoDTensor at a place of the list that a program fetches into (1.x; successor: what Executor.run returns)."""
    return scope.var(name).get_fetch_list()[index]


def _create_loaded_parameter(variables, scope, executor=None):
    """Give variables values of their shape and type in a scope, to be set afterwards."""
    for var in variables:
        if not scope.has(var.name):
            scope.set(var.name, np.zeros([max(n, 0) for n in var.shape], var.dtype.dtype))


def loaded_var_suffix():
    """What names of parameters of a loaded inference model end in."""
    return "@LOADED"


def get_cuda_device_count():
    """0: this is a CPU build."""
    return 0


# What C++ reported as EnforceNotMet are Python's own exceptions here: ``except core.EnforceNotMet`` catches them.
class _Kinds(tuple):
    """Exception classes that count as one: equal to each of them, and what ``except`` takes."""

    def __eq__(self, other):
        return issubclass(other, tuple(self)) if isinstance(other, type) else tuple.__eq__(self, other)

    __hash__ = tuple.__hash__


EnforceNotMet = _Kinds((ValueError, TypeError, RuntimeError, IndexError, KeyError))


class _Variables(type):
    """Of VarBase: instances are Tensors, and calling it makes one in the way of C++."""

    def __call__(cls, value=None, place=None, persistable=False, zero_copy=False, name=None):
        """A tensor of a value; ``zero_copy`` changes nothing that shows."""
        from .dygraph.base import to_variable  # made of the names of this module
        made = to_variable(np.zeros([0], "float32") if value is None else value, name)
        made.meta().persistable = bool(persistable)
        return made

    def __instancecheck__(cls, value):
        return isinstance(value, _Eager)

    def __subclasscheck__(cls, kind):
        return issubclass(kind, _Eager)


class VarBase(metaclass=_Variables):
    """A tensor of dynamic code, as C++ called it (1.x; successor: paddle.Tensor)."""


class Layer:
    """What C++ knew of a layer: its forward does nothing (1.x; successor: paddle.nn.Layer)."""

    def forward(self, inputs):
        """No results."""
        return []


_INFERENCE = ("AnalysisConfig", "AnalysisPredictor", "NativeConfig", "NativePaddlePredictor", "PaddleBuf", "PaddleDType",
              "PaddlePlace", "PaddlePredictor", "PaddleTensor", "ZeroCopyTensor", "create_paddle_predictor", "paddle_dtype_size",
              "paddle_tensor_to_bytes")
_elsewhere = _lookup(__name__)


def __getattr__(name):
    if name in _INFERENCE:  # the predictor of fluid, which few programs want
        from ..inference import older
        return getattr(older, name)
    if name in vars(_of_later) and not name.startswith("__"):  # from 2.0 to 2.4 this module had them
        return vars(_of_later)[name]
    return _elsewhere(name)
