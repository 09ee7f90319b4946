"""The earlier interface of quantization: layers are changed in place for training, or watched by hooks and then replaced."""

import copy

from ..core.errors import check_choice, check_type, describe
from ..jit import save
from ..nn import Conv2D, Layer, Linear
from ..nn.quant.qat import QuantedConv2D, QuantedLinear
from ..ops.nn import quantize
from ..ops.nn.calibration import cal_kl_threshold, merged_histogram, share_of_histogram
from .factory import BaseQuanter
from .quanters import FakeQuanterWithAbsMaxObserverLayer

__all__ = ["AbsmaxQuantizer", "BaseQuantizer", "HistQuantizer", "ImperativePTQ", "ImperativeQuantAware", "KLQuantizer", "PTQConfig",
           "PerChannelAbsmaxQuantizer", "SUPPORT_ACT_QUANTIZERS", "SUPPORT_WT_QUANTIZERS", "default_ptq_config"]

_OTHERS = ("Conv2DTranspose", "ColumnParallelLinear", "RowParallelLinear")  # may be asked for; refused where a model has one
_LAYERS = {Conv2D: (QuantedConv2D, 0), Linear: (QuantedLinear, 1)}  # what replaces them, and the axis of their channels


class BaseQuantizer:
    """Finds thresholds for tensors: ``sample_data`` looks at some, ``cal_thresholds`` fills ``thresholds``, one for each."""

    def __init__(self, quant_bits=8):
        if not isinstance(quant_bits, int) or not 0 < quant_bits <= 16:
            raise ValueError(f"{type(self).__name__}(): quant_bits must be from 1 to 16, got {describe(quant_bits)}")
        self.quant_bits, self.abs_max_vals, self.thresholds = quant_bits, [], []

    def sample_data(self, layer, tensors):
        """Look at a tuple of tensors that a layer read or gave."""
        raise NotImplementedError(f"{type(self).__name__} must define sample_data()")

    def cal_thresholds(self):
        """Find the thresholds from what was seen."""
        raise NotImplementedError(f"{type(self).__name__} must define cal_thresholds()")


class _LargestQuantizer(BaseQuantizer):
    """Keeps the largest of what ``_largest`` finds."""

    def sample_data(self, layer, tensors):
        new = [self._largest(layer, t.detach()) for t in tensors]
        self.abs_max_vals = [_larger(*pair) for pair in zip(self.abs_max_vals, new, strict=True)] if self.abs_max_vals else new

    def cal_thresholds(self):
        self.thresholds = self.abs_max_vals


class AbsmaxQuantizer(_LargestQuantizer):
    """The largest magnitude."""

    def _largest(self, layer, tensor):
        return float(tensor.abs().max())


def _larger(old, new):
    return [max(pair) for pair in zip(old, new, strict=True)] if isinstance(old, list) else max(old, new)


class PerChannelAbsmaxQuantizer(_LargestQuantizer):
    """The largest magnitude of each channel of a layer's weight."""

    def _largest(self, layer, tensor):
        axis = _LAYERS[type(layer)][1] if type(layer) in _LAYERS else 0
        return tensor.abs().max(axis=[k for k in range(tensor.ndim) if k != axis]).tolist()


class _HistogramQuantizer(BaseQuantizer):
    """Counts magnitudes in bins; the range grows with what is seen."""

    def __init__(self, quant_bits=8, bins=1024, upsample_bins=64):
        super().__init__(quant_bits)
        self.bins, self.upsample_bins, self.hists = bins, upsample_bins, []

    def sample_data(self, layer, tensors):
        if not self.hists:
            self.hists, self.abs_max_vals = [None] * len(tensors), [0.0] * len(tensors)
        for k, (tensor, high, counts) in enumerate(zip(tensors, self.abs_max_vals, self.hists, strict=True)):
            self.abs_max_vals[k], self.hists[k] = merged_histogram(tensor.numpy(), high, counts, self.bins, self.upsample_bins)

    def cal_thresholds(self):
        self.thresholds = [high if counts is None else self._threshold(counts, high)
                           for counts, high in zip(self.hists, self.abs_max_vals)]


class HistQuantizer(_HistogramQuantizer):
    """The magnitude that a share of all does not pass."""

    def __init__(self, quant_bits=8, bins=1024, upsample_bins=64, hist_percent=0.99999):
        super().__init__(quant_bits, bins, upsample_bins)
        self.hist_percent = hist_percent

    def _threshold(self, counts, high):
        return share_of_histogram(counts, high, self.hist_percent)


