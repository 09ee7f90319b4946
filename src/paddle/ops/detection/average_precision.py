"""Mean average precision of detections, over as many batches as a program runs."""

import numpy as np

from ...core.errors import check_choice
from ...core.op import op
from ..sequence import packed_rows
from .regions import overlaps


def _truth(labels):
    """(classes, whether difficult, boxes) of rows [class, (difficult,) x1, y1, x2, y2]."""
    difficult = np.abs(labels[:, 1]) >= 1e-6 if labels.shape[1] == 6 else np.zeros(len(labels), bool)
    return labels[:, 0].astype(int), difficult, labels[:, -4:]


def _judged(detected, truth, difficult, threshold, evaluate_difficult):
    """Pairs (score, 1 if it finds a box that no better one found) of one class's detections [score, box] in a picture."""
    if not len(truth):
        return [(row[0], 0) for row in detected]
    pairs, found = [], np.zeros(len(truth), bool)
    for row in detected[np.argsort(-detected[:, 0], kind="stable")]:
        overlap = overlaps(np.clip(row[None, 1:], 0, 1), truth)[0]
        at = overlap.argmax()
        if overlap[at] <= threshold:
            pairs.append((row[0], 0))
        elif evaluate_difficult or not difficult[at]:
            pairs.append((row[0], int(not found[at])))
            found[at] = True
    return pairs


def _average_precision(pairs, count, kind):
    """The mean precision over recalls, of pairs (score, right or wrong) and the number of boxes to be found."""
    right = np.array([flag for _, flag in sorted(pairs, key=lambda one: -one[0])], np.float64)
    precision, recall = np.cumsum(right) / np.arange(1, len(right) + 1), np.cumsum(right) / count
    if kind == "11point":
        return sum(precision[recall >= k / 10].max(initial=0.0) for k in range(11)) / 11
    steps = np.diff(recall, prepend=0.0)
    return (precision * np.where(steps > 1e-6, steps, 0)).sum()


def _mean_precision(counts, pairs, background, kind):
    values = []
    for label, count in sorted(counts.items()):
        if count != background:  # as 1.x compares it: the number of boxes, not the class
            values.append(_average_precision(pairs[label], count, kind) if label in pairs else 0.0)
    return np.mean(values) if values else 0.0


def _stored(table, lod):
    """Pairs by class from rows [score, flag] packed by class."""
    ends = packed_rows.offsets(table, lod, "detection_map", "input_states")
    return {k: [tuple(row) for row in table[a:b]] for k, (a, b) in enumerate(zip(ends, ends[1:])) if b > a}


def _table(pairs, class_num, flag, dtype):
    """Rows [score, 1 if right is ``flag``] packed by class, and the offsets."""
    rows = [[(score, float(bool(right) == flag)) for score, right in pairs.get(k, ())] for k in range(class_num)]
    return (np.array([row for mine in rows for row in mine], dtype).reshape(-1, 2),
            packed_rows.ends_of([len(mine) for mine in rows]))


@op("detection_map(DetectRes, Label, HasState?, PosCount?, TruePos?, FalsePos?, DetectResLoD*?, LabelLoD*?, TruePosLoD*?, "
    "FalsePosLoD*?) -> AccumPosCount, AccumTruePos, AccumFalsePos, MAP, AccumTruePosLoD, AccumFalsePosLoD", family="sequence",
    shapes="_ -> class_num 1:int32, ? 2, ? 2, 1, ?:int64, ?:int64")
def detection_map(detected, labels, has_state=None, counts_before=None, right_before=None, wrong_before=None, detected_lod=None,
                  labels_lod=None, right_lod=None, wrong_lod=None, overlap_threshold=0.5, evaluate_difficult=True,
                  ap_type="integral", class_num=1, background_label=0):
    """Mean average precision of packed rows [class, score, x1, y1, x2, y2] held against rows [class, (difficult,) x1, y1, x2, y2].

    The other outputs are the counts of boxes by class [class_num, 1] and rows [score, flag] of right and wrong detections, packed
    by
    class, which go in again at the next batch; they are used where ``has_state`` is not 0.
    """
    check_choice(ap_type, ("integral", "11point"), "detection_map", "ap_version")
    if labels.ndim != 2 or labels.shape[1] not in (5, 6) or detected.ndim != 2 or detected.shape[1] != 6:
        raise ValueError(f"detection_map(): detect_res must be [rows, 6] and label [rows, 5 or 6], got {list(detected.shape)} and "
                         f"{list(labels.shape)}")
    ends = (packed_rows.offsets(detected, detected_lod, "detection_map", "detect_res"),
            packed_rows.offsets(labels, labels_lod, "detection_map", "label"))
    counts, pairs = {}, {}
    if counts_before is not None and has_state is not None and np.ravel(has_state)[0]:
        counts = dict(enumerate(np.ravel(counts_before)[:class_num].tolist()))
        pairs = _stored(right_before, right_lod)
    for (a, b), (c, d) in zip(zip(ends[0], ends[0][1:]), zip(ends[1], ends[1][1:])):
        mine, (kinds, difficult, boxes) = detected[a:b], _truth(labels[c:d])
        for kind in np.unique(kinds):
            count = int((kinds == kind).sum() if evaluate_difficult else ((kinds == kind) & ~difficult).sum())
            if count:
                counts[int(kind)] = counts.get(int(kind), 0) + count
        for kind in np.unique(mine[:, 0].astype(int)):
            own = kinds == kind
            pairs.setdefault(int(kind), []).extend(_judged(mine[mine[:, 0].astype(int) == kind][:, 1:], boxes[own], difficult[own],
                                                           overlap_threshold, evaluate_difficult))
    value = _mean_precision(counts, pairs, background_label, ap_type)
    (right, right_ends), (wrong, wrong_ends) = (_table(pairs, class_num, flag, detected.dtype) for flag in (True, False))
    total = np.array([counts.get(k, 0) for k in range(class_num)], np.int32)[:, None]
    return total, right, wrong, np.array([value], detected.dtype), right_ends, wrong_ends
