"""fluid.core: what programs of 1.x took from the C++ side: places, element types, LoDTensor."""

from ..core.dtype import ALL
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, Place  # noqa: F401
from ..core.tensor import Tensor as VarBase  # noqa: F401
from ..io.generator_loader import EOFException  # noqa: F401
from ..static.lod_tensor import LoDTensor, LoDTensorArray  # noqa: F401
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


# What C++ reported as EnforceNotMet are Python's own exceptions here: ``except core.EnforceNotMet`` catches them.
EnforceNotMet = (ValueError, TypeError, RuntimeError, IndexError, KeyError)


def var_type(dtype):
    """The VarType of an element type."""
    return next(v for v in vars(VarDesc.VarType).values() if getattr(v, "paddle_dtype", None) is dtype)


class VarDesc:
    """Holder of VarType."""

    class VarType:
        """Types by their names in files."""


for _name, _key in (("BOOL", "bool"), ("INT16", "int16"), ("INT32", "int32"), ("INT64", "int64"), ("FP16", "float16"),
                    ("FP32", "float32"), ("FP64", "float64"), ("UINT8", "uint8"), ("INT8", "int8"), ("BF16", "bfloat16"),
                    ("COMPLEX64", "complex64"), ("COMPLEX128", "complex128")):
    setattr(VarDesc.VarType, _name, _VarType(_name, ALL[_key].code, ALL[_key]))
for _name, _code in (("LOD_TENSOR", 7), ("SELECTED_ROWS", 8), ("FEED_MINIBATCH", 9), ("FETCH_LIST", 10), ("STEP_SCOPES", 11),
                     ("LOD_TENSOR_ARRAY", 13), ("READER", 15), ("RAW", 17), ("STRING", 25), ("STRINGS", 26), ("VOCAB", 27)):
    setattr(VarDesc.VarType, _name, _VarType(_name, _code))


_INFERENCE = ("AnalysisConfig", "AnalysisPredictor", "NativeConfig", "NativePaddlePredictor", "PaddleBuf", "PaddleDType",
              "PaddlePlace", "PaddlePredictor", "PaddleTensor", "ZeroCopyTensor", "create_paddle_predictor", "paddle_dtype_size",
              "paddle_tensor_to_bytes")


def __getattr__(name):
    if name in _INFERENCE:  # the predictor of fluid, which few programs want
        from ..inference import older
        return getattr(older, name)
    if name == "Layer":  # the base of layers was here in 1.4
        from .dygraph.layers import Layer
        return Layer
    from ..core.errors import suggest
    raise AttributeError(f"module 'paddle.fluid.core' has no attribute {name!r}{suggest(name, [*globals(), *_INFERENCE, 'Layer'])}")
