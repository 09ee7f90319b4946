"""What quanters and observers are, and factories of them: a configuration holds a factory, each layer gets its own quanter."""

import sys

from ..core.errors import describe
from ..nn import Layer

__all__ = ["BaseObserver", "BaseQuanter", "QuanterFactory", "quanter"]


class BaseQuanter(Layer):
    """Base of layers that round what passes through them. A subclass defines ``forward`` and the functions below."""

    def forward(self, input):
        """What comes out for what comes in."""
        raise NotImplementedError(f"{type(self).__name__} must define forward()")

    def scales(self):
        """The numbers that the largest steps mean; None if there are none yet."""
        raise NotImplementedError(f"{type(self).__name__} must define scales()")

    def zero_points(self):
        """The steps that mean 0; None for 0."""
        raise NotImplementedError(f"{type(self).__name__} must define zero_points()")

    def quant_axis(self):
        """The axis whose slices have scales of their own; -1 for one scale."""
        raise NotImplementedError(f"{type(self).__name__} must define quant_axis()")

    def bit_length(self):
        """The number of bits of a step's number."""
        raise NotImplementedError(f"{type(self).__name__} must define bit_length()")


class BaseObserver(BaseQuanter):
    """Base of layers that look at what passes through them and find scales for it."""

    def cal_thresholds(self):
        """Find the scales from what was seen."""
        raise NotImplementedError(f"{type(self).__name__} must define cal_thresholds()")


class QuanterFactory:
    """A class of quanters with its arguments; ``_instance(layer)`` makes one for a layer."""

    quanter_class = None

    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs

    def _get_class(self):
        return self.quanter_class

    def _instance(self, layer):
        made = self._get_class()(layer, *self.args, **self.kwargs)
        if not isinstance(made, BaseQuanter):
            raise TypeError(f"{type(self).__name__}: {type(made).__name__} must be a BaseQuanter")
        return made

    def __repr__(self):
        return f"{type(self).__name__}({','.join([*map(str, self.args), *(f'{k}={v}' for k, v in self.kwargs.items())])})"


ObserverFactory = QuanterFactory


def quanter(class_name):
    """Declare, for a class of quanters, a factory of that name in the same module.

    >>> from paddle.quantization import BaseQuanter, quanter
    >>> @quanter("Through")
    ... class ThroughLayer(BaseQuanter):
    ...     def __init__(self, layer, bits=8):
    ...         super().__init__()
    ...     def forward(self, input):
    ...         return input
    >>> Through(bits=4)
    Through(bits=4)
    """
    if not isinstance(class_name, str) or not class_name.isidentifier():
        raise ValueError(f"quanter(): class_name must be a name, got {describe(class_name)}")

    def declare(quanter_class):
        if not isinstance(quanter_class, type) or not issubclass(quanter_class, BaseQuanter):
            raise TypeError(f"quanter(): it declares subclasses of BaseQuanter, got {describe(quanter_class)}")
        factory = type(class_name, (QuanterFactory,), {"quanter_class": quanter_class, "__module__": quanter_class.__module__})
        place = sys._getframe(1).f_globals  # where the class is written
        place[class_name] = factory
        if "__all__" in place:
            place["__all__"].append(class_name)
        return quanter_class
    return declare
