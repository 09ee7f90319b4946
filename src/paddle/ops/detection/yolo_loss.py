"""The loss of YOLOv3: which cells and anchors answer for which boxes, and how far off they are."""

import numpy as np

from ..composed import composed
from ..linalg.matmul import matmul
from ..manipulation.gather_scatter import gather_nd
from ..manipulation.reshape import transpose
from ..manipulation.slicing import basic_get
from ..math.reduction import sum as sum_of
from ..math.unary import abs as absolute
from ..nn.activation import log_sigmoid
from ..nn.grid_sample import plain
from .regions import overlaps

_TOO_SMALL = 1e-6  # boxes of less width or height fill up the batch and mean nothing


def _corners(boxes):
    """[x1, y1, x2, y2] from [centre x, centre y, width, height]."""
    return np.concatenate([boxes[..., :2] - boxes[..., 2:] / 2, boxes[..., :2] + boxes[..., 2:] / 2], -1)


def _sigmoid(v):
    return 1 / (1 + np.exp(-v))


def _predicted(head, sizes, scale):
    """Boxes [N, anchors, H, W, 4] that the cells' answers [N, anchors, 5 + classes, H, W] mean, in parts of the picture."""
    height, width = head.shape[3:]
    shift = -0.5 * (scale - 1)
    x = (np.arange(width) + _sigmoid(head[:, :, 0]) * scale + shift) / width
    y = (np.arange(height)[:, None] + _sigmoid(head[:, :, 1]) * scale + shift) / height
    w, h = (np.exp(head[:, :, 2 + k]) * sizes[:, k, None, None] for k in (0, 1))
    return np.stack([x, y, w, h], -1)


def _match(boxes, sizes, anchor_mask):
    """For each box [N, B, 4] the place in ``anchor_mask`` of the anchor most like it; -1 for none."""
    shapes = np.concatenate([np.zeros_like(boxes[..., :2]), boxes[..., 2:]], -1).reshape(-1, 4)
    anchors = np.concatenate([np.zeros_like(sizes), sizes], -1)
    best = overlaps(_corners(shapes), _corners(anchors)).argmax(1).reshape(boxes.shape[:2])
    places = np.full(len(sizes), -1)
    places[list(anchor_mask)[::-1]] = np.arange(len(anchor_mask))[::-1]
    return np.where((boxes[..., 2:] > _TOO_SMALL).all(-1), places[best], -1)


def _cross_entropy(logits, targets):
    return logits * (1 - targets) - log_sigmoid(logits)


def _checked(x, boxes, labels, score, sizes, anchor_mask, class_num):
    if x.ndim != 4 or x.shape[2] != x.shape[3]:
        raise ValueError(f"yolo_loss(): x must be [N, C, H, W] with as many rows as columns, got {list(x.shape)}")
    if not len(anchor_mask) or min(anchor_mask) < 0 or max(anchor_mask) >= len(sizes):
        raise ValueError(f"yolo_loss(): anchor_mask must be places among {len(sizes)} anchors, got {list(anchor_mask)}")
    if x.shape[1] != len(anchor_mask) * (5 + class_num):
        raise ValueError(f"yolo_loss(): x must have {len(anchor_mask)} * (5 + {class_num}) channels, got {x.shape[1]}")
    if boxes.ndim != 3 or boxes.shape[0] != x.shape[0] or boxes.shape[2] != 4:
        raise ValueError(f"yolo_loss(): gt_box must be [{x.shape[0]}, B, 4], got {list(boxes.shape)}")
    for name, value in (("gt_label", labels), ("gt_score", score)):
        if value.shape != boxes.shape[:2]:
            raise ValueError(f"yolo_loss(): {name} must be {list(boxes.shape[:2])}, got {list(value.shape)}")


@composed("yolov3_loss(X, GTBox, GTLabel, GTScore?) -> Loss, ObjectnessMask, GTMatchMask", family="own")
def yolo_loss(x, gt_box, gt_label, gt_score=None, anchors=(), anchor_mask=(), class_num=1, ignore_thresh=0.7, downsample_ratio=32,
              use_label_smooth=True, scale_x_y=1.0):
    """Loss [N] of cells' answers x against boxes [centre, size] in parts of the picture; what cells and boxes are used for."""
    boxes, labels, values = plain(gt_box), plain(gt_label), plain(x)
    score = np.ones(boxes.shape[:2], values.dtype) if gt_score is None else plain(gt_score)
    sizes = np.asarray(anchors, np.float64).reshape(-1, 2) / (downsample_ratio * values.shape[-1])
    _checked(values, boxes, labels, score, sizes, anchor_mask, class_num)
    (n, _, height, width), dtype, chosen = values.shape, values.dtype, sizes[list(anchor_mask)]
    shape = [n, len(anchor_mask), 5 + class_num, height, width]
    matched = _match(boxes, sizes, anchor_mask)

    # A cell whose box nearly is one of the given ones must not be blamed for saying so: its confidence is left out.
    objectness = np.zeros((n, len(anchor_mask), height, width), dtype)
    found = _corners(_predicted(values.reshape(shape).astype(np.float64), chosen, scale_x_y))
    for k in range(n):
        real = boxes[k][(boxes[k, :, 2:] > _TOO_SMALL).all(-1)]
        if len(real):
            best = overlaps(found[k].reshape(-1, 4), _corners(real)).max(1)
            objectness[k][(best > ignore_thresh).reshape(objectness[k].shape)] = -1
    picture, number = np.nonzero(matched >= 0)
    box, weight, place = boxes[picture, number], score[picture, number].astype(dtype), matched[picture, number]
    column, row = (box[:, :2] * [width, height]).astype(np.int64).T
    objectness[picture, place, row, column] = weight

    rows = gather_nd(transpose(x.reshape(shape), (0, 1, 3, 4, 2)), np.stack([picture, place, row, column], 1))
    corner = (box[:, :2] * [width, height] - np.stack([column, row], 1)).astype(dtype)
    extent = np.log(box[:, 2:] / chosen[place]).astype(dtype)
    smooth = min(1 / class_num, 1 / 40) if use_label_smooth else 0.0
    kinds = np.where(np.arange(class_num) == labels[picture, number, None], 1 - smooth, smooth).astype(dtype)
    off = sum_of(_cross_entropy(basic_get(rows, (slice(None), slice(0, 2))), corner), 1)
    off = off + sum_of(absolute(basic_get(rows, (slice(None), slice(2, 4))) - extent), 1)
    wrong = sum_of(_cross_entropy(basic_get(rows, (slice(None), slice(5, None))), kinds), 1)
    each = off * ((2 - box[:, 2] * box[:, 3]).astype(dtype) * weight) + wrong * weight
    owners = (np.arange(n)[:, None] == picture).astype(dtype)

    confidence = basic_get(x.reshape(shape), (slice(None), slice(None), 4))
    seen = objectness > 1e-5
    blame = np.where(seen, objectness, objectness > -0.5).astype(dtype)
    doubt = sum_of(_cross_entropy(confidence, seen.astype(dtype)) * blame, (1, 2, 3))
    return matmul(owners, each.reshape([-1, 1])).reshape([n]) + doubt, objectness, matched.astype(np.int32)
