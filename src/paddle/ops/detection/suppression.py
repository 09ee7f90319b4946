"""Detections of packed pictures: suppression by class as 1.x has it, with polygons, merging neighbours, and over RetinaNet's
levels."""

import numpy as np

from ...core.op import op
from ..library import by_library
from ..sequence import packed_rows
from .polygons import overlap_of
from .regions import overlaps

_WIDTHS = (4, 8, 16, 24, 32)  # numbers per box: two corners, or the corners of a polygon


def _overlap(box, others, normalized):
    """Intersection over union of one box, or polygon, with others."""
    if len(box) == 4:
        return overlaps(box[None], others, normalized)[0]
    return np.array([overlap_of(box, other) for other in others])


def _survivors(boxes, order, threshold, eta, normalized):
    """Those of ``order`` that overlap no kept one by more than a threshold, which ``eta`` shrinks."""
    kept = []
    for at in order:
        if not kept or (_overlap(boxes[at], boxes[kept], normalized) <= threshold).all():
            kept.append(at)
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return kept


def _ranked(scores, threshold, most):
    """Places of scores above a threshold, best first, at most so many unless that is -1."""
    order = np.argsort(-scores, kind="stable")
    return order[scores[order] > threshold][:most if most > -1 else None]


def _best(found, most):
    """The (class, score, place) of best score, at most so many unless that is -1, class by class."""
    if -1 < most < len(found):
        found = sorted(found, key=lambda one: -one[1])[:most]
    return sorted(found, key=lambda one: one[0])


def _checked(boxes, scores, lod, function):
    """The offsets of packed boxes [boxes, classes, 4]; None for boxes [N, M, 4 or more] and scores [N, classes, M]."""
    fits = boxes.ndim == 3 and boxes.shape[2] in _WIDTHS
    if scores.ndim == 2 and fits and boxes.shape[:2] == scores.shape:
        return packed_rows.offsets(boxes, lod, function, "bboxes")
    if scores.ndim != 3 or not fits or boxes.shape[:2] != scores.shape[::2]:
        raise ValueError(f"{function}(): bboxes must be [N, M, {' or '.join(map(str, _WIDTHS))}] and scores [N, classes, M], or "
                         f"both packed [boxes, classes, 4] and [boxes, classes]; got {list(boxes.shape)} and {list(scores.shape)}")
    return None


def _suppressed(boxes, scores, ends, settings):
    """For each picture rows [class, score, box...] and the places of these among all boxes; ``ends`` are the offsets of the
    pictures in packed boxes."""
    threshold, nms_top_k, keep_top_k, nms_threshold, normalized, eta, background = settings
    classes, pictures = scores.shape[1], len(boxes) if ends is None else len(ends) - 1
    rows, places = [], []
    for k in range(pictures):
        found = []
        mine, score = (boxes[k], scores[k]) if ends is None else (boxes[ends[k]:ends[k + 1]], scores[ends[k]:ends[k + 1]])
        for kind in range(classes):
            if kind != background:
                own, values = (mine, score[kind]) if ends is None else (mine[:, kind], score[:, kind])
                kept = _survivors(own, _ranked(values, threshold, nms_top_k), nms_threshold, eta, normalized)
                found += [(kind, values[at], at) for at in (kept if ends is None else sorted(kept))]
        best = _best(found, keep_top_k)
        if ends is not None:
            best = sorted(best, key=lambda one: (one[0], one[2]))
        rows.append([[kind, value, *(mine[at] if ends is None else mine[at, kind])] for kind, value, at in best])
        first = k * boxes.shape[1] if ends is None else ends[k] * classes
        places.append([first + (at if ends is None else at * classes + kind) for kind, _, at in best])
    return rows, places


def _packed(rows, width, dtype):
    table = np.array([row for mine in rows for row in mine], dtype).reshape(-1, width)
    return table, packed_rows.ends_of([len(mine) for mine in rows])


def _or_nothing(table, ends):
    """The detections, or what 1.x gives where there are none: [[-1]] in one picture."""
    return (table, ends) if len(table) else (np.full((1, 1), -1, table.dtype), np.array([0, 1], np.int64))


