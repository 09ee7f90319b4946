"""fluid.core: what programs of 1.x took from the C++ side: places, element types, LoDTensor."""

import numpy as np

from ..core.dtype import ALL
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, Place  # noqa: F401
from ..core.tensor import Tensor as VarBase  # noqa: F401
from ..static.scope import Scope  # noqa: F401


def is_compiled_with_cuda():
    """False: this is a CPU build."""
    return False


def is_compiled_with_mkldnn():
    """False: kernels are our own."""
    return False


def grad_var_suffix():
    """What names of gradients end in."""
    return "@GRAD"


def get_cuda_device_count():
    """0: this is a CPU build."""
    return 0


class _VarType:
    """An element or variable type as files number them; ``VarDesc.VarType.FP32`` and friends."""

    def __init__(self, name, value, dtype=None):
        self.name, self.value, self.paddle_dtype = name, value, dtype

    def __repr__(self):
        return f"VarType.{self.name}"

    def __int__(self):
        return self.value

    def __eq__(self, other):
        if isinstance(other, _VarType):
            return self.value == other.value
        return self.paddle_dtype is not None and self.paddle_dtype == other

    def __hash__(self):
        return hash(self.value)


class VarDesc:
    """Holder of VarType."""

    class VarType:
        """Types by their names in files."""


for _name, _key in (("BOOL", "bool"), ("INT16", "int16"), ("INT32", "int32"), ("INT64", "int64"), ("FP16", "float16"),
                    ("FP32", "float32"), ("FP64", "float64"), ("UINT8", "uint8"), ("INT8", "int8"), ("BF16", "bfloat16"),
                    ("COMPLEX64", "complex64"), ("COMPLEX128", "complex128")):
    setattr(VarDesc.VarType, _name, _VarType(_name, ALL[_key].code, ALL[_key]))
for _name, _code in (("LOD_TENSOR", 7), ("SELECTED_ROWS", 8), ("FEED_MINIBATCH", 9), ("FETCH_LIST", 10), ("STEP_SCOPES", 11),
                     ("LOD_TENSOR_ARRAY", 13), ("READER", 15), ("RAW", 17)):
    setattr(VarDesc.VarType, _name, _VarType(_name, _code))


class LoDTensor:
    """An array with sequence lengths, as feeds of 1.x carry them."""

    def __init__(self, array=None, lengths=None):
        self._array, self._lengths = None if array is None else np.asarray(array), list(lengths or [])

    def set(self, array, place=None):
        """Store an array."""
        self._array = np.array(array)

    def shape(self):
        """Sizes of the array."""
        return [] if self._array is None else list(self._array.shape)

    def recursive_sequence_lengths(self):
        """Lengths of the sequences, level by level."""
        return self._lengths

    def set_recursive_sequence_lengths(self, lengths):
        """Set the lengths of the sequences; they must add up to the rows."""
        if lengths and self._array is not None and sum(lengths[-1]) != self._array.shape[0]:
            raise ValueError(f"set_recursive_sequence_lengths(): lengths {lengths[-1]} add up to {sum(lengths[-1])}, "
                             f"the tensor has {self._array.shape[0]} rows")
        self._lengths = [list(level) for level in lengths]

    def lod(self):
        """Offsets of the sequences, level by level."""
        return [[0, *np.cumsum(level).tolist()] for level in self._lengths]

    def set_lod(self, lod):
        """Set the offsets of the sequences."""
        self._lengths = [np.diff(level).tolist() for level in lod]

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._array, dtype)


LoDTensorArray = list


def __getattr__(name):
    if name == "Layer":  # the base of layers was here in 1.4
        from .dygraph.layers import Layer
        return Layer
    from ..core.errors import suggest
    raise AttributeError(f"module 'paddle.fluid.core' has no attribute {name!r}{suggest(name, [*globals(), 'Layer'])}")
