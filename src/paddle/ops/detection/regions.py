"""Regions of pictures: pooled or aligned features, deformable convolution, boxes coded and decoded, suppression."""

import numpy as np

from ...core.op import op
from ..composed import composed
from ..library import by_library
from ..linalg.matmul import matmul
from ..manipulation.joining import concat, stack
from ..manipulation.slicing import basic_get
from ..math import reduction as reduce
from ..nn.grid_sample import corners, plain, spot_gather
from ..nn.pooling import pool_scatter


def _owners(rois, rois_num, pictures, function):
    """For every box, the picture it belongs to."""
    if rois_num is None:
        raise ValueError(f"{function}(): boxes_num must say how many boxes each picture has")
    counts = np.ravel(plain(rois_num)).astype(np.int64)
    if counts.size != pictures or counts.sum() != rois.shape[0] or (counts < 0).any():
        raise ValueError(f"{function}(): boxes_num {counts.tolist()} must have {pictures} numbers that add up to "
                         f"{rois.shape[0]} boxes")
    return np.repeat(np.arange(pictures), counts)


def _shares(low, high, cells, samples, size):
    """(first, shares [cells, n]): what ``n`` pixels from ``first`` on count in each cell of low .. high along one axis."""
    at = low + (np.arange(cells * samples) + 0.5) * (high - low) / (cells * samples)
    inside = ((at >= -1) & (at <= size)) / samples
    at = np.clip(at, 0, size - 1)
    left = at.astype(np.int64)
    right, part = np.minimum(left + 1, size - 1), at - left
    first, cell = left.min(), np.repeat(np.arange(cells), samples)
    shares = np.zeros((cells, right.max() + 1 - first))
    np.add.at(shares, (cell, left - first), (1 - part) * inside)
    np.add.at(shares, (cell, right - first), part * inside)
    return first, shares


def _aligned_cells(rois, rois_num, x_shape, dtype, pooled, spatial_scale, sampling_ratio, aligned):
    """For every box, where in x its pixels are and what they count in the cells, down and across: a bilinear mean is both."""
    boxes = np.asarray(rois, np.float64) * spatial_scale - (0.5 if aligned else 0.0)
    for owner, box in zip(_owners(rois, rois_num, x_shape[0], "roi_align"), boxes):
        where, both = [int(owner), slice(None)], []
        for axis in (1, 0):
            low, high, cells = box[axis], box[axis + 2], pooled[1 - axis]
            high = high if aligned else max(high, low + 1.0)
            samples = sampling_ratio if sampling_ratio > 0 else max(int(np.ceil((high - low) / cells)), 1)
            first, shares = _shares(low, high, cells, samples, x_shape[3 - axis])
            where.append(slice(first, first + shares.shape[1]))
            both.append(shares.astype(dtype))
        yield tuple(where), *both


@op("roi_align(X, ROIs, RoisNum?) -> Out", family="own", shapes="n c h w, r 4 -> r c pooled_height pooled_width")
def roi_align(x, rois, rois_num=None, pooled_height=1, pooled_width=1, spatial_scale=1.0, sampling_ratio=-1, aligned=False):
    """Means of bilinear samples in a grid of cells over each box: [boxes, C, pooled_height, pooled_width]."""
    out = np.zeros((rois.shape[0], x.shape[1], pooled_height, pooled_width), x.dtype)
    cells = _aligned_cells(rois, rois_num, x.shape, x.dtype, (pooled_height, pooled_width), spatial_scale, sampling_ratio, aligned)
    for result, (where, down, across) in zip(out, cells):
        np.matmul(down @ x[where], across.T, out=result)
    return out


@op("roi_align_input_grad(Grad, ROIs, RoisNum?) -> Out", family="own")
def roi_align_input_grad(grad, rois, rois_num=None, shape=(), spatial_scale=1.0, sampling_ratio=-1, aligned=False):
    """The gradient of roi_align for x, of this shape: roi_align the other way round."""
    out = np.zeros(shape, grad.dtype)
    cells = _aligned_cells(rois, rois_num, shape, grad.dtype, grad.shape[2:], spatial_scale, sampling_ratio, aligned)
    for g, (where, down, across) in zip(grad, cells):
        out[where] += down.T @ (g @ across)
    return out


@roi_align.vjp
def _(needs, g, x_shape, rois, rois_num, spatial_scale, sampling_ratio, aligned):
    return roi_align_input_grad(g, rois, rois_num, tuple(x_shape), spatial_scale, sampling_ratio, aligned), None, None


for _op in (roi_align, roi_align_input_grad):
    _op.grad(rois=None, rois_num=None)  # boxes are constants


@roi_align_input_grad.vjp
def _(needs, g, grad_shape, rois, rois_num, spatial_scale, sampling_ratio, aligned):
    return roi_align(g, rois, rois_num, grad_shape[2], grad_shape[3], spatial_scale, sampling_ratio, aligned), None, None


