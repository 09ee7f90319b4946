"""Pooling: max (with indices) and average, in 1 to 3 dimensions, plain and adaptive."""

import itertools

import numpy as np

from ...core.op import op
from ...core.steps import dense
from ..arguments import check_index
from ..families.pool import pool_geometry
from ..short import through_float32
from .conv import to_first, to_last
from .window_geometry import channels_last, flat_pads, per_axis, window_slices


def _fast(x, *_):
    return x.dtype.char in "fd"


def bounds(size, k, s, pair, outs):
    """Start and end of each window along one axis, cut to the input."""
    start = np.arange(outs) * s - pair[0]
    return np.maximum(start, 0), np.minimum(start + k, size)


# ---- max: values and where they came from; the gradient scatters, its gradient gathers ----------------------------

@op("max_pool_nd(X) -> Out, Index", family="pool")
def max_pool(x, kernel=(2, 2), stride=(2, 2), pads=((0, 0), (0, 0)), outs=(1, 1)):
    """Largest element of each window and its position in the flattened spatial axes (the first one on ties)."""
    n = len(kernel)
    lowest = np.finfo(x.dtype).min if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    spatial = x.shape[2:]
    need = [max(s, (m - 1) * q + k - a) for s, m, q, k, (a, _) in zip(spatial, outs, stride, kernel, pads)]
    widths = [(a, m - s) for s, m, (a, _) in zip(spatial, need, pads)]
    padded = np.pad(x, ((0, 0), (0, 0), *widths), constant_values=lowest)
    place = np.pad(np.arange(int(np.prod(spatial))).reshape(spatial), widths, constant_values=-1)
    best = np.full((*x.shape[:2], *outs), lowest, x.dtype)
    index = np.full(best.shape, -1, np.int32)
    for offset in itertools.product(*map(range, kernel)):
        where = window_slices(offset, stride, (1,) * n, outs)
        value, at = padded[(slice(None), slice(None), *where)], place[where]
        better = ((value > best) | np.isnan(value) & ~np.isnan(best) | (index < 0)) & (at >= 0)
        best = np.where(better, value, best)
        index = np.where(better, at, index).astype(np.int32)
    return best, index


@op("max_pool_nd_back(DY, Index) -> DX", family="pool")
def pool_scatter(dy, index, size=(1, 1)):
    """Add every dy at its index of the flattened spatial axes: the gradient of max pooling."""
    dx = np.zeros((*dy.shape[:2], int(np.prod(size))), dy.dtype)
    rows, flat, values = np.arange(dx.shape[0] * dx.shape[1]), index.reshape(dx.shape[0] * dx.shape[1], -1), dy
    where = np.broadcast_to(rows[:, None], flat.shape)
    keep = flat >= 0
    np.add.at(dx.reshape(len(rows), -1), (where[keep], flat[keep]), values.reshape(len(rows), -1)[keep])
    return dx.reshape(*dy.shape[:2], *size)


@op("max_pool_nd_gather(X, Index) -> Out", family="pool")
def pool_gather(x, index):
    """The elements of x at the given positions of its flattened spatial axes (0 where the index is -1)."""
    flat = x.reshape(*x.shape[:2], -1)
    check_index(np.where(index < 0, 0, index), flat.shape[-1], "max_pool")
    at = index.reshape(*index.shape[:2], -1)
    values = np.take_along_axis(flat, np.where(at < 0, 0, at), -1)
    return np.where(at < 0, x.dtype.type(0), values).reshape(index.shape)


max_pool.grad(x=lambda g, out, x_shape: pool_scatter(g[0], out[1], tuple(x_shape[2:])))
pool_scatter.grad(dy=lambda g, index: pool_gather(g, index))
pool_gather.grad(x=lambda g, index, x_shape: pool_scatter(g, index, tuple(x_shape[2:])))


@max_pool.kernel(when=_fast)
def _(k, x, kernel, stride, pads, outs):
    return k.max_pool(dense(x), kernel, stride, flat_pads(pads), outs)


@pool_scatter.kernel(when=_fast)
def _(k, dy, index, size):
    return k.max_pool_backward(dense(dy), dense(index.astype(np.int32, copy=False)), size)


# ---- the commonest case, 2x2 with stride 2: the index is one byte per window (0 1 / 2 3) ----------------------------

