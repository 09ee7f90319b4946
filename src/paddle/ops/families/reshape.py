"""``reshape``: the same elements in another arrangement, or repeated. Sizes may be given by tensors of the running program."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

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


def reshaped(x: Spec, shape_tensor: Spec | None, shape_list: Any, shape: Any) -> Spec | None:
    """0 keeps a size, one -1 is what is left: known if the sizes of x that are not kept are."""
    if not counted(shape_tensor):
        raise ValueError(f"reshape(): the number of sizes in the shape tensor must be known, got {shape_tensor}")
    given = given_ints(shape, shape_tensor, shape_list)
    if None in given:
        return x.like([-1 if n is None else x.shape[i] if n == 0 and i < len(x.shape) else n for i, n in enumerate(given)])
    if given.count(-1) > 1 or min(given, default=0) < -1:
        return None  # the op itself says what is wrong
    kept = {i for i, n in enumerate(given) if n == 0 and i < len(x.shape)}
    left = [n for i, n in enumerate(x.shape) if i not in kept]
    new = [n for i, n in enumerate(given) if i not in kept and n != -1]
    if -1 in left:
        rest = -1
    elif -1 not in given:
        if math.prod(left) != math.prod(new):
            return None
        rest = 0
    else:
        if math.prod(new) == 0 or math.prod(left) % math.prod(new):
            return None
        rest = math.prod(left) // math.prod(new)
    return x.like([x.shape[i] if i in kept else rest if n == -1 else n for i, n in enumerate(given)])


def transposed(x: Spec, perm: Any) -> Spec | None:
    """The sizes in another order."""
    axes = [one_axis(a, len(x.shape), "transpose", "perm") for a in perm] if x.shape else []
    return x.like([x.shape[a] for a in axes]) if len(set(axes)) == len(perm) == len(x.shape) else None


def product(sizes: Any) -> int:
    """The product of sizes, -1 if one is unknown."""
    return -1 if -1 in sizes else math.prod(sizes)


def flattened(x: Spec, start_axis: int, stop_axis: int) -> Spec | None:
    """A range of axes is one."""
    n = len(x.shape)
    if n == 0:
        return x.like((1,))
    start, stop = one_axis(start_axis, n, "flatten", "start_axis"), one_axis(stop_axis, n, "flatten", "stop_axis")
    if start > stop:
        return None
    return x.like((*x.shape[:start], product(x.shape[start:stop + 1]), *x.shape[stop + 1:]))


def as_matrix(x: Spec, axis: int) -> Spec | None:
    """The axes before one are the rows."""
    a = axis + len(x.shape) if axis < 0 else axis
    return x.like((product(x.shape[:a]), product(x.shape[a:]))) if 0 <= a <= len(x.shape) else None


def squeezed(x: Spec, axes: Any) -> Spec:
    """Axes of size 1 go; one of unknown size that is named is taken to be 1, as Paddle does."""
    drop = axis_tuple(list(axes), len(x.shape), "squeeze") if axes else ()
    return x.like([n for i, n in enumerate(x.shape) if not (n in (1, -1) if i in drop else n == 1 and not axes)])


def unsqueezed(x: Spec, axes_tensor: Spec | None, axes_list: Any, axes: Any) -> Spec | None:
    """New axes of size 1, one after the other."""
    places = given_ints(axes, axes_tensor, axes_list) if counted(axes_tensor) else [None]
    if None in places:
        return None
    shape = list(x.shape)
    for a in places:
        shape.insert(one_axis(a, len(shape) + 1, "unsqueeze"), 1)
    return x.like(shape)


def _aligned(x: Spec, times: list) -> tuple[tuple[int, ...], list]:
    n = max(len(times), len(x.shape))
    return (1,) * (n - len(x.shape)) + x.shape, [1] * (n - len(times)) + times


def tiled(x: Spec, times_tensor: Spec | None, times_list: Any, times: Any) -> Spec | None:
    """Sizes are multiplied."""
    if not counted(times_tensor):
        return None
    old, by = _aligned(x, given_ints(times, times_tensor, times_list))
    if any(t is not None and t < 0 for t in by):
        return None
    return x.like([-1 if o < 0 or t is None else o * t for o, t in zip(old, by)])


def expanded(x: Spec, shape_tensor: Spec | None, shape_list: Any, shape: Any) -> Spec | None:
    """Axes of size 1, and new first ones, take the given size; -1 keeps the old one."""
    if not counted(shape_tensor):
        return None
    given = given_ints(shape, shape_tensor, shape_list)
    extra = len(given) - len(x.shape)
    old = (1,) * extra + x.shape
    if extra < 0 or any(n is not None and o not in (1, -1) and n not in (o, -1, -2) for o, n in zip(old, given)):
        return None
    if any(n is not None and n < 0 and k < extra for k, n in enumerate(given)):
        return None
    return x.like([-1 if n is None else o if n < 0 else n for o, n in zip(old, given)])


def expanded_as(x: Spec, y: Spec | None, target_shape: Any) -> Spec | None:
    """The shape of another tensor."""
    return expanded(x, None, None, target_shape if y is None else y.shape) if y is None or -1 not in y.shape else x.like(y.shape)


Family("reshape", "the same elements in another arrangement", facts={"flops": 0})
