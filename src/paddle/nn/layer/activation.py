"""Activation layers."""

from .. import functional as F
from .layers import Layer

__all__ = ["ReLU", "Softmax"]


class ReLU(Layer):
    """max(x, 0), element by element.

    >>> import paddle
    >>> paddle.nn.ReLU()(paddle.to_tensor([-1., 2.])).tolist()
    [0.0, 2.0]
    """

    def __init__(self, name=None):
        super().__init__()
        self._name = name

    def forward(self, x):
        return F.relu(x)

    def extra_repr(self):
        return f"name={self._name}" if self._name else ""


class Softmax(Layer):
    """exp(x) / sum of exp(x) along an axis.

    >>> import paddle
    >>> paddle.nn.Softmax()(paddle.to_tensor([0., 0.])).tolist()
    [0.5, 0.5]
    """

    def __init__(self, axis=-1, name=None):
        super().__init__()
        self._axis, self._name = axis, name

    def forward(self, x):
        return F.softmax(x, self._axis)

    def extra_repr(self):
        return f"axis={self._axis}" + (f", name={self._name}" if self._name else "")
