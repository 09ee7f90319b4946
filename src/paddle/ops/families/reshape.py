"""``reshape``: the same elements in another arrangement, or repeated. Sizes may be given by tensors of the running program."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core import sizes
from ...core.facts import Family, Spec
from ..arguments import axis_tuple, one_axis


def given_ints(attribute: Any, tensor: Spec | None = None, tensors: Any = None) -> list[int | None]:
    """The integers that a call is given, None where only running tells; see ops.manip.ints_of."""
    if tensor is not None:
        if tensor.known is not None:
            return [int(v) for v in np.ravel(tensor.known)]
        return [None] * math.prod(tensor.shape)
    if tensors:
        return [None if t.known is None else int(np.ravel(t.known)[0]) for t in tensors]
    return [int(n) for n in attribute]


def counted(tensor: Spec | None) -> bool:
    """Is it known how many numbers a tensor holds?"""
    return tensor is None or tensor.known is not None or -1 not in tensor.shape


def full_shape(shape: Any, given: Any) -> list[int]:
    """The sizes that ``given`` (0: that of x, one -1: whatever is left) means for an array of this shape."""
    return sizes.reshaped(list(shape), [n.__index__() for n in given])


def reshaped(x: Spec, shape_tensor: Spec | None, shape_list: Any, shape: Any) -> Spec:
    """What is left for a -1 is known if the unknown sizes of x are all kept."""
    if not counted(shape_tensor):
        raise ValueError(f"reshape(): the number of sizes in the shape tensor must be known, got {shape_tensor}")
    given = given_ints(shape, shape_tensor, shape_list)
    unknown = [i for i, n in enumerate(x.shape) if n == -1]
    if None not in given and all(i < len(given) and given[i] == 0 for i in unknown):
        found = full_shape([1 if n == -1 else n for n in x.shape], given)
    elif given.count(-1) > 1:
        raise ValueError(f"reshape(): shape {given} has more than one -1")
    else:
        found = [-1 if n is None else x.shape[i] if n == 0 and i < len(x.shape) else n for i, n in enumerate(given)]
    return x.like([-1 if i in unknown and given[i] == 0 else n for i, n in enumerate(found)])


def transposed(x: Spec, perm: Any) -> Spec | None:
    """The sizes in another order."""
    axes = [one_axis(a, len(x.shape), "transpose", "perm") for a in perm] if x.shape else []
    return x.like(sizes.transposed(list(x.shape), axes)) if len(set(axes)) == len(perm) == len(x.shape) else None


def product(shape: Any) -> int:
    """The product of sizes, -1 if one is unknown."""
    return sizes.product(list(shape), 0, len(shape))


def flattened(x: Spec, start_axis: int, stop_axis: int) -> Spec | None:
    """A range of axes is one."""
    n = len(x.shape)
    if n == 0:
        return x.like((1,))
    start, stop = one_axis(start_axis, n, "flatten", "start_axis"), one_axis(stop_axis, n, "flatten", "stop_axis")
    if start > stop:
        return None
    return x.like(sizes.flattened(list(x.shape), start, stop))


def as_matrix(x: Spec, axis: int) -> Spec | None:
    """The axes before one are the rows."""
    a = axis + len(x.shape) if axis < 0 else axis
    return x.like(sizes.as_matrix(list(x.shape), a)) if 0 <= a <= len(x.shape) else None


def squeezed(x: Spec, axes: Any) -> Spec:
    """Axes of size 1 go; one of unknown size that is named is taken to be 1, as Paddle does."""
    drop = axis_tuple(list(axes), len(x.shape), "squeeze") if axes else ()
    return x.like(sizes.squeezed(list(x.shape), list(drop), not axes))


def unsqueezed(x: Spec, axes_tensor: Spec | None, axes_list: Any, axes: Any) -> Spec | None:
    """New axes of size 1, one after the other."""
    if not counted(axes_tensor):
        return None
    places = given_ints(axes, axes_tensor, axes_list)
    if None in places:  # known when the program runs
        return x.like((-1,) * (len(x.shape) + len(places)))
    shape = list(x.shape)
    for a in places:
        shape = sizes.with_axis(shape, one_axis(a, len(shape) + 1, "unsqueeze"), 1)
    return x.like(shape)


def tiled(x: Spec, times_tensor: Spec | None, times_list: Any, repeat_times: Any) -> Spec | None:
    """Sizes are multiplied."""
    if not counted(times_tensor):
        return None
    by = given_ints(repeat_times, times_tensor, times_list)
    if any(t is not None and t < 0 for t in by):
        return None
    return x.like(sizes.tiled(list(x.shape), [-1 if t is None else t for t in by]))


def expanded_shape(shape: Any, given: Any, function: str) -> list[int]:
    """The shape that ``given`` (-1 keeps a size, None: only running tells) means when an array of this shape is repeated to it."""
    extra = len(given) - len(shape)
    found = sizes.expanded(list(shape), [(1 if i < extra else -1) if n is None else n for i, n in enumerate(given)], function)
    return [-1 if n is None else size for n, size in zip(given, found)]


def expanded(x: Spec, shape_tensor: Spec | None, shape_list: Any, shape: Any) -> Spec | None:
    """See expanded_shape."""
    if not counted(shape_tensor):
        return None
    return x.like(expanded_shape(x.shape, given_ints(shape, shape_tensor, shape_list), "expand"))


def expanded_as(x: Spec, y: Spec | None, target_shape: Any) -> Spec | None:
    """The shape of another tensor."""
    return expanded(x, None, None, target_shape) if y is None else x.like(y.shape)


Family("reshape", "the same elements in another arrangement", facts={"flops": 0})
