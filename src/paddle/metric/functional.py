"""Metrics of one batch."""

from ..core.generation import generation
from ..core.op import Symbolic
from ..core.rooms import rooms
from ..ops import metrics
from ..tensor.convert import as_tensor
from ..tensor.functions import topk

__all__ = ["accuracy"]


@generation("paddle.metric.accuracy", alpha="paddle.fluid.layers.accuracy", only_modern={"name"})
def accuracy(input, label, k=1, correct=None, total=None, name=None):
    """The fraction of rows whose label is among the k largest scores, as a 0-d float32 tensor.

    Args:
        input (Tensor): scores [N, classes].
        label (Tensor): class numbers [N, 1].
        k (int): how many of the largest scores count.
        correct, total (Variable or None): static Variables that also receive the numbers of hits and of rows.
    Returns:
        0-D Tensor, float32.
    Raises:
        ValueError: there is not one label for each row, or k is larger than the number of classes.
        TypeError: input is not a Tensor, array, list or number.

    >>> x = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]])
    >>> float(paddle.metric.accuracy(x, paddle.to_tensor([[1], [1]])))
    0.5
    """
    input, label = as_tensor(input, "accuracy", "input"), as_tensor(label, "accuracy", "label")
    if len(label.shape) != 2:
        raise ValueError(f"accuracy(): label must have shape [N, 1], got {list(label.shape)}")
    if isinstance(input, Symbolic):
        return rooms.static_accuracy(input, label, k, correct, total)
    if correct is not None or total is not None:
        raise ValueError("accuracy(): correct and total are Variables of a static program; here nothing can be stored in them")
    values, indices = topk(input.detach(), k)
    return metrics.accuracy(values, indices, label)[0].reshape([])
