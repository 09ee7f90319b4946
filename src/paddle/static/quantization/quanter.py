"""Training with few bits in two calls: ``quant_aware`` before it and ``convert`` behind it."""

from ...core.errors import ArgumentError, CheckError, describe, suggest
from ..graph import Graph, IrGraph
from ..scope import global_scope
from ..strategy import CompiledProgram
from .inference import (
    AddQuantDequantForInferencePass,
    ConvertToInt8Pass,
    OutScaleForInferencePass,
    QuantizationFreezePass,
    QuantWeightPass,
)
from .quant_config import SUPPORT_ACT_QUANTIZATION_OP_DICT, SUPPORT_QUANTIZATION_OP_DICT, SUPPORT_WEIGHT_QUANTIZATION_OP_DICT
from .training import (
    AddQuantDequantForResidual,
    AddQuantDequantPass,
    AddQuantDequantPassV2,
    OutScaleForTrainingPass,
    QuantizationTransformPass,
    QuantizationTransformPassV2,
)

__all__ = ["convert", "quant_aware"]

TENSORRT_OP_TYPES = ["mul", "conv2d", "pool2d", "depthwise_conv2d", "elementwise_add", "leaky_relu"]
_DEFAULTS = {"weight_quantize_type": "channel_wise_abs_max", "activation_quantize_type": "moving_average_abs_max", "weight_bits": 8,
             "activation_bits": 8, "not_quant_pattern": ["skip_quant"], "quantize_op_types": ["conv2d", "depthwise_conv2d", "mul"],
             "dtype": "int8", "window_size": 10000, "moving_rate": 0.9, "for_tensorrt": False, "is_full_quantize": False,
             "onnx_format": True, "quant_post_first": False, "scale_trainable": True, "quant_config": None}
_TYPES = {"weight_bits": int, "activation_bits": int, "not_quant_pattern": (list, str), "quantize_op_types": list, "dtype": str,
          "window_size": int, "moving_rate": float, "for_tensorrt": bool, "is_full_quantize": bool, "onnx_format": bool,
          "quant_post_first": bool, "scale_trainable": bool}
_CHOICES = {"dtype": ("int8",),  # as for weight_quantize_type and its sibling the passes check theirs
            "weight_bits": range(1, 17), "activation_bits": range(1, 17)}


def _settings(config, function):
    """The defaults with what a program chose; ValueError and TypeError name what does not fit."""
    if config is not None and not isinstance(config, dict):
        raise CheckError(f"{function}(): config must be a dict or None, got {describe(config)}")
    chosen = {**_DEFAULTS, **(config or {})}
    for name, value in chosen.items():
        if name not in _DEFAULTS:
            raise ArgumentError(f"{function}(): config has no setting {name!r}{suggest(str(name), _DEFAULTS)}")
        if name in _TYPES and not isinstance(value, _TYPES[name]):
            raise CheckError(f"{function}(): config[{name!r}] must be of the type of {_DEFAULTS[name]!r}, got {describe(value)}")
        if name in _CHOICES and value not in _CHOICES[name]:
            raise ArgumentError(f"{function}(): config[{name!r}] must be one of {list(_CHOICES[name])}, got {value!r}")
    if chosen["for_tensorrt"]:
        chosen["quantize_op_types"] = TENSORRT_OP_TYPES
    elif chosen["is_full_quantize"]:
        chosen["quantize_op_types"] = list(SUPPORT_QUANTIZATION_OP_DICT)
    for kind in chosen["quantize_op_types"]:
        if kind not in SUPPORT_QUANTIZATION_OP_DICT:
            raise ArgumentError(f"{function}(): config['quantize_op_types']: {kind!r} is not rounded"
                                f"{suggest(str(kind), SUPPORT_QUANTIZATION_OP_DICT)}")
    return chosen


def _apply(graph, *passes):
    for one in passes:
        for part in graph.all_sub_graphs():
            one.apply(part)


