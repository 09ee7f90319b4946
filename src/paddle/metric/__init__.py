"""Metrics: how good predictions are."""

from ..core.addresses import lookup as _lookup
from .metrics import Accuracy, Auc, Metric, Precision, Recall

__all__ = ["Metric", "Accuracy", "Precision", "Recall", "Auc", "accuracy"]


def accuracy(input, label, k=1, correct=None, total=None, name=None):
    """The share of rows whose label is among the k largest scores, as a 0-d float32 tensor.

    Args:
        input: scores [N, classes].
        label: class numbers [N, 1].
        k: how many of the largest scores count.
        correct, total: static Variables that also receive the numbers of hits and of rows.

    >>> import paddle
    >>> x = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]])
    >>> float(paddle.metric.accuracy(x, paddle.to_tensor([[1], [1]])))
    0.5
    """
    from ..core.op import Symbolic
    if len(label.shape) != 2:
        raise ValueError(f"accuracy(): label must have shape [N, 1], got {list(label.shape)}")
    if isinstance(input, Symbolic):
        from ..static.metric import accuracy as static
        return static(input, label, k, correct, total)
    if correct is not None or total is not None:
        raise ValueError("accuracy(): correct and total are Variables of a static program; here nothing can be stored in them")
    from ..ops.metrics import accuracy as op
    from ..tensor import topk
    values, indices = topk(input.detach(), k)
    return op(values, indices, label)[0].reshape([])


__getattr__ = _lookup(__name__)
