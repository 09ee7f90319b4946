"""Layers that round what passes to steps, or measure it, with the numbers they keep as parameters; and layers around them."""

import functools

from ...core.errors import check_choice
from ...core.op import Symbolic
from ...ops.nn import quantize
from ...tensor.product import matmul
from ...utils import unique_name
from .. import functional as F
from ..functional.conv import conv2d, conv2d_transpose
from ..layer.conv import Conv2D
from ..layer.layers import Layer
from .keeping import Keeping
from .lsq import FakeQuantActLSQPlus, FakeQuantWeightLSQPlus

__all__ = ["FakeQuantAbsMax", "FakeQuantChannelWiseAbsMax", "FakeQuantMAOutputScaleLayer", "FakeQuantMovingAverageAbsMax",
           "MAOutputScaleLayer", "MovingAverageAbsMaxScale", "QuantStub", "QuantizedColumnParallelLinear", "QuantizedConv2D",
           "QuantizedConv2DTranspose", "QuantizedLinear", "QuantizedMatmul", "QuantizedRowParallelLinear"]


class FakeQuantAbsMax(Keeping):
    """Rounds to steps of the largest magnitude of what comes.

    Args:
        name: prefix of the scale's name.
        quant_bits: the number of bits of a step's number.
        dtype: type of the scale.
        quant_on_weight: keep the scale, as a parameter.
        reduce_type: ``max`` gives all ranks the largest kept scale.

    >>> from paddle.nn.quant.quant_layers import FakeQuantAbsMax
    >>> FakeQuantAbsMax(quant_bits=2)(paddle.to_tensor([0.2, -0.7, 1.0])).tolist()
    [0.0, -1.0, 1.0]
    """

    def __init__(self, name=None, quant_bits=8, dtype="float32", quant_on_weight=False, reduce_type=None):
        super().__init__(reduce_type)
        self._quant_bits, self._name = quant_bits, name
        self._scale_name = unique_name.generate(f"{name or 'quant_dequant'}.scale")
        self._scale = self._number(self._scale_name, 0.001, dtype) if quant_on_weight else None

    def forward(self, input):
        self._reduce(input, *([] if self._scale is None else [self._scale]))
        out, scale = self._rounded(input)
        if self._scale is not None:
            self._keep(out, OutScale=(scale, self._scale))
        return out

    def _rounded(self, x):
        return quantize.fake_quantize_dequantize_abs_max(x, self._quant_bits)


class FakeQuantChannelWiseAbsMax(FakeQuantAbsMax):
    """Rounds a weight to steps of the largest magnitude of each of its slices along an axis; the scales are kept.

    Args:
        channel_num: the number of slices.
        quant_axis: the axis.
        quant_on_weight: must be True.

    >>> from paddle.nn.quant.quant_layers import FakeQuantChannelWiseAbsMax
    >>> layer = FakeQuantChannelWiseAbsMax(channel_num=2, quant_bits=2, quant_on_weight=True)
    >>> layer(paddle.to_tensor([[1.0, 0.2], [3.0, 2.0]])).tolist()
    [[1.0, 0.0], [3.0, 3.0]]
    """

    def __init__(self, name=None, channel_num=None, quant_bits=8, quant_axis=0, dtype="float32", quant_on_weight=False,
                 reduce_type=None):
        if not quant_on_weight or channel_num is None:
            raise ValueError("FakeQuantChannelWiseAbsMax(): is for weights: give quant_on_weight=True and channel_num")
        super().__init__(name, quant_bits, dtype, False, reduce_type)
        self._quant_axis, self._channel_num = quant_axis, channel_num
        self._scale = self._number(self._scale_name, 0.0, dtype, channel_num)

    def _rounded(self, x):
        return quantize.fake_channel_wise_quantize_dequantize_abs_max(x, self._quant_bits, self._quant_axis)


