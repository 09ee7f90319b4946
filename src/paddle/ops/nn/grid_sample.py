"""Reading pictures at any place: grid_sample, and the grid of an affine map."""

import numpy as np

from ...core import sizes
from ...core.context import process
from ...core.errors import check_choice
from ...core.op import op
from ...core.steps import dense
from ..composed import composed
from ..families.reshape import counted, given_ints
from ..library import by_library
from ..linalg.matmul import matmul
from ..manipulation.reshape import ints_of, transpose
from ..math import arithmetic
from ..math import reduction as reduce
from ..short import through_float32


@op("spot_gather(X, Index) -> Out", family="own")
def spot_gather(x, index):
    """The cells of x [N, C, *S] at positions index [N, *P] of the flattened S, as [N, C, *P]; 0 where the index is -1."""
    flat = x.reshape(*x.shape[:2], -1)
    at = index.reshape(index.shape[0], 1, -1)
    values = np.take_along_axis(flat, np.maximum(at, 0), 2)
    return np.where(at < 0, x.dtype.type(0), values).reshape(*x.shape[:2], *index.shape[1:])


@op("spot_scatter(G, Index) -> GX", family="own")
def spot_scatter(g, index, size=()):
    """Zeros [N, C, *size] with g [N, C, *P] added at positions index [N, *P]: the gradient of spot_gather."""
    n, c = g.shape[:2]
    cells = int(np.prod(size))
    at = index.reshape(n, 1, -1)
    where = (np.arange(n * c).reshape(n, c, 1) * cells + np.maximum(at, 0)).reshape(-1)
    values = np.where(at < 0, g.dtype.type(0), g.reshape(n, c, -1)).reshape(-1)
    return np.bincount(where, values, n * c * cells).astype(g.dtype).reshape(n, c, *size)


spot_gather.grad(x=lambda g, index, x_shape: spot_scatter(g, index, tuple(x_shape[2:])))
spot_scatter.grad(g=lambda g, index: spot_gather(g, index))


def plain(x):
    """The array of a Tensor, or the array itself: for decisions that have no gradient."""
    return getattr(x, "_data", x)


def _unnormalized(v, size, align_corners):
    """Coordinates in cells from coordinates in -1..1."""
    return (v + 1) * ((size - 1) / 2) if align_corners else ((v + 1) * size - 1) * 0.5


def _inside(v, size, padding_mode, align_corners):
    """Coordinates brought into the picture as the padding mode says; slopes are 1, -1 or 0, constants for a gradient."""
    if padding_mode == "zeros":
        return v
    dtype = plain(v).dtype
    if padding_mode == "reflection":
        low, span = (0.0, size - 1) if align_corners else (-0.5, size)
        if span == 0:
            return v * 0
        shifted = plain(v) - low
        turns = np.floor(np.abs(shifted) / span)
        sign = np.where(shifted < 0, -1.0, 1.0) * np.where(turns % 2 == 0, 1.0, -1.0)
        offset = np.where(turns % 2 == 0, -turns * span, (turns + 1) * span) + low - sign * low
        v = v * sign.astype(dtype) + offset.astype(dtype)
    here = plain(v)
    keep = (here >= 0) & (here <= size - 1)
    return v * keep.astype(dtype) + np.where(keep, 0, np.clip(here, 0, size - 1)).astype(dtype)


def corners(coordinates, sizes):
    """For places between cells: pairs (flat index or -1 outside, product of the linear shares) of the 2^n cells around."""
    lows = [np.floor(plain(v)) for v in coordinates]
    found = []
    for bits in np.ndindex(*(2,) * len(sizes)):
        index, share, ok = 0, None, True
        for v, low, size, bit in zip(coordinates, lows, sizes, bits):
            cell = low + bit
            ok = ok & (cell >= 0) & (cell < size)
            index = index * size + np.clip(np.nan_to_num(cell), 0, size - 1).astype(np.int64)
            part = v - low.astype(low.dtype) if bit else (low + 1).astype(low.dtype) - v
            share = part if share is None else share * part
        found.append((np.where(ok, index, -1), share))
    return found


