"""``conv``: convolutions and transposed ones, by the names of files (paddings, data_format) or with plain geometry (pads)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...core.facts import Family, Spec
from ...core.sizes import transposed_count
from ..nn.window_geometry import channels_last, out_size, pad_pairs, per_axis, reaching_pads


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _infer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Spec] | None:
    if not op.single or "size" in attrs or "kernel" in attrs:
        return None  # gradients, and fusions with pooling
    x, w = inputs[:2]
    n, transposed = len(x.shape) - 2, "output_padding" in attrs
    if -1 in w.shape or len(w.shape) != n + 2 or n not in (1, 2, 3):
        return None
    last, groups, kernel = channels_last(attrs.get("data_format", "NCHW")), attrs["groups"], w.shape[2:]
    channels, sizes = x.shape[-1 if last else 1], x.shape[1:-1] if last else x.shape[2:]
    taken, made = (w.shape[0], w.shape[1] * groups) if transposed else (w.shape[1] * groups, w.shape[0])
    if channels >= 0 and channels != taken:
        raise ValueError(f"{op.name}(): x has {channels} channels, the weight {list(w.shape)} with groups={groups} needs {taken}")
    if groups < 1 or made % groups:
        raise ValueError(f"{op.name}(): groups={groups} does not divide the {made} output channels of the weight {list(w.shape)}")
    outs = _out_sizes(op.name, sizes, kernel, attrs)
    if any(m < 1 and s >= 0 for s, m in zip(sizes, outs)):
        return None  # the op itself says what does not fit
    return [x.like((x.shape[0], *outs, made) if last else (x.shape[0], made, *outs))]


def _out_sizes(name: str, sizes: Any, kernel: Any, attrs: Mapping[str, Any]) -> tuple[int, ...]:
    """The spatial sizes of the result; -1 where those of the input are not known and decide."""
    n, algorithm = len(sizes), attrs.get("padding_algorithm")
    stride = per_axis(_plain(attrs["stride"]), n, name, "stride")
    dilation = per_axis(_plain(attrs["dilation"]), n, name, "dilation")
    if algorithm == "SAME":
        dilation = (1,) * n
    pads = attrs["pads"] if "pads" in attrs else pad_pairs(
        _plain(attrs["padding"]), algorithm, tuple(max(s, 1) for s in sizes), kernel, stride, name)
    if attrs.get("output_size"):
        return per_axis(_plain(attrs["output_size"]), n, name, "output_size")
    if "output_padding" in attrs:
        more = per_axis(_plain(attrs["output_padding"]) or 0, n, name, "output_padding", lowest=0)
        outs = transposed_size(sizes, kernel, stride, pads, dilation, more)
    elif algorithm == "SAME":
        outs = tuple([-(-s // q) for s, q in zip(sizes, stride)])
    else:
        pads = reaching_pads(pads, sizes, kernel, stride, dilation)
        outs = tuple([out_size(*along) for along in zip(sizes, kernel, stride, pads, dilation)])
    return tuple([-1 if s < 0 else m for s, m in zip(sizes, outs)])


def transposed_size(size: Any, kernel: Any, stride: Any, pads: Any, dilation: Any, output_padding: Any) -> tuple[int, ...]:
    """Spatial size of the transposed convolution's result."""
    return tuple(transposed_count(s, k, q, a, b, d, e)
                 for s, k, q, (a, b), d, e in zip(size, kernel, stride, pads, dilation, output_padding))


def _flops(args: Sequence[Any], outs: Any) -> int:
    """Pairs of multiplication and addition, and a bias."""
    result = outs[0] if isinstance(outs, tuple) else outs
    return math.prod(result.shape) * (math.prod(args[1].shape[1:]) + (len(args) > 2 and hasattr(args[2], "shape")))


def transposed_flops(args: Sequence[Any], outs: Any) -> int:
    """The same for a transposed convolution, in which every element of x meets the whole kernel."""
    return math.prod(args[0].shape) * math.prod(args[1].shape[1:]) + math.prod(outs.shape) * (args[2] is not None)


Family("conv", "convolution geometry", _infer, {"amp": "white", "flops": _flops})