class _Following(Keeping):
    """A scale that follows the largest magnitude in training, with what it is made of."""

    def __init__(self, prefix, moving_rate, dtype, reduce_type, scale, start):
        super().__init__(reduce_type)
        self._moving_rate = moving_rate
        self._scale, self._state, self._accum = (self._number(unique_name.generate(f"{prefix}.{kind}"), value, dtype)
                                                 for kind, value in (("scale", scale), ("state", start), ("accum", start)))

    def forward(self, input):
        self._reduce(input, self._scale)
        kept = (self._accum, self._state) if self.training else (None, None)
        out, *new = self._computed(input, *kept)
        slots = dict(zip(("OutScale", "OutState", "OutAccum"), zip(new, (self._scale, self._state, self._accum))))
        if self.training:
            self._keep(out, **slots)
        elif isinstance(out, Symbolic):  # the operator names its scale; it leaves it as it is
            self._keep(out, OutScale=slots["OutScale"])
        return out


class FakeQuantMovingAverageAbsMax(_Following):
    """Rounds to steps of a scale that follows the largest magnitude in training.

    Args:
        name: prefix of the names of scale, state and sum.
        moving_rate: fraction of the past that is kept at each step.
        quant_bits: the number of bits of a step's number.
        dtype: type of the scale.
        reduce_type: ``max`` gives all ranks the largest scale.

    >>> from paddle.nn.quant.quant_layers import FakeQuantMovingAverageAbsMax
    >>> layer = FakeQuantMovingAverageAbsMax(moving_rate=0.5)
    >>> layer(paddle.to_tensor([4.0])).tolist(), layer._scale.tolist()
    ([3.0], [3.0])
    """

    def __init__(self, name=None, moving_rate=0.9, quant_bits=8, dtype="float32", reduce_type=None):
        super().__init__(name or "quant_dequant", moving_rate, dtype, reduce_type, 0.001, 1.0)
        self._quant_bits = quant_bits

    def _computed(self, x, accum, state):
        return quantize.fake_quantize(x, self._scale, accum, state, self._moving_rate, self._quant_bits, not self.training)


class MovingAverageAbsMaxScale(_Following):
    """Gives on what comes as it is, and keeps a scale that follows its largest magnitude in training.

    Args:
        name: prefix of the names of scale, state and sum.
        moving_rate: fraction of the past that is kept at each step.
        dtype: type of the scale.
        reduce_type: ``max`` gives all ranks the largest scale.

    >>> layer = paddle.nn.quant.QuantStub()
    >>> layer(paddle.to_tensor([4.0])).tolist(), layer._scale.tolist()
    ([4.0], [4.0])
    """

    def __init__(self, name=None, moving_rate=0.9, dtype="float32", reduce_type=None):
        super().__init__(name or "outscale", moving_rate, dtype, reduce_type, 0.0, 0.0)

    def _computed(self, x, accum, state):
        return quantize.moving_average_abs_max_scale(x, accum, state, self._moving_rate, not self.training)


QuantStub = MovingAverageAbsMaxScale

_KINDS = {"abs_max": (FakeQuantAbsMax, ("quant_on_weight",)),
          "moving_average_abs_max": (FakeQuantMovingAverageAbsMax, ("moving_rate",)),
          "channel_wise_abs_max": (FakeQuantChannelWiseAbsMax, ("quant_on_weight", "channel_num", "quant_axis")),
          "lsq_weight": (FakeQuantWeightLSQPlus, ("all_postive", "quant_linear")),
          "channel_wise_lsq_weight": (functools.partial(FakeQuantWeightLSQPlus, per_channel=True),
                                      ("all_postive", "quant_linear", "channel_num")),
          "lsq_act": (functools.partial(FakeQuantActLSQPlus, symmetric=True), ("all_postive", "symmetric"))}


def _get_fake_quant_type(quant_type, **kwargs):
    """A layer that rounds, of what is given with those arguments that it takes."""
    check_choice(quant_type, tuple(_KINDS), "_get_fake_quant_type", "quant_type")
    kind, own = _KINDS[quant_type]
    return kind(**{name: kwargs[name] for name in ("name", "quant_bits", "dtype", "reduce_type", *own) if name in kwargs})


def _made(factory):
    return None if factory is None else factory()


