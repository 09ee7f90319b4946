"""Metrics as operators: accuracy, the area under the ROC curve, pairs in the right order."""

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


@op("positive_negative_pair(Score, Label, QueryID, AccumulatePositivePair?, AccumulateNegativePair?, AccumulateNeutralPair?, "
    "Weight?) -> PositivePair, NegativePair, NeutralPair", family="own", shapes="_ -> 1, 1, 1")
def positive_negative_pair(score, label, query, positive=None, negative=None, neutral=None, weight=None, column=0):
    """Of all pairs of documents of one query whose labels differ: those that the scores put in the labels' order, the others, and
    those of equal scores, which count among the others too. A pair counts for the mean of two weights."""
    if score.ndim != 2 or label.size != len(score) or query.size != len(score):
        raise ValueError(f"positive_negative_pair(): score must be [documents, columns] and label and query one number each, got "
                         f"{list(score.shape)}, {list(label.shape)} and {list(query.shape)}")
    score, label, query = score[:, column], label.reshape(-1), query.reshape(-1)
    weight = np.ones_like(score) if weight is None else weight.reshape(-1)
    found = np.zeros(3, np.float64)
    for one in np.unique(query):
        own, = np.nonzero(query == one)
        a, b = (own[side] for side in np.triu_indices(len(own), 1))
        differ = label[a] != label[b]
        a, b = a[differ], b[differ]
        share, rising = (weight[a] + weight[b]) * 0.5, (score[a] - score[b]) * (label[a] - label[b]) > 0
        found += share[rising].sum(), share[~rising].sum(), share[score[a] == score[b]].sum()
    before = [0.0] * 3 if positive is None or negative is None or neutral is None else [
        float(count.reshape(-1)[0]) for count in (positive, negative, neutral)]
    return tuple(np.array([had + new], score.dtype) for had, new in zip(before, found))


by_library(accuracy)
