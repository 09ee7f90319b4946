"""Metrics as operators: accuracy and the area under the ROC curve."""

import numpy as np

from ..core.op import op
from .library import by_library


@op("accuracy(Out, Indices, Label) -> Accuracy, Correct, Total", family="own", shapes="_ -> :float32, :int32, :int32")
def accuracy(out_, indices, label):
    """(share, number, total) of rows whose label is among the indices (as top_k gives them)."""
    if indices.ndim != 2 or label.size != indices.shape[0]:
        raise ValueError(f"accuracy(): indices {list(indices.shape)} need one label per row, got {list(label.shape)}")
    hit = (indices == label.reshape(-1, 1)).any(axis=1)
    share = hit.sum() / max(hit.size, 1)
    return np.asarray(share, np.float32), np.asarray(hit.sum(), np.int32), np.asarray(hit.size, np.int32)


@op("auc(Predict, Label, StatPos, StatNeg, InsTagWeight?) -> AUC, StatPosOut, StatNegOut", family="own",
    shapes="_, _, *p, *n -> :float64, *p:stat_pos, *n:stat_neg")
def auc(predict, label, stat_pos, stat_neg, weight=None, curve="ROC", num_thresholds=4095, slide_steps=1):
    """Area under the curve of all samples counted so far (``slide_steps`` 0) or of the last so many calls.

    The counts of positive and negative samples per score are the states; with steps, they hold one row per call, in front
    their sum, and behind them the number of calls.
    """
    if curve != "ROC":
        raise ValueError(f"auc(): curve must be 'ROC', got {curve!r}")
    n = num_thresholds + 1
    score = predict.reshape(predict.shape[0], -1)[:, -1]
    counts = label.reshape(-1)
    keep = np.ones(score.size, bool) if weight is None else weight.reshape(-1) > 0
    place = np.clip((score * num_thresholds).astype(np.int64), 0, num_thresholds)[keep]
    positive = counts[keep] != 0
    new_pos, new_neg = np.bincount(place[positive], minlength=n), np.bincount(place[~positive], minlength=n)
    pos, total_pos = _slide(stat_pos, new_pos, n, slide_steps)
    neg, total_neg = _slide(stat_neg, new_neg, n, slide_steps)
    return np.asarray(_area(total_pos, total_neg), np.float64), pos, neg


def _slide(state, new, n, steps):
    if not steps:
        total = state.reshape(-1) + new
        return total.reshape(state.shape).astype(state.dtype), total
    flat = np.array(state).reshape(-1)
    calls = int(flat[-1])
    rows = flat[n:-1].reshape(steps, n)
    rows[calls % steps] = new
    flat[:n] = rows.sum(axis=0)
    flat[-1] = calls + 1
    return flat.reshape(state.shape), flat[:n]


def _area(pos, neg):
    pos, neg = np.asarray(pos, np.float64)[::-1].cumsum(), np.asarray(neg, np.float64)[::-1].cumsum()
    if not pos[-1] or not neg[-1]:
        return 0.0
    pos, neg = np.concatenate([[0], pos]), np.concatenate([[0], neg])
    return float(((neg[1:] - neg[:-1]) * (pos[1:] + pos[:-1])).sum() / 2 / (pos[-1] * neg[-1]))


@op("mean_iou(Predictions, Labels) -> OutMeanIou, OutWrong, OutCorrect", family="own",
    shapes=lambda predictions, num_classes: (
    predictions.like((1,), np.float32), *[predictions.like((num_classes,), np.int32)] * 2))
def mean_iou(predictions, labels, num_classes):
    """Intersection over union, the mean of the classes that occur; wrong and right numbers of each class."""
    got, wanted = predictions.reshape(-1), labels.reshape(-1)
    for what, values in (("input", got), ("label", wanted)):
        if values.size and (values.min() < 0 or values.max() >= num_classes):
            raise ValueError(f"mean_iou(): {what} must be in [0, {num_classes}), got {values.min()} to {values.max()}")
    right = np.bincount(got[got == wanted], minlength=num_classes).astype(np.int32)
    union = np.bincount(got, minlength=num_classes) + np.bincount(wanted, minlength=num_classes) - right
    mean = (right / np.maximum(union, 1)).sum() / max((union > 0).sum(), 1)
    return np.full(1, mean, np.float32), (union - right).astype(np.int32), right


by_library(accuracy)
