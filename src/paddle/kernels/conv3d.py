"""3-D convolution on the 2-D kernels.

For each output depth the input slices under the kernel are laid side by side as further channels; the weights
``[out, in / groups, kd, kh, kw]`` are then, without a copy, those of a 2-D convolution over ``in * kd`` channels.
Kernels of one pixel in each plane need no such slices: they are 2-D kernels over depth and pixels (``_Plan.along_depth``).
Contracts as for 2-D (docs/kernels.md); sizes have three numbers, paddings six: front, back, top, bottom, left, right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.context import process


def _sizes(function: str, name: str, value: int | tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """``value`` as a tuple of ``count`` integers; a single one stands for all."""
    numbers = tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
    if len(numbers) != count:
        raise ValueError(f"{function}(): argument '{name}' must have {count} integers, got {len(numbers)}")
    return tuple(int(number) for number in numbers)


class _Plan:
    """Sizes of one call, and the way of depth slices into channels and back."""

    def __init__(self, function: str, stride: int | tuple[Any, ...], padding: int | tuple[Any, ...],
                 dilation: int | tuple[Any, ...], groups: int) -> None:
        stride = _sizes(function, "stride", stride, 3)
        padding = _sizes(function, "padding", padding, 6)
        dilation = _sizes(function, "dilation", dilation, 3)
        if stride[0] < 1 or dilation[0] < 1 or min(padding) < 0:
            raise ValueError(f"{function}(): strides and dilations must be at least 1, paddings at least 0")
        self.function = function
        self.stride, self.front, self.back, self.dilation = stride[0], padding[0], padding[1], dilation[0]
        self.rest = (stride[1:], padding[2:], dilation[1:], groups)

    def out_depth(self, depth: int, kernel: int) -> int:
        out = (depth + self.front + self.back - self.dilation * (kernel - 1) - 1) // self.stride + 1
        if out < 1:
            raise ValueError(
                f"{self.function}(): a kernel {kernel} deep with this dilation is larger than the padded depth "
                f"{depth + self.front + self.back}"
            )
        return out

    def along_depth(self, kernel: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The 2-D geometry over (depth, pixels of a plane) of a kernel that sees one pixel of each plane; None of others."""
        stride, padding, _, groups = self.rest
        if (*kernel[1:], *stride, *padding) != (1, 1, 1, 1, 0, 0, 0, 0):
            return None
        return (self.stride, 1), (self.front, self.back, 0, 0), (self.dilation, 1), groups

    def taps(self, depth: int, out: int, kernel: int) -> Iterator[Any]:
        """For each tap of the kernel's depth: which outputs see an input slice there, and which slice."""
        for tap in range(kernel):
            shift = tap * self.dilation - self.front  # output o reads input o * stride + shift
            first = max(0, -(shift // self.stride))
            last = min(out, (depth - 1 - shift) // self.stride + 1)
            if first < last:
                start = first * self.stride + shift
                yield tap, slice(first, last), slice(start, start + (last - first - 1) * self.stride + 1, self.stride)

    def unfold(self, x: np.ndarray, kernel: int) -> np.ndarray:
        """``[n, c, d, h, w]`` to ``[n * out, c * kernel, h, w]``."""
        n, c, depth, h, w = x.shape
        out = self.out_depth(depth, kernel)
        unfolded = np.zeros((n, out, c, kernel, h, w), x.dtype)
        for tap, outputs, inputs in self.taps(depth, out, kernel):
            unfolded[:, outputs, :, tap] = x[:, :, inputs].swapaxes(1, 2)
        return unfolded.reshape(n * out, c * kernel, h, w)

    def fold(self, unfolded: np.ndarray, n: int, c: int, depth: int, kernel: int) -> np.ndarray:
        """The transpose of ``unfold``: add the slices up."""
        out = self.out_depth(depth, kernel)
        h, w = unfolded.shape[2:]
        unfolded = unfolded.reshape(n, out, c, kernel, h, w)
        x = np.zeros((n, c, depth, h, w), unfolded.dtype)
        for tap, outputs, inputs in self.taps(depth, out, kernel):
            x[:, :, inputs] += unfolded[:, outputs, :, tap].swapaxes(1, 2)
        return x


def _check(function: str, name: str, array: np.ndarray) -> None:
    if not isinstance(array, np.ndarray) or array.ndim != 5:
        raise ValueError(f"{function}(): argument '{name}' must be an array with 5 dimensions")


def _columns(x: np.ndarray) -> np.ndarray:
    """``[n, c, d, h, w]`` seen as ``[n, c, d, h * w]``."""
    return x.reshape(*x.shape[:3], -1)


def _flat_weights(w: np.ndarray) -> np.ndarray:
    return w.reshape(w.shape[0], w.shape[1] * w.shape[2], *w.shape[3:])


def _depth_last(y: np.ndarray, n: int) -> np.ndarray:
    """``[n * d, c, h, w]`` to ``[n, c, d, h, w]``."""
    return np.ascontiguousarray(y.reshape(n, -1, *y.shape[1:]).swapaxes(1, 2))


def _depth_first(y: np.ndarray) -> np.ndarray:
    """``[n, c, d, h, w]`` to ``[n * d, c, h, w]``."""
    n, c, depth, h, w = y.shape
    return np.ascontiguousarray(y.swapaxes(1, 2)).reshape(n * depth, c, h, w)


def forward(x: np.ndarray, w: np.ndarray, bias: np.ndarray | None = None, stride: int | tuple[Any, ...] = 1,
            padding: int | tuple[Any, ...] = 0, dilation: int | tuple[Any, ...] = 1, groups: int = 1, act: int = 0) -> np.ndarray:
    """The convolution of ``x`` ``[n, c, d, h, w]`` with ``w``, with bias and activation (0 none, 1 ReLU)."""
    _check("conv3d", "x", x)
    _check("conv3d", "w", w)
    plan = _Plan("conv3d", stride, padding, dilation, groups)
    out, column = plan.out_depth(x.shape[2], w.shape[2]), plan.along_depth(w.shape[2:])
    if column:
        return process.native.conv2d(_columns(x), _columns(w), bias, *column, act).reshape(len(x), len(w), out, *x.shape[3:])
    y = process.native.conv2d(plan.unfold(x, w.shape[2]), _flat_weights(w), bias, *plan.rest, act)
    return _depth_last(y, x.shape[0]) if x.shape[0] else np.empty((0, w.shape[0], out, *y.shape[2:]), y.dtype)


def backward_data(dy: np.ndarray, w: np.ndarray, size: tuple[Any, ...], stride: int | tuple[Any, ...] = 1,
                  padding: int | tuple[Any, ...] = 0, dilation: int | tuple[Any, ...] = 1, groups: int = 1) -> np.ndarray:
    """The gradient with respect to ``x``, whose depth, height and width are ``size``."""
    function = "conv3d_backward_data"
    _check(function, "dy", dy)
    _check(function, "w", w)
    plan = _Plan(function, stride, padding, dilation, groups)
    depth, *plane = _sizes(function, "size", size, 3)
    if plan.out_depth(depth, w.shape[2]) != dy.shape[2]:
        raise ValueError(f"{function}(): a depth of {depth} does not give the depth {dy.shape[2]} of 'dy'")
    column = plan.along_depth(w.shape[2:])
    if column and tuple(plane) == dy.shape[3:]:
        dx = process.native.conv2d_backward_data(_columns(dy), _columns(w), (depth, plane[0] * plane[1]), *column)
        return dx.reshape(*dx.shape[:3], *plane)
    unfolded = process.native.conv2d_backward_data(_depth_first(dy), _flat_weights(w), tuple(plane), *plan.rest)
    return plan.fold(unfolded, dy.shape[0], w.shape[1] * groups, depth, w.shape[2])


def backward_weight(x: np.ndarray, dy: np.ndarray, kernel: tuple[Any, ...], stride: int | tuple[Any, ...] = 1,
                    padding: int | tuple[Any, ...] = 0, dilation: int | tuple[Any, ...] = 1, groups: int = 1,
                    bias: bool = False) -> tuple[Any, ...]:
    """The gradients with respect to weights, whose last three sizes are ``kernel``, and bias (or None)."""
    function = "conv3d_backward_weight"
    _check(function, "x", x)
    _check(function, "dy", dy)
    plan = _Plan(function, stride, padding, dilation, groups)
    depth, *plane = _sizes(function, "kernel", kernel, 3)
    if plan.out_depth(x.shape[2], depth) != dy.shape[2]:
        raise ValueError(f"{function}(): 'x' of depth {x.shape[2]} does not give the depth {dy.shape[2]} of 'dy'")
    column = plan.along_depth((depth, *plane))
    if column and x.shape[3:] == dy.shape[3:]:
        dw, db = process.native.conv2d_backward_weight(_columns(x), _columns(dy), (depth, 1), *column, bias)
        return dw.reshape(*dw.shape, 1), db
    dw, db = process.native.conv2d_backward_weight(
        plan.unfold(x, depth), _depth_first(dy), tuple(plane), *plan.rest, bias)
    return dw.reshape(dw.shape[0], x.shape[1] // groups, depth, *plane), db
