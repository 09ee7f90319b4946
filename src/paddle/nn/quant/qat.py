"""Layers whose inputs and weights are rounded to steps while they are trained."""

from .. import functional as F
from ..functional.conv import conv2d
from ..layer.conv import Conv2D
from .format import ConvertibleQuantedLayer

__all__ = ["QuantedConv2D", "QuantedLinear"]


class _Quanted(ConvertibleQuantedLayer):
    """What the layers share: the weights of the layer they replace, and its quanters."""

    def __init__(self, layer, q_config):
        super().__init__()
        self.weight, self.bias = layer.weight, layer.bias
        self.weight_quanter = None if q_config.weight is None else q_config.weight._instance(layer)
        self.activation_quanter = None if q_config.activation is None else q_config.activation._instance(layer)

    def forward(self, input):
        rounded = input if self.activation_quanter is None else self.activation_quanter(input)
        weight = self.weight if self.weight_quanter is None else self.weight_quanter(self.weight)
        return self._compute(rounded, weight)

    def weights_to_quanters(self):
        return [("weight", "weight_quanter")]

    def activation_quanters(self):
        return ["activation_quanter"]


class QuantedLinear(_Quanted):
    """``Linear`` with rounded inputs and weights."""

    def _compute(self, x, weight):
        return F.linear(x, weight, self.bias)


class QuantedConv2D(_Quanted):
    """``Conv2D`` with rounded inputs and weights."""

    def __init__(self, layer, q_config):
        super().__init__(layer, q_config)
        for name in ("_groups", "_stride", "_padding", "_padding_mode", "_dilation", "_data_format", "_pad"):
            if hasattr(layer, name):
                setattr(self, name, getattr(layer, name))

    _padded = Conv2D._padded

    def _compute(self, x, weight):
        x, padding = self._padded(x)
        return conv2d(x, weight, self.bias, self._stride, padding, self._dilation, self._groups, self._data_format)


__path__ = []  # a package in Paddle: the paths below it are addresses
