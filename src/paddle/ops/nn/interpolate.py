"""Resizing pictures: nearest, linear and cubic interpolation along one, two or three axes."""

import functools
import math

import numpy as np

from ...core.op import op
from ...core.steps import dense
from ..library import by_library
from ..manipulation.gather_scatter import add_rows
from ..manipulation.reshape import ints_of
from ..short import through_float32
from .conv import to_first, to_last
from .window_geometry import channels_last

_CUBIC = -0.75
SMOOTH = {"smooth_bilinear": "bilinear", "smooth_bicubic": "bicubic"}  # methods that no operator of files has
_CUT = 1e-6  # an integer that rounding missed by less than this is still that integer


def _ratio(size, out, scale, align_corners, real):
    """Steps in the input per step in the output, in the type of the data: the last bit decides about a nearest cell."""
    if out <= 1:
        return real(0)  # a single cell is taken from the first one
    if align_corners:
        return real(size - 1) / real(out - 1)
    return real(1 / scale) if scale > 0 else real(size) / real(out)


def taps(size, out, scale, method, align_corners, align_mode, dtype):
    """For every output cell along one axis: the input cells it is made from [out, k], and their weights [out, k]."""
    if method in SMOOTH:
        return smooth_taps(size, out, scale, SMOOTH[method], align_corners)
    real = np.float64 if dtype == np.float64 else np.float32
    ratio, at = _ratio(size, out, scale, align_corners, real), np.arange(out, dtype=real)
    if method == "nearest":
        index = (ratio * at + real(0.5 if align_corners else 0)).astype(np.int64)
        return np.minimum(index, size - 1)[:, None], None
    if method == "bicubic":
        source = ratio * at if align_corners else ratio * (at + real(0.5)) - real(0.5)
        first = np.floor(source)
        t = (source - first).astype(np.float64)
        index = np.clip(first.astype(np.int64)[:, None] + np.arange(-1, 3), 0, size - 1)
        return index, np.stack([_far(t + 1), _near(t), _near(1 - t), _far(2 - t)], 1)
    if align_mode == 0 and not align_corners:
        source = np.maximum(ratio * (at + real(0.5)) - real(0.5), real(0))
    else:
        source = ratio * at
    low = np.minimum(source.astype(np.int64), size - 1)
    share = np.where(low + 1 < size, source - low, 0).astype(np.float64)
    return np.stack([low, np.minimum(low + 1, size - 1)], 1), np.stack([1 - share, share], 1)


def smooth_taps(size, out, scale, method, align_corners):
    """``taps`` of a filter that grows as the picture shrinks, so that every input cell counts: a triangle or a cubic."""
    ratio = float(_ratio(size, out, scale, align_corners, np.float64)) if out > 1 else size / out if scale <= 0 else 1 / scale
    wide, reach = max(ratio, 1.0), 1 if method == "bilinear" else 2
    centre = ratio * (np.arange(out) + 0.5)
    low = np.maximum((centre - reach * wide + 0.5).astype(np.int64), 0)
    count = np.minimum((centre + reach * wide + 0.5).astype(np.int64), size) - low
    index = low[:, None] + np.arange(count.max())
    t = np.abs(index + 0.5 - centre[:, None]) / wide
    if method == "bilinear":
        weight = np.maximum(1 - t, 0)
    else:  # Catmull and Rom's cubic
        weight = np.where(t < 1, (1.5 * t - 2.5) * t * t + 1, np.where(t < 2, ((-0.5 * t + 2.5) * t - 4) * t + 2, 0))
    weight = np.where(np.arange(count.max()) < count[:, None], weight, 0)
    return np.minimum(index, size - 1), weight / weight.sum(1, keepdims=True)


def _near(t):
    return ((_CUBIC + 2) * t - (_CUBIC + 3)) * t * t + 1


def _far(t):
    return ((_CUBIC * t - 5 * _CUBIC) * t + 8 * _CUBIC) * t - 4 * _CUBIC


@op("resample(X) -> Out", family="own")
def resample(x, outs=(), scales=(), method="nearest", align_corners=False, align_mode=0):
    """x [N, C, *sizes] interpolated to [N, C, *outs]: linear in x, so that resample_back is its gradient."""
    if method != "nearest" and x.dtype.kind in "iub":  # weights are fractions: compute with them, then cut as a cast does
        fine = resample.fn(x.astype(np.float64), outs, scales, method, align_corners, align_mode)
        limits = np.iinfo(x.dtype)
        return np.clip(np.trunc(fine + np.copysign(_CUT, fine)), limits.min, limits.max).astype(x.dtype)
    for k, (out, scale) in enumerate(zip(outs, scales)):
        axis = 2 + k
        index, weight = taps(x.shape[axis], out, scale, method, align_corners, align_mode, x.dtype)
        if weight is None:
            x = np.take(x, index[:, 0], axis)
            continue
        shape = (-1,) + (1,) * (x.ndim - 1 - axis)
        parts = [np.take(x, index[:, j], axis) * weight[:, j].astype(x.dtype).reshape(shape) for j in range(index.shape[1])]
        x = sum(parts[1:], parts[0])
    return x


