"""Loss layers."""

from .. import functional as F
from .layers import Layer

__all__ = ["CrossEntropyLoss"]


class CrossEntropyLoss(Layer):
    """Cross entropy between logits and labels; see ``nn.functional.cross_entropy`` for the arguments.

    >>> import paddle
    >>> round(float(paddle.nn.CrossEntropyLoss()(paddle.zeros([3, 2]), paddle.to_tensor([0, 1, 1]))), 4)
    0.6931
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", soft_label=False, axis=-1, use_softmax=True,
                 label_smoothing=0.0, name=None):
        super().__init__()
        self._arguments = dict(weight=weight, ignore_index=ignore_index, reduction=reduction, soft_label=soft_label, axis=axis,
                               use_softmax=use_softmax, label_smoothing=label_smoothing)

    def forward(self, input, label):
        return F.cross_entropy(input, label, **self._arguments)