class _Quantized(Layer):
    """What layers with rounded inputs and weights share.

    Args:
        layer: whose weights and settings are taken.
        weight_bits, activation_bits: bits of weights and inputs.
        moving_rate: how much of the past a scale that follows keeps.
        weight_quantize_type: ``abs_max``, ``channel_wise_abs_max``, or with scales that are learnt ``lsq_weight``,
            ``channel_wise_lsq_weight``.
        activation_quantize_type: ``abs_max``, ``moving_average_abs_max`` or ``lsq_act``.
        weight_pre_layer, act_pre_layer: classes of layers that weights and inputs pass before they are rounded.
        weight_quant_layer, act_quant_layer: classes of layers that round instead.
    """

    _axis, _taken = 1, ()  # the axis of the weight's channels; the settings of the layer
    _weight_reduced = _input_reduced = False  # do ranks share the scales of weights, and of inputs?

    def __init__(self, layer, weight_bits=8, activation_bits=8, moving_rate=0.9, weight_quantize_type="abs_max",
                 activation_quantize_type="abs_max", weight_pre_layer=None, act_pre_layer=None, weight_quant_layer=None,
                 act_quant_layer=None):
        super().__init__()
        for name in self._taken:
            setattr(self, name, getattr(layer, name, None))
        self.weight, self.bias = layer.weight, layer.bias
        several = _several_ranks() if self._weight_reduced else False
        self._fake_quant_weight = weight_quant_layer() if weight_quant_layer is not None else _get_fake_quant_type(
            weight_quantize_type, name=self.weight.name, moving_rate=moving_rate, quant_bits=weight_bits, quant_on_weight=True,
            channel_num=self.weight.shape[self._axis], quant_axis=self._axis, quant_linear=self._axis == 1,
            reduce_type="max" if several else None)
        self._fake_quant_input = act_quant_layer() if act_quant_layer is not None else _get_fake_quant_type(
            activation_quantize_type, name=layer.full_name(), moving_rate=moving_rate, quant_bits=activation_bits,
            quant_on_weight=False, reduce_type="max" if several and self._input_reduced else None)
        self._act_preprocess, self._weight_preprocess = _made(act_pre_layer), _made(weight_pre_layer)

    def _rounded(self, x):
        """The input and the weight, rounded."""
        x = self._fake_quant_input(x if self._act_preprocess is None else self._act_preprocess(x))
        weight = self.weight if self._weight_preprocess is None else self._weight_preprocess(self.weight)
        return x, self._fake_quant_weight(weight)


def _several_ranks():
    from ...distributed import get_world_size  # only layers that are cut over ranks need the room
    return get_world_size() > 1


class QuantizedConv2D(_Quantized):
    """``Conv2D`` with rounded inputs and weights."""

    _conv2d_quant_axis = _axis = 0
    _taken = ("_groups", "_stride", "_padding", "_padding_mode", "_dilation", "_data_format", "_pad")
    _padded = Conv2D._padded

    def forward(self, input):
        x, weight = self._rounded(input)
        x, padding = self._padded(x)
        return conv2d(x, weight, self.bias, self._stride, padding, self._dilation, self._groups, self._data_format)


class QuantizedConv2DTranspose(_Quantized):
    """``Conv2DTranspose`` with rounded inputs and weights.

    >>> from paddle.nn.quant.quant_layers import QuantizedConv2DTranspose
    >>> QuantizedConv2DTranspose(paddle.nn.Conv2DTranspose(4, 6, 3))(paddle.rand([2, 4, 8, 8])).shape
    [2, 6, 10, 10]
    """

    _conv2d_transpose_quant_axis = 1
    _taken = ("_groups", "_stride", "_padding", "output_padding", "_dilation", "_data_format")

    def forward(self, input, output_size=None):
        x, weight = self._rounded(input)
        return conv2d_transpose(x, weight, self.bias, stride=self._stride, padding=self._padding,
                                output_padding=self.output_padding if output_size is None else 0, dilation=self._dilation,
                                groups=self._groups, output_size=output_size, data_format=self._data_format)


class QuantizedLinear(_Quantized):
    """``Linear`` with rounded inputs and weights."""

    _linear_quant_axis, _taken = 1, ("name",)

    def forward(self, input):
        return F.linear(*self._rounded(input), self.bias, self.name)


