"""Tensors shared with other libraries through DLPack, without copying."""

import numpy as np

from ..core import place as places
from ..core.context import context
from ..core.rooms import rooms
from ..core.tensor import Tensor, wrap
from ..kernels import packing

__all__ = ["from_dlpack", "to_dlpack"]


class _Shared:
    """What `to_dlpack` hands out: NumPy's own exporter, so any library that reads DLPack can take it."""

    def __init__(self, array: np.ndarray):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def to_dlpack(x: Tensor) -> _Shared:
    """An object through which another library shares the memory of `x`: torch.from_dlpack(to_dlpack(x))."""
    if isinstance(x, rooms.lod_tensor):
        return x._to_dlpack()
    if not isinstance(x, Tensor):
        raise TypeError(f"to_dlpack(): x must be a Tensor, got {type(x).__name__}")
    return _Shared(packing.exported(x))


class _Given:
    """A capsule as an exporter that gives it out."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **options):
        return self._capsule

    def __dlpack_device__(self):
        return 1, 0  # memory of the CPU


def from_dlpack(dlpack, *, device=None, copy=None) -> Tensor:
    """A Tensor that shares the memory of another library's array: anything with `__dlpack__`, or its capsule, on the CPU.

    >>> array = np.arange(3.0)
    >>> shared = paddle.utils.dlpack.from_dlpack(array)
    >>> array[0] = 7
    >>> shared.tolist()
    [7.0, 1.0, 2.0]
    """
    if type(dlpack).__name__ == "PyCapsule":
        dlpack = _Given(dlpack)
    if not hasattr(dlpack, "__dlpack__"):
        raise TypeError(f"from_dlpack(): dlpack must be a capsule or have __dlpack__, got {type(dlpack).__name__}")
    if device is not None:
        places.convert(device, "from_dlpack")
    array = np.from_dlpack(dlpack)
    array = np.array(array) if copy else array
    return rooms.lod_tensor(array) if context.static_mode else wrap(array)