def quant_aware(program, place, config=None, scope=None, for_test=False, weight_quantize_func=None, act_quantize_func=None,
                weight_preprocess_func=None, act_preprocess_func=None, optimizer_func=None, executor=None, return_program=False,
                calib_config=None, draw_graph=False, return_scale_dict=False, scale_dict=None, model_type=None, pattern_ops=None):
    """A program that computes as if with few bits: operators that round, and that measure for it, are added to a copy.

    Args:
        program (Program): with its optimizer for training, or a clone for testing.
        place: a CPU.
        config (dict or None): settings other than the defaults: ``weight_quantize_type`` ('channel_wise_abs_max', 'abs_max',
            'moving_average_abs_max'), ``activation_quantize_type`` ('moving_average_abs_max', 'abs_max'), ``weight_bits`` and
            ``activation_bits`` (8), ``not_quant_pattern`` (['skip_quant'], name scopes left alone), ``quantize_op_types``
            (['conv2d', 'depthwise_conv2d', 'mul']), ``is_full_quantize``, ``for_tensorrt`` (other lists of these), ``moving_rate``
            (0.9), ``onnx_format`` (True: quantize_linear and dequantize_linear), ``scale_trainable`` (True), ``quant_config`` (a
            BaseQuantizer in place of the list).
        scope (Scope or None): where weights are and scales come to be; None is the global one.
        for_test (bool): is it a program for testing?
        return_program (bool): a Program instead of a CompiledProgram. One for testing is a Program anyway.
        return_scale_dict (bool): return (program, scale_dict, model_type, pattern_ops).
        scale_dict (dict or None): measured scales to begin with, by name.
    Returns:
        CompiledProgram or Program.
    Raises:
        ValueError: a setting is not one of those possible.
        NotImplementedError: own functions for rounding, ``quant_post_first``, ``draw_graph``.

    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     out = paddle.static.nn.conv2d(paddle.static.data('x', [None, 1, 4, 4]), 2, 3)
    >>> _ = paddle.static.Executor().run(startup)
    >>> rounded = paddle.static.quantization.quant_aware(main, paddle.CPUPlace(), for_test=True)
    >>> [op.type for op in rounded.global_block().ops][:2]
    ['quantize_linear', 'dequantize_linear']
    >>> paddle.disable_static()
    """
    chosen, scope = _settings(config, "quant_aware"), scope or global_scope()
    for name, value in {"config['quant_post_first']": chosen["quant_post_first"], "calib_config": calib_config,
                        "draw_graph": draw_graph}.items():
        if value:
            raise NotImplementedError(f"quant_aware(): {name} is not supported; calibrate by PostTrainingQuantization, draw by "
                                      "paddle.static.Program and the command paddle")
    is_test = for_test or not chosen["scale_trainable"]
    graph, given = IrGraph(Graph(program.desc), for_test=for_test), chosen["quant_config"]
    if given is not None:
        weighted, computed = given.weight_quant_operation_types, given.activation_quant_operation_types
    else:
        weighted = [kind for kind in chosen["quantize_op_types"] if kind in SUPPORT_WEIGHT_QUANTIZATION_OP_DICT]
        computed = [kind for kind in chosen["quantize_op_types"] if kind not in SUPPORT_WEIGHT_QUANTIZATION_OP_DICT]
    if weighted:
        _apply(graph, (QuantizationTransformPassV2 if chosen["onnx_format"] else QuantizationTransformPass)(
            scope, place, chosen["weight_bits"], chosen["activation_bits"], chosen["activation_quantize_type"],
            chosen["weight_quantize_type"], chosen["window_size"], chosen["moving_rate"], chosen["not_quant_pattern"], weighted,
            weight_quantize_func, act_quantize_func, weight_preprocess_func, act_preprocess_func, optimizer_func, executor,
            is_test),
            AddQuantDequantForResidual(scope, place, chosen["activation_bits"], is_test))
    if computed:
        _apply(graph, (AddQuantDequantPassV2 if chosen["onnx_format"] else AddQuantDequantPass)(
            scope, place, chosen["moving_rate"], chosen["activation_bits"], chosen["not_quant_pattern"],
            [kind for kind in computed if kind in SUPPORT_ACT_QUANTIZATION_OP_DICT], is_test))
    _apply(graph, OutScaleForTrainingPass(scope, place, chosen["moving_rate"], is_test, scale_dict))
    made = graph.to_program() if for_test or return_program else CompiledProgram(graph.graph)
    return (made, scale_dict, model_type, pattern_ops) if return_scale_dict else made


def convert(program, place, config=None, scope=None, save_int8=False):
    """The program for inference of one that ``quant_aware`` made for testing, once its weights are trained.

    Args:
        program (Program): for testing, as quant_aware returned it.
        place: a CPU.
        config (dict or None): that of quant_aware.
        scope (Scope or None): with the weights and scales; None is the global one.
        save_int8 (bool): return a second program whose weights are stored as int8 too; not with ``onnx_format``, whose are.
    Returns:
        Program, or two of them with ``save_int8``.
    Raises:
        ValueError: a setting is not one of those possible.

    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     out = paddle.static.nn.conv2d(paddle.static.data('x', [None, 1, 4, 4]), 2, 3, bias_attr=False)
    >>> _ = paddle.static.Executor().run(startup)
    >>> quantization, place = paddle.static.quantization, paddle.CPUPlace()
    >>> inference = quantization.convert(quantization.quant_aware(main, place, for_test=True), place)
    >>> paddle.static.global_scope().get(main.all_parameters()[0].name).dtype.name
    'int8'
    >>> paddle.disable_static()
    """
    chosen, scope = _settings(config, "convert"), scope or global_scope()
    if save_int8 and chosen["onnx_format"]:
        raise ArgumentError("convert(): save_int8 goes with config['onnx_format'] = False; with True the weights are int8 anyway")
    graph = IrGraph(Graph(program.desc), for_test=True)
    if chosen["onnx_format"]:
        _apply(graph, QuantWeightPass(scope, place), AddQuantDequantForInferencePass(scope, place, chosen["activation_bits"]))
    else:
        _apply(graph, OutScaleForInferencePass(scope), QuantizationFreezePass(
            scope, place, False, chosen["weight_bits"], chosen["activation_bits"],
            weight_quantize_type=chosen["weight_quantize_type"]))
    made = graph.to_program()
    if not save_int8:
        return made
    _apply(graph, ConvertToInt8Pass(scope, place))
    return made, graph.to_program()
