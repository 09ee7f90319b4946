"""Windows of memory: as_strided and unfold, whose elements may be read more than once."""

import numpy as np

from ...core.op import op
from ...core.storage import window
from ..arguments import one_axis
from ..short import through_float32


def _check_window(shape, stride, offset, size):
    """Raise when a strided window does not lie within a row of ``size`` elements."""
    if len(shape) != len(stride):
        raise ValueError(f"shape {list(shape)} and stride {list(stride)} differ in length")
    if any(n < 0 for n in shape):
        raise ValueError(f"shape must hold sizes, got {list(shape)}")
    if not 0 <= offset <= size:
        raise ValueError(f"offset must be in [0, {size}], got {offset}")
    reach = [(n - 1) * s for n, s in zip(shape, stride)]
    first, last = offset + sum(r for r in reach if r < 0), offset + sum(r for r in reach if r > 0)
    if all(shape) and (first < 0 or last >= size):
        raise ValueError(f"shape {list(shape)}, stride {list(stride)}, offset {offset} reach element "
                         f"{last if last >= size else first} of {size}")


def _flat_positions(shape, stride, offset, size):
    """Flat positions of a strided window's elements; raises when one lies outside."""
    shape = tuple(shape)
    _check_window(shape, stride, offset, size)
    positions = np.full(shape, offset, np.int64)
    for axis, (n, s) in enumerate(zip(shape, stride)):
        positions += (np.arange(n, dtype=np.int64) * s).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    return positions


@op("as_strided(input) -> out", family="index", shape="dims", view="2.6")
def as_strided(x, shape=(), stride=(), offset=0):
    """The elements of x, taken as one long row, at offset + sum(index * stride), in the given shape."""
    _check_window(shape, stride, offset, x.size)
    row = x if x.flags.c_contiguous else np.array(x, order="C")
    return window(row, tuple(shape), [s * x.itemsize for s in stride], offset * x.itemsize)


@op("as_strided_sum(G) -> GX", family="index", shapes=lambda g, sizes: g.like(sizes))
def as_strided_sum(g, sizes=(), shape=(), stride=(), offset=0):
    """Zeros of the given sizes with g added at the positions that as_strided reads."""
    out = np.zeros(int(np.prod(sizes)), g.dtype)
    np.add.at(out, _flat_positions(shape, stride, offset, out.size), g)
    return out.reshape(sizes)


as_strided.grad(x=lambda g, x_shape, shape, stride, offset: as_strided_sum(g, tuple(x_shape), shape, stride, offset))
as_strided_sum.grad(g=lambda g, shape, stride, offset: as_strided(g, shape, stride, offset))


def _window_starts(size_of_axis, size, step):
    if size < 1 or size > size_of_axis:
        raise ValueError(f"size must be in [1, {size_of_axis}], got {size}")
    if step < 1:
        raise ValueError(f"step must be at least 1, got {step}")
    return range(0, size_of_axis - size + 1, step)


def _unfolded(x, axis, size, step):
    x = x if x.shape else x.like((1,))
    a = one_axis(axis, len(x.shape), "unfold")
    count = -1 if x.shape[a] < 0 else len(_window_starts(x.shape[a], size, step))
    return x.like((*x.shape[:a], count, *x.shape[a + 1:], size))


@op("tensor_unfold(input) -> out", family="own", view="2.6", shapes=_unfolded)
def tensor_unfold(x, axis=0, size=1, step=1):
    """All windows of a size along an axis, a step apart; the window is the last axis of the result."""
    a = one_axis(axis, x.ndim, "unfold")
    if x.ndim == 0:
        x = x.reshape(1)
    count = len(_window_starts(x.shape[a], size, step))
    strides = [s * step if k == a else s for k, s in enumerate(x.strides)]
    return window(x, (*x.shape[:a], count, *x.shape[a + 1:], size), [*strides, x.strides[a]])


@op("tensor_fold(G) -> GX", family="own")
def tensor_fold(g, shape=(), axis=0, size=1, step=1):
    """Zeros of the given shape with the windows of g added where tensor_unfold reads them."""
    a = one_axis(axis, len(shape), "unfold")
    out = np.zeros(shape or (1,), g.dtype)
    before = (slice(None),) * a
    for k in range(size):  # element k of all windows at once: those positions differ
        out[(*before, slice(k, k + (g.shape[a] - 1) * step + 1, step))] += g[..., k]
    return out.reshape(shape)


tensor_unfold.grad(x=lambda g, x_shape, axis, size, step: tensor_fold(g, tuple(x_shape), axis, size, step))
tensor_fold.grad(g=lambda g, axis, size, step: tensor_unfold(g, axis, size, step))

through_float32(as_strided_sum, tensor_fold)
