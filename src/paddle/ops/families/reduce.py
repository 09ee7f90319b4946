"""``reduce``: axes are removed, or kept with size 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...core import sizes
from ...core.facts import Family, Spec
from ..arguments import axis_tuple
from .pattern import of_first
from .sharding import reducing


def reduced(x: Spec, axis: Any, keepdim: bool, function: str, dtype: Any = None) -> Spec:
    """x without the given axes (None or none: all of them), or with size 1 there."""
    axes = axis_tuple(axis, len(x.shape), function)
    return x.like(sizes.reduced(list(x.shape), list(axes), keepdim), dtype)


def _infer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Spec]:
    axis = None if attrs.get("flatten") or attrs.get("asvector") else attrs.get("axis")
    found = reduced(inputs[0], axis, attrs.get("keepdim", False), op.name, of_first(op, inputs, attrs))
    return [found] * len(op.outputs)


def _flops(args: Sequence[Any], outs: Any) -> int:
    return max(math.prod(args[0].shape), math.prod((outs[0] if isinstance(outs, tuple) else outs).shape))


Family("reduce", "axes are removed or kept with size 1", _infer, {"flops": _flops, "sharding": reducing})
