"""Places: where a tensor lives. There is one real place, the CPU; others can be named by programs written for a GPU."""

from __future__ import annotations

import warnings
from typing import Any

from . import flags
from .context import context
from .errors import describe

flags.define("FLAGS_strict_device", False, "raise instead of using the CPU when a program asks for an absent device")
_warned = False


class Place:
    """Base of all places; two places are equal when they name the same device."""

    kind, device_id = "cpu", 0

    def __repr__(self) -> str:
        return "CPUPlace" if context.rules.plain_places else "Place(cpu)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and (self.kind, self.device_id) == (other.kind, other.device_id)

    def __hash__(self) -> int:
        return hash((self.kind, self.device_id))

    def _equals(self, other: object) -> bool:
        return self == other

    def _type(self) -> int:
        """A number for the kind of place, to be compared with that of another."""
        return ("cpu", "gpu", "gpu_pinned", "xpu").index(self.kind) + 1 if self.kind in ("cpu", "gpu", "gpu_pinned", "xpu") else 0

    def set_place(self, other: Place) -> None:
        """Let it name the device of another place."""
        self.kind, self.device_id = other.kind, other.device_id

    def is_cpu_place(self) -> bool:
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        return self.kind == "gpu"

    def is_cuda_pinned_place(self) -> bool:
        return self.kind == "gpu_pinned"

    def is_xpu_place(self) -> bool:
        return self.kind == "xpu"

    def is_custom_place(self) -> bool:
        return False


class CPUPlace(Place):
    """The CPU.

    >>> paddle.CPUPlace()
    Place(cpu)
    """


class _AbsentPlace(Place):
    def __init__(self, device_id: int = 0) -> None:
        global _warned
        if not hasattr(device_id, "__index__"):
            raise TypeError(f"{type(self).__name__}(): device_id must be an int, got {describe(device_id)}")
        self.device_id = int(device_id)
        message = f"{type(self).__name__}({self.device_id}): no such device in this CPU build"
        if flags.value("FLAGS_strict_device"):
            raise RuntimeError(message + " (FLAGS_strict_device is set)")
        if not _warned:
            _warned = True
            warnings.warn(message + "; the CPU is used instead", stacklevel=3)

    def __repr__(self) -> str:
        return f"Place({self.kind}:{self.device_id})"


class CUDAPlace(_AbsentPlace):
    """A GPU by number. Without CUDA it warns once and means the CPU, or raises when FLAGS_strict_device is set.

    Args:
        device_id (int): the number.
    Raises:
        TypeError: ``device_id`` is not an int.
        RuntimeError: FLAGS_strict_device is set.

    >>> issubclass(paddle.CUDAPlace, paddle.core.place.Place)
    True
    """

    kind = "gpu"


class XPUPlace(_AbsentPlace):
    """A Kunlun accelerator by number; absent here, so it means the CPU (see CUDAPlace)."""

    kind = "xpu"


class CustomPlace(_AbsentPlace):
    """A device of a plugin by its type and number; absent here, so it means the CPU (see CUDAPlace)."""

    def __init__(self, device_type: str, device_id: int = 0) -> None:
        self.kind = str(device_type)
        super().__init__(device_id)

    def get_device_type(self) -> str:
        """The type of the device."""
        return self.kind

    def is_custom_place(self) -> bool:
        return True


class CUDAPinnedPlace(Place):
    """Page-locked host memory; plain host memory here.

    >>> paddle.CUDAPinnedPlace()
    Place(gpu_pinned)
    """

    kind = "gpu_pinned"

    def __repr__(self) -> str:
        return "Place(gpu_pinned)"


class XPUPinnedPlace(Place):
    """Page-locked host memory for an XPU: refused, as in Paddle's CPU build."""

    kind = "xpu_pinned"

    def __init__(self) -> None:
        raise RuntimeError("XPUPinnedPlace(): there is no XPU, this is a CPU build")


CPU = CPUPlace()
_PLUGINS = ("ipu", "npu", "mlu", "gcu", "intel_gpu", "iluvatar_gpu", "metax_gpu")  # devices that Paddle has or had by plugins
_NAMES = ("cpu", "gpu", "cuda", "xpu", "gpu_pinned", "cuda_pinned", *_PLUGINS)


def is_name(text: str) -> bool:
    """Does a text name a device, as 'cpu' and 'gpu:0' do?"""
    kind, colon, number = text.lower().partition(":")
    return kind in _NAMES and (number.isdigit() or not colon)


def convert(place: Any, function: str = "place") -> Place:
    """The Place a user's argument means: a Place, None, 'cpu', 'gpu:0', …"""
    if place is None:
        return CPU
    if isinstance(place, Place):
        return place
    if isinstance(place, str) and is_name(place):
        kind, _, number = place.lower().partition(":")
        if kind == "cpu":
            return CPU
        if kind in ("gpu", "cuda"):
            return CUDAPlace(int(number or 0))
        if kind == "xpu":
            return XPUPlace(int(number or 0))
        return CUDAPinnedPlace() if kind.endswith("_pinned") else CustomPlace(kind, int(number or 0))
    raise ValueError(f"{function}(): place must be a Place or 'cpu', 'gpu', 'gpu:N', got {place!r}")
