"""``concat``: several tensors joined, or one split, along an axis. The ops' rules are here, for they are much alike."""

from __future__ import annotations

from typing import Any

from ...core import sizes
from ...core.facts import Family, Spec
from ..arguments import one_axis
from .elementwise import broadcast_dims
from .reshape import given_ints


def _axis(axis: int, tensor: Spec | None) -> int | None:
    return axis if tensor is None else given_ints(None, tensor)[0] if tensor.known is not None else None


def joined(x: list[Spec], axis_tensor: Spec | None, axis: int) -> Spec | None:
    """Sizes add up along the axis and agree elsewhere."""
    found = _axis(axis, axis_tensor)
    if not x[0].shape or any(len(s.shape) != len(x[0].shape) or s.dtype != x[0].dtype for s in x):
        return None
    if found is None:  # known when the program runs
        return x[0].like((-1,) * len(x[0].shape))
    a, shape = one_axis(found, len(x[0].shape), "concat"), list(x[0].shape)
    for other in x[1:]:
        shape = sizes.joined(shape, list(other.shape), a)
    return x[0].like(shape)


def section_sizes(size: int, sections: Any, num: int) -> list[int]:
    """Sizes of the parts of an axis: ``num`` equal ones, or the given sections (one -1 takes the rest)."""
    if num:
        if num < 0 or size > 0 and size % num:
            raise ValueError(f"an axis of size {size} can't be split into {num} equal parts")
        return [size // num if size >= 0 else -1] * num
    parts = [-1 if n is None else n for n in sections]
    if size >= 0 and parts.count(-1) == 1:
        parts[parts.index(-1)] = size - (sum(parts) + 1)
    if size >= 0 and None not in sections and (any(n < 0 for n in parts) or sum(parts) != size):
        raise ValueError(f"sections {list(sections)} do not add up to the axis size {size}")
    return parts


def taken_apart(x: Spec, axis_tensor: Spec | None, sections_list: Any, sections: Any, num: int, axis: int) -> list[Spec] | None:
    """See section_sizes."""
    found = _axis(axis, axis_tensor)
    if not x.shape:
        return None
    if found is None:  # known when the program runs
        return [x.like((-1,) * len(x.shape))] * (num or len(given_ints(sections, None, sections_list)))
    a = one_axis(found, len(x.shape), "split")
    return [x.like((*x.shape[:a], n, *x.shape[a + 1:]))
            for n in section_sizes(x.shape[a], given_ints(sections, None, sections_list), num)]


def stacked(x: list[Spec], axis: int) -> Spec | None:
    """A new axis as long as the list."""
    shape = list(x[0].shape)
    for other in x[1:]:
        if len(other.shape) != len(shape) or any(p != q and -1 not in (p, q) for p, q in zip(shape, other.shape)):
            return None
        shape = [max(p, q) for p, q in zip(shape, other.shape)]
    return x[0].like(sizes.with_axis(shape, one_axis(axis, len(shape) + 1, "stack"), len(x)))


def unstacked(x: Spec, axis: int) -> list[Spec] | None:
    """One slice for each place on the axis, whose length must be known."""
    a = one_axis(axis, len(x.shape), "unstack") if x.shape else 0
    if not x.shape or x.shape[a] < 0:
        return None
    return [x.like(x.shape[:a] + x.shape[a + 1:])] * x.shape[a]


def broadcast(x: list[Spec]) -> list[Spec]:
    """Every one in the common shape of all."""
    shape: tuple[int, ...] = ()
    for one in x:
        shape = broadcast_dims(shape, one.shape, "broadcast_tensors")
    return [one.like(shape) for one in x]


def mesh(x: list[Spec]) -> list[Spec] | None:
    """Every one in the shape of the grid that the vectors span."""
    if any(len(one.shape) > 1 for one in x):
        return None
    return [one.like([other.shape[0] if other.shape else 1 for other in x]) for one in x]


Family("concat", "several tensors joined, or one split, along an axis", facts={"flops": 0})
