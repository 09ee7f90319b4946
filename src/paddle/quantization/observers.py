"""Observers for calibration: they change nothing, and note how large it is."""

from ..tensor.functions import to_tensor
from .factory import BaseObserver, QuanterFactory

__all__ = ["AbsmaxObserver"]


class AbsmaxObserverLayer(BaseObserver):
    """Notes the largest magnitude; see the factory."""

    def __init__(self, layer, quant_bits=8):
        super().__init__()
        self._quant_bits, self.abs_max_val, self.thresholds = quant_bits, to_tensor(1e-7), None

    def forward(self, input):
        self.abs_max_val = self.abs_max_val.maximum(input.detach().abs().max().astype(self.abs_max_val.dtype))
        return input

    def cal_thresholds(self):
        self.thresholds = self.abs_max_val

    def scales(self):
        return self.abs_max_val

    def zero_points(self):
        return None

    def quant_axis(self):
        return -1

    def bit_length(self):
        return self._quant_bits


class AbsmaxObserver(QuanterFactory):
    """The largest magnitude as the scale.

    Args:
        quant_bits: the number of bits of a step's number.

    >>> from paddle.quantization.observers import AbsmaxObserver
    >>> AbsmaxObserver(quant_bits=8)
    AbsmaxObserver(quant_bits=8)
    """

    quanter_class = AbsmaxObserverLayer

    def __init__(self, quant_bits=8):
        super().__init__(quant_bits=quant_bits)


__path__ = []  # a package in Paddle: the paths below it are addresses
