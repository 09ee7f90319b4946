"""What a detection network is trained with: anchors and proposals sampled as foreground or background, and their targets."""

import numpy as np

from ...core.op import op
from ..random import draws
from ..sequence import packed_rows
from .regions import overlaps

_NEAR = 1e-5  # overlaps that differ by less are equal
_LOCATION, _SCORE = "LocationIndex", "ScoreIndex"


def deltas_of(boxes, truth, weights=None):
    """What moves and stretches boxes in pixels into those of the truth, divided by weights."""
    sizes = [b[:, 2:] - b[:, :2] + 1 for b in (boxes, truth)]
    centres = [b[:, :2] + s / 2 for b, s in zip((boxes, truth), sizes)]
    deltas = np.concatenate([(centres[1] - centres[0]) / sizes[0], np.log(sizes[1] / sizes[0])], 1)
    return deltas if weights is None else deltas / np.asarray(weights, deltas.dtype)


def reservoir(count, most, seed):
    """Which ``most`` of ``count`` things are kept: the first ones, each replaced by later ones with falling probability."""
    chosen = np.arange(count)
    if count > most and seed is not None:
        where = np.floor(draws.uniform(seed, (count - most,), 0.0, 1.0, np.dtype(np.float64)) * np.arange(most, count)).astype(int)
        for late, early in zip(range(most, count), where):
            if early < most:
                chosen[[early, late]] = chosen[[late, early]]
    return chosen[:most] if most < count else chosen


def _pictures(boxes, lods, function, names):
    """The offsets of several packed inputs, which must have as many pictures."""
    ends = [packed_rows.offsets(x, lod, function, name) for x, lod, name in zip(boxes, lods, names)]
    if len({len(e) for e in ends}) != 1:
        raise ValueError(f"{function}(): {', '.join(names)} must have as many pictures, got {[len(e) - 1 for e in ends]}")
    return ends


def _anchors_of(overlap, most, share, positive, negative, seed):
    """(foreground, background, anchors that get box targets, their weights) for the overlaps [anchors, boxes] of one picture.

    Foreground are the anchors nearest to a box and those that overlap one enough; an anchor that is both foreground and below the
    background threshold becomes background, and the first foreground anchor takes its row of box targets with weight 0.
    """
    best = overlap.max(1, initial=0.0)
    nearest = (np.abs(overlap - overlap.max(0, initial=0.0)) < _NEAR).any(1) if overlap.shape[1] else np.zeros(len(overlap), bool)
    fore = np.flatnonzero(nearest | (best >= positive))
    back = np.flatnonzero(best < negative)
    if share > 0 and most > 0:
        fore = fore[reservoir(len(fore), int(share * most), seed)]
        back = back[reservoir(len(back), most - len(fore), seed)]
    both = np.intersect1d(fore, back)
    located = np.concatenate([np.full(len(both), fore[0] if len(fore) else 0), np.setdiff1d(fore, back)])
    weights = (np.arange(len(located)) >= len(both)).astype(overlap.dtype)
    return np.setdiff1d(fore, back), np.sort(back), located.astype(np.int64), np.repeat(weights[:, None], 4, 1)


def _assign(anchors, boxes, crowd, info, lods, inside, choose, function):
    """What ``choose(overlap, kept truth)`` finds for each picture, in terms of all anchors of all pictures, with box targets."""
    ends, crowd_ends = _pictures((boxes, crowd), lods, function, ("gt_boxes", "is_crowd"))
    located, scored, targets, labels, weights = [], [], [], [], []
    for k, picture in enumerate(info):
        kept = np.flatnonzero(np.ravel(crowd)[crowd_ends[k]:crowd_ends[k + 1]] == 0)
        truth = boxes[ends[k]:ends[k + 1]][kept] * picture[2]
        able = np.flatnonzero(inside(anchors, picture))
        overlap = overlaps(anchors[able], truth, False).astype(anchors.dtype)
        fore, back, at, weight, label = choose(overlap, ends[k] + kept)
        nearest = overlap.argmax(1)[at] if len(truth) else at
        targets.append(deltas_of(anchors[able[at]], truth[nearest]))
        located.append(able[at] + k * len(anchors))
        scored.append(able[np.concatenate([fore, back])] + k * len(anchors))
        labels.append(label)
        weights.append(weight)
    def joined(parts, dtype):
        return np.concatenate(parts).astype(dtype)
    return (joined(located, np.int32), joined(scored, np.int32), joined(targets, anchors.dtype), joined(labels, np.int32)[:, None],
            joined(weights,
                   anchors.dtype), packed_rows.ends_of([len(p) for p in located]), packed_rows.ends_of([len(p) for p in scored]))


