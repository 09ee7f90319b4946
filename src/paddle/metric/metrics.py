"""Metrics that add up over batches."""

import abc

import numpy as np

from ..core.addresses import lookup as _lookup
from ..core.docstrings import documented_like
from ..core.errors import check_choice

__all__ = ["Metric", "Accuracy", "Precision", "Recall", "Auc"]


def _array(value):
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


class Metric(metaclass=abc.ABCMeta):
    """Base of metrics: ``compute`` runs on tensors of a batch, its results go to ``update``, ``accumulate`` gives the value.

    >>> m = paddle.metric.Accuracy()
    >>> correct = m.compute(paddle.to_tensor([[0.1, 0.9]]), paddle.to_tensor([[1]]))
    >>> float(m.update(correct)), float(m.accumulate())
    (1.0, 1.0)
    """

    def __init__(self, *args, **kwargs):
        if args or kwargs:
            unknown = ", ".join([*map(repr, args), *(f"{name}=" for name in kwargs)])
            raise TypeError(f"{type(self).__name__}(): it does not take the argument {unknown}")

    @abc.abstractmethod
    def reset(self):
        """Forget all batches."""
        raise NotImplementedError(f"{type(self).__name__} must define reset()")

    @abc.abstractmethod
    def update(self, *args):
        """Count one batch, given what ``compute`` returned."""
        raise NotImplementedError(f"{type(self).__name__} must define update()")

    @abc.abstractmethod
    def accumulate(self):
        """The value over all batches since reset."""
        raise NotImplementedError(f"{type(self).__name__} must define accumulate()")

    @abc.abstractmethod
    def name(self):
        """The name, or a list of names, of the value."""
        raise NotImplementedError(f"{type(self).__name__} must define name()")

    def compute(self, *args):
        """What ``update`` needs, from the model's outputs and the labels: by default just these."""
        return args


class Accuracy(Metric):
    """Share of rows whose label is among the k largest scores, for each k of ``topk``.

    Args:
        topk (int or tuple of int): numbers of largest scores that count as a hit; one value for each.
        name (str or None): name of the values, with several k "name_top1", "name_top5"; "acc" for None.
    Shape:
        compute: scores [n, classes], labels [n], [n, 1] or one-hot [n, classes]; update takes what it returns.
    Returns:
        accumulate: float, or a list with one float for each k.
    Raises:
        ValueError: k is larger than the number of classes.

    >>> m = paddle.metric.Accuracy(topk=(1, 2))
    >>> m.name()
    ['acc_top1', 'acc_top2']
    """

    def __init__(self, topk=(1,), name=None, *args, **kwargs):
        self.topk = tuple(topk) if isinstance(topk, (list, tuple)) else (topk,)
        self.maxk = max(self.topk)
        base = name or "acc"
        self._name = [base] if self.maxk == 1 else [f"{base}_top{k}" for k in self.topk]
        super().__init__(*args, **kwargs)
        self.reset()

    def compute(self, pred, label, *args):
        """1.0 where one of the ``maxk`` largest scores, best first, is the label: [..., maxk]."""
        _, best = pred.topk(self.maxk)
        if len(label.shape) == len(pred.shape) and label.shape[-1] != 1:  # one row of 0 and 1 for each label
            label = label.argmax(-1, keepdim=True)
        elif len(label.shape) == len(pred.shape) - 1:
            label = label.unsqueeze(-1)
        elif len(label.shape) == 2:
            label = label.reshape([-1, 1])  # programs may be fed [N] for [N, 1]
        return (best == label.astype(best.dtype)).astype("float32")

    def update(self, correct, *args):
        """Count a batch; the accuracy of this batch, a number for one k, else a list."""
        correct = _array(correct)
        rows = int(np.prod(correct.shape[:-1]))
        found = []
        for i, k in enumerate(self.topk):
            hits = correct[..., :k].sum()
            found.append(np.float64(hits) / rows if rows else np.float64(0))
            self.total[i] += hits
            self.count[i] += rows
        return found[0] if len(self.topk) == 1 else found

    def reset(self):
        """Forget all batches."""
        self.total, self.count = [0.0] * len(self.topk), [0] * len(self.topk)

    def accumulate(self):
        """The accuracy over all batches: a number for one k, else a list."""
        shares = [np.float64(t) / c if c else np.float64(0) for t, c in zip(self.total, self.count)]
        return shares[0] if len(self.topk) == 1 else shares

    def name(self):
        """Names of the values."""
        return self._name