@op("multiclass_nms(BBoxes, Scores, BBoxesLoD*?) -> Out, OutLoD", family="sequence",
    shapes=lambda boxes: (boxes.like((-1, boxes.shape[2] + 2)), boxes.like((-1,), np.int64)))
def packed_multiclass_nms(boxes, scores, lod=None, score_threshold=0.0, nms_top_k=-1, keep_top_k=-1, nms_threshold=0.3,
                          normalized=True, nms_eta=1.0, background_label=0):
    """Rows [class, score, box...] of the boxes that no better one of their class overlaps, packed; [[-1]] if there is none."""
    settings = (score_threshold, nms_top_k, keep_top_k, nms_threshold, normalized, nms_eta, background_label)
    rows, _ = _suppressed(boxes, scores, _checked(boxes, scores, lod, "multiclass_nms"), settings)
    return _or_nothing(*_packed(rows, boxes.shape[2] + 2, boxes.dtype))


@op("multiclass_nms2(BBoxes, Scores, BBoxesLoD*?) -> Out, Index, OutLoD", family="sequence", rows="give Index",
    shapes=lambda boxes: (boxes.like((-1, boxes.shape[2] + 2)), boxes.like((-1, 1), np.int32), boxes.like((-1,), np.int64)))
def multiclass_nms2(boxes, scores, lod=None, score_threshold=0.0, nms_top_k=-1, keep_top_k=-1, nms_threshold=0.3, normalized=True,
                    nms_eta=1.0, background_label=0):
    """As multiclass_nms, with the places of the kept boxes among all; no rows if there are none."""
    settings = (score_threshold, nms_top_k, keep_top_k, nms_threshold, normalized, nms_eta, background_label)
    rows, places = _suppressed(boxes, scores, _checked(boxes, scores, lod, "multiclass_nms2"), settings)
    table, ends = _packed(rows, boxes.shape[2] + 2, boxes.dtype)
    return table, _column(places), ends


@op("multiclass_nms3(BBoxes, Scores, RoisNum?) -> Out, Index, NmsRoisNum", family="dynamic",
    shapes=lambda boxes: (boxes.like((-1, boxes.shape[2] + 2)), boxes.like((-1, 1), np.int32), boxes.like((-1,), np.int32)))
def multiclass_nms(boxes, scores, rois_num=None, score_threshold=0.0, nms_top_k=-1, keep_top_k=-1, nms_threshold=0.3,
                   normalized=True, nms_eta=1.0, background_label=0):
    """As multiclass_nms2; ``rois_num`` tells how many of packed boxes each picture has, the last result how many were kept."""
    settings = (score_threshold, nms_top_k, keep_top_k, nms_threshold, normalized, nms_eta, background_label)
    ends = None if rois_num is None else np.array([0, *np.cumsum(rois_num)])
    if scores.ndim == (3 if ends is None else 2):
        _checked(boxes, scores, () if ends is None else [ends], "multiclass_nms")
    else:
        raise ValueError("multiclass_nms(): bboxes must be [N, M, 4] and scores [N, C, M], or with rois_num [M, C, 4] and [M, C], "
                         f"got {list(boxes.shape)} and {list(scores.shape)}")
    rows, places = _suppressed(boxes, scores, ends, settings)
    table = np.array([row for mine in rows for row in mine], boxes.dtype).reshape(-1, boxes.shape[2] + 2)
    return table, _column(places), np.array([len(mine) for mine in rows], np.int32)


def _column(places):
    return np.array([at for mine in places for at in mine], np.int32).reshape(-1, 1)


def _merged(boxes, scores, threshold, normalized):
    """Neighbours in the list that overlap become one box, their mean weighed by score, with the sum of their scores."""
    boxes, scores, left = boxes.copy(), scores.copy(), []
    for k in range(len(boxes)):
        last = left[-1] if left else None
        if last is not None and _overlap(boxes[k], boxes[last:last + 1], normalized)[0] > threshold:
            boxes[last] = (boxes[k] * scores[k] + boxes[last] * scores[last]) / (scores[k] + scores[last])
            scores[last] += scores[k]
        else:
            left.append(k)
    return boxes, scores, np.array(left, int)


