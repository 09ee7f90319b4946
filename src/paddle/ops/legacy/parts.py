"""Operators of 1.x made of others: columns of several matrices, the pyramid of poolings, the sum of absolute values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...core.facts import Spec
from ..composed import composed
from ..manipulation.joining import concat
from ..manipulation.reshape import reshape
from ..manipulation.slicing import basic_get
from ..math import reduction
from ..math.arithmetic import add_n
from ..math.unary import abs as absolute
from ..nn.pooling import pool2d


def _columns(name: str, inputs: Sequence[Any], start_index: int, length: int) -> tuple[int, int]:
    """Where the columns begin and end; all inputs must be matrices of one shape."""
    shapes = [list(x.shape) for x in inputs]
    if not shapes or any(len(shape) != 2 or shape != shapes[0] for shape in shapes):
        raise ValueError(f"{name}(): input must be matrices of one shape, got shapes {shapes}")
    width = shapes[0][1]
    if not -width <= start_index < width:
        raise ValueError(f"{name}(): start_index must be in [{-width}, {width}), got {start_index}")
    start = start_index % width
    end = width if length < 0 else start + length
    if end > width:
        raise ValueError(f"{name}(): {length} columns from {start} on do not fit into {width}")
    return start, end


def _parts(name: str, inputs: Sequence[Any], start_index: int, length: int) -> list:
    start, end = _columns(name, inputs, start_index, length)
    return [basic_get(x, (slice(None), slice(start, end))) for x in inputs]


def _width(name: str, inputs: Sequence[Spec], start_index: int, length: int) -> int:
    if length < 0 and any(len(x.shape) == 2 and x.shape[1] < 0 for x in inputs):
        return -1
    start, end = _columns(name, inputs, start_index, length)
    return end - start


def _concat_shape(inputs, start_index, length):
    width = _width("partial_concat", inputs, start_index, length)
    return inputs[0].like((inputs[0].shape[0], -1 if width < 0 else width * len(inputs)))


@composed("partial_concat(X*) -> Out", family="own", shapes=_concat_shape)
def partial_concat(inputs, start_index=0, length=-1):
    """The columns of each matrix from ``start_index`` on, ``length`` of them or (-1) all, side by side."""
    return concat(_parts("partial_concat", inputs, start_index, length), None, 1)


def _sum_shape(inputs, start_index, length):
    return inputs[0].like((inputs[0].shape[0], _width("partial_sum", inputs, start_index, length)))


@composed("partial_sum(X*) -> Out", family="own", shapes=_sum_shape)
def partial_sum(inputs, start_index=0, length=-1):
    """The sum of the columns of each matrix from ``start_index`` on, ``length`` of them or (-1) all."""
    return add_n(_parts("partial_sum", inputs, start_index, length))


@composed("l1_norm(X) -> Out", family="own", shapes=lambda x: x.like(()))
def l1_norm(x):
    """The sum of the absolute values of x."""
    return reduction.sum(absolute(x), None, False)


def _pyramid(x, pyramid_height):
    channels = x.shape[1]
    return x.like((x.shape[0], -1 if channels < 0 else channels * (4 ** pyramid_height - 1) // 3))


@composed("spp(X) -> Out", family="own", shapes=_pyramid)
def spatial_pyramid_pool(x, pyramid_height=1, pooling_type="max"):
    """x [N, C, H, W] pooled over 1, 4, 16, ... parts of each picture, all of them in one row."""
    if len(x.shape) != 4 or pyramid_height < 1 or pooling_type not in ("max", "avg"):
        raise ValueError(f"spp(): X must be [N, C, H, W], pyramid_height at least 1 and pooling_type 'max' or 'avg', got "
                         f"{list(x.shape)}, {pyramid_height} and {pooling_type!r}")
    levels = []
    for bins in (2 ** level for level in range(pyramid_height)):
        sizes = [math.ceil(n / bins) for n in x.shape[2:]]
        spare = [size * bins - n for size, n in zip(sizes, x.shape[2:])]
        pads = [part for n in spare for part in ((n + 1) // 2, n // 2)]
        if any((n + 1) // 2 >= size for n, size in zip(spare, sizes)):
            raise ValueError(f"spp(): a picture of {list(x.shape[2:])} has no {bins} x {bins} parts")
        pooled = pool2d(x, sizes, sizes, pads, False, True, "NCHW", pooling_type, False, False, "EXPLICIT")
        levels.append(reshape(pooled, None, None, [x.shape[0], x.shape[1] * bins * bins]))
    return concat(levels, None, 1)
