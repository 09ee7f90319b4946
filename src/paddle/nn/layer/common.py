"""Linear and other layers that fit no family."""

from .. import functional as F
from .layers import Layer

__all__ = ["Linear"]


class Linear(Layer):
    """y = x @ weight + bias, with weight [in_features, out_features].

    Args:
        in_features, out_features: sizes of the last axis before and after.
        weight_attr, bias_attr: ParamAttr of the parameters; ``bias_attr=False`` for no bias.

    >>> import paddle
    >>> paddle.nn.Linear(3, 2)(paddle.ones([4, 3])).shape
    [4, 2]
    """

    def __init__(self, in_features, out_features, weight_attr=None, bias_attr=None, name=None):
        super().__init__()
        self._in_features, self._out_features, self.name = in_features, out_features, name
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        name = f", name={self.name}" if self.name else ""
        return f"in_features={self._in_features}, out_features={self._out_features}, dtype={self._dtype}{name}"
