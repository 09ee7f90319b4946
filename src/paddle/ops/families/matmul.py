"""``matmul``: matrix products with broadcast batch dimensions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.facts import Family, Spec
from .elementwise import broadcast_dims
from .sharding import product


def _infer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Spec] | None:
    x, y = inputs[:2]
    a, b = list(x.shape), list(y.shape)
    if not a or not b:
        return None
    if attrs.get("transpose_x") and len(a) > 1:
        a[-1], a[-2] = a[-2], a[-1]
    if attrs.get("transpose_y") and len(b) > 1:
        b[-1], b[-2] = b[-2], b[-1]
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] != inner and -1 not in (a[-1], inner):
        raise ValueError(f"{op.name}(): inner sizes differ: x {list(x.shape)} and y {list(y.shape)} ({a[-1]} vs {inner})")
    batch = broadcast_dims(a[:-2], b[:-2], op.name)
    return [Spec((*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ())), np.promote_types(x.dtype, y.dtype))]


def _flops(args: Sequence[Any], outs: Any) -> int:
    return math.prod(outs.shape) * args[0].shape[-1]


Family("matmul", "matrix product with broadcast batch dimensions", _infer, {"amp": "white", "rows": "keep", "flops": _flops,
       "sharding": product})