class _QuantizedCut(_Quantized):
    """A linear layer whose weight is cut over ranks: enters and leaves the ranks as the layer does."""

    _linear_quant_axis, _weight_reduced = 1, True

    def __init__(self, layer, weight_bits=8, activation_bits=8, moving_rate=0.9, weight_quantize_type="abs_max",
                 activation_quantize_type="abs_max", weight_pre_layer=None, act_pre_layer=None, weight_quant_layer=None,
                 act_quant_layer=None):
        if weight_quant_layer is not None or act_quant_layer is not None:
            raise ValueError(f"{type(self).__name__}(): weight_quant_layer and act_quant_layer must be None for layers over ranks")
        super().__init__(layer, weight_bits, activation_bits, moving_rate, weight_quantize_type, activation_quantize_type,
                         weight_pre_layer, act_pre_layer)
        self.name, self._kind = layer._name, type(layer)

    def forward(self, input):
        return self._kind._computed(self, *self._rounded(self._kind._entering(self, input)))


class QuantizedColumnParallelLinear(_QuantizedCut):
    """``ColumnParallelLinear`` with rounded inputs and weights."""

    _taken = ("_name", "is_mp", "model_parallel_group", "gather_output")


class QuantizedRowParallelLinear(_QuantizedCut):
    """``RowParallelLinear`` with rounded inputs and weights."""

    _taken, _input_reduced = ("_name", "is_mp", "model_parallel_group", "input_is_parallel"), True


class QuantizedMatmul(Layer):
    """``paddle.matmul`` of two inputs that are rounded.

    ``layer`` and the arguments about weights are there so that it is made as the other layers are: it has no weight.
    """

    def __init__(self, layer=None, weight_bits=8, activation_bits=8, moving_rate=0.9, weight_quantize_type="abs_max",
                 activation_quantize_type="abs_max", weight_pre_layer=None, act_pre_layer=None, weight_quant_layer=None,
                 act_quant_layer=None):
        super().__init__()
        self._fake_quant_x, self._fake_quant_y = (act_quant_layer() if act_quant_layer is not None else _get_fake_quant_type(
            activation_quantize_type, moving_rate=moving_rate, quant_bits=activation_bits, quant_on_weight=False) for _ in "xy")
        self._act_preprocess_x, self._act_preprocess_y = _made(act_pre_layer), _made(act_pre_layer)

    def forward(self, x, y, transpose_x=False, transpose_y=False, name=None):
        x = self._fake_quant_x(x if self._act_preprocess_x is None else self._act_preprocess_x(x))
        y = self._fake_quant_y(y if self._act_preprocess_y is None else self._act_preprocess_y(y))
        return matmul(x, y, transpose_x, transpose_y, name)


class MAOutputScaleLayer(Layer):
    """A layer, and behind it a MovingAverageAbsMaxScale; several results pass unmeasured.

    >>> from paddle.nn.quant.quant_layers import MAOutputScaleLayer
    >>> MAOutputScaleLayer(paddle.nn.ReLU())(paddle.to_tensor([-1.0, 1.0])).tolist()
    [0.0, 1.0]
    """

    def __init__(self, layer=None, moving_rate=0.9, name=None, dtype="float32", reduce_type=None):
        super().__init__()
        self._layer = layer
        self._ma_output_scale = MovingAverageAbsMaxScale(layer.full_name() if name is None else name, moving_rate, dtype,
                                                         reduce_type)

    def forward(self, *inputs, **kwargs):
        out = self._layer(*inputs, **kwargs)
        return out if isinstance(out, (list, tuple, dict)) else self._ma_output_scale(out)


class FakeQuantMAOutputScaleLayer(Layer):
    """A layer, and behind it a FakeQuantMovingAverageAbsMax; several results pass as they are."""

    def __init__(self, layer, weight_bits=8, activation_bits=8, moving_rate=0.9, name=None, reduce_type=None):
        super().__init__()
        self._layer = layer
        self._fake_quant_output = FakeQuantMovingAverageAbsMax(layer.full_name() if name is None else name, moving_rate,
                                                               activation_bits, reduce_type=reduce_type)

    def forward(self, *inputs, **kwargs):
        out = self._layer(*inputs, **kwargs)
        return out if isinstance(out, (list, tuple)) and len(out) > 1 else self._fake_quant_output(out)
