"""Boxes proposed by detection models: chosen, weighed down where they overlap, dealt out to levels of a pyramid."""

import numpy as np

from ...core.op import op
from ..library import by_library
from .regions import overlaps

_LARGEST_LOG = np.log(1000 / 16)  # boxes grow at most by this factor


def decoded(anchors, deltas, variances, extra):
    """Boxes from anchors moved and stretched by deltas."""
    size = anchors[:, 2:] - anchors[:, :2] + extra
    deltas = deltas * variances
    centre = deltas[:, :2] * size + anchors[:, :2] + size / 2
    extent = np.exp(np.minimum(deltas[:, 2:], _LARGEST_LOG)) * size
    return np.concatenate([centre - extent / 2, centre + extent / 2 - extra], 1)


def suppressed(boxes, threshold, eta, normalized, most):
    """Places of boxes, in order, that overlap no kept one by more than a threshold, which shrinks by ``eta``."""
    kept = []
    for k in range(len(boxes)):
        if len(kept) == most > 0:
            break
        if (overlaps(boxes[k:k + 1], boxes[kept], normalized) <= threshold).all():
            kept.append(k)
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return kept


@op("generate_proposals_v2(Scores, BboxDeltas, ImShape, Anchors, Variances) -> RpnRois, RpnRoiProbs, RpnRoisNum",
    family="dynamic", pre_nms_top_n="pre_nms_topN", post_nms_top_n="post_nms_topN", shapes="_ -> ? 4, ? 1, ?:int32")
def generate_proposals(scores, deltas, sizes, anchors, variances, pre_nms_top_n=6000, post_nms_top_n=1000, nms_thresh=0.5,
                       min_size=0.1, eta=1.0, pixel_offset=True):
    """The best boxes [K, 4] of a region proposal network, their scores [K, 1], and how many each picture has [N]."""
    n, per_cell, height, width = scores.shape
    if deltas.shape != (n, 4 * per_cell, height, width):
        raise ValueError(f"bbox_deltas must be {[n, 4 * per_cell, height, width]}, got {list(deltas.shape)}")
    extra, cells = float(pixel_offset), per_cell * height * width
    if anchors.size != cells * 4 or variances.size != cells * 4:
        raise ValueError(f"anchors and variances must be {[height, width, per_cell, 4]}, got {list(anchors.shape)} and "
                         f"{list(variances.shape)}")
    anchors, variances = anchors.reshape(-1, 4), variances.reshape(-1, 4)
    found = []
    for k in range(n):
        score = scores[k].transpose(1, 2, 0).reshape(-1)
        order = np.argsort(-score, kind="stable")[:pre_nms_top_n if pre_nms_top_n > 0 else None]
        moves = deltas[k].transpose(1, 2, 0).reshape(-1, 4)[order]
        limit = sizes[k][[1, 0, 1, 0]] - extra
        boxes = np.clip(decoded(anchors[order], moves, variances[order], extra), 0, limit).astype(scores.dtype)
        extent = boxes[:, 2:] - boxes[:, :2] + extra
        good = (extent >= max(min_size, 1.0)).all(1)
        if pixel_offset:
            good &= (boxes[:, :2] + extent / 2 <= sizes[k][[1, 0]]).all(1)
        boxes, score = boxes[good], score[order][good]
        if not len(boxes):  # a picture always has a box, if an empty one
            boxes, score = np.zeros((1, 4), scores.dtype), np.zeros(1, scores.dtype)
        elif nms_thresh > 0:
            kept = suppressed(boxes, nms_thresh, eta, not pixel_offset, post_nms_top_n)
            boxes, score = boxes[kept], score[kept]
        found.append((boxes, score))
    return (np.concatenate([boxes for boxes, _ in found]), np.concatenate([score for _, score in found])[:, None],
            np.array([len(boxes) for boxes, _ in found], np.int32))


def _dealt_shapes(boxes, rois_num, min_level, max_level):
    levels = range(min_level, max_level + 1)
    counts = boxes.like((1 if rois_num is None else rois_num.shape[0],), np.int32)
    return (*(boxes.like((-1, 4)) for _ in levels), boxes.like((boxes.shape[0], 1), np.int32), *(counts for _ in levels))


@op("distribute_fpn_proposals(FpnRois, RoisNum?) -> MultiFpnRois*, RestoreIndex, MultiLevelRoIsNum*", family="dynamic",
    shapes=_dealt_shapes)
