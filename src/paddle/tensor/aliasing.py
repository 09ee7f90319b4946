"""Gradients of what is written into memory that several tensors show."""

import numpy as np

from ..core.rooms import rooms
from ..core.storage import bounds
from ..core.tensor import wrap
from ..ops.manipulation import gather_scatter, reshape
from ..ops.manipulation.masking import where


def _addresses(array):
    """The address of every element of an array."""
    at = np.full(array.shape, array.__array_interface__["data"][0], np.int64)
    for axis, (n, stride) in enumerate(zip(array.shape, array.strides)):
        at += (np.arange(n, dtype=np.int64) * stride).reshape([-1 if k == axis else 1 for k in range(array.ndim)])
    return at


def _positions(view, changed, by):
    """For every element of ``view`` its number in ``changed`` (an array over the same memory), and -1 where it is not there."""
    there = _addresses(changed).reshape(-1)
    order = np.argsort(there, kind="stable")
    ordered = there[order]
    if (ordered[1:] == ordered[:-1]).any():
        raise RuntimeError(f"{by}(): several elements of the tensor lie in one place of memory, so that its gradient is not "
                           "defined; use a copy (x.clone())")
    here = _addresses(view)
    found = np.minimum(np.searchsorted(ordered, here), max(len(ordered) - 1, 0))
    return np.where(ordered[found] == here, order[found], -1)


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
    return gather_scatter.index_get(reshape.reshape(result, None, None, [-1]), [wrap(positions)])


rooms.overlay = overlay
