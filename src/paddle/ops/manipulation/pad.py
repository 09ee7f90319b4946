"""Padding: with a constant, or with elements of the tensor itself (reflected, repeated, from the other end)."""

import numpy as np

from ...core import sizes
from ...core.op import op
from ...core.steps import dense
from ..families.reshape import given_ints
from .gather_scatter import gather_sum
from .reading_order import PAD_MODES, pad_tables, padded
from .reshape import ints_of


def _checked(shape, pairs, mode, function):
    for axis, (n, (before, after)) in enumerate(zip(shape, pairs)):
        if before < 0 or after < 0:
            raise ValueError(f"{function}(): padding must not be negative, got {[list(p) for p in pairs]}")
        limit = n - 1 if mode == "reflect" else 0 if mode == "circular" and not n else None
        if limit is not None and max(before, after) > limit:
            raise ValueError(f"{function}(): mode {mode!r} can pad axis {axis} of size {n} by at most {max(limit, 0)}, "
                             f"got {before} and {after}")
    return pairs


def _padded(x, pairs, mode, value, function):
    _checked(x.shape, pairs, mode, function)
    if mode == "constant":
        return np.pad(x, pairs, constant_values=x.dtype.type(value))
    if mode == "circular":
        return x[np.ix_(*[padded(n, before, after, mode) for n, (before, after) in zip(x.shape, pairs)])]
    return np.pad(x, pairs, mode=PAD_MODES[mode])


def _quickly(k, x, pairs, mode, value):
    """The kernel of all paddings; what is wrong with one the reference says."""
    short = [max(pair) > n - 1 if mode == "reflect" else mode == "circular" and not n and max(pair)
             for n, pair in zip(x.shape, pairs)]
    if mode not in PAD_MODES or len(pairs) != x.ndim or min(map(min, pairs), default=0) < 0 or any(short):
        return NotImplemented
    if mode == "replicate" and not x.size:
        return NotImplemented
    return k.remap(dense(x), pad_tables(x.shape, pairs, mode), np.asarray(value, x.dtype))


def _pairs(paddings, data_format):
    """One pair per axis of a 5-d tensor, from the last spatial axis to the first as files have it."""
    if len(paddings) != 6:
        raise ValueError(f"pad3d(): paddings must be 6 ints, got {list(paddings)}")
    spatial = [(paddings[4], paddings[5]), (paddings[2], paddings[3]), (paddings[0], paddings[1])]
    return [(0, 0), *spatial, (0, 0)] if data_format == "NDHWC" else [(0, 0), (0, 0), *spatial]


def _around(x, pairs):
    return x.like(sizes.padded(x.shape, *map(list, zip(*pairs)))) if pairs and len(x.shape) == len(pairs) else None


def _widened(x, paddings_tensor, paddings, data_format):
    given = given_ints(paddings, paddings_tensor)
    if None in given:
        spatial = [-1] * 3
        return x.like((x.shape[0], *spatial, x.shape[4]) if data_format == "NDHWC" else (*x.shape[:2], *spatial))
    return _around(x, _pairs(given, data_format))


@op("pad3d(X, Paddings?) -> Out", family="own", shapes=_widened)
def pad3d(x, paddings_tensor=None, paddings=(0, 0, 0, 0, 0, 0), mode="constant", value=0.0, data_format="NCDHW"):
    """x [N, C, D, H, W] with [left, right, top, bottom, front, back] cells added around its last three axes."""
    if x.ndim != 5:
        raise ValueError(f"x must have 5 axes, got shape {list(x.shape)}")
    return _padded(x, _pairs(ints_of(paddings, paddings_tensor), data_format), mode, value, "pad")


@pad3d.kernel(when=lambda x, paddings_tensor, paddings, mode, value, data_format: x.ndim == 5 and paddings_tensor is None
              and len(paddings) == 6, noted=False)
def _(k, x, paddings_tensor, paddings, mode, value, data_format):
    return _quickly(k, x, _pairs(paddings, data_format), mode, value)


def _sides(paddings, data_format):
    """One pair per axis of a 4-d tensor, from [top, bottom, left, right]."""
    if len(paddings) != 4:
        raise ValueError(f"pad2d(): paddings must be 4 ints, got {list(paddings)}")
    spatial = [tuple(paddings[:2]), tuple(paddings[2:])]
    return [(0, 0), *spatial, (0, 0)] if data_format == "NHWC" else [(0, 0), (0, 0), *spatial]


