"""Boxes cut at borders, decoded for each class, collected from the levels of a pyramid; proposals of 1.x; focal loss."""

import numpy as np

from ...core.op import op
from ..composed import composed
from ..library import by_library
from ..math.unary import sigmoid
from ..nn.activation import log_sigmoid
from ..nn.grid_sample import plain
from ..sequence import packed_rows
from .matching import check_boxes
from .proposals import decoded, suppressed


@op("box_clip(Input, ImInfo, InputLoD*?) -> Output", family="sequence", rows="keep", shapes="*x -> *x")
def box_clip(boxes, info, lod=None):
    """Boxes [rows, 4] (or [rows, classes, 4]) cut at the borders of their picture, given as [height, width, scale] after
    scaling."""
    if boxes.shape[-1] != 4:
        raise ValueError(f"box_clip(): input must end in boxes of 4 numbers, got {list(boxes.shape)}")
    who = packed_rows.owners(packed_rows.offsets(boxes, lod, "box_clip", "input"))
    limit = np.floor(info[:, [1, 0, 1, 0]] / info[:, 2:3] + 0.5) - 1  # halves go up
    limit = limit[who].reshape(len(who), *[1] * (boxes.ndim - 2), 4)
    return np.maximum(np.minimum(boxes, limit), 0).astype(boxes.dtype)


@op("box_decoder_and_assign(PriorBox, PriorBoxVar?, TargetBox, BoxScore) -> DecodeBox, OutputAssignBox", family="own", rows="keep",
    shapes=lambda prior, target: (target, prior))
def box_decoder_and_assign(prior, variance, target, score, box_clip=4.135):
    """Boxes decoded for every class [rows, 4 classes], and for each row that of its best class besides 0 (the prior if none is)."""
    check_boxes(prior, "box_decoder_and_assign", "prior_box")
    rows, classes = score.shape
    if target.shape != (rows, 4 * classes):
        raise ValueError(f"box_decoder_and_assign(): target_box must be {[rows, 4 * classes]}, got {list(target.shape)}")
    scale = np.ones(4, prior.dtype) if variance is None else variance.reshape(-1)[:4]
    size = (prior[:, 2:] - prior[:, :2] + 1)[:, None]
    moves = target.reshape(rows, classes, 4) * scale
    centre = moves[..., :2] * size + prior[:, None, :2] + size / 2
    extent = np.exp(np.minimum(moves[..., 2:], prior.dtype.type(box_clip))) * size
    found = np.concatenate([centre - extent / 2, centre + extent / 2 - 1], -1).astype(prior.dtype)
    if classes < 2:
        return found.reshape(rows, -1), prior.copy()
    best = score[:, 1:].argmax(1) + 1
    good = score[np.arange(rows), best] > -1
    return found.reshape(rows, -1), np.where(good[:, None], found[np.arange(rows), best], prior)


@op("polygon_box_transform(Input) -> Output", family="same")
def polygon_box_transform(x):
    """Distances from cells of 4 pixels as places: 4 column - x on even channels, 4 row - x on odd ones."""
    if x.ndim != 4 or x.shape[1] % 2:
        raise ValueError(f"polygon_box_transform(): input must be [N, an even number of channels, H, W], got {list(x.shape)}")
    row, column = np.indices(x.shape[2:], x.dtype) * 4
    even = (np.arange(x.shape[0] * x.shape[1]) % 2 == 0).reshape(*x.shape[:2], 1, 1)
    return np.where(even, column, row) - x


@op("collect_fpn_proposals(MultiLevelRois*, MultiLevelScores*, MultiLevelRoisLoD*?) -> FpnRois, OutLoD", family="sequence",
    post_nms_top_n="post_nms_topN", shapes=lambda rois: (rois[0].like((-1, 4)), rois[0].like((-1,), np.int64)))
def collect_fpn_proposals(rois, scores, lods=None, post_nms_top_n=100):
    """The best boxes of all levels and pictures, picture by picture, best first."""
    if len(rois) != len(scores) or len(lods or ()) != len(rois):
        raise ValueError(f"collect_fpn_proposals(): {len(rois)} multi_rois need as many multi_scores and one level of sequence "
                         f"lengths each, got {len(scores)} and {len(lods or ())}")
    ends = [packed_rows.offsets(level, [lod], "collect_fpn_proposals", "multi_rois") for level, lod in zip(rois, lods)]
    score = np.concatenate([np.ravel(level) for level in scores])
    owner = np.concatenate([packed_rows.owners(e) for e in ends])
    order = np.argsort(-score, kind="stable")[:post_nms_top_n]
    order = order[np.argsort(owner[order], kind="stable")]
    counts = np.bincount(owner[order], minlength=len(ends[0]) - 1)
    return np.concatenate(rois)[order], packed_rows.ends_of(counts)


