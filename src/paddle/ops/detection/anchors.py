"""Boxes that detection models start from, and boxes read off a YOLO head."""

import numpy as np

from ...core import sizes
from ...core.op import op
from ..library import by_library


@op("prior_box(Input, Image) -> Boxes, Variances", family="own")
def prior_box(x, image, min_sizes=(), max_sizes=(), aspect_ratios=(1.0,), variances=(0.1, 0.1, 0.2, 0.2), flip=False,
              clip=False, step_w=0.0, step_h=0.0, offset=0.5, min_max_aspect_ratios_order=False):
    """Boxes of several sizes and shapes around every cell of x, in parts of the picture: [H, W, boxes, 4] twice."""
    ratios = [1.0]
    for r in aspect_ratios:
        if not any(abs(r - known) < 1e-6 for known in ratios):
            ratios += [r, 1 / r] if flip else [r]
    if max_sizes and len(max_sizes) != len(min_sizes):
        raise ValueError(f"max_sizes {list(max_sizes)} must be as many as min_sizes {list(min_sizes)}")
    extents = []
    for k, low in enumerate(min_sizes):
        shapes = [(low * r ** 0.5, low / r ** 0.5) for r in ratios]
        square = [(np.sqrt(low * max_sizes[k]),) * 2] if max_sizes else []
        extents += [shapes[0], *square, *shapes[1:]] if min_max_aspect_ratios_order else [*shapes, *square]
    (height, width), (tall, wide) = x.shape[2:], image.shape[2:]
    down, right = step_h or tall / height, step_w or wide / width
    cy, cx = ((np.arange(n) + offset) * s for n, s in ((height, down), (width, right)))
    w, h = np.array(extents).T / 2
    shape = (height, width, len(extents))
    sides = [(cx[None, :, None] - w) / wide, (cy[:, None, None] - h) / tall, (cx[None, :, None] + w) / wide,
             (cy[:, None, None] + h) / tall]
    boxes = np.stack([np.broadcast_to(side, shape) for side in sides], -1).astype(x.dtype)
    boxes = np.clip(boxes, 0, 1) if clip else boxes
    return boxes, _spread(variances, boxes)


def _spread(variances, boxes):
    return np.broadcast_to(np.asarray(variances, boxes.dtype), boxes.shape).copy()


@op("anchor_generator(Input) -> Anchors, Variances", family="own",
    shapes=lambda x, anchor_sizes, aspect_ratios: (
        x.like(sizes.anchor_grid(x.shape, len(anchor_sizes) * len(aspect_ratios), False)),) * 2)
def anchor_generator(x, anchor_sizes=(), aspect_ratios=(), variances=(0.1, 0.1, 0.2, 0.2), stride=(16.0, 16.0), offset=0.5):
    """Boxes in pixels of several sizes and shapes around every cell of x [N, C, H, W], and their variances: [H, W, boxes, 4]
    twice."""
    if x.ndim != 4:
        raise ValueError(f"anchor_generator(): input must be [N, C, H, W], got {list(x.shape)}")
    right, down = (float(s) for s in stride)
    extents = []
    for ratio in aspect_ratios:  # sides of whole pixels for a box as large as a cell
        wide = np.floor(np.sqrt(right * down / ratio) + 0.5)
        tall = np.floor(wide * ratio + 0.5)
        extents += [(size / right * wide, size / down * tall) for size in anchor_sizes]
    reach = (np.array(extents).reshape(-1, 2) - 1) / 2
    height, width = x.shape[2:]
    cx, cy = np.arange(width) * right + offset * (right - 1), np.arange(height) * down + offset * (down - 1)
    centre = np.stack(np.broadcast_arrays(cx[None, :, None], cy[:, None, None]), -1)
    boxes = np.concatenate([centre - reach, centre + reach], -1).astype(x.dtype)
    return boxes, _spread(variances, boxes)


def _dense_boxes(fixed_sizes, fixed_ratios, densities, step):
    """(offset from a cell's centre, extent) of the boxes of each cell, both [boxes, 2]: density x density of each size and
    ratio."""
    places, extents = [], []
    for size, density in zip(fixed_sizes, densities):
        shift = step // density
        along = np.arange(density) * shift - step / 2 + shift / 2
        for ratio in fixed_ratios:
            places += [(x, y) for y in along for x in along]
            extents += [(size * ratio ** 0.5, size / ratio ** 0.5)] * density ** 2
    return np.array(places).reshape(-1, 2), np.array(extents).reshape(-1, 2)


def _dense_shapes(x, densities, fixed_ratios, flatten_to_2d):
    count = sum(d * d for d in densities) * len(fixed_ratios)
    return (x.like(sizes.anchor_grid(x.shape, count, bool(flatten_to_2d))),) * 2


