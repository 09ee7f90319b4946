"""The earlier interface of quantization: layers are changed in place for training, or watched by hooks and then replaced."""

import copy

from ..core.errors import check_choice, check_type, describe
from ..distributed.fleet.layers.mpu.mp_layers import ColumnParallelLinear, RowParallelLinear
from ..jit import save
from ..nn import Conv2D, Conv2DTranspose, Layer, Linear
from ..nn.quant import add, divide, matmul, multiply, subtract
from ..nn.quant.quant_layers import (
    FakeQuantMAOutputScaleLayer,
    MAOutputScaleLayer,
    QuantizedColumnParallelLinear,
    QuantizedConv2D,
    QuantizedConv2DTranspose,
    QuantizedLinear,
    QuantizedRowParallelLinear,
)
from ..ops.nn.calibration import cal_kl_threshold, merged_histogram, share_of_histogram
from ..static import Executor, load_inference_model, save_inference_model, scope_guard
from ..static.graph import Graph, IrGraph
from ..static.quantization.inference import QuantWeightPass, ReplaceFakeQuantDequantPass
from ..static.quantization.utils import (
    _get_input_name_index,
    _get_op_input_var_names,
    _get_output_name_index,
    load_variable_data,
)
from ..static.scope import Scope
from .fuse_utils import fuse_conv_bn, fuse_layers

__all__ = ["AbsmaxQuantizer", "BaseQuantizer", "HistQuantizer", "ImperativePTQ", "ImperativeQuantAware", "KLQuantizer", "PTQConfig",
           "PerChannelAbsmaxQuantizer", "SUPPORT_ACT_QUANTIZERS", "SUPPORT_WT_QUANTIZERS", "default_ptq_config"]

_LAYERS = {Conv2D: QuantizedConv2D, Linear: QuantizedLinear}  # what replaces them
_TRAINED = {**_LAYERS, Conv2DTranspose: QuantizedConv2DTranspose, ColumnParallelLinear: QuantizedColumnParallelLinear,
            RowParallelLinear: QuantizedRowParallelLinear}
_ROUNDED_RESULTS = (add, subtract, multiply, divide, matmul)  # results of these are rounded, those of others measured
_FOLLOWS, _MEASURES = "moving_average_abs_max", "moving_average_abs_max_scale"
_ROUNDS = ("fake_quantize_dequantize_abs_max", "fake_channel_wise_quantize_dequantize_abs_max",
           "fake_quantize_dequantize_moving_average_abs_max")


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
        axis = _LAYERS[type(layer)]._axis if type(layer) in _LAYERS else 0
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


def _parents(model, closed=(), seen=None):
    """(layer, name, child) of every child in a model, each child where it is found first; nothing below layers of closed types."""
    seen = set() if seen is None else seen
    for name, child in list(model.named_children()):
        if id(child) not in seen:
            seen.add(id(child))
            yield model, name, child
            if not isinstance(child, closed):
                yield from _parents(child, closed, seen)


class ImperativePTQ:
    """Calibration of a trained model: ``quantize`` watches its layers while data passes, ``save_quantized_model`` rounds it.

    Args:
        quant_config: a PTQConfig.
    """

    def __init__(self, quant_config=default_ptq_config):
        check_type(quant_config, PTQConfig, "ImperativePTQ", "quant_config")
        self._quant_config = quant_config

    def quantize(self, model, inplace=False, fuse=False, fuse_list=None):
        """The model (a copy unless ``inplace``) with every leaf layer watched.

        Args:
            fuse: fold batch norms first; the model is in ``eval()`` mode then.
            fuse_list: pairs of names, such as [["conv1", "bn1"], ["fc", "bn2"]].
        """
        check_type(model, Layer, "ImperativePTQ.quantize", "model")
        model = model if inplace else copy.deepcopy(model)
        if fuse:
            check_type(fuse_list, (list, tuple), "ImperativePTQ.quantize", "fuse_list")
            model.eval()
            fuse_layers(model, fuse_list, inplace=True)
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
            way = "channel_wise_abs_max" if isinstance(config.wt_quantizer, PerChannelAbsmaxQuantizer) else "abs_max"
            layer._sub_layers[name] = made = _LAYERS[type(child)](child, config.wt_quantizer.quant_bits,
                                                                  config.in_act_quantizer.quant_bits, 0.9, way, _FOLLOWS)
            made._fake_quant_input._scale.set_value([float(config.in_act_quantizer.thresholds[0])])
            made.eval()


