"""``create``: made from attributes alone, or from a shape that a tensor holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...core import dtype as dtypes
from ...core.facts import Family, Spec
from .reshape import counted, given_ints


def _infer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Spec] | None:
    given = dict(zip(op.params, inputs))
    tensor = given.get("shape_tensor")
    if "shape" not in attrs or "dtype" not in attrs or not counted(tensor):
        return None
    shape = given_ints(attrs["shape"], tensor, given.get("shape_list"))
    return [Spec([-1 if n is None else n for n in shape], dtypes.to_numpy(attrs["dtype"]))]


def batch_size_like(x: Spec, shape: Any, dtype: Any, input_dim_idx: int, output_dim_idx: int) -> Spec:
    """The given shape with one size taken from x."""
    sizes = [int(n) for n in shape]
    sizes[output_dim_idx] = x.shape[input_dim_idx]
    return Spec(sizes, dtypes.to_numpy(dtype))


Family("create", "made from attributes alone", _infer, {"flops": 0})