class KLQuantizer(_HistogramQuantizer):
    """The magnitude that keeps the distribution best, by the Kullback-Leibler divergence."""

    def _threshold(self, counts, high):
        return float(cal_kl_threshold(counts, high / len(counts), self.quant_bits))


SUPPORT_ACT_QUANTIZERS = [AbsmaxQuantizer, HistQuantizer, KLQuantizer]
SUPPORT_WT_QUANTIZERS = [AbsmaxQuantizer, PerChannelAbsmaxQuantizer]


class PTQConfig:
    """How inputs and outputs of layers (``activation_quantizer``) and weights are measured."""

    def __init__(self, activation_quantizer, weight_quantizer):
        check_type(activation_quantizer, tuple(SUPPORT_ACT_QUANTIZERS), "PTQConfig", "activation_quantizer")
        check_type(weight_quantizer, tuple(SUPPORT_WT_QUANTIZERS), "PTQConfig", "weight_quantizer")
        self.in_act_quantizer, self.out_act_quantizer = copy.deepcopy(activation_quantizer), copy.deepcopy(activation_quantizer)
        self.wt_quantizer, self.quant_hook_handle, self.enable_in_act_quantizer = copy.deepcopy(weight_quantizer), None, False


default_ptq_config = PTQConfig(KLQuantizer(), PerChannelAbsmaxQuantizer())


class _LargestQuanter(BaseQuanter):
    """Rounds to steps of the largest magnitude, of all or of each slice along an axis."""

    def __init__(self, bits, axis):
        super().__init__()
        self._bits, self._axis = bits, axis

    def forward(self, input):
        return self._both(input)[0]

    def _both(self, x):
        if self._axis is None:
            return quantize.fake_quantize_dequantize_abs_max(x, self._bits)
        return quantize.fake_channel_wise_quantize_dequantize_abs_max(x, self._bits, self._axis)

    def scales(self):
        return None  # they are those of what comes

    def zero_points(self):
        return None

    def quant_axis(self):
        return -1 if self._axis is None else self._axis

    def bit_length(self):
        return self._bits


class _Given:
    """Stands where quanted layers look for factories: gives one quanter."""

    def __init__(self, quanter):
        self._quanter = quanter

    def _instance(self, layer):
        return self._quanter


class _Pair:
    def __init__(self, activation, weight):
        self.activation, self.weight = _Given(activation), _Given(weight)


def _parents(model):
    """(layer, name, child) of every child in a model."""
    for layer in model.sublayers(include_self=True):
        for name, child in list(layer.named_children()):
            yield layer, name, child


class ImperativePTQ:
    """Calibration of a trained model: ``quantize`` watches its layers while data passes, ``save_quantized_model`` rounds it.

    Args:
        quant_config: a PTQConfig.
    """

    def __init__(self, quant_config=default_ptq_config):
        check_type(quant_config, PTQConfig, "ImperativePTQ", "quant_config")
        self._quant_config = quant_config

    def quantize(self, model, inplace=False, fuse=False, fuse_list=None):
        """The model (a copy unless ``inplace``) with every leaf layer watched."""
        check_type(model, Layer, "ImperativePTQ.quantize", "model")
        if fuse or fuse_list:
            raise NotImplementedError("ImperativePTQ.quantize(): fuse and fuse_list are not supported")
        model = model if inplace else copy.deepcopy(model)
        for layer in model.sublayers():
            if type(layer) in _LAYERS and not getattr(layer, "skip_quant", False):
                layer._quant_config = config = copy.deepcopy(self._quant_config)
                config.enable_in_act_quantizer = True
                config.quant_hook_handle = layer.register_forward_post_hook(_watch)
        return model

    def save_quantized_model(self, model, path, input_spec=None, **config):
        """Round the model with what was seen, and write it as ``paddle.jit.save`` does."""
        check_type(model, Layer, "ImperativePTQ.save_quantized_model", "model")
        self._convert(model)
        save(model, path, input_spec, **config)

    def _convert(self, model):
        """Put layers with fixed scales in the place of those that were watched."""
        for layer, name, child in _parents(model):
            config = getattr(child, "_quant_config", None)
            if config is None:
                continue
            config.quant_hook_handle.remove()
            for quantizer in (config.in_act_quantizer, config.out_act_quantizer):
                quantizer.cal_thresholds()
            config.wt_quantizer.sample_data(child, (child.weight,))
            config.wt_quantizer.cal_thresholds()
            if not config.in_act_quantizer.thresholds:
                raise RuntimeError(f"ImperativePTQ: nothing passed through {name!r} ({type(child).__name__}): run it on data")
            target, axis = _LAYERS[type(child)]
            read = FakeQuanterWithAbsMaxObserverLayer(child, bit_length=config.in_act_quantizer.quant_bits)
            read._scale.set_value([float(config.in_act_quantizer.thresholds[0])])
            axis = axis if isinstance(config.wt_quantizer, PerChannelAbsmaxQuantizer) else None
            layer._sub_layers[name] = made = target(child, _Pair(read, _LargestQuanter(config.wt_quantizer.quant_bits, axis)))
            made.eval()