_SHARED = f"give TargetBBox={_LOCATION} BBoxInsideWeight={_LOCATION} TargetLabel={_SCORE}"


@op("rpn_target_assign(Anchor, GtBoxes, IsCrowd, ImInfo, GtBoxesLoD*?, IsCrowdLoD*?) -> LocationIndex, ScoreIndex, TargetBBox, "
    "TargetLabel, BBoxInsideWeight, LocationIndexLoD, ScoreIndexLoD", family="sequence", rows=_SHARED, random="use_random",
    shapes="_ -> ?:int32, ?:int32, ? 4, ? 1:int32, ? 4, ?:int64, ?:int64")
def rpn_target_assign(anchors, boxes, crowd, info, boxes_lod=None, crowd_lod=None, rpn_batch_size_per_im=256,
                      rpn_straddle_thresh=0.0, rpn_positive_overlap=0.7, rpn_negative_overlap=0.3, rpn_fg_fraction=0.25,
                      use_random=True):
    """Anchors sampled for training a region proposal network: those with box targets, those with labels, targets, labels (1 is an
    object), weights of the targets; packed picture by picture."""
    edge = rpn_straddle_thresh

    def inside(all_anchors, picture):
        if edge < 0:
            return np.ones(len(all_anchors), bool)
        return ((all_anchors[:, :2] >= -edge) & (all_anchors[:, 2:] < picture[[1, 0]] + edge)).all(1)

    def choose(overlap, kept):
        found = _anchors_of(overlap, rpn_batch_size_per_im, rpn_fg_fraction, rpn_positive_overlap, rpn_negative_overlap,
                            0 if use_random else None)
        return *found, np.repeat([1, 0], [len(found[0]), len(found[1])])
    return _assign(anchors, boxes, crowd, info, (boxes_lod, crowd_lod), inside, choose, "rpn_target_assign")


@op("retinanet_target_assign(Anchor, GtBoxes, GtLabels, IsCrowd, ImInfo, GtBoxesLoD*?, IsCrowdLoD*?) -> LocationIndex, ScoreIndex, "
    "TargetBBox, TargetLabel, BBoxInsideWeight, ForegroundNumber, LocationIndexLoD, ScoreIndexLoD, ForegroundNumberLoD",
    family="sequence", rows=_SHARED, shapes="_ -> ?:int32, ?:int32, ? 4, ? 1:int32, ? 4, ? 1:int32, ?:int64, ?:int64, ?:int64")
def retinanet_target_assign(anchors, boxes, classes, crowd, info, boxes_lod=None, crowd_lod=None, positive_overlap=0.5,
                            negative_overlap=0.4):
    """As rpn_target_assign for all anchors, with the boxes' classes as labels; also each picture's number of foreground anchors +
    1."""
    counts = []

    def choose(overlap, kept):
        fore, back, located, weights = _anchors_of(overlap, -1, -1.0, positive_overlap, negative_overlap, None)
        counts.append(len(located) + 1)
        own = np.ravel(classes)[kept][overlap.argmax(1)[fore]] if len(kept) else fore
        return fore, back, located, weights, np.concatenate([own, np.zeros(len(back), own.dtype)])
    *found, locations, scores = _assign(anchors, boxes, crowd, info, (boxes_lod, crowd_lod), lambda all_anchors, _: np.ones(
        len(all_anchors), bool), choose, "retinanet_target_assign")
    return *found, np.array(counts, np.int32)[:, None], locations, scores, np.arange(len(counts) + 1)


def _proposals_of(boxes, overlap, crowd, most, share, fore_least, back_most, back_least, seed, cascade):
    """(foreground proposals, background proposals, the box of the truth of each foreground one) of one picture."""
    best = overlap.max(1, initial=0.0)
    best[:len(crowd)][crowd[:len(best)] != 0] = -1
    able = (boxes[:, 2:] - boxes[:, :2] + 1 > 0).all(1) if cascade else np.ones(len(boxes), bool)
    fore = np.flatnonzero(able & (best >= fore_least))
    back = np.flatnonzero(able & (best < fore_least) & (best >= back_least) & (best < back_most))
    if not cascade:
        fore = fore[reservoir(len(fore), int(most * share), seed)]
        back = back[reservoir(len(back), most - len(fore), seed)]
    owner = (np.abs(overlap[fore] - best[fore, None]) < _NEAR).argmax(1) if overlap.shape[1] else fore
    return fore, back, owner