class _Binary(Metric):
    def __init__(self, name, *args, **kwargs):
        self._name = name
        super().__init__(*args, **kwargs)
        self.reset()

    def name(self):
        """Name of the value."""
        return self._name


class _Share(_Binary):
    """True positives among all that a subclass counts: they, and its ``wrong``."""

    rounded = staticmethod(np.rint)  # 0.5 counts as negative
    wrong = ""  # "fp" or "fn"

    def update(self, preds, labels):
        """Count a batch of probabilities and labels."""
        said, true = self.rounded(_array(preds).astype(np.float64)).reshape(-1) == 1, _array(labels).reshape(-1) == 1
        self.tp += int((said & true).sum())
        setattr(self, self.wrong, getattr(self, self.wrong) + int(((said & ~true) if self.wrong == "fp" else (~said & true)).sum()))

    def reset(self):
        """Forget all batches."""
        self.tp = 0
        setattr(self, self.wrong, 0)

    def accumulate(self):
        """The share over all batches."""
        total = self.tp + getattr(self, self.wrong)
        return self.tp / total if total else 0.0


class Precision(_Share):
    """Of the samples predicted as positive (probability of at least 0.5), the share that is.

    Args:
        name (str): name of the value.
    Shape:
        update: probabilities [n] or [n, 1], labels 0 or 1 of the same shape.

    >>> m = paddle.metric.Precision()
    >>> m.update(np.array([0.9, 0.8, 0.1]), np.array([1, 0, 1]))
    >>> m.accumulate()
    0.5
    """

    wrong = "fp"
    rounded = staticmethod(lambda probability: np.floor(probability + 0.5))

    def __init__(self, name="precision", *args, **kwargs):
        super().__init__(name, *args, **kwargs)


@documented_like(Precision)
class Recall(_Share):
    """Of the positive samples, the share predicted as such (probability above 0.5).

    >>> m = paddle.metric.Recall()
    >>> m.update(np.array([0.9, 0.8, 0.1]), np.array([1, 0, 1]))
    >>> m.accumulate()
    0.5
    """

    wrong = "fn"

    def __init__(self, name="recall", *args, **kwargs):
        super().__init__(name, *args, **kwargs)


class Auc(_Binary):
    """Area under the ROC curve, from counts in ``num_thresholds`` + 1 bins of the positive class's probability.

    Args:
        curve (str): "ROC"; no other is there.
        num_thresholds (int): bins of the probability, minus one; more are more exact.
        name (str): name of the value.
    Shape:
        update: probabilities of both classes [n, 2], labels [n, 1].

    >>> m = paddle.metric.Auc()
    >>> m.update(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([[1], [0]]))
    >>> float(m.accumulate())
    1.0
    """

    def __init__(self, curve="ROC", num_thresholds=4095, name="auc", *args, **kwargs):
        check_choice(curve, ("ROC",), "Auc", "curve")
        self._curve, self._num_thresholds = curve, num_thresholds
        super().__init__(name, *args, **kwargs)

    def update(self, preds, labels):
        """Count a batch of probabilities [N, 2] (the last column counts) and labels [N, 1]; as in Paddle, probabilities beyond
        the labels do not count."""
        true = _array(labels).reshape(-1) != 0
        score = _array(preds).reshape(len(_array(preds)), -1)[:len(true), -1]
        bins = np.clip((score * self._num_thresholds).astype(np.int64), 0, self._num_thresholds)
        self._stat_pos += np.bincount(bins[true], minlength=self._num_thresholds + 1)
        self._stat_neg += np.bincount(bins[~true], minlength=self._num_thresholds + 1)

    def reset(self):
        """Forget all batches."""
        self._stat_pos, self._stat_neg = (np.zeros(self._num_thresholds + 1, np.int64) for _ in range(2))

    def accumulate(self):
        """The area over all batches."""
        pos, neg = (np.concatenate([[0], s[::-1].cumsum()]).astype(np.float64) for s in (self._stat_pos, self._stat_neg))
        if not pos[-1] or not neg[-1]:
            return 0.0
        return np.float64((np.diff(neg) * (pos[1:] + pos[:-1])).sum() / 2 / pos[-1] / neg[-1])


__getattr__ = _lookup(__name__)