def _watch(layer, inputs, output):
    config = layer._quant_config
    config.in_act_quantizer.sample_data(layer, tuple(inputs))
    config.out_act_quantizer.sample_data(layer, tuple(output) if isinstance(output, (list, tuple)) else (output,))


class ImperativeQuantAware:
    """Training with rounded inputs and weights: ``quantize`` changes a model in place.

    Args:
        quantizable_layer_type: names or classes of layers; Conv2D and Linear are supported.
        weight_quantize_type: ``abs_max`` or ``channel_wise_abs_max``.
        activation_quantize_type: ``moving_average_abs_max``.
        weight_bits, activation_bits: bits of weights and inputs.
        moving_rate: how much of the past a scale that follows keeps.
    """

    def __init__(self, quantizable_layer_type=("Conv2D", "Linear", *_OTHERS), weight_quantize_type="abs_max",
                 activation_quantize_type="moving_average_abs_max", weight_bits=8, activation_bits=8, moving_rate=0.9,
                 fuse_conv_bn=False, weight_preprocess_layer=None, act_preprocess_layer=None, weight_quantize_layer=None,
                 act_quantize_layer=None, onnx_format=False):
        function = "ImperativeQuantAware"
        others = {"fuse_conv_bn": fuse_conv_bn, "weight_preprocess_layer": weight_preprocess_layer, "onnx_format": onnx_format,
                  "act_preprocess_layer": act_preprocess_layer, "weight_quantize_layer": weight_quantize_layer,
                  "act_quantize_layer": act_quantize_layer}
        for name, value in others.items():
            if value:
                raise NotImplementedError(f"{function}(): {name} is not supported")
        check_choice(weight_quantize_type, ("abs_max", "channel_wise_abs_max"), function, "weight_quantize_type")
        check_choice(activation_quantize_type, ("moving_average_abs_max",), function, "activation_quantize_type")
        self._kinds = [kind if isinstance(kind, str) else kind.__name__ for kind in quantizable_layer_type]
        for name in self._kinds:
            check_choice(name, (*(kind.__name__ for kind in _LAYERS), *_OTHERS), function, "quantizable_layer_type")
        self._channels = weight_quantize_type == "channel_wise_abs_max"
        self._weight_bits, self._activation_bits, self._moving_rate = weight_bits, activation_bits, moving_rate

    def quantize(self, model):
        """The model itself, its layers replaced by ones that round; those with a true ``skip_quant`` stay."""
        check_type(model, Layer, "ImperativeQuantAware.quantize", "model")
        for layer, name, child in _parents(model):
            if type(child).__name__ in self._kinds and not getattr(child, "skip_quant", False):
                if type(child) not in _LAYERS:
                    raise NotImplementedError(f"ImperativeQuantAware.quantize(): {type(child).__name__} {name!r} is not supported")
                target, axis = _LAYERS[type(child)]
                read = FakeQuanterWithAbsMaxObserverLayer(child, None, self._moving_rate, self._activation_bits)
                weight = _LargestQuanter(self._weight_bits, axis if self._channels else None)
                layer._sub_layers[name] = target(child, _Pair(read, weight))
        return model

    def save_quantized_model(self, layer, path, input_spec=None, **config):
        """Write the model as ``paddle.jit.save`` does."""
        check_type(layer, Layer, "ImperativeQuantAware.save_quantized_model", "layer")
        save(layer, path, input_spec, **config)


__path__ = []  # a package in Paddle: the paths below it are addresses
