"""``pool``: windows that are summed up each in one number, by the names of files or with plain geometry (``outs``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.facts import Family, Spec
from ...core.sizes import pool_count
from ..nn.window_geometry import channels_last, pad_pairs, per_axis
from .reduce import _flops


def pool_geometry(function: str, size: Any, kernel: Any, stride: Any, padding: Any, algorithm: str,
                  ceil_mode: bool) -> tuple[Any, ...]:
    """(kernel, stride, pads, outs) from what users and files give; of an unknown size the number of windows is unknown."""
    n = len(size)
    kernel, stride = per_axis(kernel, n, function, "kernel_size"), per_axis(stride, n, function, "stride")
    pads = pad_pairs(padding, algorithm, size, kernel, stride, function)
    outs = tuple([-1 if s < 0 else pool_count(s, k, q, before, after, ceil_mode)
                  for s, k, q, (before, after) in zip(size, kernel, stride, pads)])
    if any(m < 1 and s >= 0 for s, m in zip(size, outs)):
        raise ValueError(f"{function}(): the window {list(kernel)} does not fit the padded input {list(size)}")
    return kernel, stride, pads, outs


def _infer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Spec] | None:
    x = inputs[0]
    if len(x.shape) < 3 or not {"outs", "adaptive"} & set(attrs):  # gradients, and fusions
        return None
    last = channels_last(attrs.get("data_format", "NCHW"))
    sizes = x.shape[1:-1] if last else x.shape[2:]
    if "outs" in attrs:
        outs = tuple(attrs["outs"])
    elif attrs["adaptive"]:
        outs = per_axis(tuple(attrs["ksize"]), len(sizes), op.name, "output_size")
    elif attrs["global_pooling"]:
        outs = (1,) * len(sizes)
    else:
        outs = pool_geometry(op.name, sizes, tuple(attrs["ksize"]), tuple(attrs["strides"]), tuple(attrs["paddings"]),
                             attrs.get("padding_algorithm", "EXPLICIT"), attrs.get("ceil_mode", False))[-1]
    found = x.like((x.shape[0], *outs, x.shape[-1]) if last else (*x.shape[:2], *outs))
    return [found] if op.single else [found, found.like(dtype=np.int32)]


Family("pool", "pooling geometry", _infer, {"flops": _flops})