@op("generate_proposal_labels(RpnRois, GtClasses, IsCrowd, GtBoxes, ImInfo, MaxOverlap?, RpnRoisLoD*?, GtClassesLoD*?, "
    "IsCrowdLoD*?, GtBoxesLoD*?) -> Rois, LabelsInt32, BboxTargets, BboxInsideWeights, BboxOutsideWeights, "
    "MaxOverlapWithGT, OutLoD",
    family="sequence", rows="give LabelsInt32 BboxTargets BboxInsideWeights BboxOutsideWeights MaxOverlapWithGT",
    random="use_random", shapes=lambda rois, class_nums: (
        rois.like((-1, 4)), rois.like((-1, 1), np.int32), *[rois.like((-1, 4 * class_nums))] * 3, rois.like((-1,)),
        rois.like((-1,), np.int64)))
def generate_proposal_labels(rois, classes, crowd, boxes, info, overlap_before=None, rois_lod=None, classes_lod=None,
                             crowd_lod=None, boxes_lod=None, batch_size_per_im=256, fg_fraction=0.25, fg_thresh=0.25,
                             bg_thresh_hi=0.5, bg_thresh_lo=0.0, bbox_reg_weights=(0.1, 0.1, 0.2, 0.2), class_nums=81,
                             use_random=True,
                             is_cascade_rcnn=False, is_cls_agnostic=False):
    """Proposals sampled for training, packed picture by picture: boxes, classes (0 is background), box targets at the columns of
    their class, weights of these twice, and how much each overlaps the truth. Boxes of the truth are proposals as well."""
    if overlap_before is not None:
        raise NotImplementedError("generate_proposal_labels(): max_overlap is not supported")
    ends = _pictures((rois, classes, crowd, boxes), (rois_lod, classes_lod, crowd_lod, boxes_lod), "generate_proposal_labels",
                     ("rpn_rois", "gt_classes", "is_crowd", "gt_boxes"))
    found = []
    for k, scale in enumerate(info[:, 2]):
        mine, kinds, crowded, truth = (x[e[k]:e[k + 1]] for x, e in zip((rois, classes, crowd, boxes), ends))
        if len(mine):
            found.append((k, *_labelled(mine, np.ravel(kinds), np.ravel(crowded), truth, scale, batch_size_per_im, fg_fraction,
                                        fg_thresh, bg_thresh_hi, bg_thresh_lo, bbox_reg_weights, class_nums,
                                        0 if use_random else None, is_cascade_rcnn, is_cls_agnostic)))
    counts = np.zeros(len(info), np.int64)
    for k, chosen, *_ in found:
        counts[k] = len(chosen)
    empty = (np.zeros((0, 4)), np.zeros((0, 1)), *[np.zeros((0, 4 * class_nums))] * 2, np.zeros(0))
    chosen, labels, targets, weights, best = (np.concatenate([row[j + 1] for row in found] or [empty[j]]) for j in range(5))
    dtype = rois.dtype
    return (chosen.astype(dtype), labels.astype(np.int32), targets.astype(dtype), weights.astype(dtype), weights.astype(dtype),
            best.astype(dtype), packed_rows.ends_of(counts))


def _labelled(rois, kinds, crowd, truth, scale, most, share, fore_least, back_most, back_least, weights, class_count, seed, cascade,
              agnostic):
    """(boxes, classes, targets, weights, overlap) of the proposals sampled in one picture."""
    if cascade:
        boxes = np.concatenate([rois[:len(truth)], rois[len(truth):] / scale])
    else:
        boxes = np.concatenate([truth, rois / scale])
    overlap = overlaps(boxes, truth, False).astype(rois.dtype)
    fore, back, owner = _proposals_of(boxes, overlap, crowd, most, share, fore_least, back_most, back_least, seed, cascade)
    chosen = np.concatenate([fore, back])
    labels = np.concatenate([kinds[owner], np.zeros(len(back), kinds.dtype)])
    targets = np.zeros((len(chosen), class_count, 4), rois.dtype)
    marks = np.zeros_like(targets)
    object_rows = np.flatnonzero(labels > 0)
    columns = np.ones(len(object_rows), int) if agnostic else labels[object_rows]
    targets[object_rows, columns] = deltas_of(boxes[fore], truth[owner], weights)[object_rows]
    marks[object_rows, columns] = 1
    return (boxes[chosen] * scale, labels[:, None], targets.reshape(len(chosen), -1), marks.reshape(len(chosen), -1),
            overlap[chosen].max(1, initial=0.0))