@composed("grid_sampler(X, Grid) -> Output", family="own", layer_name="grid_sample", shapes="n c *i, n *o ? -> n c *o")
def grid_sampler(x, grid, mode="bilinear", padding_mode="zeros", align_corners=True):
    """x [N, C, *S] read at the places of grid [N, *P, n], coordinates in -1..1 with the last axis of x first."""
    check_choice(mode, ("bilinear", "nearest"), "grid_sample", "mode")
    check_choice(padding_mode, ("zeros", "border", "reflection"), "grid_sample", "padding_mode")
    n = len(x.shape) - 2
    if n not in (2, 3) or len(grid.shape) != n + 2 or grid.shape[-1] != n or grid.shape[0] != x.shape[0]:
        raise ValueError(f"grid_sample(): x [N, C, H, W] needs a grid [N, h, w, 2] (5 axes: 3), got x {list(x.shape)} and grid "
                         f"{list(grid.shape)}")
    sizes = tuple(x.shape[2:])
    places = []
    for k, size in enumerate(sizes):
        one = np.zeros(n, plain(grid).dtype)
        one[n - 1 - k] = 1  # the grid names the last axis first
        v = reduce.sum(arithmetic.multiply(grid, one), -1)
        places.append(_inside(_unnormalized(v, size, align_corners), size, padding_mode, align_corners))
    if mode == "nearest":
        cells = [np.rint(plain(v)) for v in places]
        index, ok = 0, True
        for cell, size in zip(cells, sizes):
            ok = ok & (cell >= 0) & (cell < size)
            index = index * size + np.clip(np.nan_to_num(cell), 0, size - 1).astype(np.int64)
        return spot_gather(x, np.where(ok, index, -1))
    total = None
    for index, share in corners(places, sizes):
        part = spot_gather(x, index) * share.reshape([share.shape[0], 1, *share.shape[1:]])
        total = part if total is None else total + part
    return total


_PADDINGS = ("zeros", "border", "reflection")  # by the kernels' numbers


def _modes(mode, padding_mode, align_corners):
    return mode == "nearest", _PADDINGS.index(padding_mode), bool(align_corners)


@grid_sampler.first_order
def _(needs, gs, x, grid, mode, padding_mode, align_corners):
    g, x, grid = np.asarray(gs[0]), np.asarray(x), np.asarray(grid)  # asks for values: a routine notes the rule as one call
    if process.native is None:
        return NotImplemented
    return process.native.grid_sample_backward(dense(g), dense(x), dense(grid), *_modes(mode, padding_mode, align_corners),
                                               bool(needs[0]), bool(needs[1]))


def _line(size, align_corners, dtype):
    if align_corners:
        return np.linspace(-1, 1, size, dtype=dtype) if size > 1 else np.full(1, -1, dtype)
    return ((np.arange(size) * 2 + 1) / size - 1).astype(dtype)


def _grid_sizes(theta, shape_tensor, output_shape):
    if not counted(shape_tensor):  # two or three axes, as theta says
        n = theta.shape[1]
        return theta.like((theta.shape[0], *[-1] * n, n)) if n in (2, 3) else None
    given = [-1 if n is None else n for n in given_ints(output_shape, shape_tensor)]
    return theta.like(sizes.grid_over(theta.shape, given))


@composed("affine_grid(Theta, OutputShape?) -> Output", family="own", shapes=_grid_sizes)
def affine_grid(theta, shape_tensor=None, output_shape=(), align_corners=True):
    """The grid [N, *P, n] that theta [N, n, n + 1] makes of the places of a picture of the given shape [_, C, *P]."""
    shape = ints_of(output_shape, None if shape_tensor is None else plain(shape_tensor))
    n = len(shape) - 2
    if n not in (2, 3) or list(theta.shape)[1:] != [n, n + 1]:
        raise ValueError(f"affine_grid(): out_shape {list(shape)} needs a theta of shape [N, {n}, {n + 1}], got "
                         f"{list(theta.shape)}")
    dtype = plain(theta).dtype
    lines = np.meshgrid(*[_line(s, align_corners, dtype) for s in shape[2:]], indexing="ij")
    places = np.stack([line.reshape(-1) for line in reversed(lines)] + [np.ones(lines[0].size, dtype)], 1)
    places = np.ascontiguousarray(np.broadcast_to(places, (theta.shape[0], *places.shape)))
    return matmul(places, transpose(theta, [0, 2, 1])).reshape([theta.shape[0], *shape[2:], n])


through_float32(spot_gather, spot_scatter)


by_library(affine_grid, grid_sampler)