def _edges(low, high, count, size):
    """Starts and ends of ``count`` cells over low .. high, cut to the picture."""
    step = (high - low) / count
    starts = np.clip(np.floor(np.arange(count) * step + low).astype(int), 0, size)
    return starts, np.clip(np.ceil((np.arange(count) + 1) * step + low).astype(int), 0, size)


@op("roi_pool(X, ROIs, RoisNum?) -> Out, Argmax", family="own",
    shapes="n c h w, r 4 -> r c pooled_height pooled_width, r c pooled_height pooled_width:int64")
def roi_pool(x, rois, rois_num=None, pooled_height=1, pooled_width=1, spatial_scale=1.0):
    """Maxima of a grid of cells over each box, and their places in the flattened picture (-1: an empty cell)."""
    owners, (channels, height, width) = _owners(rois, rois_num, x.shape[0], "roi_pool"), x.shape[1:]
    out = np.zeros((len(rois), channels, pooled_height, pooled_width), x.dtype)
    where = np.full(out.shape, -1, np.int64)
    place = np.arange(height * width).reshape(height, width)
    for k, (owner, box) in enumerate(zip(owners, rois)):
        x1, y1, x2, y2 = np.floor(np.asarray(box, np.float64) * spatial_scale + 0.5)
        tops, bottoms = _edges(y1, y1 + max(y2 - y1 + 1, 1), pooled_height, height)
        lefts, rights = _edges(x1, x1 + max(x2 - x1 + 1, 1), pooled_width, width)
        for i, j in np.ndindex(pooled_height, pooled_width):
            cell = x[owner, :, tops[i]:bottoms[i], lefts[j]:rights[j]].reshape(channels, -1)
            if cell.shape[1]:
                best = cell.argmax(1)
                out[k, :, i, j] = cell[np.arange(channels), best]
                where[k, :, i, j] = place[tops[i]:bottoms[i], lefts[j]:rights[j]].reshape(-1)[best]
    return out, where


@roi_pool.vjp(takes_none=True)
def _(needs, g, out, x, rois, rois_num):
    owners, size = _owners(rois, rois_num, x.shape[0], "roi_pool"), tuple(x.shape[2:])
    if g[0] is None:
        return None, None, None
    spread = pool_scatter(g[0], out[1], size)  # one picture for each box
    hot = (np.arange(x.shape[0])[:, None] == owners).astype(plain(g[0]).dtype)
    flat = matmul(hot, spread.reshape([len(owners), -1]))
    return flat.reshape(list(x.shape)), None, None


@composed("psroi_pool(X, ROIs, RoisNum?) -> Out", family="own",
    shapes="n c h w, r 4 -> r output_channels pooled_height pooled_width")
def psroi_pool(x, rois, rois_num=None, pooled_height=1, pooled_width=1, output_channels=1, spatial_scale=1.0):
    """Means of a grid of cells over each box, every cell from channels of its own."""
    owners, (channels, height, width) = _owners(rois, rois_num, x.shape[0], "psroi_pool"), x.shape[1:]
    if channels != output_channels * pooled_height * pooled_width:
        raise ValueError(f"psroi_pool(): x must have {output_channels * pooled_height * pooled_width} channels, got {channels}")
    dtype, boxes = plain(x).dtype, np.asarray(plain(rois), np.float64)
    results = []
    for owner, box in zip(owners, boxes):
        x1, y1 = np.floor(box[:2] + 0.5) * spatial_scale
        x2, y2 = (np.floor(box[2:] + 0.5) + 1) * spatial_scale
        tops, bottoms = _edges(y1, y1 + max(y2 - y1, 0.1), pooled_height, height)
        lefts, rights = _edges(x1, x1 + max(x2 - x1, 0.1), pooled_width, width)
        mask = np.zeros((pooled_height, pooled_width, height, width), dtype)
        for i, j in np.ndindex(pooled_height, pooled_width):
            area = (bottoms[i] - tops[i]) * (rights[j] - lefts[j])
            if bottoms[i] > tops[i] and rights[j] > lefts[j]:
                mask[i, j, tops[i]:bottoms[i], lefts[j]:rights[j]] = 1 / area
        picture = basic_get(x, (int(owner),)).reshape([output_channels, pooled_height, pooled_width, height, width])
        results.append(reduce.sum(picture * mask, (3, 4)))
    return stack(results, 0)


