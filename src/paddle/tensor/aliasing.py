"""Memory that several tensors show: who shares it with whom, and gradients of what is written into it."""

import numpy as np

from ..core.errors import describe
from ..core.storage import address, bounds, lay_over, others
from ..core.tensor import Tensor, wrap
from ..ops.manipulation import index_first, reshape
from ..ops.manipulation.masking import where
from .convert import int_arg


def _laid_over(row, array, low):
    """The part of a row of numbers, one for each element of the memory from the address ``low`` on, that an array shows."""
    strides = [s // array.itemsize * row.itemsize for s in array.strides]
    return np.ndarray(array.shape, row.dtype, row, (address(array) - low) // array.itemsize * row.itemsize, strides)


def _positions(view, changed, by):
    """For every element of ``view`` its number in ``changed`` (an array over the same memory), and -1 where it is not there."""
    limits = bounds(view), bounds(changed)
    low, high = min(a for a, _ in limits), max(b for _, b in limits)
    steps = (address(view) - low, address(changed) - low, *view.strides, *changed.strides)
    if any(step % view.itemsize for step in steps):
        raise RuntimeError(f"{by}(): elements of the views lie across each other in memory; use a copy (x.clone())")
    row = np.full((high - low) // view.itemsize, -1, np.int64)
    there, numbers = _laid_over(row, changed, low), np.arange(changed.size).reshape(changed.shape)
    there[...] = numbers
    if not np.array_equal(there, numbers):
        raise RuntimeError(f"{by}(): several elements of the tensor lie in one place of memory, so that its gradient is not "
                           "defined; use a copy (x.clone())")
    return _laid_over(row, view, low).copy()


def _same_elements(a, b):
    return a.shape == b.shape and a.strides == b.strides and bounds(a) == bounds(b)


def overlay(view, changed, result, by):
    """A tensor that leads back as ``view`` does once ``changed``, over the same memory, has taken the values of ``result``:
    to the result where they show the same elements, else to where it led before. None where they show none."""
    if view._data.dtype != changed._data.dtype:
        raise RuntimeError(f"{by}(): the memory is seen as {changed._data.dtype.name} and as {view._data.dtype.name}, and "
                           "gradients pass it; use a copy (x.clone())")
    if _same_elements(view._data, changed._data):
        return result
    positions = _positions(view._data, changed._data, by)
    if (positions < 0).all():
        return None
    if (positions >= 0).all():
        return _picked(result, positions)
    return where(wrap(positions >= 0), _picked(result, np.maximum(positions, 0)), view.snapshot())


def _picked(result, positions):
    """The elements of a tensor at positions in its row."""
    return index_first.index_get(reshape.reshape(result, None, None, [-1]), [wrap(positions)])


# ---- methods that Paddle's own programs call ---------------------------------------------------------------------------------
def _md5sum(self):
    """A number that tells whether two tensors have equal bytes."""
    import hashlib  # loads OpenSSL, which takes as long as twenty modules of ours
    return hashlib.md5(np.ascontiguousarray(self._data).tobytes(), usedforsecurity=False).hexdigest()


def _share_buffer_to(self, other):
    """Let another tensor lie in the memory of this one."""
    if not isinstance(other, Tensor):
        raise TypeError(f"_share_buffer_to(): other must be a Tensor, got {describe(other)}")
    lay_over(other, self)


def _is_shared_buffer_with(self, other):
    """Do two tensors lie in one memory, as a tensor and its views do?"""
    if not isinstance(other, Tensor):
        raise TypeError(f"_is_shared_buffer_with(): other must be a Tensor, got {describe(other)}")
    return self is other or any(t is other for t in others(self))


def _slice(self, begin_idx, end_idx):
    """A view of the rows from one to another."""
    return self[int_arg(begin_idx, "_slice", "begin_idx"):int_arg(end_idx, "_slice", "end_idx")]


def _bump_inplace_version(self):
    """Count one more change in place, made by other means."""
    self._version += 1


def _inplace_version(self):
    """How often the tensor was changed in place."""
    return self._version


def _numel(self):
    """The number of elements."""
    return self._data.size


def _copy_to(self, device, blocking=True):
    """A copy, without history; the place must be one that ``Tensor.to`` takes."""
    return self.detach().to(device, blocking=blocking).clone()


def _set_grad_ivar(self, grad):
    """Set the gradient (``tensor.grad = grad``, as Paddle's own code says it)."""
    self.grad = grad


def _copy_gradient_from(self, src):
    """Set the gradient to a copy of another tensor."""
    if not isinstance(src, Tensor):
        raise TypeError(f"_copy_gradient_from(): src must be a Tensor, got {describe(src)}")
    self.grad = src.detach().clone()


def _use_gpudnn(self, use_gpudnn=True):
    """The tensor, to be computed by the library of GPUs or without it: on a CPU, here as in Paddle, both are the same."""
    if not isinstance(use_gpudnn, bool):
        raise TypeError(f"_use_gpudnn(): use_gpudnn must be a bool, got {describe(use_gpudnn)}")
    return self


def _offset(self):
    """Bytes from the start of the memory that the tensor is a view of to its first element."""
    whole = self._data
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    return self._data.__array_interface__["data"][0] - whole.__array_interface__["data"][0]


Tensor._place_str = property(lambda self: str(self.place), doc="The place as text.")

for _name, _function in {
        "_copy_to": _copy_to, "_set_grad_ivar": _set_grad_ivar, "_copy_gradient_from": _copy_gradient_from,
        "_md5sum": _md5sum, "_share_buffer_to": _share_buffer_to, "_share_underline_tensor_to": _share_buffer_to, "_slice": _slice,
        "_is_shared_buffer_with": _is_shared_buffer_with, "_is_shared_underline_tensor_with": _is_shared_buffer_with,
        "_bump_inplace_version": _bump_inplace_version, "_inplace_version": _inplace_version, "_numel": _numel,
        "_use_gpudnn": _use_gpudnn, "_offset": _offset}.items():
    setattr(Tensor, _name, _function)