def _watch(layer, inputs, output):
    config = layer._quant_config
    config.in_act_quantizer.sample_data(layer, tuple(inputs))
    config.out_act_quantizer.sample_data(layer, tuple(output) if isinstance(output, (list, tuple)) else (output,))


class ImperativeQuantAware:
    """Training with rounded inputs and weights, and with scales that follow results: ``quantize`` changes a model in place.

    Args:
        quantizable_layer_type: names or classes of layers whose inputs and weights are rounded.
        weight_quantize_type: ``abs_max``, ``channel_wise_abs_max``, or with scales that are learnt ``lsq_weight`` and
            ``channel_wise_lsq_weight``.
        activation_quantize_type: ``moving_average_abs_max`` or ``lsq_act``.
        weight_bits, activation_bits: bits of weights and inputs.
        moving_rate: how much of the past a scale that follows keeps.
        weight_preprocess_layer, act_preprocess_layer: classes of layers that weights and inputs pass before they are rounded.
        weight_quantize_layer, act_quantize_layer: classes of layers that round instead.
        fuse_conv_bn: fold each BatchNorm2D into the Conv2D before it, by the statistics that it has then.
        onnx_format: write models with the operators ``quantize_linear`` and ``dequantize_linear``, and weights as whole numbers.
    """

    def __init__(self, quantizable_layer_type=("Conv2D", "Linear", "Conv2DTranspose", "ColumnParallelLinear", "RowParallelLinear"),
                 weight_quantize_type="abs_max", activation_quantize_type=_FOLLOWS, weight_bits=8, activation_bits=8,
                 moving_rate=0.9, fuse_conv_bn=False, weight_preprocess_layer=None, act_preprocess_layer=None,
                 weight_quantize_layer=None, act_quantize_layer=None, onnx_format=False):
        function = "ImperativeQuantAware"
        check_choice(weight_quantize_type, ("abs_max", "channel_wise_abs_max", "lsq_weight", "channel_wise_lsq_weight"), function,
                     "weight_quantize_type")
        check_choice(activation_quantize_type, (_FOLLOWS, "lsq_act"), function, "activation_quantize_type")
        for name, value in {"weight_preprocess_layer": weight_preprocess_layer, "act_preprocess_layer": act_preprocess_layer,
                            "weight_quantize_layer": weight_quantize_layer, "act_quantize_layer": act_quantize_layer}.items():
            if value is not None and not (isinstance(value, type) and issubclass(value, Layer)):
                raise TypeError(f"{function}(): {name} must be a class of layers, got {describe(value)}")
        names = [kind if isinstance(kind, str) else kind.__name__ for kind in quantizable_layer_type]
        for name in names:
            check_choice(name, tuple(kind.__name__ for kind in _TRAINED), function, "quantizable_layer_type")
        self._kinds = tuple(kind for kind in _TRAINED if kind.__name__ in names)
        self._moving_rate, self._fuse_conv_bn, self._onnx_format = moving_rate, fuse_conv_bn, onnx_format
        self._activation_bits = activation_bits
        self._arguments = (weight_bits, activation_bits, moving_rate, weight_quantize_type, activation_quantize_type,
                           weight_preprocess_layer, act_preprocess_layer, weight_quantize_layer, act_quantize_layer)

    def quantize(self, model):
        """The model itself, its layers replaced by ones that round; those with a true ``skip_quant`` are measured only."""
        check_type(model, Layer, "ImperativeQuantAware.quantize", "model")
        if self._fuse_conv_bn:
            fuse_conv_bn(model)
        for layer, name, child in _parents(model):
            if isinstance(child, self._kinds) and not getattr(child, "skip_quant", False):
                target = next(made for kind, made in _TRAINED.items() if isinstance(child, kind))
                layer._sub_layers[name] = target(child, *self._arguments)
        closed = tuple(_TRAINED.values())
        for layer, name, child in _parents(model, closed):
            if self._onnx_format and not isinstance(child, closed):
                continue
            if isinstance(child, _ROUNDED_RESULTS):
                layer._sub_layers[name] = FakeQuantMAOutputScaleLayer(child)  # Paddle has no moving_rate here either
            elif isinstance(child, closed) or not child.sublayers():
                layer._sub_layers[name] = MAOutputScaleLayer(child, self._moving_rate)
        return model

    def save_quantized_model(self, layer, path, input_spec=None, **config):
        """Write the model as ``paddle.jit.save`` does, with the scales of what operators read and make as their attributes, or in
        the format of ONNX."""
        check_type(layer, Layer, "ImperativeQuantAware.save_quantized_model", "layer")
        save(layer, path, input_spec, **config)
        scope, executor = Scope(), Executor()
        with scope_guard(scope):
            program, feeds, fetches = load_inference_model(path, executor)
            if self._onnx_format:
                program = _in_onnx_format(program, scope, self._activation_bits)
                fetches = [program.global_block().var(fetch.name) for fetch in fetches]
            else:
                for block in program.blocks:
                    fetches = _note_scales(block, scope, fetches)
            block = program.global_block()
            save_inference_model(path, [block.var(name) for name in feeds], fetches, executor, program=program)