@op("density_prior_box(Input, Image) -> Boxes, Variances", family="own", shapes=_dense_shapes)
def density_prior_box(x, image, densities=(), fixed_sizes=(), fixed_ratios=(), variances=(0.1, 0.1, 0.2, 0.2), clip=False,
                      step_w=0.0,
                      step_h=0.0, offset=0.5, flatten_to_2d=False):
    """Boxes of fixed sizes, each size several times per cell of x, in parts of the picture: [H, W, boxes, 4] (or [boxes of all, 4])
    and variances of the same shape."""
    if len(densities) != len(fixed_sizes):
        raise ValueError(f"density_prior_box(): densities {list(densities)} must be as many as fixed_sizes {list(fixed_sizes)}")
    (height, width), (tall, wide) = x.shape[2:], image.shape[2:]
    down, right = (step_h, step_w) if step_w and step_h else (tall / height, wide / width)
    places, extents = _dense_boxes(fixed_sizes, fixed_ratios, densities, int((right + down) / 2))
    cx, cy = (np.arange(width) + offset) * right, (np.arange(height) + offset) * down
    centre = np.stack(np.broadcast_arrays(cx[None, :, None], cy[:, None, None]), -1) + places
    picture = np.array([wide, tall])
    boxes = np.concatenate([np.maximum((centre - extents / 2) / picture, 0), np.minimum((centre + extents / 2) / picture, 1)], -1)
    boxes = (np.clip(boxes, 0, 1) if clip else boxes).astype(x.dtype)
    boxes = boxes.reshape(-1, 4) if flatten_to_2d else boxes
    return boxes, _spread(variances, boxes)


def _sigmoid(v):
    return 1 / (1 + np.exp(-v))


@op("yolo_box(X, ImgSize) -> Boxes, Scores", family="own", shapes=lambda x, anchors, class_num: tuple(
    [x.like(sizes.listed_boxes(x.shape, len(anchors) // 2, width)) for width in (4, class_num)]))
def yolo_box(x, image_size, anchors=(), class_num=1, conf_thresh=0.01, downsample_ratio=32, clip_bbox=True, scale_x_y=1.0,
             iou_aware=False, iou_aware_factor=0.5):
    """Boxes [N, boxes, 4] in pixels and scores [N, boxes, classes] of a YOLO head; zeros below the threshold."""
    n, channels, height, width = x.shape
    count = len(anchors) // 2
    overlap = None
    if iou_aware:
        overlap, x = _sigmoid(x[:, :count].astype(np.float64)), x[:, count:]
    if x.shape[1] != count * (5 + class_num):
        raise ValueError(f"x must have {count * (5 + class_num + bool(iou_aware))} channels, got {channels}")
    head = x.reshape(n, count, 5 + class_num, height, width).astype(np.float64)
    shift = -0.5 * (scale_x_y - 1)
    cx = (_sigmoid(head[:, :, 0]) * scale_x_y + shift + np.arange(width)) / width
    cy = (_sigmoid(head[:, :, 1]) * scale_x_y + shift + np.arange(height)[:, None]) / height
    pairs = np.asarray(anchors, np.float64).reshape(count, 2)
    w = np.exp(head[:, :, 2]) * pairs[:, 0, None, None] / (downsample_ratio * width)
    h = np.exp(head[:, :, 3]) * pairs[:, 1, None, None] / (downsample_ratio * height)
    confidence = _sigmoid(head[:, :, 4])
    if overlap is not None:
        confidence = confidence ** (1 - iou_aware_factor) * overlap ** iou_aware_factor
    seen = confidence >= conf_thresh
    tall, wide = (image_size[:, k].astype(np.float64)[:, None, None, None] for k in (0, 1))
    boxes = np.stack([(cx - w / 2) * wide, (cy - h / 2) * tall, (cx + w / 2) * wide, (cy + h / 2) * tall], -1)
    if clip_bbox:
        limit = np.stack(np.broadcast_arrays(wide, tall, wide, tall), -1) - 1
        boxes = np.concatenate([np.maximum(boxes[..., :2], 0), np.minimum(boxes[..., 2:], limit[..., 2:])], -1)
    scores = np.moveaxis(_sigmoid(head[:, :, 5:]) * confidence[:, :, None], 2, -1)
    boxes, scores = boxes * seen[..., None], scores * seen[..., None]
    return boxes.reshape(n, -1, 4).astype(x.dtype), scores.reshape(n, -1, class_num).astype(x.dtype)


by_library(prior_box, anchor_generator, yolo_box, density_prior_box)
