"""``matmul``: matrix products with broadcast batch dimensions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core import sizes
from ...core.facts import Family, Spec
from .sharding import product


def _infer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Spec] | None:
    x, y = inputs[:2]
    if not x.shape or not y.shape:
        return None
    shape = sizes.multiplied(list(x.shape), list(y.shape), bool(attrs.get("transpose_x")), bool(attrs.get("transpose_y")), op.name)
    return [Spec(shape, np.promote_types(x.dtype, y.dtype))]


def _flops(args: Sequence[Any], outs: Any) -> int:
    return math.prod(outs.shape) * args[0].shape[-1]


Family("matmul", "matrix product with broadcast batch dimensions", _infer, {"amp": "white", "rows": "keep", "flops": _flops,
       "sharding": product})