@op("resample_back(G) -> GX", family="own")
def resample_back(g, size=(), scales=(), method="nearest", align_corners=False, align_mode=0):
    """Gradients of interpolated cells given back to the cells they were made from."""
    for k, (n, scale) in enumerate(zip(size, scales)):
        axis = 2 + k
        index, weight = taps(n, g.shape[axis], scale, method, align_corners, align_mode, g.dtype)
        rows = np.moveaxis(g, axis, 0)
        rest = rows.shape[1:]
        rows = rows.reshape(rows.shape[0], -1)
        back = np.zeros((n, rows.shape[1]), g.dtype)
        for j in range(index.shape[1]):
            add_rows(back, index[:, j], rows if weight is None else rows * weight[:, j].astype(g.dtype)[:, None])
        g = np.moveaxis(back.reshape(n, *rest), 0, axis)
    return np.ascontiguousarray(g)


def _quick(x, outs):
    return x.dtype.char in "fd" and x.ndim == 2 + len(outs) and x.size and 0 not in outs


@functools.lru_cache(128)
def _sums(back, size, out, scale, method, align_corners, align_mode, dtype):
    """Taps as ``k.resample`` takes them: where the terms of each output cell begin, what they are, their weights. ``back``, for
    gradients: the terms of an input cell are the output cells that were made from it."""
    index, weight = taps(size, out, scale, method, align_corners, align_mode, dtype)
    cells, each = index.ravel(), index.shape[1]
    weight = np.ones(cells.size, dtype) if weight is None else weight.astype(dtype).ravel()
    if not back:
        return np.arange(0, out * each + 1, each), cells, weight
    order = np.argsort(cells, kind="stable")
    return np.searchsorted(cells[order], np.arange(size + 1)), order // each, weight[order]


@resample.kernel(when=lambda x, outs, scales, method, align_corners, align_mode: _quick(x, outs), noted=False)
def _(k, x, outs, scales, method, align_corners, align_mode):
    x, axes = dense(x), range(len(outs))
    for n in reversed(axes) if math.prod(outs) > math.prod(x.shape[2:]) else axes:  # along rows while they are short
        x = k.resample(x, *_sums(False, x.shape[2 + n], outs[n], scales[n], method, align_corners, align_mode, x.dtype), 2 + n)
    return x


@resample_back.kernel(when=lambda g, size, scales, method, align_corners, align_mode: _quick(g, size), noted=False)
def _(k, g, size, scales, method, align_corners, align_mode):
    g = dense(g)
    for n, (cells, scale) in enumerate(zip(size, scales)):
        g = k.resample(g, *_sums(True, cells, g.shape[2 + n], scale, method, align_corners, align_mode, g.dtype), 2 + n)
    return g


resample.grad(x=lambda g, x_shape, scales, method, align_corners, align_mode:
              resample_back(g, tuple(x_shape[2:]), scales, method, align_corners, align_mode))
resample_back.grad(g=lambda g, g_shape, scales, method, align_corners, align_mode:
                   resample(g, tuple(g_shape[2:]), scales, method, align_corners, align_mode))


def _geometry(name, size, out_size, size_list, scale_tensor, attributes, scale):
    """(output sizes, scales or 0 where only the size was given) from whatever the op was given, the strongest first."""
    n = len(size)
    if size_list:
        return tuple(ints_of(None, None, size_list)), (0.0,) * n
    given = ints_of(None, out_size)
    scales = list(np.ravel(scale_tensor)) if scale_tensor is not None else list(scale)
    if scales:
        scales = [float(s) for s in (scales * n if len(scales) == 1 else scales)]
        if len(scales) != n or min(scales) <= 0:
            raise ValueError(f"{name}(): scale must be one or {n} positive numbers, got {scales}")
        return tuple(int(s * k) for s, k in zip(size, scales)) if given is None else tuple(given), tuple(scales)
    outs = attributes[-n:] if given is None else given
    if min(outs) <= 0:
        raise ValueError(f"{name}(): neither a size nor a scale is given")
    return tuple(outs), (0.0,) * n