@op("generate_proposals(Scores, BboxDeltas, ImInfo, Anchors, Variances) -> RpnRois, RpnRoiProbs, RpnRoisNum, OutLoD",
    family="sequence",
    pre_nms_top_n="pre_nms_topN", post_nms_top_n="post_nms_topN", rows="give RpnRoiProbs", shapes="_ -> ? 4, ? 1, ?:int32, ?:int64")
def packed_proposals(scores, deltas, info, anchors, variances, pre_nms_top_n=6000, post_nms_top_n=1000, nms_thresh=0.5,
                     min_size=0.1,
                     eta=1.0):
    """As generate_proposals_v2, packed, for pictures [height, width, scale]; boxes too small before the scaling are dropped."""
    n, per_cell, height, width = scores.shape
    cells = per_cell * height * width
    if deltas.shape != (n, 4 * per_cell, height, width) or anchors.size != cells * 4 or variances.size != cells * 4:
        raise ValueError(f"generate_proposals(): scores {list(scores.shape)} need bbox_deltas {[n, 4 * per_cell, height, width]}, "
                         f"anchors and variances {[height, width, per_cell, 4]}, got {list(deltas.shape)}, "
                         f"{list(anchors.shape)} and {list(variances.shape)}")
    anchors, variances, found = anchors.reshape(-1, 4), variances.reshape(-1, 4), []
    for k in range(n):
        score = scores[k].transpose(1, 2, 0).reshape(-1)
        order = np.argsort(-score, kind="stable")[:pre_nms_top_n if pre_nms_top_n > 0 else None]
        moves, picture = deltas[k].transpose(1, 2, 0).reshape(-1, 4)[order], info[k]
        boxes = np.clip(decoded(anchors[order], moves, variances[order], 1.0), 0, picture[[1, 0, 1, 0]] - 1).astype(scores.dtype)
        size = boxes[:, 2:] - boxes[:, :2]
        good = (size / picture[2] + 1 >= max(min_size, 1.0)).all(1) & (boxes[:, :2] + (size + 1) / 2 <= picture[[1, 0]]).all(1)
        boxes, score = boxes[good], score[order][good]
        if nms_thresh > 0:
            kept = suppressed(boxes, nms_thresh, eta, False, post_nms_top_n)
            boxes, score = boxes[kept], score[kept]
        found.append((boxes, score))
    counts = [len(boxes) for boxes, _ in found]
    return (np.concatenate([boxes for boxes, _ in found]), np.concatenate([score for _, score in found])[:, None],
            np.array(counts, np.int32), packed_rows.ends_of(counts))


by_library(box_clip, collect_fpn_proposals, packed_proposals, polygon_box_transform)


@composed("sigmoid_focal_loss(X, Label, FgNum) -> Out", family="own", shapes="n c -> n c")
def packed_focal_loss(x, label, count, gamma=2.0, alpha=0.25):
    """Cross entropy of each class's own logit, less where it is right already, over the number of foreground rows.

    Label k means class k - 1, 0 background, -1 a row that does not count.
    """
    if len(x.shape) != 2 or list(label.shape) != [x.shape[0], 1]:
        raise ValueError(f"sigmoid_focal_loss(): x must be [rows, classes] and label [rows, 1], got {list(x.shape)} and "
                         f"{list(label.shape)}")
    dtype, wanted = plain(x).dtype, np.asarray(plain(label)).reshape(-1, 1)
    right = wanted == np.arange(1, x.shape[1] + 1)
    wrong = (wanted != -1) & ~right
    over = max(int(np.ravel(plain(count))[0]), 1)
    share = sigmoid(x)
    yes = (1 - share) ** gamma * log_sigmoid(x) * (right * (-alpha / over)).astype(dtype)
    return yes + share ** gamma * log_sigmoid(-x) * (wrong * ((alpha - 1) / over)).astype(dtype)
