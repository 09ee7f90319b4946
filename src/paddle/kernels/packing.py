"""Weights in the order in which kernels read them, kept between eager calls that record no gradients.

A weight that was used ``PACKED_USES`` times, with no recorded call between, is packed. Its array is read-only from then on, so that
whoever wants to change the weight moves it to other memory first (core/storage.py), as with all that is saved; what was packed
goes when the array does.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import flags
from ..core.context import context, process
from ..core.references import references
from . import thresholds

_enabled = flags.define("FLAGS_keep_packed_weights", True, "keep weights packed between calls that record no gradients")


class _Use:
    """How often an array was used, and what it was packed to."""

    __slots__ = ("array", "count", "ready")

    def __init__(self, array: np.ndarray) -> None:
        key = id(array)
        self.array = weakref.ref(array, lambda _: _forget(key))
        self.count, self.ready = 1, {}  # type: int, dict[Any, np.ndarray]


_known: dict[int, _Use] = {}
_held = 0  # bytes of all that is packed


def _forget(key: int) -> None:
    global _held
    _held -= sum(ready.nbytes for ready in _known.pop(key).ready.values())


def exported(tensor: Any) -> np.ndarray:
    """The array of a Tensor, for somebody who may write into its memory at any time: it is never packed."""
    given = array = tensor._data if tensor._data.flags.writeable else tensor.writable()
    while array.__class__ is np.ndarray:
        _known.setdefault(id(array), _Use(array)).count = -(1 << 62)
        array = array.base
    return given


def _only_way(array: np.ndarray) -> bool:
    """Is its memory reached through the array alone? Views that are made of it later are read-only as it is."""
    while array.base is not None:
        if array.base.__class__ is not np.ndarray or references(getattr, array, "base") > 1:
            return False
        array = array.base
    return True


def _found(array: np.ndarray, least: int) -> _Use | None:
    """The record of an array that was used often enough, and is worth it; None for others."""
    if array.__class__ is not np.ndarray or array.size < least:
        return None
    use = _known.get(id(array))
    if context.grad or not _enabled.value:
        if use is not None and not use.ready:
            use.count = min(use.count, 0)
        return None
    if use is None:
        if array.dtype.char in "fd" and _only_way(array):
            _known[id(array)] = _Use(array)
        return None
    use.count += 1
    return use if use.count >= thresholds.PACKED_USES else None


def _ready(use: _Use, array: np.ndarray, key: Any, prepare: Callable[..., np.ndarray], *args: Any) -> np.ndarray | None:
    global _held
    ready = use.ready.get(key)
    if ready is None:
        if _held + array.nbytes > thresholds.PACKED_BYTES:
            return None
        ready = prepare(*args)
        array.flags.writeable = False
        use.ready[key] = ready
        _held += ready.nbytes
    return ready


def matrix(a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """What ``gemm_ready`` takes of the right operand of a product, or None if it isn't packed."""
    use = _found(b, thresholds.PACKED_MATRIX)
    if use is None or a.__class__ is not np.ndarray or a.size <= thresholds.PACKED_ROWS * a.shape[-1]:
        return None
    return _ready(use, b, "gemm", process.native.gemm_prepare, b)


def filters(x: np.ndarray, w: np.ndarray, *geometry: Any) -> np.ndarray | None:
    """What ``conv2d`` takes of the weights of a convolution, or None if they aren't packed."""
    use = _found(w, thresholds.PACKED_FILTERS)
    kind = process.native.conv2d_kind(x, w, *geometry) if use is not None and x.__class__ is np.ndarray else 0
    return _ready(use, w, kind, process.native.conv2d_prepare, x, w, *geometry, kind) if use is not None and kind else None