def _in_onnx_format(program, scope, bits):
    """The program with ``quantize_linear`` and ``dequantize_linear``, its weights in whole numbers."""
    graph = IrGraph(Graph(program), for_test=True)
    for one in (ReplaceFakeQuantDequantPass(scope, "cpu", bits), QuantWeightPass(scope, "cpu")):
        for part in graph.all_sub_graphs():
            one.apply(part)
    return graph.to_program()


def _note_scales(block, scope, fetches):
    """Write the scales of a block into its operators, and take away those that only measure; returns what is to be fetched."""
    makers = {}
    for op in block.ops:
        for name in op.output_arg_names:
            makers.setdefault(name, op)
    for op in [op for op in block.ops if op.type not in (*_ROUNDS, _MEASURES)]:
        for name in _get_op_input_var_names(op):
            maker = makers.get(name)
            if maker is not None and maker.type in (*_ROUNDS, _MEASURES) and scope.has(maker.output("OutScale")[0]):
                slot, number = _get_input_name_index(op, name)
                _note(op, f"{slot}{number}_threshold", _scale_of(maker, scope))
        if op.type in ("conv2d", "depthwise_conv2d", "matmul", "conv2d_transpose") and any(
                name in makers and makers[name].type not in _ROUNDS for name in op.input_arg_names):
            _note(op, "skip_quant", True)
    for op in [op for op in block.ops if op.type == _MEASURES]:
        (read,), (made,), maker = op.input("X"), op.output("Out"), makers.get(op.input("X")[0])
        place = None if maker is None or maker.type == "feed" else _get_output_name_index(maker, read)
        if place is not None:
            for name in (f"{place[0]}{place[1]}_threshold", "out_threshold"):
                _note(maker, name, _scale_of(op, scope))
        for reader in block.ops:
            reader._rename_input(made, read)
        block._remove_op(op.idx)
        fetches = [block.var(read) if fetch.name == made else fetch for fetch in fetches]
    return fetches


def _note(op, name, value):
    op._set_attr(name, value)
    op._set_attr("with_quant_attr", True)


def _scale_of(op, scope):
    value = load_variable_data(scope, op.output("OutScale")[0]).reshape(-1).tolist()
    return value[0] if len(value) == 1 else value


__path__ = []  # a package in Paddle: the paths below it are addresses
