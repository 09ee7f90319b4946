"""Regions read at places that are learned or not upright: precise and deformable pooling, perspective views."""

import numpy as np

from ..composed import composed
from ..linalg.matmul import matmul
from ..manipulation.gather_scatter import gather
from ..manipulation.joining import stack
from ..manipulation.reshape import transpose
from ..manipulation.slicing import basic_get
from ..math.arithmetic import clip
from ..math.reduction import sum as sum_of
from ..math.unary import abs as absolute
from ..nn.grid_sample import corners, plain, spot_gather
from ..sequence import packed_rows
from .matching import check_boxes

_CLOSE = 1e-4  # as near as this counts as equal


def _owners(rois, counts, lod, function):
    """For every box the picture it belongs to, by counts or by sequence lengths."""
    if counts is None:
        return packed_rows.owners(packed_rows.offsets(rois, lod, function, "rois"))
    counts = np.ravel(plain(counts)).astype(np.int64)
    if counts.sum() != rois.shape[0]:
        raise ValueError(f"{function}(): batch_roi_nums {counts.tolist()} must add up to {rois.shape[0]} boxes")
    return np.repeat(np.arange(len(counts)), counts)


def _shares(low, high, count, size):
    """How much each of ``size`` cells weighs in the mean over each of ``count`` parts of low .. high: [boxes, count, size].

    Between cells values are linear, so a cell's weight is the integral of a hat function, which is t - t|t| / 2 + 1/2.
    """
    dtype = plain(low).dtype
    step = clip(high - low, 0.0, None) * dtype.type(1 / count)
    edges = low + step * np.arange(count + 1, dtype=dtype)
    t = clip(edges.reshape([*edges.shape, 1]) - np.arange(size, dtype=dtype), -1.0, 1.0)
    total = t - t * absolute(t) * dtype.type(0.5)
    parts = basic_get(total, (slice(None), slice(1, None))) - basic_get(total, (slice(None), slice(0, count)))
    empty = (plain(step) <= 0).astype(dtype)
    return parts / (step + empty).reshape([-1, 1, 1]) * (1 - empty).reshape([-1, 1, 1])


@composed("prroi_pool(X, ROIs, BatchRoINums?, ROIsLoD*?) -> Out", family="sequence",
          shapes="b c h w, r 4 -> r c pooled_height pooled_width")
def prroi_pool(x, rois, counts=None, lod=None, pooled_height=1, pooled_width=1, spatial_scale=1.0):
    """Exact means over the parts of each box of the picture between its cells; boxes have gradients too."""
    check_boxes(rois, "prroi_pool", "rois")
    pictures = gather(x, _owners(rois, counts, lod, "prroi_pool"))
    left, top, right, bottom = (basic_get(rois, (slice(None), slice(k,
                                                                    k + 1))) * plain(x).dtype.type(spatial_scale) for k in range(4))
    rows, columns = _shares(top, bottom, pooled_height, x.shape[2]), _shares(left, right, pooled_width, x.shape[3])
    count = rois.shape[0]
    rows = rows.reshape([count, 1, pooled_height, x.shape[2]])
    columns = transpose(columns, (0, 2, 1)).reshape([count, 1, x.shape[3], pooled_width])
    return matmul(matmul(rows, pictures), columns)


def _places(start, extent, moves, pooled, part, samples, dtype):
    """Where the parts of a box are read along one axis: [classes, pooled h, pooled w, samples]; ``moves`` shift them."""
    step = extent / pooled
    at = np.arange(samples) * (step / samples)
    return moves * dtype.type(extent) + (part * step + start + at).astype(dtype)


@composed("deformable_psroi_pooling(Input, ROIs, Trans, ROIsLoD*?) -> TopCount, Output", family="sequence",
          shapes="_, r 4 -> r output_dim pooled_height pooled_width, r output_dim pooled_height pooled_width")