def _framed(x, paddings_tensor, paddings, data_format):
    given = given_ints(paddings, paddings_tensor)
    if None in given:
        return x.like((x.shape[0], -1, -1, x.shape[3]) if data_format == "NHWC" else (*x.shape[:2], -1, -1))
    return _around(x, _sides(given, data_format))


@op("pad2d(X, Paddings?) -> Out", family="own", shapes=_framed)
def pad2d(x, paddings_tensor=None, paddings=(0, 0, 0, 0), mode="constant", pad_value=0.0, data_format="NCHW"):
    """x [N, C, H, W] with [top, bottom, left, right] cells added around its pictures (1.x)."""
    if x.ndim != 4:
        raise ValueError(f"x must have 4 axes, got shape {list(x.shape)}")
    mode = "replicate" if mode == "edge" else mode
    return _padded(x, _sides(ints_of(paddings, paddings_tensor), data_format), mode, pad_value, "pad2d")


@pad2d.kernel(when=lambda x, paddings_tensor, paddings, mode, pad_value, data_format: x.ndim == 4 and paddings_tensor is None
              and len(paddings) == 4, noted=False)
def _(k, x, paddings_tensor, paddings, mode, pad_value, data_format):
    return _quickly(k, x, _sides(paddings, data_format), "replicate" if mode == "edge" else mode, pad_value)


@op("pad(X) -> Out", family="own", shapes=lambda x, paddings: _around(x, list(zip(paddings[::2], paddings[1::2]))))
def pad(x, paddings=(), pad_value=0.0):
    """x with a constant around it: (before, after) for every axis, first axis first."""
    if len(paddings) != 2 * x.ndim:
        raise ValueError(f"paddings must be {2 * x.ndim} ints for x {list(x.shape)}, got {list(paddings)}")
    return _padded(x, list(zip(paddings[::2], paddings[1::2])), "constant", pad_value, "pad")


@pad.kernel(when=lambda x, paddings, pad_value: len(paddings) == 2 * x.ndim, noted=False)
def _(k, x, paddings, pad_value):
    return _quickly(k, x, list(zip(paddings[::2], paddings[1::2])), "constant", pad_value)


@op("pad_around(X) -> Out", family="own", shapes=lambda x, pairs: _around(x, pairs))
def pad_around(x, pairs=(), mode="constant"):
    """x padded by zeros or by its own elements: linear, so that its gradient is pad_back and the other way round."""
    return _padded(x, pairs, mode, 0, "pad")


@pad_around.kernel(noted=False)
def _(k, x, pairs, mode):
    return _quickly(k, x, pairs, mode, 0)


@op("pad_back(G) -> GX", family="own")
def pad_back(g, pairs=(), mode="constant"):
    """What padding added taken off again; where it had copied elements, their gradients are added up."""
    for axis, (before, after) in enumerate(pairs):
        if not (before or after):
            continue
        n = g.shape[axis] - before - after
        if mode == "constant":
            g = g[(slice(None),) * axis + (slice(before, before + n),)]
        else:
            g = gather_sum.fn(g, padded(n, before, after, mode), (*g.shape[:axis], n, *g.shape[axis + 1:]), axis)
    return g


@pad_back.kernel(when=lambda g, pairs, mode: mode != "constant" and g.dtype.char in "fd" and g.size, noted=False)
def _(k, g, pairs, mode):
    shape = [n - before - after for n, (before, after) in zip(g.shape, pairs)]
    return k.remap_back(dense(g), pad_tables(shape, pairs, mode), shape)


pad_around.grad(x=lambda g, pairs, mode: pad_back(g, pairs, mode))
pad_back.grad(g=lambda g, pairs, mode: pad_around(g, pairs, mode))
pad3d.grad(x=lambda g, paddings_tensor, paddings, mode, data_format:
           pad_back(g, _pairs(ints_of(paddings, paddings_tensor), data_format), mode))
pad2d.grad(x=lambda g, paddings_tensor, paddings, mode, data_format:
           pad_back(g, _sides(ints_of(paddings, paddings_tensor), data_format), "replicate" if mode == "edge" else mode))
pad.grad(x=lambda g, paddings: pad_back(g, list(zip(paddings[::2], paddings[1::2]))))
