"""Memory shared by several tensors: views of one another, and the results of ``detach``.

Each of them has its own array object over the memory. A write into one is visible in all of them, and counted once for all.
Others may refer to the memory too: values saved by the tape, the gradient of another leaf, a result that is identical to
its operand. They never see a write: before it, the tensors move to new memory.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .context import context
from .references import owner_of, references
from .rooms import rooms

if TYPE_CHECKING:
    from .tensor import Tensor

_ALIGNMENT = 64  # bytes: what kernels find in memory that NumPy allocated they find in moved memory too


def window(array: np.ndarray, shape: tuple[int, ...], strides: list[int], offset: int = 0) -> np.ndarray:
    """A view of an array's memory from ``offset`` bytes behind its first element on; the caller has checked that it lies within."""
    owner = owner_of(array)
    order = sorted(range(owner.ndim), key=lambda axis: -owner.strides[axis])
    row = owner.transpose(order).reshape(-1).view(np.uint8)
    if not np.may_share_memory(row, owner):
        return np.empty(shape, array.dtype) if not row.size else window(_dense(array), shape, strides, offset)
    return np.ndarray(shape, array.dtype, row, address(array) - address(row) + offset, strides)


def _dense(array: np.ndarray) -> np.ndarray:
    """A copy, of an array in memory with gaps, that has the same strides in memory without."""
    low, high = bounds(array)
    row = np.empty(high - low, np.uint8)
    copy = np.ndarray(array.shape, array.dtype, row, address(array) - low, array.strides)
    copy[...] = array
    return copy


def address(array: np.ndarray) -> int:
    """Where the first element of an array is."""
    return array.__array_interface__["data"][0]


def others(tensor: Tensor) -> list[Tensor]:
    """The other tensors that share the memory."""
    return [] if not tensor._aliased else [t for t in engine.members(tensor) if t is not tensor]


def writable(tensor: Tensor) -> np.ndarray:
    """The array of a tensor that is not the sole holder of its memory, to be written into for all that share it and nobody else."""
    if not tensor._aliased:
        if tensor._storage is None or not _exclusive([tensor]):
            tensor._data = np.array(tensor._data, order="C")
        return tensor._data
    members = [t for t in engine.members(tensor) if _same_memory(t, tensor)]
    if not _exclusive(members):
        _move(members)
    return tensor._data


def _same_memory(a: Tensor, b: Tensor) -> bool:
    return owner_of(a._data) is owner_of(b._data)


def _exclusive(members: list[Tensor]) -> bool:
    """Does nobody but these tensors hold the memory that they share?"""
    if not all(t._data.flags.writeable and _only_way(t) for t in members):
        return False
    last: Any = members[0]
    name = "_data"
    while getattr(last, name).base is not None:
        last, name = getattr(last, name), "base"
    return getattr(last, name).flags.owndata and references(getattr, last, name) == len(members)


def _only_way(tensor: Tensor) -> bool:
    """Is the tensor the only holder of every array between it and the one that owns the memory?"""
    holder: Any = tensor
    name = "_data"
    while getattr(holder, name).base is not None:
        if references(getattr, holder, name) > 1 or getattr(holder, name).__class__ is not np.ndarray:
            return False
        holder, name = getattr(holder, name), "base"
        if holder.base.__class__ is not np.ndarray:
            return False
    return True


def bounds(array: np.ndarray) -> tuple[int, int]:
    """Addresses of the first byte of an array and of the first one behind it."""
    low = high = address(array)
    for n, stride in zip(array.shape, array.strides):
        if n and stride < 0:
            low += (n - 1) * stride
        elif n:
            high += (n - 1) * stride
    return low, high + array.itemsize


def _move(members: list[Tensor]) -> None:
    """Give tensors that share memory other memory of the same layout, with the same values."""
    limits = [bounds(t._data) for t in members]
    low, high = min(a for a, _ in limits), max(b for _, b in limits)
    memory = np.empty(high - low + _ALIGNMENT, np.uint8)
    shift = (low - address(memory)) % _ALIGNMENT
    for t in members:
        old = t._data
        start = address(old) - low + shift
        new = np.ndarray(old.shape, old.dtype, memory, start, old.strides) if old.size else np.empty(old.shape, old.dtype)
        new[...] = old
        t._data = new


def lay_over(tensor: Tensor, source: Tensor) -> None:
    """Let a tensor lie in the memory of another one from now on, without being a view of it for gradients."""
    if tensor is not source:
        engine.leave(tensor)
        tensor._data = source._data.view()
        tensor._version += 1
        engine.share(source, tensor, True)


def replace(tensor: Tensor, array: np.ndarray) -> None:
    """Put other values in, for all that share the memory; where the shape or the type is another the tensor leaves them."""
    if array is not tensor._data:
        if array.shape == tensor._data.shape and array.dtype == tensor._data.dtype:
            tensor.writable()[...] = array
        else:
            engine.leave(tensor)
            tensor._data = array
    tensor._version += 1


def become(tensor: Tensor, result: Tensor, by: str, reshapes: bool) -> None:
    """Write the result of an in-place op into shared memory, and let the other tensors lead back to it as well. One that
    ``reshapes`` may give another view of the memory, or something that does not fit into it: the others see nothing of that."""
    if reshapes and _same_memory(result, tensor):
        tensor._data = result._data
    elif result._data.shape != tensor._data.shape or result._data.dtype != tensor._data.dtype:
        engine.leave(tensor)
        tensor._data = result._data
    else:
        lead_back(tensor, result, by)
        tensor.writable()[...] = result._data
    tensor._version += 1


def lead_back(tensor: Tensor, result: Tensor | None, by: str) -> None:
    """Before a tensor takes the values of a result (None: of constants, written into a part of it): let the views of the same
    memory lead back to it where they show it, as PyTorch has it. A leaf stays one, with the new values."""
    if not context.grad:
        return
    family = [t for t in others(tensor) if t._family == tensor._family and np.may_share_memory(t._data, tensor._data)
              and (t._edge is not None or t.stop_gradient)]
    if (result is None or result.stop_gradient) and all(map(attrgetter("stop_gradient"), family)):
        return
    if tensor.stop_gradient and not all(map(attrgetter("stop_gradient"), family)):
        raise RuntimeError(f"{by}(): the tensor is a view with stop_gradient=True of one that gradients pass; changing it in "
                           "place would cut them; use paddle.no_grad() or a copy (x.clone())")
    led = [rooms.overlay(t, tensor, result, by) for t in family]
    for t, new in zip(family, led):
        if new is not None:
            t._edge, t.stop_gradient = new._edge, new.stop_gradient
