"""Layers for deployment: rounding to steps, and back, with scales that are fixed."""

from ...ops.nn import quantize
from ...tensor.functions import to_tensor, zeros
from ...utils import unique_name
from .. import initializer
from ..layer.layers import Layer
from ..param_attr import ParamAttr

__all__ = ["ConvertibleQuantedLayer", "LinearDequanter", "LinearQuanter", "LinearQuanterDequanter"]


class _Scaled(Layer):
    """A layer with fixed scales, taken from a quanter."""

    function = None

    def __init__(self, scales, zero_point=None, quant_axis=None, bit_length=8):
        super().__init__()
        scales = to_tensor(scales, "float32")
        attr = ParamAttr(unique_name.generate("quant_dequant.scale"), initializer.Constant(1.0), trainable=False)
        self._scales = self.create_parameter(scales.shape, attr, "float32")
        self._scales.set_value(scales)
        self._zero_point = zeros([1]) if zero_point is None else to_tensor(zero_point, "float32")
        self._quant_axis, self._bit_length = -1 if quant_axis is None else quant_axis, bit_length

    @classmethod
    def from_quanter(cls, quanter):
        """A layer with the scales that a quanter has found."""
        return cls(quanter.scales(), quanter.zero_points(), quanter.quant_axis(), quanter.bit_length())

    def forward(self, input):
        return self._computed(input.astype("float32")).astype(input.dtype)


class LinearQuanter(_Scaled):
    """The numbers of the steps that the input is nearest to."""

    def _computed(self, x):
        return quantize.quantize_linear(x, self._scales, self._zero_point, None, None, self._quant_axis, self._bit_length)[0]


class LinearDequanter(_Scaled):
    """What the numbers of steps mean."""

    def _computed(self, x):
        return quantize.dequantize_linear(x, self._scales, self._zero_point, self._quant_axis, self._bit_length)


class LinearQuanterDequanter(Layer):
    """LinearQuanter and LinearDequanter in a row; either may be None."""

    def __init__(self, quanter, dequanter):
        super().__init__()
        self._quanter, self._dequanter = quanter, dequanter

    def forward(self, input):
        out = input if self._quanter is None else self._quanter(input)
        return out if self._dequanter is None else self._dequanter(out)

    @staticmethod
    def from_quanter(quanter):
        """Both, with the scales that a quanter has found."""
        return LinearQuanterDequanter(LinearQuanter.from_quanter(quanter), LinearDequanter.from_quanter(quanter))


class ConvertibleQuantedLayer(Layer):
    """Base of layers with quanters that can be replaced by fixed scales. A subclass defines the two functions below."""

    def __init__(self):
        super().__init__()
        self.converted = False

    def weights_to_quanters(self):
        """Pairs: the name of a weight, and of the quanter that it goes through."""
        raise NotImplementedError(f"{type(self).__name__} must define weights_to_quanters()")

    def activation_quanters(self):
        """The names of the quanters that inputs go through."""
        raise NotImplementedError(f"{type(self).__name__} must define activation_quanters()")

    def _fixed(self, name):
        quanter = getattr(self, name)
        if quanter is None:
            return None
        fixed = LinearQuanterDequanter.from_quanter(quanter)
        setattr(self, name, fixed)
        return fixed

    def _convert(self, remain_weight=False):
        """Fix the scales, and keep weights as numbers of steps unless they shall remain."""
        if self.converted:
            raise RuntimeError(f"{type(self).__name__}: it has been converted already")
        for weight_name, quanter_name in self.weights_to_quanters():
            fixed = self._fixed(quanter_name)
            if fixed is not None and not remain_weight:
                weight = getattr(self, weight_name)
                weight.set_value(fixed._quanter(weight).detach())
                fixed._quanter = None
        for name in self.activation_quanters():
            self._fixed(name)
        self.converted = True