@op("locality_aware_nms(BBoxes, Scores) -> Out, OutLoD", family="sequence",
    shapes=lambda boxes: (boxes.like((-1, boxes.shape[2] + 2)), boxes.like((-1,), np.int64)))
def locality_aware_nms(boxes, scores, score_threshold=0.0, nms_top_k=-1, keep_top_k=-1, nms_threshold=0.3, normalized=True,
                       nms_eta=1.0,
                       background_label=-1):
    """As multiclass_nms for one class, after overlapping neighbours in the list of boxes were merged."""
    _checked(boxes, scores, None, "locality_aware_nms")
    if scores.ndim != 3 or scores.shape[1] != 1:
        raise ValueError(f"locality_aware_nms(): scores must be [N, 1, M], got {list(scores.shape)}")
    rows = []
    for mine, by_class in zip(boxes, scores):
        found = []
        if background_label != 0:
            mine, score, left = _merged(mine, by_class[0], nms_threshold, normalized)
            order = left[_ranked(score[left], score_threshold, nms_top_k)]
            found = [(0, score[at], at) for at in _survivors(mine, order, nms_threshold, nms_eta, normalized)]
        rows.append([[kind, value, *mine[at]] for kind, value, at in _best(found, keep_top_k)])
    return _or_nothing(*_packed(rows, boxes.shape[2] + 2, boxes.dtype))


def _decoded(anchors, deltas, picture):
    """Boxes from anchors moved and stretched, in pixels of the picture before it was scaled, cut at its borders."""
    size = anchors[:, 2:] - anchors[:, :2] + 1
    centre, extent = deltas[:, :2] * size + anchors[:, :2] + size / 2, np.exp(deltas[:, 2:]) * size
    limit = np.floor(picture[[1, 0]] / picture[2] + 0.5) - 1
    return np.clip(np.concatenate([centre - extent / 2, centre + extent / 2 - 1], 1) / picture[2], 0, np.tile(limit, 2))


@op("retinanet_detection_output(BBoxes*, Scores*, Anchors*, ImInfo) -> Out, OutLoD", family="sequence", shapes=lambda boxes: (
    boxes[0].like((-1, 6)), boxes[0].like((-1,), np.int64)))
def retinanet_detection_output(boxes, scores, anchors, info, score_threshold=0.05, nms_top_k=1000, nms_threshold=0.3, nms_eta=1.0,
                               keep_top_k=100):
    """Rows [class from 1 on, score, x1, y1, x2, y2], best first, packed, from the answers of all levels to their anchors.

    The last level takes every score above 0.
    """
    if not len(boxes) == len(scores) == len(anchors):
        raise ValueError(f"retinanet_detection_output(): bboxes, scores and anchors must be as many levels, got {len(boxes)}, "
                         f"{len(scores)} and {len(anchors)}")
    rows = []
    for k, picture in enumerate(info):
        found, classes = [], scores[0].shape[2]
        for level, (delta, score, anchor) in enumerate(zip(boxes, scores, anchors)):
            order = _ranked(score[k].reshape(-1), score_threshold if level < len(boxes) - 1 else 0.0, nms_top_k)
            at, kind = np.divmod(order, classes)
            decoded = _decoded(anchor.reshape(-1, 4)[at], delta[k][at], picture)
            found += list(zip(kind, score[k][at, kind], decoded))
        kept = []
        for kind in range(classes):
            mine = sorted((one for one in found if one[0] == kind), key=lambda one: -one[1])
            table = np.array([one[2] for one in mine]).reshape(-1, 4)
            kept += [mine[at] for at in _survivors(table, range(len(mine)), nms_threshold, nms_eta, False)]
        kept = sorted(kept, key=lambda one: -one[1])[:keep_top_k]
        rows.append([[kind + 1, value, *box] for kind, value, box in kept])
    return _packed(rows, 6, boxes[0].dtype)


by_library(packed_multiclass_nms, multiclass_nms2, multiclass_nms)