def distribute_fpn_proposals(boxes, rois_num=None, min_level=2, max_level=5, refer_level=4, refer_scale=224, pixel_offset=True):
    """Boxes dealt out to the levels of a pyramid by their area: in a row the boxes of each level, the way back into order, and how
    many each picture has on each level."""
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ValueError(f"distribute_fpn_proposals(): fpn_rois must be [R, 4], got {list(boxes.shape)}")
    if min_level > max_level:
        raise ValueError(f"distribute_fpn_proposals(): min_level {min_level} must not be above max_level {max_level}")
    extent = boxes[:, 2:] - boxes[:, :2]
    area = np.where((extent < 0).any(1), 0, np.prod(extent + float(pixel_offset), 1))
    with np.errstate(divide="ignore"):
        level = np.floor(np.log2(np.sqrt(area) / refer_scale + 1e-6)) + refer_level
    levels = np.clip(level, min_level, max_level).astype(np.int64)
    counts = np.array([len(boxes)]) if rois_num is None else np.ravel(rois_num)
    if counts.sum() != len(boxes):
        raise ValueError(f"distribute_fpn_proposals(): rois_num {counts.tolist()} must add up to {len(boxes)} boxes")
    owners = np.repeat(np.arange(len(counts)), counts)
    places = [np.flatnonzero(levels == level) for level in range(min_level, max_level + 1)]
    order = np.argsort(np.concatenate(places), kind="stable").astype(np.int32)
    numbers = [np.bincount(owners[place], minlength=len(counts)).astype(np.int32) for place in places]
    return (*(boxes[place] for place in places), order[:, None], *numbers)


def _decayed(boxes, scores, use_gaussian, sigma, normalized):
    """Scores, best first, weighed down by how much better boxes overlap: the matrix form of suppression."""
    overlap = np.tril(overlaps(boxes, boxes, normalized), -1)
    own = overlap.max(1)  # how much each box itself overlaps a better one
    factor = np.exp((own ** 2 - overlap ** 2) * sigma) if use_gaussian else (1 - overlap) / (1 - own)
    return scores * np.where(np.tri(len(boxes), k=-1) > 0, factor, 1).min(1)


def _checked_scores(boxes, scores):
    if boxes.ndim != 3 or boxes.shape[2] != 4 or scores.ndim != 3 or scores.shape[::2] != boxes.shape[:2]:
        raise ValueError(f"bboxes must be [N, M, 4] and scores [N, C, M], got {list(boxes.shape)} and {list(scores.shape)}")


def _candidates(score, threshold, most):
    """Places of the scores above a threshold, best first; at most so many unless that is -1."""
    order = np.argsort(-score, kind="stable")
    return order[score[order] > threshold][:most if most > -1 else None]


def _listed(boxes, found):
    """Rows [class, score, box], their places among all boxes, and how many each picture has, from (class, score, place)."""
    rows = [[kind, value, *boxes[k, at]] for k, mine in enumerate(found) for kind, value, at in mine]
    places = [k * boxes.shape[1] + at for k, mine in enumerate(found) for _, _, at in mine]
    return (np.array(rows, boxes.dtype).reshape(-1, 6), np.array(places, np.int32).reshape(-1, 1),
            np.array([len(mine) for mine in found], np.int32))


@op("matrix_nms(BBoxes, Scores) -> Out, Index, RoisNum", family="dynamic", shapes="_ -> ? 6, ? 1:int32, ?:int32")
def matrix_nms(boxes, scores, score_threshold=0.0, nms_top_k=-1, keep_top_k=-1, post_threshold=0.0, use_gaussian=False,
               gaussian_sigma=2.0, background_label=0, normalized=True):
    """Rows [class, score, x1, y1, x2, y2] of the boxes whose decayed score stays up; their places; how many per picture."""
    _checked_scores(boxes, scores)
    found = []
    for mine, by_class in zip(boxes, scores):
        kept = []
        for kind, score in enumerate(by_class):
            order = _candidates(score, score_threshold, nms_top_k)
            if kind != background_label and len(order):
                decayed = _decayed(mine[order], score[order], use_gaussian, gaussian_sigma, normalized)
                kept += [(kind, value, at) for value, at in zip(decayed, order) if value > post_threshold]
        found.append(sorted(kept, key=lambda one: -one[1])[:keep_top_k if keep_top_k > -1 else None])
    return _listed(boxes, found)


by_library(distribute_fpn_proposals, generate_proposals, matrix_nms)
