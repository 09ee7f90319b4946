"""fluid.metrics: running metrics on NumPy arrays (1.x; successor: paddle.metric)."""

import numpy as np

from ..core.addresses import lookup as _lookup

__all__ = ["MetricBase", "CompositeMetric", "Precision", "Recall", "Accuracy", "Auc", "ChunkEvaluator", "EditDistance"]


class MetricBase:
    """Base of metrics: ``update`` takes values in, ``eval`` gives the result (1.x; successor: paddle.metric.Metric)."""

    def __init__(self, name=None):
        self._name = type(self).__name__ if name is None else name
        self.reset()

    def __str__(self):
        return self._name

    def reset(self):
        """Forget everything."""

    def get_config(self):
        """The metric's name and counts."""
        return {"name": self._name, "states": {k: v for k, v in vars(self).items() if not k.startswith("_")}}

    def update(self, preds, labels):
        """Take a batch in; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define update()")

    def eval(self):
        """The result so far; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define eval()")


class CompositeMetric(MetricBase):
    """Several metrics of the same values (1.x; successor: a list of paddle.metric.Metric)."""

    def reset(self):
        for metric in getattr(self, "_metrics", ()):
            metric.reset()
        self._metrics = getattr(self, "_metrics", [])

    def add_metric(self, metric):
        """Add one."""
        if not isinstance(metric, MetricBase):
            raise TypeError(f"add_metric(): metric must be a MetricBase, got {type(metric).__name__}")
        self._metrics.append(metric)

    def update(self, preds, labels):
        """Take a batch in, in every metric."""
        for metric in self._metrics:
            metric.update(preds, labels)

    def eval(self):
        """The results of all."""
        return [metric.eval() for metric in self._metrics]


class _Binary(MetricBase):
    def reset(self):
        self.tp = self.fp = self.fn = 0

    def update(self, preds, labels):
        """Take probabilities (or 0 and 1) and labels of a batch in."""
        said, true = np.rint(np.asarray(preds)).astype(int).reshape(-1), np.asarray(labels).astype(int).reshape(-1)
        self.tp += int(((said == 1) & (true == 1)).sum())
        self.fp += int(((said == 1) & (true != 1)).sum())
        self.fn += int(((said != 1) & (true == 1)).sum())


class Precision(_Binary):
    """True positives among what was called positive (1.x; successor: paddle.metric.Precision)."""

    def eval(self):
        """The precision so far; 0 if nothing was called positive."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0


class Recall(_Binary):
    """True positives among what is positive (1.x; successor: paddle.metric.Recall)."""

    def eval(self):
        """The recall so far; 0 if nothing is positive."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0


class Accuracy(MetricBase):
    """Average of accuracies weighted by batch sizes (1.x; successor: paddle.metric.Accuracy)."""

    def reset(self):
        self.value = self.weight = 0.0

    def update(self, value, weight):
        """Take the accuracy of a batch and its size in."""
        if weight < 0:
            raise ValueError(f"Accuracy.update(): weight must not be negative, got {weight}")
        self.value += float(np.asarray(value).reshape(-1)[0]) * weight
        self.weight += weight

    def eval(self):
        """The average so far."""
        if self.weight == 0:
            raise ValueError("Accuracy.eval(): nothing was taken in; call update() first")
        return self.value / self.weight


class Auc(MetricBase):
    """Area under the ROC curve, from counts of scores in steps (1.x; successor: paddle.metric.Auc)."""

    def __init__(self, name, curve="ROC", num_thresholds=4095):
        if curve != "ROC":
            raise NotImplementedError(f"Auc(): curve {curve!r} is not supported, only 'ROC'")
        self._steps = num_thresholds
        super().__init__(name)

    def reset(self):
        self.positive, self.negative = np.zeros(self._steps + 1), np.zeros(self._steps + 1)

    def update(self, preds, labels):
        """Take probabilities [N, 2] and labels of a batch in."""
        at = (np.asarray(preds)[:, -1] * self._steps).astype(int)
        true = np.asarray(labels).reshape(-1).astype(bool)
        np.add.at(self.positive, at[true], 1)
        np.add.at(self.negative, at[~true], 1)

    def eval(self):
        """The area so far; 0 without both kinds of labels."""
        p, n = np.cumsum(self.positive[::-1]), np.cumsum(self.negative[::-1])
        if not p[-1] or not n[-1]:
            return 0.0
        widths, heights = np.diff(n, prepend=0), (p + np.concatenate([[0], p[:-1]])) / 2
        return float((widths * heights).sum() / (p[-1] * n[-1]))


class ChunkEvaluator(MetricBase):
    """Precision, recall and F1 of chunks from their counts (1.x; successor: none, count by hand)."""

    def reset(self):
        self.num_infer_chunks = self.num_label_chunks = self.num_correct_chunks = 0

    def update(self, num_infer_chunks, num_label_chunks, num_correct_chunks):
        """Take the counts of a batch in."""
        def count(value):
            return int(np.asarray(value).reshape(-1)[0])
        self.num_infer_chunks += count(num_infer_chunks)
        self.num_label_chunks += count(num_label_chunks)
        self.num_correct_chunks += count(num_correct_chunks)

    def eval(self):
        """(precision, recall, F1) so far."""
        right = self.num_correct_chunks
        precision = right / self.num_infer_chunks if self.num_infer_chunks else 0.0
        recall = right / self.num_label_chunks if self.num_label_chunks else 0.0
        return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


class EditDistance(MetricBase):
    """Average edit distance and share of wrong sequences (1.x; successor: none, count by hand)."""

    def reset(self):
        self.total_distance, self.seq_num, self.instance_error = 0.0, 0, 0

    def update(self, distances, seq_num):
        """Take the distances of a batch in."""
        distances = np.asarray(distances)
        self.seq_num += int(np.asarray(seq_num).reshape(-1)[0])
        self.instance_error += int((distances != 0).sum())
        self.total_distance += float(distances.sum())

    def eval(self):
        """(average distance, share of sequences with errors) so far."""
        if not self.seq_num:
            raise ValueError("EditDistance.eval(): nothing was taken in; call update() first")
        return self.total_distance / self.seq_num, self.instance_error / self.seq_num


__getattr__ = _lookup(__name__)
