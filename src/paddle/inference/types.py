"""Enumerations and versions of Paddle Inference's interface."""

import enum

from ..core import dtype as dtypes
from ..core.context import context


class DataType(enum.Enum):
    """Element types of a predictor's tensors."""

    FLOAT64 = "float64"
    FLOAT32 = "float32"
    FLOAT16 = "float16"
    INT64 = "int64"
    INT32 = "int32"
    UINT8 = "uint8"
    INT8 = "int8"
    BOOL = "bool"


class PlaceType(enum.Enum):
    """Where a predictor's tensors are."""

    UNK = -1
    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM = 3


class PrecisionType(enum.Enum):
    """Precisions a predictor can be asked for; Float32 is what there is."""

    Float32 = 0
    Int8 = 1
    Half = 2
    Bfloat16 = 3


def get_version():
    """Text of the version.

    >>> paddle.inference.get_version().startswith('version: ')
    True
    """
    return f"version: {context.rules.version}\n"


def get_num_bytes_of_data_type(dtype):
    """Bytes of one element.

    >>> from paddle import inference
    >>> inference.get_num_bytes_of_data_type(inference.DataType.INT64)
    8
    """
    return dtypes.convert(dtype.value if isinstance(dtype, DataType) else dtype).itemsize


def get_trt_compile_version():
    """(0, 0, 0): there is no TensorRT here."""
    return (0, 0, 0)


def get_trt_runtime_version():
    """(0, 0, 0): there is no TensorRT here."""
    return (0, 0, 0)


def convert_to_mixed_precision(*args, **kwargs):
    """Not supported: 16-bit arithmetic is slower than 32-bit on the CPUs this runs on."""
    raise NotImplementedError("convert_to_mixed_precision(): models run in float32 here; 16-bit copies are not supported")


def _get_phi_kernel_name(op_name):
    """The name itself: operators have one name here."""
    return op_name
