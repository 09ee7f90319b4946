"""Quanters for training: they round what passes, and learn how large it is."""

from ..nn.quant.quant_layers import FakeQuantMovingAverageAbsMax
from .factory import BaseQuanter, QuanterFactory

__all__ = ["FakeQuanterWithAbsMaxObserver"]


class FakeQuanterWithAbsMaxObserverLayer(FakeQuantMovingAverageAbsMax, BaseQuanter):
    """Rounds to steps of a scale that follows the largest magnitude seen in training; see the factory."""

    def __init__(self, layer, name=None, moving_rate=0.9, bit_length=8, dtype="float32"):
        super().__init__(name, moving_rate, bit_length, dtype)

    def scales(self):
        return self._scale

    def zero_points(self):
        return None

    def quant_axis(self):
        return -1

    def bit_length(self):
        return self._quant_bits


class FakeQuanterWithAbsMaxObserver(QuanterFactory):
    """Rounding to steps of a scale that follows the largest magnitude seen in training.

    Args:
        moving_rate: how much of the past is kept at each step.
        bit_length: the number of bits of a step's number.
        dtype: type of the scale.
        name: prefix of the scale's name.

    >>> from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
    >>> FakeQuanterWithAbsMaxObserver(moving_rate=0.99)
    FakeQuanterWithAbsMaxObserver(name=None,moving_rate=0.99,bit_length=8,dtype=float32)
    """

    quanter_class = FakeQuanterWithAbsMaxObserverLayer

    def __init__(self, moving_rate=0.9, bit_length=8, dtype="float32", name=None):
        super().__init__(name=name, moving_rate=moving_rate, bit_length=bit_length, dtype=dtype)


__path__ = []  # a package in Paddle: the paths below it are addresses
