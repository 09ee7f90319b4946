"""Limits of data types, and the check of shape arguments."""

import numpy as np

from ..core import dtype as dtypes
from ..core.errors import describe, own_errors
from ..core.op import Symbolic
from ..core.tensor import Tensor

__all__ = ["iinfo", "finfo", "check_shape"]


class iinfo:
    """Limits of an integer type: ``min``, ``max``, ``bits``, ``dtype``.

    >>> paddle.iinfo('int8').max
    127
    """

    __slots__ = ("min", "max", "bits", "dtype")

    def __init__(self, dtype):
        kind = dtypes.convert(dtype, "iinfo")
        if not kind.is_integer:
            raise ValueError(f"iinfo(): dtype must be an integer type, got {kind.name}")
        limits = np.iinfo(kind.dtype)
        self.min, self.max, self.bits, self.dtype = int(limits.min), int(limits.max), limits.bits, kind.name

    def __repr__(self):
        return f"paddle.iinfo(min={self.min}, max={self.max}, bits={self.bits}, dtype={self.dtype})"


_HALF = {"eps": 2.0 ** -7, "max": 2.0 ** 128 * (1 - 2.0 ** -8), "tiny": 2.0 ** -126, "resolution": 0.01}  # bfloat16


class finfo:
    """Limits of a floating (or complex) type: ``min``, ``max``, ``eps``, ``tiny``, ``resolution``, ``bits``, ``dtype``.

    Args:
        dtype (str or dtype): a floating or complex type, of which the parts' limits are told.
    Raises:
        ValueError: the type is an integer one (``paddle.iinfo`` tells its limits).

    >>> paddle.finfo('float32').eps
    1.1920928955078125e-07
    """

    __slots__ = ("min", "max", "eps", "resolution", "smallest_normal", "tiny", "bits", "dtype")

    def __init__(self, dtype):
        kind = dtypes.convert(dtype, "finfo")
        if not kind.is_floating and not kind.is_complex:
            raise ValueError(f"finfo(): dtype must be a floating or complex type, got {kind.name}")
        self.dtype = {"complex64": "float32", "complex128": "float64"}.get(kind.name, kind.name)  # of the parts
        if kind.name == "bfloat16":
            self.eps, self.max, self.tiny, self.resolution = _HALF["eps"], _HALF["max"], _HALF["tiny"], _HALF["resolution"]
            self.min, self.smallest_normal, self.bits = -self.max, self.tiny, 16
            return
        limits = np.finfo(kind.dtype)
        self.min, self.max, self.eps, self.tiny = (float(v) for v in (limits.min, limits.max, limits.eps, limits.tiny))
        self.resolution, self.smallest_normal, self.bits = 10.0 ** -limits.precision, self.tiny, limits.bits

    def __repr__(self):
        numbers = ", ".join(f"{n}={getattr(self, n):g}" for n in ("min", "max", "eps", "resolution", "smallest_normal", "tiny"))
        return f"paddle.finfo({numbers}, bits={self.bits}, dtype={self.dtype})"


@own_errors
def check_shape(shape, op_name, expected_shape_type=(list, tuple, Tensor, Symbolic),
                expected_element_type=(int, Tensor, Symbolic), expected_tensor_dtype=("int32", "int64")):
    """Raise TypeError unless a shape argument is of an expected type and holds expected items.

    Args:
        shape: what to look at.
        op_name: who asks, for the error.
        expected_shape_type: types that a shape may have.
        expected_element_type: types that an item of a list may have.
        expected_tensor_dtype: names of data types that a Tensor may have.

    >>> paddle.check_shape([2, 3], 'reshape')
    """
    if not isinstance(shape, expected_shape_type):
        raise TypeError(f"{op_name}(): shape must be a list, tuple or Tensor, got {describe(shape)}")
    items = [shape] if isinstance(shape, (Tensor, Symbolic)) else shape
    for item in items:
        if isinstance(item, (Tensor, Symbolic)):
            if item.dtype.name not in expected_tensor_dtype:
                wanted = " or ".join(expected_tensor_dtype)
                raise TypeError(f"{op_name}(): a shape tensor must be {wanted}, got {describe(item)}")
        elif not isinstance(item, expected_element_type) or isinstance(item, bool):
            raise TypeError(f"{op_name}(): shape must hold ints or Tensors, got {describe(item)}")
