"""Quanters for training: they round what passes, and learn how large it is."""

from ..nn import initializer
from ..nn.param_attr import ParamAttr
from ..ops.nn import quantize
from ..utils import unique_name
from .factory import BaseQuanter, QuanterFactory

__all__ = ["FakeQuanterWithAbsMaxObserver"]


class FakeQuanterWithAbsMaxObserverLayer(BaseQuanter):
    """Rounds to steps of a scale that follows the largest magnitude seen in training; see the factory."""

    def __init__(self, layer, name=None, moving_rate=0.9, bit_length=8, dtype="float32"):
        super().__init__()
        self._moving_rate, self._bit_length = moving_rate, bit_length
        self._scale, self._state, self._accum = (self._number(name or "quant_dequant", kind, start, dtype)
                                                 for kind, start in (("scale", 0.001), ("state", 1.0), ("accum", 1.0)))

    def _number(self, prefix, kind, start, dtype):
        attr = ParamAttr(name=unique_name.generate(f"{prefix}.{kind}"), initializer=initializer.Constant(start), trainable=False)
        return self.create_parameter([1], attr, dtype)

    def forward(self, input):
        kept = (self._accum, self._state) if self.training else (None, None)
        out, *new = quantize.fake_quantize(input, self._scale, *kept, self._moving_rate, self._bit_length, not self.training)
        if self.training:
            for old, value in zip((self._scale, self._state, self._accum), new):
                old.set_value(value)
        return out

    def scales(self):
        return self._scale

    def zero_points(self):
        return None

    def quant_axis(self):
        return -1

    def bit_length(self):
        return self._bit_length


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