def _declare(method, axes, doc, version=2):
    """The operator of a method. The first version, of 1.x, has one number as its scale, and cells always as far apart as the two
    sizes say, never as the scale says."""
    name = f"{method}_interp"

    def geometry(x, out_size, size_list, scale_tensor, out_d, out_h, out_w, scale, last):
        size = tuple(x.shape[1:-1] if last else x.shape[2:])
        if len(size) not in axes:
            raise ValueError(f"{name}(): x must have {' or '.join(str(a + 2) for a in axes)} axes, got shape {list(x.shape)}")
        outs, scales = _geometry(name, size, out_size, size_list, scale_tensor, (out_d, out_h, out_w), scale)
        return outs, scales if version == 2 else (0.0,) * len(size)

    def forward(x, out_size=None, size_list=None, scale_tensor=None, data_layout="NCHW", out_d=0, out_h=0, out_w=0, scale=(),
                interp_method=method, align_corners=True, align_mode=1):
        last = channels_last(data_layout)
        outs, scales = geometry(x, out_size, size_list, scale_tensor, out_d, out_h, out_w, scale, last)
        return to_last(resample(to_first(x, last), outs, scales, method, align_corners, align_mode), last)

    def vjp(needs, g, x, out_size, size_list, scale_tensor, data_layout, out_d, out_h, out_w, scale, align_corners,
            align_mode):
        last = channels_last(data_layout)
        _, scales = geometry(x, out_size, size_list, scale_tensor, out_d, out_h, out_w, scale, last)
        size = tuple(x.shape[1:-1] if last else x.shape[2:])
        back = resample_back(to_first(g, last), size, scales, method, align_corners, align_mode)
        return to_last(back, last), None, None, None

    def shapes(x, out_size, size_list, scale_tensor, data_layout, out_d, out_h, out_w, scale):
        last, n = channels_last(data_layout), len(x.shape) - 2
        given = [t for t in (out_size, scale_tensor, *(size_list or ())) if t is not None]
        if any(t.known is None for t in given) or -1 in (x.shape[1:-1] if last else x.shape[2:]) and (scale or scale_tensor):
            outs = (-1,) * n
        else:
            listed = [t.known for t in size_list or ()]
            outs, _ = geometry(x, out_size and out_size.known, listed, scale_tensor and scale_tensor.known, out_d, out_h, out_w,
                               scale, last)
        return x.like((x.shape[0], *outs, x.shape[-1]) if last else (*x.shape[:2], *outs))

    forward.__name__, forward.__doc__, forward.__module__ = name if version == 2 else name + "1", doc, __name__
    ways = {} if version == 2 else {"to_desc": _one_scale, "from_desc": _listed_scale}
    declared = op(f"{name}{'_v2' if version == 2 else ''}(X, OutSize?, SizeTensor*?, Scale?) -> Out", family="own", amp="float32",
                  layer_name=f"{name}_v2" if version == 2 else None,
                  shapes=shapes, **ways)(forward)
    declared.vjp(vjp)
    return declared


def _one_scale(attrs):
    return {**attrs, "scale": float(attrs["scale"][0]) if attrs["scale"] else 0.0}


def _listed_scale(attrs):
    return {**attrs, "scale": [attrs["scale"]] if attrs.get("scale", 0.0) > 0 else []}


nearest_interp = _declare("nearest", (1, 2, 3), "x resized, every cell copied from the nearest one of the input.")
linear_interp = _declare("linear", (1,), "x [N, C, L] resized, linearly between neighbours.")
bilinear_interp = _declare("bilinear", (2,), "x [N, C, H, W] resized, linearly between neighbours.")
trilinear_interp = _declare("trilinear", (3,), "x [N, C, D, H, W] resized, linearly between neighbours.")
bicubic_interp = _declare("bicubic", (2,), "x [N, C, H, W] resized with cubic splines through four neighbours.")
nearest_interp1, linear_interp1, bilinear_interp1, trilinear_interp1, bicubic_interp1 = (
    _declare(declared.name.removesuffix("_interp"), axes, f"{declared.__doc__} (Of 1.x.)", version=1)
    for declared, axes in ((nearest_interp, (1, 2, 3)), (linear_interp, (1,)), (bilinear_interp, (2,)), (trilinear_interp, (3,)),
                           (bicubic_interp, (2,))))

through_float32(resample, resample_back)
by_library(nearest_interp, linear_interp, bilinear_interp, trilinear_interp, bicubic_interp, nearest_interp1, linear_interp1,
           bilinear_interp1, trilinear_interp1, bicubic_interp1)