@op("max_pool_2x2(X) -> Out, Index", family="pool")
def max_pool2x2(x):
    """Largest element of each 2x2 block (an odd last row or column is dropped) and which of the four it was."""
    n, c, h, w = x.shape
    blocks = x[:, :, :h // 2 * 2, :w // 2 * 2].reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5)
    blocks = blocks.reshape(n, c, h // 2, w // 2, 4)
    index = blocks.argmax(-1)
    return np.take_along_axis(blocks, index[..., None], -1)[..., 0], index.astype(np.uint8)


@op("max_pool_2x2_back(DY, Index) -> DX", family="pool")
def pool2x2_scatter(dy, index, size=(2, 2)):
    """Every dy put at its place of the 2x2 block: the gradient of max_pool2x2."""
    n, c, oh, ow = dy.shape
    blocks = np.zeros((n, c, oh, ow, 4), dy.dtype)
    np.put_along_axis(blocks, index[..., None].astype(np.intp), dy[..., None], -1)
    dx = np.zeros((n, c, *size), dy.dtype)
    dx[:, :, :2 * oh, :2 * ow] = blocks.reshape(n, c, oh, ow, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, 2 * oh, 2 * ow)
    return dx


@op("max_pool_2x2_gather(X, Index) -> Out", family="pool")
def pool2x2_gather(x, index):
    """The elements of x that max_pool2x2 picked elsewhere."""
    n, c, oh, ow = index.shape
    blocks = x[:, :, :2 * oh, :2 * ow].reshape(n, c, oh, 2, ow, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, oh, ow, 4)
    return np.take_along_axis(blocks, index[..., None].astype(np.intp), -1)[..., 0]


max_pool2x2.grad(x=lambda g, out, x_shape: pool2x2_scatter(g[0], out[1], tuple(x_shape[2:])))
pool2x2_scatter.grad(dy=lambda g, index: pool2x2_gather(g, index))
pool2x2_gather.grad(x=lambda g, index, x_shape: pool2x2_scatter(g, index, tuple(x_shape[2:])))


@max_pool2x2.kernel(when=_fast)
def _(k, x):
    return k.max_pool2x2(dense(x))


@pool2x2_scatter.kernel(when=_fast)
def _(k, dy, index, size):
    return k.max_pool2x2_backward(dense(dy), dense(index), size)


# ---- average: linear, so forward and backward are each other's gradients -------------------------------------------

def _counts(size, kernel, stride, pads, outs, exclusive, divisor):
    """By what each window's sum is divided, shaped to broadcast over [N, C, *outs]."""
    if divisor:
        return np.float64(divisor)
    total = np.float64(1)
    for i, (s, k, q, (a, b), m) in enumerate(zip(size, kernel, stride, pads, outs)):
        start = np.arange(m) * q - a
        if exclusive:
            lo, hi = np.maximum(start, 0), np.minimum(start + k, s)
        else:
            lo, hi = start, np.minimum(start + k, s + b)
        total = total * np.maximum(hi - lo, 1).reshape((-1,) + (1,) * (len(outs) - 1 - i))
    return total


@op("avg_pool_nd(X) -> Out", family="pool")
def avg_pool(x, kernel=(2, 2), stride=(2, 2), pads=((0, 0), (0, 0)), outs=(1, 1), exclusive=True, divisor=0):
    """Mean of each window: over its cells inside x (exclusive), over its padded size, or sum / divisor."""
    n = len(kernel)
    need = [max(s, (m - 1) * q + k - a) for s, m, q, k, (a, _) in zip(x.shape[2:], outs, stride, kernel, pads)]
    padded = np.pad(x, ((0, 0), (0, 0), *[(a, m - s) for s, m, (a, _) in zip(x.shape[2:], need, pads)]))
    total = np.zeros((*x.shape[:2], *outs), x.dtype)
    for offset in itertools.product(*map(range, kernel)):
        total += padded[(slice(None), slice(None), *window_slices(offset, stride, (1,) * n, outs))]
    return total / _counts(x.shape[2:], kernel, stride, pads, outs, exclusive, divisor).astype(x.dtype)


@op("avg_pool_nd_back(DY) -> DX", family="pool")
def avg_pool_spread(dy, size=(1, 1), kernel=(2, 2), stride=(2, 2), pads=((0, 0), (0, 0)), exclusive=True, divisor=0):
    """Every dy spread evenly over the cells of its window: the gradient of average pooling."""
    outs, n = dy.shape[2:], len(kernel)
    share = dy / _counts(size, kernel, stride, pads, outs, exclusive, divisor).astype(dy.dtype)
    need = [max(s, (m - 1) * q + k - a) for s, m, q, k, (a, _) in zip(size, outs, stride, kernel, pads)]
    dx = np.zeros((*dy.shape[:2], *(m + a for m, (a, _) in zip(need, pads))), dy.dtype)
    for offset in itertools.product(*map(range, kernel)):
        dx[(slice(None), slice(None), *window_slices(offset, stride, (1,) * n, outs))] += share
    return np.ascontiguousarray(dx[(slice(None), slice(None), *(slice(a, a + s) for s, (a, _) in zip(size, pads)))])


avg_pool.grad(x=lambda g, x_shape, kernel, stride, pads, exclusive, divisor:
              avg_pool_spread(g, tuple(x_shape[2:]), kernel, stride, pads, exclusive, divisor))
avg_pool_spread.grad(dy=lambda g, dy_shape, kernel, stride, pads, exclusive, divisor:
                     avg_pool(g, kernel, stride, pads, tuple(dy_shape[2:]), exclusive, divisor))


@avg_pool.kernel(when=lambda x, kernel, stride, pads, outs, exclusive, divisor: _fast(x))
def _(k, x, kernel, stride, pads, outs, exclusive, divisor):
    return k.avg_pool(dense(x), kernel, stride, flat_pads(pads), outs, exclusive, divisor)


@avg_pool_spread.kernel(when=lambda dy, size, kernel, stride, pads, exclusive, divisor: _fast(dy))
def _(k, dy, size, kernel, stride, pads, exclusive, divisor):
    return k.avg_pool_backward(dense(dy), size, kernel, stride, flat_pads(pads), exclusive, divisor)


# ---- adaptive: windows from floor(i * size / out) to ceil((i + 1) * size / out) ------------------------------------

def adaptive_matrix(size, out, dtype):
    """[out, size] matrix whose rows average one window each."""
    i = np.arange(out)
    start, end = i * size // out, -(-(i + 1) * size // out)
    cell = np.arange(size)
    inside = (cell >= start[:, None]) & (cell < end[:, None])
    return (inside / np.maximum(end - start, 1)[:, None]).astype(dtype)


def _along(x, matrices):
    """Apply one matrix to each spatial axis."""
    for i, m in enumerate(matrices):
        x = np.moveaxis(np.tensordot(x, m, ([2 + i], [1])), -1, 2 + i)
    return np.ascontiguousarray(x)


@op("adaptive_avg_pool_nd(X) -> Out", family="pool")
def adaptive_avg_pool(x, outs=(1, 1)):
    """Mean of each adaptive window."""
    return _along(x, [adaptive_matrix(s, m, x.dtype) for s, m in zip(x.shape[2:], outs)])


@op("adaptive_avg_pool_nd_back(DY) -> DX", family="pool")
def adaptive_avg_spread(dy, size=(1, 1)):
    """The gradient of adaptive average pooling."""
    return _along(dy, [adaptive_matrix(s, m, dy.dtype).T for s, m in zip(size, dy.shape[2:])])


adaptive_avg_pool.grad(x=lambda g, x_shape: adaptive_avg_spread(g, tuple(x_shape[2:])))
adaptive_avg_spread.grad(dy=lambda g, dy_shape: adaptive_avg_pool(g, tuple(dy_shape[2:])))


@op("adaptive_max_pool_nd(X) -> Out, Index", family="pool")
def adaptive_max_pool(x, outs=(1, 1)):
    """Largest element of each adaptive window and its position in the flattened spatial axes."""
    size = x.shape[2:]
    if 0 in size:
        raise ValueError(f"adaptive_max_pool(): there is no largest element of nothing, x has shape {list(x.shape)}")
    place = np.arange(int(np.prod(size))).reshape(size)
    best, index = np.empty((*x.shape[:2], *outs), x.dtype), np.empty((*x.shape[:2], *outs), np.int32)
    for cell in itertools.product(*map(range, outs)):
        where = tuple(slice(i * s // m, -(-(i + 1) * s // m)) for i, s, m in zip(cell, size, outs))
        block = x[(slice(None), slice(None), *where)].reshape(*x.shape[:2], -1)
        k = block.argmax(-1)
        best[(slice(None), slice(None), *cell)] = np.take_along_axis(block, k[..., None], -1)[..., 0]
        index[(slice(None), slice(None), *cell)] = place[where].reshape(-1)[k]
    return best, index


adaptive_max_pool.grad(x=lambda g, out, x_shape: pool_scatter(g[0], out[1], tuple(x_shape[2:])))


@adaptive_avg_pool.kernel(when=_fast)
def _(k, x, outs):
    return k.adaptive_avg_pool(dense(x), outs)


@adaptive_avg_spread.kernel(when=_fast)
def _(k, dy, size):
    return k.adaptive_avg_pool_backward(dense(dy), size)


@adaptive_max_pool.kernel(when=lambda x, outs: _fast(x) and 0 not in x.shape[2:])
def _(k, x, outs):
    return k.adaptive_max_pool(dense(x), outs)


# ---- the pooling ops that files name -------------------------------------------------------------------------------

def _first(x, data_format):
    return to_first(x, channels_last(data_format))


def _last(y, data_format):
    return to_last(y, channels_last(data_format))


def _declare(name, doc):
    def forward(x, ksize=(1, 1), strides=(1, 1), paddings=(0, 0), ceil_mode=False, exclusive=True, data_format="NCHW",
                pooling_type="max", global_pooling=False, adaptive=False, padding_algorithm="EXPLICIT"):
        return _last(_pool(name, _first(x, data_format), ksize, strides, paddings, ceil_mode, exclusive, pooling_type,
                           global_pooling, adaptive, padding_algorithm)[0], data_format)

    def vjp(needs, g, x, ksize, strides, paddings, ceil_mode, exclusive, data_format, pooling_type, global_pooling, adaptive,
            padding_algorithm):
        back = _pool_back(name, _first(g, data_format), _first(x, data_format), ksize, strides, paddings, ceil_mode,
                          exclusive, pooling_type, global_pooling, adaptive, padding_algorithm)
        return (_last(back, data_format),)

    forward.__name__, forward.__doc__, forward.__module__ = name, doc, __name__
    declared = op(f"{name}(X) -> Out", family="pool")(forward)
    declared.vjp(vjp)
    return declared


def _resolved(name, size, ksize, strides, paddings, ceil_mode, global_pooling, algorithm):
    ksize, strides, paddings = tuple(ksize), tuple(strides), tuple(paddings)
    if global_pooling:
        return pool_geometry(name, size, size, 1, 0, "VALID", False)
    return pool_geometry(name, size, ksize, strides, paddings, algorithm, ceil_mode)


def _pool(name, x, ksize, strides, paddings, ceil_mode, exclusive, kind, global_pooling, adaptive, algorithm):
    """(result, index or None) on channels-first arrays or Tensors."""
    size = tuple(x.shape[2:])
    if adaptive:
        outs = per_axis(tuple(ksize), len(size), name, "output_size")
        return adaptive_max_pool(x, outs) if kind == "max" else (adaptive_avg_pool(x, outs), None)
    k, s, pads, outs = _resolved(name, size, ksize, strides, paddings, ceil_mode, global_pooling, algorithm)
    return max_pool(x, k, s, pads, outs) if kind == "max" else (avg_pool(x, k, s, pads, outs, exclusive), None)


def _pool_back(name, g, x, ksize, strides, paddings, ceil_mode, exclusive, kind, global_pooling, adaptive, algorithm):
    size = tuple(x.shape[2:])
    if kind == "max":  # the index is found again rather than kept: files have no slot for it
        index = _pool(name, x, ksize, strides, paddings, ceil_mode, exclusive, kind, global_pooling, adaptive, algorithm)[1]
        return pool_scatter(g, index, size)
    if adaptive:
        return adaptive_avg_spread(g, size)
    k, s, pads, _ = _resolved(name, size, ksize, strides, paddings, ceil_mode, global_pooling, algorithm)
    return avg_pool_spread(g, size, k, s, pads, exclusive)


pool2d = _declare("pool2d", "2-d max or average pooling of x [N, C, H, W].")
pool3d = _declare("pool3d", "3-d max or average pooling of x [N, C, D, H, W].")


def _declare_with_index(name, doc):
    def forward(x, ksize=(1, 1), strides=(1, 1), paddings=(0, 0), global_pooling=False, adaptive=False):
        return _pool(name, x, ksize, strides, paddings, False, True, "max", global_pooling, adaptive, "EXPLICIT")

    forward.__name__, forward.__doc__, forward.__module__ = name, doc, __name__
    declared = op(f"{name}(X) -> Out, Mask", family="pool")(forward)
    declared.grad(x=lambda g, out, x_shape: pool_scatter(g[0], out[1], tuple(x_shape[2:])))
    return declared


max_pool2d_with_index = _declare_with_index("max_pool2d_with_index", "Max pooling and the flat H * W index of each maximum.")
max_pool3d_with_index = _declare_with_index("max_pool3d_with_index", "Max pooling and the flat D * H * W index of maxima.")

through_float32(max_pool, pool_scatter, max_pool2x2, pool2x2_scatter,
                avg_pool, avg_pool_spread, adaptive_avg_pool, adaptive_avg_spread, adaptive_max_pool)
