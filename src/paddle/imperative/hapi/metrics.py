"""Metrics of alpha's Model: what 2.x calls ``compute`` is ``add_metric_op``, and numbers come in lists."""

from ... import metric
from ...hapi.model import to_list

__all__ = ["Metric", "Accuracy"]


class Metric(metric.Metric):
    """Base of metrics (2.0 alpha; successor: paddle.metric.Metric)."""

    def add_metric_op(self, *args):
        """What ``update`` is to get, from outputs and labels; as they are unless a metric defines it."""
        return args

    def compute(self, *args):
        """The same, by 2.x's name."""
        return self.add_metric_op(*args)


class Accuracy(Metric, metric.Accuracy):
    """Share of rows whose label is among the k largest scores (2.0 alpha; successor: paddle.metric.Accuracy)."""

    def add_metric_op(self, pred, label, *args):
        """1.0 where one of the largest scores is the label."""
        return metric.Accuracy.compute(self, pred, label)

    def update(self, correct, *args):
        """Count a batch; its accuracy for each k."""
        return to_list(metric.Accuracy.update(self, correct))

    def accumulate(self):
        """The accuracy over all batches for each k."""
        return to_list(metric.Accuracy.accumulate(self))
