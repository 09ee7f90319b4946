"""Layers of fluid's dygraph that are refused, with the reason; and RowConv, over the function."""

from .. import layers as L
from ..layers.common import activate
from .layers import Layer

__all__ = ["NCE", "TreeConv", "SequenceConv", "RowConv", "HSigmoid"]


class _Refused(Layer):
    reason = ""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f"fluid.dygraph.{type(self).__name__}(): {self.reason}")


class NCE(_Refused):
    """Noise-contrastive estimation: refused (1.x; successor: paddle.nn.CrossEntropyLoss over all classes)."""

    reason = "noise-contrastive estimation is not supported; use a full softmax"


class TreeConv(_Refused):
    """Convolution over trees: refused (1.x; successor: paddle.geometric)."""

    reason = "convolution over trees is not supported; use paddle.geometric"


class SequenceConv(_Refused):
    """Convolution over nested lengths: refused, as it was in 1.x's own dygraph (1.x; successor: paddle.nn.Conv1D)."""

    reason = "nested lengths (LoD) are not supported; pad the sequences and use paddle.nn.Conv1D"


class HSigmoid(_Refused):
    """Hierarchical sigmoid layer: refused (1.x; successor: paddle.nn.HSigmoidLoss)."""

    reason = "use fluid.layers.hsigmoid or paddle.nn.HSigmoidLoss"


class RowConv(Layer):
    """Each step plus weighted following steps, [N, T, D] (1.x; successor: paddle.static.nn.row_conv)."""

    def __init__(self, name_scope, future_context_size, param_attr=None, act=None):
        super().__init__(name_scope)
        self._future, self._param_attr, self._act = future_context_size, param_attr, act

    def _build_once(self, input):
        self.weight = self.create_parameter(self._param_attr, [self._future + 1, input.shape[2]], self._dtype)

    def forward(self, input):
        length = input.shape[1]
        padded = L.concat([input, *[input[:, :1] * 0.0] * self._future], axis=1) if self._future else input
        total = padded[:, :length] * self.weight[0]
        for k in range(1, self._future + 1):
            total = total + padded[:, k:k + length] * self.weight[k]
        return activate(total, self._act)
