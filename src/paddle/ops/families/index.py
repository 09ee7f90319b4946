"""``index``: elements picked or placed by index. An op with an attribute ``shape`` gives that; the others have their own rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...core import sizes
from ...core.facts import Family, Spec
from ..arguments import one_axis
from .concat import _axis
from .elementwise import broadcast_dims
from .reshape import counted, given_ints


def _infer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Spec] | None:
    return [inputs[0].like(attrs["shape"])] if attrs.get("shape") else None


def picked(x: Spec, index: Spec, axis_tensor: Spec | None, axis: int) -> Spec | None:
    """The axis is as long as the ids, and goes for a single one."""
    found = _axis(axis, axis_tensor)
    if found is None or not x.shape or len(index.shape) > 2 or index.dtype.kind not in "iu":
        return None
    a = one_axis(found, len(x.shape), "gather")
    return x.like(sizes.picked(list(x.shape), list(index.shape[:1]), a))


def picked_nd(x: Spec, index: Spec) -> Spec | None:
    """The last axis of the ids addresses the first axes of x."""
    return x.like(sizes.picked_nd(list(x.shape), list(index.shape)))


def picked_first(x: Spec, index: list[Spec]) -> Spec | None:
    """Ids of the first axes, broadcast."""
    shape: tuple[int, ...] = ()
    for ids in index:
        shape = broadcast_dims(shape, ids.shape, "index")
    return x.like(shape + x.shape[len(index):]) if len(index) <= len(x.shape) else None


def _length(size: int, start: int | None, end: int | None, stride: int | None) -> int:
    if size < 0 or start is None or end is None or stride is None:
        return -1
    return sizes.slice_length(size, start, end, stride)


def sliced(x: Spec, axes: Any, starts: list[Any], ends: list[Any], strides: list[Any], drop: Any) -> Spec | None:
    """Lengths along the listed axes; those to drop go."""
    shape, gone = list(x.shape), {a % len(x.shape) for a in drop or ()}
    if not len(axes) == len(starts) == len(ends) == len(strides):
        return None
    for axis, start, end, stride in zip(axes, starts, ends, strides):
        a = one_axis(axis, len(shape), "slice", "axes")
        if stride == 0 or a in gone and start is not None and not -x.shape[a] <= start < x.shape[a] != -1:
            return None  # the op itself says what is wrong
        shape[a] = _length(x.shape[a], start, end, stride)
    return x.like([n for k, n in enumerate(shape) if k not in gone])


def _bounds(count: int, attribute: Any, tensor: Spec | None, tensors: Any) -> list[Any]:
    return given_ints(attribute, tensor, tensors) if counted(tensor) else [None] * count


def slice(x: Spec, starts_tensor: Any, ends_tensor: Any, starts_list: Any, ends_list: Any, axes: Any, starts: Any, ends: Any,
          decrease_axis: Any, infer_flags: Any) -> Spec | None:
    """Starts and ends by attributes or tensors."""
    n = len(axes)
    begins, stops = _bounds(n, starts, starts_tensor, starts_list), _bounds(n, ends, ends_tensor, ends_list)
    if -1 in (infer_flags or ()):
        stops = [e if None in (s, e) else sizes.slice_end(s, e, flag == -1) for s, e, flag in zip(begins, stops, infer_flags)]
    return sliced(x, axes, begins, stops, [1] * n, decrease_axis)


def strided_slice(x: Spec, starts_tensor: Any, starts_list: Any, ends_tensor: Any, ends_list: Any, strides_tensor: Any,
                  strides_list: Any, axes: Any, starts: Any, ends: Any, strides: Any, decrease_axis: Any) -> Spec | None:
    """The same with strides."""
    n = len(axes)
    return sliced(x, axes, _bounds(n, starts, starts_tensor, starts_list), _bounds(n, ends, ends_tensor, ends_list),
                  _bounds(n, strides, strides_tensor, strides_list), decrease_axis)


def cropped(x: Spec, shape_tensor: Any, shape_list: Any, offsets_tensor: Any, offsets_list: Any, shape: Any,
            offsets: Any) -> Spec | None:
    """The given sizes; -1 goes to the end."""
    given, n = _bounds(len(x.shape), shape, shape_tensor, shape_list), len(x.shape)
    begins = _bounds(n, offsets, offsets_tensor, offsets_list) or [0] * n
    if None in given or None in begins:
        return x.like([s if s is not None and s >= 0 else -1 for s in given]) if n == len(given) == len(begins) else None
    return x.like(sizes.cropped(list(x.shape), given, begins))


Family("index", "elements picked or placed by index", _infer, {"flops": 0})