@composed("deformable_conv(Input, Offset, Filter, Mask?) -> Output", family="own", shapes="n ? ? ?, n ? h w, k ? ? ? -> n k h w")
def deformable_conv(x, offset, weight, mask=None, strides=(1, 1), paddings=(0, 0), dilations=(1, 1), deformable_groups=1,
                    groups=1, im2col_step=1):
    """Convolution whose kernel cells are shifted by offsets [N, 2 dg kh kw, H, W] and weighed by a mask."""
    n, channels, height, width = x.shape
    outputs, _, kh, kw = weight.shape
    rows, columns = offset.shape[2:]
    dtype, area, dg = plain(x).dtype, kh * kw, deformable_groups
    if offset.shape[1] != 2 * dg * area:
        raise ValueError(f"deform_conv2d(): offset must have {2 * dg * area} channels, got {offset.shape[1]}")
    shifts = offset.reshape([n, dg, area, 2, rows, columns])
    i, j = np.divmod(np.arange(area), kw)
    base_y = (np.arange(rows) * strides[0] - paddings[0])[None, :, None] + (i * dilations[0])[:, None, None]
    base_x = (np.arange(columns) * strides[1] - paddings[1])[None, None, :] + (j * dilations[1])[:, None, None]
    parts = []
    for group in range(dg):
        y = basic_get(shifts, (slice(None), group, slice(None), 0)) + base_y.astype(dtype)
        z = basic_get(shifts, (slice(None), group, slice(None), 1)) + base_x.astype(dtype)
        per = channels // dg
        picture, total = basic_get(x, (slice(None), slice(group * per, (group + 1) * per))), None
        # A sample at exactly -1, where offsets of 0 put those of a padding of 1, is outside: it does not pull its offset inwards.
        near = ((plain(y) > -1) & (plain(z) > -1)).astype(dtype)
        for index, share in corners([y, z], (height, width)):
            part = spot_gather(picture, index) * (share * near).reshape([n, 1, *share.shape[1:]])
            total = part if total is None else total + part
        if mask is not None:
            weights = basic_get(mask.reshape([n, dg, area, rows, columns]), (slice(None), group))
            total = total * weights.reshape([n, 1, area, rows, columns])
        parts.append(total)
    cells = concat(parts, None, 1) if len(parts) > 1 else parts[0]  # [N, C, kh kw, H, W]
    per_in, per_out, results = channels // groups, outputs // groups, []
    flat = cells.reshape([n, groups, per_in * area, rows * columns])
    kernels = weight.reshape([groups, per_out, per_in * area])
    for group in range(groups):
        results.append(matmul(basic_get(kernels, (group,)), basic_get(flat, (slice(None), group))))
    out = concat(results, None, 1) if groups > 1 else results[0]
    return out.reshape([n, outputs, rows, columns])


def overlaps(boxes, others, normalized=True):
    """Intersection over union of all pairs."""
    extra = 0.0 if normalized else 1.0
    low, high = np.maximum(boxes[:, None, :2], others[None, :, :2]), np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    inside = np.where((high < low).any(2), 0, np.prod(high - low + extra, 2))
    areas = [np.prod(np.maximum(b[:, 2:] - b[:, :2] + extra, 0), 1) for b in (boxes, others)]
    union = areas[0][:, None] + areas[1][None] - inside
    return np.where(union > 0, inside / np.where(union > 0, union, 1), 0)


@op("nms(Boxes) -> KeepBoxesIdxs", family="dynamic", shapes="_ -> ?:int64")
def nms(boxes, iou_threshold=0.3):
    """Which boxes, taken in order, overlap no kept one by more than the threshold."""
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ValueError(f"boxes must be [N, 4], got shape {list(boxes.shape)}")
    near = overlaps(boxes, boxes) > iou_threshold
    kept = []
    for k in range(len(boxes)):
        if not near[k, kept].any():
            kept.append(k)
    return np.array(kept, np.int64)


def _centres(boxes, extra):
    size = boxes[..., 2:] - boxes[..., :2] + extra
    return boxes[..., :2] + size / 2, size


@op("box_coder(PriorBox, PriorBoxVar?, TargetBox) -> OutputBox", family="own", rows="keep TargetBox",
    shapes=lambda prior, target, code_type: target.like((target.shape[0], prior.shape[0], 4) if code_type[0] == "e" else None))
def box_coder(prior, prior_var, target, code_type="encode_center_size", box_normalized=True, axis=0, variance=()):
    """Boxes as offsets from prior boxes (encode), or boxes from such offsets (decode)."""
    extra = 0.0 if box_normalized else 1.0
    place, size = _centres(prior, extra)
    scale = prior_var if prior_var is not None else np.asarray(variance, prior.dtype) if len(variance) else None
    if code_type == "encode_center_size":
        centre, extent = _centres(target, 0.0)
        extent = extent + extra
        centre = (target[:, :2] + target[:, 2:]) / 2
        out = np.concatenate([(centre[:, None] - place) / size, np.log(np.abs(extent[:, None] / size))], -1)
        return (out / scale if scale is not None else out).astype(target.dtype)
    if code_type != "decode_center_size":
        raise ValueError(f"code_type must be encode_center_size or decode_center_size, got {code_type!r}")
    expand = (lambda a: a[None]) if axis == 0 else (lambda a: a[:, None])
    if scale is not None:
        target = target * (expand(scale) if scale.ndim == 2 else scale)
    centre = target[..., :2] * expand(size) + expand(place)
    extent = np.exp(target[..., 2:]) * expand(size)
    return np.concatenate([centre - extent / 2, centre + extent / 2 - extra], -1).astype(target.dtype)


by_library(roi_align, roi_pool, deformable_conv, box_coder)
