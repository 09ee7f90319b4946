"""Observers for calibration: they change nothing, and note how large it is."""

from ..tensor.creation import full_like, zeros_like
from ..tensor.functions import to_tensor
from ..tensor.gather_scatter import where
from .factory import BaseObserver, QuanterFactory

__all__ = ["AbsmaxObserver", "GroupWiseWeightObserver"]


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


class GroupWiseWeightObserverLayer(BaseObserver):
    """Notes the largest magnitude of each group of a weight's rows; see the factory."""

    def __init__(self, layer, quant_bits=8, group_size=128):
        super().__init__()
        if group_size not in (64, 128):
            raise ValueError(f"GroupWiseWeightObserver: group_size must be 64 or 128, got {group_size!r}")
        self._quant_bits, self.group_size, self._max = quant_bits, group_size, None

    def forward(self, input):
        if input.ndim != 2 or input.shape[0] % self.group_size:
            raise ValueError(f"GroupWiseWeightObserver: a weight must have 2 axes, the first a multiple of {self.group_size}, "
                             f"got shape {list(input.shape)}")
        rows, columns = input.shape
        largest = input.detach().abs().reshape([rows // self.group_size, self.group_size, columns]).max(1).astype("float32")
        self._max = where(largest == 0, full_like(largest, 1e-8), largest)
        return input

    def cal_thresholds(self):
        """Nothing: the scales are known as soon as the weight is."""

    def min_value(self):
        """0."""
        return 0.0

    def max_value(self):
        """The largest magnitudes, [groups, columns]; None before the first weight."""
        return self._max

    def scales(self):
        return self._max

    def zero_points(self):
        return None if self._max is None else zeros_like(self._max)

    def quant_axis(self):
        return -1

    def bit_length(self):
        return self._quant_bits


class GroupWiseWeightObserver(QuanterFactory):
    """For weights: a scale for every ``group_size`` rows of every column, the largest magnitude there.

    Args:
        quant_bits: the number of bits of a step's number.
        group_size: 64 or 128.

    >>> from paddle.quantization.observers import GroupWiseWeightObserver
    >>> GroupWiseWeightObserver(quant_bits=4, group_size=64)
    GroupWiseWeightObserver(quant_bits=4,group_size=64)
    """

    quanter_class = GroupWiseWeightObserverLayer

    def __init__(self, quant_bits=8, group_size=128):
        super().__init__(quant_bits=quant_bits, group_size=group_size)


__path__ = []  # a package in Paddle: the paths below it are addresses
