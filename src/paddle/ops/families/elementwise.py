"""Ops that work element by element: ``same``, ``broadcast``, ``compare``; and ``update``, the steps of optimizers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core import sizes
from ...core.facts import Family, Spec
from .pattern import of_first
from .rows import step_rows
from .sharding import elementwise


def _same(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Spec] | None:
    first = inputs[0][0] if isinstance(inputs[0], list) else inputs[0]
    return [first.like(dtype=of_first(op, inputs, attrs))] if op.single and first is not None else None


def broadcast_dims(a: Sequence[int], b: Sequence[int], function: str) -> tuple[int, ...]:
    """The common shape of two shapes with unknown sizes."""
    return tuple(sizes.broadcast(list(a), list(b), function))


def _broadcast(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Spec] | None:
    shape, kind = inputs[0].shape, inputs[0].dtype
    for other in inputs[1:]:
        if other is None:
            return None
        axis = attrs.get("axis")
        shape = broadcast_dims(shape, sizes.matched(list(other.shape), len(shape), -1 if axis is None else axis), op.name)
        kind = np.promote_types(kind, other.dtype)
    return [Spec(shape, np.dtype(op.facts.gives) if op.facts.gives else kind)]


def _update(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Spec]:
    """Every output takes the place of an input; of one that is not given it has the parameter's shape."""
    return [(inputs[op.updates[0]] if inputs[k] is None else inputs[k]).like() for k in op.updates]


Family("same", "the output has the shape and dtype of the first input", _same, {"rows": "keep"})
Family("broadcast", "inputs broadcast against each other; the engine sums gradients back to each input's shape", _broadcast,
       {"rows": "keep", "sharding": elementwise})
Family("compare", "as broadcast, with bool output", _broadcast, {"rows": "keep", "gives": "bool", "total": True,
       "sharding": elementwise})
Family("update", "a parameter and what its optimizer remembers, one step later", _update,
       {"amp": "never", "sharding": elementwise, "on_rows": step_rows})