def deformable_psroi_pooling(x, rois, trans, lod=None, no_trans=False, spatial_scale=1.0, output_dim=1, group_size=(1, 1),
                             pooled_height=1,
                             pooled_width=1, part_size=(1, 1), sample_per_part=1, trans_std=0.1):
    """Means of samples in each part of a box, parts shifted by ``trans`` [R, 2 classes, parts h, parts w] times the box; each part
    of
    a group has channels of its own. Also how many samples lay within the picture."""
    who = "deformable_roi_pooling"
    check_boxes(rois, who, "rois")
    owners, dtype = _owners(rois, None, lod, who), plain(x).dtype
    height, width = x.shape[2:]
    if x.shape[1] < output_dim * group_size[0] * group_size[1]:
        raise ValueError(f"{who}(): input must have at least {output_dim * group_size[0] * group_size[1]} channels, "
                         f"got {x.shape[1]}")
    classes = 1 if no_trans else trans.shape[1] // 2
    i, j = np.indices((pooled_height, pooled_width))
    part = (i * part_size[0] // pooled_height, j * part_size[1] // pooled_width)
    group = (i * group_size[0] // pooled_height, j * group_size[1] // pooled_width)
    channels = (np.arange(output_dim)[:, None, None] * group_size[0] + group[0]) * group_size[1] + group[1]
    boxes = np.floor(np.asarray(plain(rois), np.float64) + 0.5)
    starts, ends = boxes[:, :2] * spatial_scale - 0.5, (boxes[:, 2:] + 1) * spatial_scale - 0.5
    results, counts = [], []
    for k, owner in enumerate(owners):
        extent = np.maximum(ends[k] - starts[k], 0.1)
        shape, moves = [classes, pooled_height, pooled_width, 1], [np.zeros((classes, pooled_height, pooled_width, 1), dtype)] * 2
        if not no_trans:
            own = basic_get(trans, (k,)).reshape([classes, 2, -1])
            cells = (part[0] * part_size[1] + part[1]).reshape(-1)
            moves = [gather(basic_get(own, (slice(None), axis)), cells, None,
                            1).reshape(shape) * dtype.type(trans_std) for axis in (0, 1)]
        columns = _places(starts[k, 0], extent[0], moves[0], pooled_width, j[..., None], sample_per_part, dtype)
        rows = _places(starts[k, 1], extent[1], moves[1], pooled_height, i[..., None], sample_per_part, dtype)
        total, count = _read(basic_get(x, (int(owner),)), rows, columns, channels, output_dim // classes)
        results.append(total / np.maximum(count, 1))
        counts.append(count)
    if not results:
        return (np.zeros((0, output_dim, pooled_height, pooled_width), dtype),) * 2
    return np.stack(counts), stack(results, 0)


def _read(picture, rows, columns, channels, per_class):
    """Sums of samples at all pairs of rows and columns [classes, h, w, samples], and how many lay inside: [outputs, h, w]."""
    (height, width), dtype = picture.shape[1:], plain(rows).dtype
    spread = np.zeros((1, 1, 1, rows.shape[3], rows.shape[3]), dtype)
    y, z = rows.reshape([*rows.shape, 1]) + spread, columns.reshape([*columns.shape[:3], 1, columns.shape[3]]) + spread
    inside = (plain(y) >= -0.5) & (plain(y) <= height - 0.5) & (plain(z) >= -0.5) & (plain(z) <= width - 0.5)
    y, z = clip(y, 0.0, height - 1.0), clip(z, 0.0, width - 1.0)
    own = np.repeat(np.arange(rows.shape[0]), per_class)  # the class of each output channel
    flat, total = picture.reshape([1, 1, -1]), None
    for index, share in corners([y, z], (height, width)):
        at = np.where(index[own] < 0, -1, index[own] + channels[..., None, None] * (height * width))
        value = spot_gather(flat, at[None]).reshape(list(at.shape)) * gather(share, own) * inside[own].astype(dtype)
        total = value if total is None else total + value
    return sum_of(total, (3, 4)), inside[own].sum((3, 4)).astype(dtype)


def _matrix(quad, height, width):
    """The nine numbers that map cells of a [height, width] view to places in a quadrangle of four points."""
    sides = np.hypot(*(quad - np.roll(quad, -1, 0)).T)
    tall = max(2, height)
    wide = int(np.floor((sides[0] + sides[2]) * (tall - 1) / (sides[1] + sides[3]) + 0.5)) + 1
    down, right = tall - 1, max(2, min(wide, width)) - 1
    a, b, c = quad[1] - quad[2], quad[3] - quad[2], quad[0] - quad[1] + quad[2] - quad[3]
    area = a[0] * b[1] - b[0] * a[1] + 1e-5
    g, h = (c[0] * b[1] - b[0] * c[1]) / area / right, (a[0] * c[1] - c[0] * a[1]) / area / down
    across = (quad[1] - quad[0] + g * right * quad[1]) / right
    along = (quad[3] - quad[0] + h * down * quad[3]) / down
    return np.array([[across[0], along[0], quad[0, 0]], [across[1], along[1], quad[0, 1]], [g, h, 1]])


def _within(x, y, quad):
    """Which places lie in a quadrangle or on its outline."""
    edge, crossed = np.zeros(x.shape, bool), np.zeros(x.shape, int)
    for (xs, ys), (xe, ye) in zip(quad, np.roll(quad, -1, 0)):
        low, high = min(ys, ye), max(ys, ye)
        if abs(ys - ye) < _CLOSE:
            edge |= (abs(y - ys) < _CLOSE) & (x > min(xs, xe) - _CLOSE) & (x < max(xs, xe) + _CLOSE)
            continue
        at = (y - ys) * (xe - xs) / (ye - ys) + xs
        edge |= (abs(at - x) < _CLOSE) & (y > low - _CLOSE) & (y < high + _CLOSE)
        crossed += (y - low >= _CLOSE) & (y - high <= _CLOSE) & (at - x > _CLOSE)
    return edge | (crossed % 2 == 1)


@composed("roi_perspective_transform(X, ROIs, ROIsLoD*?) -> Out, Mask, TransformMatrix", family="sequence",
          shapes="b c h w, r 8 -> r c transformed_height transformed_width, r 1 transformed_height transformed_width:int32, r 9")
def roi_perspective_transform(x, rois, lod=None, transformed_height=1, transformed_width=1, spatial_scale=1.0):
    """Quadrangles [R, 8] of pictures seen straight on: [R, C, height, width], which cells lie inside, and the matrices [R, 9]."""
    who = "roi_perspective_transform"
    check_boxes(rois, who, "rois", 8)
    owners, dtype, (height, width) = _owners(rois, None, lod, who), plain(x).dtype, x.shape[2:]
    quads = np.asarray(plain(rois), np.float64).reshape(-1, 4, 2) * spatial_scale
    row, column = np.indices((transformed_height, transformed_width))
    views, masks, matrices = [], [], []
    for owner, quad in zip(owners, quads):
        matrix = _matrix(quad, transformed_height, transformed_width)
        u, v, w = (m[0] * column + m[1] * row + m[2] for m in matrix)
        z, y = u / w, v / w
        seen = (z > _CLOSE - 0.5) & (z < width - 0.5 - _CLOSE) & (y > _CLOSE - 0.5) & (y < height - 0.5 - _CLOSE)
        inside = _within(z, y, quad) & seen
        picture, view = basic_get(x, (slice(int(owner), int(owner) + 1),)), None
        for index, share in corners([np.clip(y, 0, height - 1), np.clip(z, 0, width - 1)], (height, width)):
            part = spot_gather(picture, index[None]) * (share * inside).astype(dtype)
            view = part if view is None else view + part
        views.append(view.reshape([x.shape[1], transformed_height, transformed_width]))
        masks.append(inside[None])
        matrices.append(matrix.reshape(9))
    if not views:
        return (np.zeros((0, x.shape[1], transformed_height, transformed_width), dtype),
                np.zeros((0, 1, transformed_height, transformed_width), np.int32), np.zeros((0, 9), dtype))
    return stack(views, 0), np.stack(masks).astype(np.int32), np.stack(matrices).astype(dtype)
