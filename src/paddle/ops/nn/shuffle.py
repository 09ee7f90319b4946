"""Cells moved between axes: pixel and channel shuffles, shifts in time, windows laid out as columns."""

import itertools
import math

import numpy as np

from ...core.op import op
from ...core.steps import contiguous
from ..composed import composed
from ..library import by_library
from ..manipulation.joining import concat
from ..manipulation.pad import pad_around
from ..manipulation.slicing import basic_get
from ..short import through_float32
from .conv import to_first, to_last
from .window_geometry import channels_last, out_size, reaching_pads, window_slices


def _divides(name, argument, factor, size, what, shape):
    if factor < 1 or size % factor:
        raise ValueError(f"{name}(): {argument} {factor} must be positive and divide the {what} of x {list(shape)}")


def _blocks(x, data_format, scale):
    """x [N, C, H, W] with sizes changed by a function of each."""
    last = channels_last(data_format)
    n, c, h, w = x.shape if not last else [x.shape[k] for k in (0, 3, 1, 2)]
    c, h, w = [-1 if size < 0 else scale(size, k) for k, size in enumerate((c, h, w))]
    return x.like((n, h, w, c) if last else (n, c, h, w))


def _spread(x, upscale_factor, data_format):
    return _blocks(x, data_format, lambda size, k: size * upscale_factor if k else size // upscale_factor ** 2)


def _gathered(x, downscale_factor, data_format):
    return _blocks(x, data_format, lambda size, k: size // downscale_factor if k else size * downscale_factor ** 2)


def _sizes(x, last):
    """(N, C, H, W) of pictures, wherever their channels are."""
    n, c, h, w = [x.shape[k] for k in ((0, 3, 1, 2) if last else range(4))]
    return n, c, h, w


@op("pixel_shuffle(X) -> Out", family="own", shapes=_spread)
def pixel_shuffle(x, upscale_factor=1, data_format="NCHW"):
    """Blocks of r * r channels laid out as r * r pixels: [N, C r^2, H, W] -> [N, C, H r, W r]."""
    last, r = channels_last(data_format), upscale_factor
    n, c, h, w = _sizes(x, last)
    _divides("pixel_shuffle", "upscale_factor squared,", r * r, c, "channels", (n, c, h, w))
    if last:
        return contiguous(x.reshape(n, h, w, c // (r * r), r, r).transpose(0, 1, 4, 2, 5, 3)).reshape(n, h * r, w * r, c // (r * r))
    return contiguous(x.reshape(n, c // (r * r), r, r, h, w).transpose(0, 1, 4, 2, 5, 3)).reshape(n, c // (r * r), h * r, w * r)


@op("pixel_unshuffle(X) -> Out", family="own", shapes=_gathered)
def pixel_unshuffle(x, downscale_factor=1, data_format="NCHW"):
    """The opposite of pixel_shuffle: [N, C, H r, W r] -> [N, C r^2, H, W]."""
    last, r = channels_last(data_format), downscale_factor
    n, c, h, w = _sizes(x, last)
    _divides("pixel_unshuffle", "downscale_factor", r, h, "height", (n, c, h, w))
    _divides("pixel_unshuffle", "downscale_factor", r, w, "width", (n, c, h, w))
    if last:
        return contiguous(x.reshape(n, h // r, r, w // r, r, c).transpose(0, 1, 3, 5, 2, 4)).reshape(n, h // r, w // r, c * r * r)
    return contiguous(x.reshape(n, c, h // r, r, w // r, r).transpose(0, 1, 3, 5, 2, 4)).reshape(n, c * r * r, h // r, w // r)


pixel_shuffle.grad(x=lambda g, upscale_factor, data_format: pixel_unshuffle(g, upscale_factor, data_format))
pixel_unshuffle.grad(x=lambda g, downscale_factor, data_format: pixel_shuffle(g, downscale_factor, data_format))


@op("channel_shuffle(X) -> Out", family="same")
def channel_shuffle(x, groups=1, data_format="NCHW"):
    """The channels of every group interleaved: channel i of group g comes to place i * groups + g."""
    last = channels_last(data_format)
    n, c, h, w = _sizes(x, last)
    _divides("channel_shuffle", "groups", groups, c, "channels", (n, c, h, w))
    if last:
        return contiguous(x.reshape(n, h, w, groups, c // groups).swapaxes(3, 4)).reshape(x.shape)
    return contiguous(x.reshape(n, groups, c // groups, h, w).swapaxes(1, 2)).reshape(x.shape)


def _unshuffled(g, groups, data_format):
    return channel_shuffle(g, _sizes(g, channels_last(data_format))[1] // groups, data_format)


channel_shuffle.grad(x=_unshuffled)


@composed("temporal_shift(X) -> Out", family="same")
def temporal_shift(x, seg_num=1, shift_ratio=0.25, data_format="NCHW"):
    """The first channels shifted by one frame forward in time, the next ones backward, zeros coming in."""
    last = channels_last(data_format)
    x = to_first(x, last)
    nt, c, h, w = x.shape
    _divides("temporal_shift", "seg_num", seg_num, nt, "frames", x.shape)
    first, second = int(c * shift_ratio), int(c * 2 * shift_ratio)
    x = x.reshape([nt // seg_num, seg_num, c, h, w])
    padded = pad_around(x, ((0, 0), (1, 1), (0, 0), (0, 0), (0, 0)))
    parts = [basic_get(padded, (slice(None), slice(start, start + seg_num), slice(low, high)))
             for start, low, high in ((0, 0, first), (2, first, second), (1, second, c)) if high > low]
    return to_last(concat(parts, None, 2).reshape([nt, c, h, w]), last)


# ---- windows as columns ---------------------------------------------------------------------------------------------------
def _columns(size, kernel_sizes, strides, paddings, dilations, function):
    """((top, bottom), (left, right)) and the number of windows along each axis."""
    if len(paddings) == 2:
        pads = ((paddings[0],) * 2, (paddings[1],) * 2)
    else:
        pads = ((paddings[0], paddings[2]), (paddings[1], paddings[3]))
    pads = reaching_pads(pads, size, kernel_sizes, strides, dilations)
    outs = tuple(out_size(n, k, s, p, d) for n, k, s, p, d in zip(size, kernel_sizes, strides, pads, dilations))
    if min(outs) < 1:
        raise ValueError(f"{function}(): windows {list(kernel_sizes)} (dilation {list(dilations)}) do not fit into "
                         f"{list(size)} padded by {[list(p) for p in pads]}")
    return pads, outs


def _as_columns(x, kernel_sizes, strides, paddings, dilations):
    if len(x.shape) != 4 or -1 in x.shape[1:]:
        return None
    _, outs = _columns(x.shape[2:], kernel_sizes, strides, paddings, dilations, "unfold")
    return x.like((x.shape[0], x.shape[1] * math.prod(kernel_sizes), math.prod(outs)))


@op("unfold(X) -> Y", family="own", shapes=_as_columns)
def unfold(x, kernel_sizes=(1, 1), strides=(1, 1), paddings=(0, 0, 0, 0), dilations=(1, 1)):
    """Every window of x [N, C, H, W] as a column: [N, C kh kw, windows]."""
    if x.ndim != 4:
        raise ValueError(f"x must have 4 axes, got shape {list(x.shape)}")
    pads, outs = _columns(x.shape[2:], kernel_sizes, strides, paddings, dilations, "unfold")
    padded = np.pad(x, ((0, 0), (0, 0), *pads))
    cells = [padded[(slice(None), slice(None), *window_slices(o, strides, dilations, outs))]
             for o in itertools.product(*map(range, kernel_sizes))]
    return np.stack(cells, 2).reshape(x.shape[0], -1, outs[0] * outs[1])


@op("fold(X) -> Y", family="own",
    shapes=lambda x, output_sizes, kernel_sizes: x.like(
    (x.shape[0], -1 if x.shape[1] < 0 else x.shape[1] // math.prod(kernel_sizes), *output_sizes)))
def fold(x, output_sizes=(1, 1), kernel_sizes=(1, 1), strides=(1, 1), paddings=(0, 0, 0, 0), dilations=(1, 1)):
    """Columns [N, C kh kw, windows] added up where their windows lie: [N, C, *output_sizes]; the gradient of unfold."""
    pads, outs = _columns(output_sizes, kernel_sizes, strides, paddings, dilations, "fold")
    area = int(np.prod(kernel_sizes))
    if x.ndim != 3 or x.shape[1] % area or x.shape[2] != outs[0] * outs[1]:
        raise ValueError(f"fold(): x must be [N, C * {area}, {outs[0] * outs[1]}] for output_sizes {list(output_sizes)}, got "
                         f"shape {list(x.shape)}")
    cells = x.reshape(x.shape[0], x.shape[1] // area, area, *outs)
    y = np.zeros((*cells.shape[:2], *(n + sum(p) for n, p in zip(output_sizes, pads))), x.dtype)
    for k, o in enumerate(itertools.product(*map(range, kernel_sizes))):
        y[(slice(None), slice(None), *window_slices(o, strides, dilations, outs))] += cells[:, :, k]
    return y[(slice(None), slice(None), *(slice(p[0], p[0] + n) for n, p in zip(output_sizes, pads)))]


unfold.grad(x=lambda g, x_shape, kernel_sizes, strides, paddings, dilations:
            fold(g, tuple(x_shape[2:]), kernel_sizes, strides, paddings, dilations))
fold.grad(x=lambda g, kernel_sizes, strides, paddings, dilations: unfold(g, kernel_sizes, strides, paddings, dilations))

through_float32(fold)


by_library(unfold, fold, temporal_shift, pixel_shuffle, pixel_unshuffle, channel_shuffle)
