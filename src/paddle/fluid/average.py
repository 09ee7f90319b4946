"""fluid.average: WeightedAverage."""

import numpy as np

from ..core.addresses import lookup as _lookup

__all__ = ["WeightedAverage"]


class WeightedAverage:
    """A running average of values with weights (1.x; successor: paddle.metric)."""

    def __init__(self):
        self.reset()

    def reset(self):
        """Forget everything."""
        self.numerator = self.denominator = None

    def add(self, value, weight):
        """Take a value (number or array) with its weight in."""
        value = np.asarray(value, dtype="float64")
        if self.numerator is None:
            self.numerator, self.denominator = value * weight, float(weight)
        else:
            self.numerator, self.denominator = self.numerator + value * weight, self.denominator + float(weight)

    def eval(self):
        """The average so far."""
        if not self.denominator:
            raise ValueError("WeightedAverage.eval(): there is nothing to average, or the weights add up to 0")
        return self.numerator / self.denominator


__getattr__ = _lookup(__name__)
