"""Boxes of the truth matched with predicted ones: overlaps, assignment, targets, and the hardest of the unmatched."""

import numpy as np

from ...core.errors import check_choice
from ...core.op import op
from ..library import by_library
from ..sequence import packed_rows

_TINY = 1e-6  # a distance below this is none


def check_boxes(boxes, function, argument, width=4):
    """ValueError unless boxes are rows of ``width`` numbers."""
    if len(boxes.shape) != 2 or boxes.shape[1] != width:
        raise ValueError(f"{function}(): {argument} must be [boxes, {width}], got {list(boxes.shape)}")


@op("iou_similarity(X, Y) -> Out", family="own", rows="keep", shapes="n 4, m 4 -> n m")
def iou_similarity(x, y, box_normalized=True):
    """Intersection over union of each box of x with each of y; boxes in pixels (not normalized) count both ends."""
    check_boxes(x, "iou_similarity", "x")
    check_boxes(y, "iou_similarity", "y")
    extra = x.dtype.type(0 if box_normalized else 1)
    sides = np.minimum(x[:, None, 2:], y[None, :, 2:]) - np.maximum(x[:, None, :2], y[None, :, :2]) + extra
    common = np.prod(np.maximum(sides, 0), 2)
    areas = [np.prod(boxes[:, 2:] - boxes[:, :2] + extra, 1) for boxes in (x, y)]
    return common / (areas[0][:, None] + areas[1] - common + x.dtype.type(1e-10))


def _best_pairs(distance, rows, values):
    """Take the largest distance again and again, each row and each column at most once."""
    free = np.where(distance < _TINY, -1.0, distance.astype(np.float64)).T  # ties go to the first column, then the first row
    for _ in range(min(distance.shape)):
        column, row = np.unravel_index(free.argmax(), free.shape)
        if free[column, row] < 0:
            break
        rows[column], values[column] = row, distance[row, column]
        free[column], free[:, row] = -1, -1


def _best_rows(distance, threshold, rows, values):
    """Give each column without a row its nearest one, if that is near enough."""
    if not distance.shape[0]:
        return
    best = distance.argmax(0)
    largest = distance.max(0)
    take = (rows < 0) & (largest >= max(threshold, _TINY))
    rows[take], values[take] = best[take], largest[take]


@op("bipartite_match(DistMat, DistMatLoD*?) -> ColToRowMatchIndices, ColToRowMatchDist", family="sequence",
    shapes=lambda distance, lod: (distance.like((-1 if lod else 1, distance.shape[1]), np.int32),
                                  distance.like((-1 if lod else 1, distance.shape[1]))))
def bipartite_match(distance, lod=None, match_type="bipartite", dist_threshold=0.5):
    """For each column of each sequence of rows the row that it is matched with (-1: none), and how near that is.

    Pairs are made from the nearest on, one to one; with "per_prediction" columns left over take their nearest row too.
    """
    check_choice(match_type, ("bipartite", "per_prediction"), "bipartite_match", "match_type")
    if distance.ndim != 2:
        raise ValueError(f"bipartite_match(): dist_matrix must be [rows, columns], got {list(distance.shape)}")
    ends = packed_rows.offsets(distance, lod, "bipartite_match", "dist_matrix") if lod else np.array([0, len(distance)])
    shape = (len(ends) - 1, distance.shape[1])
    rows, values = np.full(shape, -1, np.int32), np.zeros(shape, distance.dtype)
    for k, (start, end) in enumerate(zip(ends, ends[1:])):
        if end > start and shape[1]:
            _best_pairs(distance[start:end], rows[k], values[k])
            if match_type == "per_prediction":
                _best_rows(distance[start:end], dist_threshold, rows[k], values[k])
    return rows, values


@op("target_assign(X, MatchIndices, NegIndices?, XLoD*?, NegIndicesLoD*?) -> Out, OutWeight", family="sequence",
    shapes="rows p k, n m -> n m k, n m 1:float32")
def target_assign(x, matches, negatives=None, x_lod=None, negative_lod=None, mismatch_value=0):
    """For each place of ``matches`` [N, M] the row of x [rows, P, K] that it names, counted within the Nth sequence, and its
    weight 1;
    ``mismatch_value`` and 0 where it names none (-1), ``mismatch_value`` and 1 at the places that ``negatives`` lists."""
    if x.ndim != 3:
        raise ValueError(f"target_assign(): input must be [rows, P, K], got {list(x.shape)}")
    ends = packed_rows.offsets(x, x_lod, "target_assign", "input")
    if matches.ndim != 2 or len(matches) != len(ends) - 1:
        raise ValueError(f"target_assign(): matched_indices must be [{len(ends) - 1}, M], got {list(matches.shape)}")
    if (matches >= np.diff(ends)[:, None]).any():
        raise ValueError("target_assign(): matched_indices name rows beyond the end of their sequence")
    found = matches > -1
    picture, place = np.nonzero(found)
    out = np.full((*matches.shape, x.shape[2]), mismatch_value, x.dtype)
    out[found] = x[ends[picture] + matches[found], place % x.shape[1]]
    weight = found.astype(np.float32)
    if negatives is not None:
        places = negatives.reshape(-1)
        who = packed_rows.owners(packed_rows.offsets(negatives, negative_lod, "target_assign", "negative_indices"))
        out[who, places], weight[who, places] = mismatch_value, 1
    return out, weight[..., None]


@op("mine_hard_examples(ClsLoss, LocLoss?, MatchIndices, MatchDist) -> NegIndices, UpdatedMatchIndices, OutLoD*", family="sequence",
    shapes="n m -> ? 1:int32, n m:int32, ?:int64")
def mine_hard_examples(class_loss, place_loss, matches, distance, neg_pos_ratio=1.0, neg_dist_threshold=0.5, sample_size=0,
                       mining_type="max_negative"):
    """The unmatched places of largest loss in each picture, packed, and the matches that are left.

    "max_negative" takes ``neg_pos_ratio`` times as many as there are matches among the places that are far from all boxes;
    "hard_example" takes the ``sample_size`` largest losses of all and drops matches that are not among them.
    """
    check_choice(mining_type, ("max_negative", "hard_example"), "mine_hard_examples", "mining_type")
    hard = mining_type == "hard_example"
    loss = class_loss + place_loss if hard and place_loss is not None else class_loss
    kept, chosen = matches.astype(np.int32), []
    for k in range(len(loss)):
        able = np.arange(loss.shape[1]) if hard else np.flatnonzero((matches[k] == -1) & (distance[k] < neg_dist_threshold))
        most = sample_size if hard else int((matches[k] != -1).sum() * neg_pos_ratio)
        picked = np.sort(able[np.argsort(-loss[k][able], kind="stable")[:most]])
        if hard:
            kept[k][~np.isin(np.arange(loss.shape[1]), picked)] = -1
            picked = picked[matches[k][picked] < 0]
        chosen.append(picked)
    return (np.concatenate(chosen or [np.zeros(0)]).astype(np.int32)[:, None], kept,
            packed_rows.ends_of([len(c) for c in chosen]))


by_library(iou_similarity)
