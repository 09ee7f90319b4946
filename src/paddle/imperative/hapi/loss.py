"""Losses of alpha's Model: functions of the lists of outputs and labels."""

from ...fluid import layers
from ...fluid.dygraph.base import to_variable
from ...fluid.state import in_dygraph_mode
from ...hapi.model import to_list

__all__ = ["Loss", "CrossEntropy", "SoftmaxWithCrossEntropy"]


class Loss:
    """Base of losses: ``forward(outputs, labels)`` takes and gives lists; each loss is averaged, or summed
    (2.0 alpha; successor: any Layer).

    Args:
        average (bool): the mean over the elements, else their sum.
    """

    def __init__(self, average=True):
        self.average = average

    def forward(self, outputs, labels):
        """The losses of the elements."""
        raise NotImplementedError(f"{type(self).__name__}.forward(): a loss must define it")

    def __call__(self, outputs, labels=None):
        labels = to_list(labels)
        if in_dygraph_mode() and labels:
            labels = [to_variable(label) for label in labels]
        reduce = layers.reduce_mean if self.average else layers.reduce_sum
        return [reduce(loss) for loss in to_list(self.forward(to_list(outputs), labels))]


class CrossEntropy(Loss):
    """Cross entropy of probabilities and class numbers (2.0 alpha; successor: paddle.nn.CrossEntropyLoss with
    use_softmax=False)."""

    def forward(self, outputs, labels):
        """One loss for each pair."""
        return [layers.cross_entropy(o, label) for o, label in zip(outputs, labels)]


class SoftmaxWithCrossEntropy(Loss):
    """Cross entropy of logits and class numbers (2.0 alpha; successor: paddle.nn.CrossEntropyLoss)."""

    def forward(self, outputs, labels):
        """One loss for each pair."""
        return [layers.softmax_with_cross_entropy(o, label, return_softmax=False) for o, label in zip(outputs, labels)]
