"""Passes that make what training with few bits found into a program that computes with them."""

import numpy as np

from ...core.docstrings import documented_like
from ...core.errors import check_choice
from ...utils import unique_name
from .insertion import Inserter, axis_of, check_graph, is_float
from .quant_config import SUPPORT_QUANTIZATION_OP_DICT
from .utils import (
    _get_op_input_var_names,
    _get_op_output_var_names,
    _get_output_name_index,
    bias_correction_w,
    load_variable_data,
    quant_tensor,
)

_ROUNDING = ("fake_quantize_abs_max", "fake_quantize_range_abs_max", "fake_quantize_moving_average_abs_max",
             "fake_channel_wise_quantize_abs_max")
_OBSERVES = "moving_average_abs_max_scale"
_BOTH = (_OBSERVES, "fake_quantize_dequantize_abs_max", "fake_channel_wise_quantize_dequantize_abs_max",
         "fake_quantize_dequantize_moving_average_abs_max")
_BACK = ("fake_dequantize_max_abs", "fake_channel_wise_dequantize_max_abs")


def _bypass(graph, node, slot="Out"):
    """Take an operator away: who read its result reads its input."""
    read = graph._find_node_by_name(node.inputs, node.input("X")[0])
    made = graph._find_node_by_name(node.outputs, node.output(slot)[0])
    for reader in list(made.outputs):
        graph.update_input_link(made, read, reader)
    graph.safe_remove_nodes([node])


def _drop_unlinked(graph):
    graph.safe_remove_nodes([n for n in graph.all_var_nodes() if not n.inputs and not n.outputs])


class QuantizationFreezePass:
    """Weights become numbers of steps, and what operators compute with them is brought back to numbers behind the operators.

    Args:
        scope: holds weights and scales; the weights in it are replaced.
        place: a CPU.
        bias_correction: move the steps of a weight so that its mean and spread stay.
        weight_bits, activation_bits: as in the pass before.
        round_type: ``round``, or ``adaround`` for weights in the scope that are steps already.
        weight_quantize_type: as in the pass before.
        quantizable_op_type: which operators, in addition to those that the pass before marked.
    """

    def __init__(self, scope, place, bias_correction=False, weight_bits=8, activation_bits=8, round_type="round",
                 weight_quantize_type="abs_max", quantizable_op_type=None):
        check_choice(round_type, ("round", "adaround"), "QuantizationFreezePass", "round_type")
        self._scope, self._place, self._bias_correction = scope, place, bias_correction
        self._weight_bits, self._activation_bits, self._round_type = weight_bits, activation_bits, round_type
        self._weight_quantize_type, self._types = weight_quantize_type, list(quantizable_op_type or ())

    def apply(self, graph):
        """Change a graph, and return it."""
        check_graph(graph, "QuantizationFreezePass.apply")
        scales, steps = {}, {}  # of weights: value by node; of others: (node of the steps, node of the scale)
        for node in graph.topology_sort():
            if node.name() in _ROUNDING:
                read = graph._find_node_by_name(node.inputs, node.input("X")[0])
                if read.persistable():
                    scales[read] = self._freeze(node, read)
                    _bypass(graph, node)
                else:
                    made = graph._find_node_by_name(node.outputs, node.output("Out")[0])
                    steps[made] = graph._find_node_by_name(node.outputs, node.output("OutScale")[0])
        for node in graph.topology_sort():
            if node.name() in _BACK:
                _bypass(graph, node)
        for node in graph.topology_sort():
            if node.operator.attrs.get("quantization_type") == "qat_with_weight" or node.name() in self._types:
                self._bring_back(graph, node, scales, steps)
        _drop_unlinked(graph)
        graph.resolve_hazard()
        return graph

    def _freeze(self, node, weight):
        """Replace a weight in the scope by its steps; returns its scale, a list where each channel has one."""
        value = load_variable_data(self._scope, weight.name())
        axis = node.operator.attrs.get("quant_axis", 0)
        found = load_variable_data(self._scope, node.output("OutScale")[0]).reshape(-1)
        scale = float(found[0]) if self._weight_quantize_type != "channel_wise_abs_max" else found.tolist()
        if self._round_type == "round":
            steps = np.round(quant_tensor(value, scale, axis, self._weight_bits))
            if self._bias_correction:
                steps = np.round(bias_correction_w(value, steps, scale, axis, self._weight_bits))
            self._scope.set(weight.name(), steps.astype(value.dtype))
        return scale

    def _bring_back(self, graph, node, scales, steps):
        names = node.input_arg_names()
        weight = next((scales[n] for n in node.inputs if n in scales and n.name() in names), None)
        other = next((steps[n] for n in node.inputs if n in steps and n.name() in names), None)
        if weight is None or other is None:
            return
        if len(node.output_arg_names()) != 1:
            raise ValueError(f"QuantizationFreezePass: {node.name()} has {len(node.output_arg_names())} outputs, one was expected")
        made = graph._find_node_by_name(node.outputs, node.output_arg_names()[0])
        readers, inserter = list(made.outputs), Inserter(graph, self._scope, True)
        out = inserter.fresh(f"{made.name()}.dequantized", made)
        limits = [2 ** (bits - 1) - 1 for bits in (self._weight_bits, self._activation_bits)]
        if isinstance(weight, list):
            channels = inserter.kept(unique_name.generate("channel_scale"), [len(weight)], made.dtype(), 0.0)
            self._scope.set(channels.name(), np.asarray(weight, made.dtype().name))
            flat = node.operator.attrs.get("x_num_col_dims", len(made.shape()) - 1 if node.name().startswith(("mat", "mul")) else 1)
            inserter.operator("fake_channel_wise_dequantize_max_abs",
                              {"quant_bits": [self._weight_bits, self._activation_bits], "quant_axis": axis_of(node),
                               "x_num_col_dims": flat, "op_role": 0}, {"X": made, "Scales": [channels, other]}, {"Out": out})
        else:
            inserter.operator("fake_dequantize_max_abs", {"max_range": limits[0] * limits[1] / weight, "op_role": 0},
                              {"X": made, "Scale": other}, {"Out": out})
        for reader in readers:
            graph.update_input_link(made, out, reader)


class ConvertToInt8Pass:
    """Weights that hold the numbers of steps become int8, under their names with ``.int8``."""

    def __init__(self, scope, place, quantizable_op_type=None):
        self._scope, self._place, self._types = scope, place, list(quantizable_op_type or ())

    def apply(self, graph):
        """Change a graph, and return it."""
        check_graph(graph, "ConvertToInt8Pass.apply")
        made = {}
        for node in graph.topology_sort():
            if node.operator.attrs.get("quantization_type") == "qat_with_weight" or node.name() in self._types:
                for read in [n for n in node.inputs if n.persistable() and n.name() in _get_op_input_var_names(node)]:
                    if read not in made:
                        made[read] = graph.create_persistable_node(f"{read.name()}.int8", read.type(), read.shape(), "int8")
                        self._scope.set(f"{read.name()}.int8", load_variable_data(self._scope, read.name()).astype("int8"))
                    graph.update_input_link(read, made[read], node)
        _drop_unlinked(graph)
        graph.resolve_hazard()
        return graph


class TransformForMobilePass:
    """Operators that round get the names that Paddle Lite has for them: ``quantize`` and ``dequantize``."""

    def apply(self, graph):
        """Change a graph, and return it."""
        check_graph(graph, "TransformForMobilePass.apply")
        for node in graph.topology_sort():
            if node.name() in _ROUNDING or node.name() in _BACK:
                node.set_type("quantize" if node.name() in _ROUNDING else "dequantize")
        graph.resolve_hazard()
        return graph


class OutScaleForInferencePass:
    """Writes the measured scales of results into the operators, as attributes: ``out_threshold``, ``<slot><number>_threshold``."""

    def __init__(self, scope=None):
        self._scope = scope

    def apply(self, graph):
        """Change a graph, and return it."""
        check_graph(graph, "OutScaleForInferencePass.apply")
        for node in graph.topology_sort():
            if node.name() in SUPPORT_QUANTIZATION_OP_DICT:
                names = _get_op_output_var_names(node)
                for made in [n for n in node.outputs if n.name() in names and is_float(n)]:
                    value = float(load_variable_data(self._scope, f"{made.name()}@scale").reshape(-1)[0])
                    slot, number = _get_output_name_index(node, made.name())
                    for name in ("out_threshold", f"{slot}{number}_threshold"):
                        node.set_attr(name, value)
                    node.set_attr("with_quant_attr", True)
        graph.resolve_hazard()
        return graph


@documented_like(QuantizationFreezePass)
class ReplaceFakeQuantDequantPass:
    """Operators that round, and those that only measure, become ``quantize_linear`` and ``dequantize_linear`` with the scales that
    they have; what was measured already is not rounded once more.

    Args:
        scope: holds the scales.
        place: a CPU.
        quant_bits: bits where an operator does not say them.
    """

    def __init__(self, scope, place, quant_bits=8):
        self._scope, self._place, self._quant_bits = scope, place, quant_bits

    def apply(self, graph):
        """Change a graph, and return it."""
        check_graph(graph, "ReplaceFakeQuantDequantPass.apply")
        nodes = [node for node in graph.topology_sort() if node.name() in _BOTH]
        observed = {node.output("Out")[0] for node in nodes if node.name() == _OBSERVES}
        for node in nodes:
            if node.input("X")[0] in observed:
                _bypass(graph, node)
            else:
                self._replace(graph, node)
        _drop_unlinked(graph)
        graph.resolve_hazard()
        return graph

    def _replace(self, graph, node):
        read = graph._find_node_by_name(node.inputs, node.input("X")[0])
        made = graph._find_node_by_name(node.outputs, node.output("Out")[0])
        attrs, scale = node.operator.attrs, load_variable_data(self._scope, node.output("OutScale")[0]).reshape(-1)
        self._scope.set(f"{read.name()}@scale", scale)
        axis = attrs["quant_axis"] if len(scale) > 1 else -1
        graph.safe_remove_nodes([node])
        Inserter(graph, self._scope, is_test=True).linear(read, attrs.get("bit_length", self._quant_bits), axis,
                                                          attrs.get("op_role", 0), is_weight=True, out=made)


class QuantWeightPass:
    """Weights behind ``quantize_linear`` become their steps, in int8 or int16, and the operators that made them go.

    Args:
        quant_bits: bits of the weights.
        save_int_weight: keep the steps as integers, not as floats.
    """

    def __init__(self, scope, place, bias_correction=False, quant_bits=8, save_int_weight=True):
        self._scope, self._place, self._bias_correction = scope, place, bias_correction
        self._quant_bits, self._save_int_weight = quant_bits, save_int_weight

    def apply(self, graph):
        """Change a graph, and return it."""
        check_graph(graph, "QuantWeightPass.apply")
        for node in graph.topology_sort():
            if node.name() == "quantize_linear":
                weight = graph._find_node_by_name(node.inputs, node.input("X")[0])
                if weight.persistable():
                    self._freeze(weight, node)
                    _bypass(graph, node, "Y")
        _drop_unlinked(graph)
        graph.resolve_hazard()
        return graph

    def _freeze(self, weight, node):
        value = load_variable_data(self._scope, weight.name())
        scale = load_variable_data(self._scope, node.input("Scale")[0]).reshape(-1).tolist()
        scale, axis = scale[0] if len(scale) == 1 else scale, node.operator.attrs["quant_axis"]
        bits = node.operator.attrs.get("bit_length", self._quant_bits)
        steps = quant_tensor(value, scale, axis, bits, onnx_format=True)
        if self._bias_correction:
            steps = np.round(bias_correction_w(value, steps, scale, axis, bits))
        if self._save_int_weight:
            steps = steps.astype("int8" if bits <= 8 else "int16")
            weight.variable.desc.set_dtype(str(steps.dtype))
        self._scope.set(weight.name(), steps)


class AddQuantDequantForInferencePass:
    """Rounds the results that were measured, with ``quantize_linear`` and ``dequantize_linear``.

    Args:
        scope: holds the scales.
        place: a CPU.
        quant_bits: bits of what is rounded.
        quantizable_op_type: which operators' results.
        calibration_range_dict: scales by name, where they are known otherwise.
        only_observer: keep the operators as notes of the scales that change nothing.
    """

    def __init__(self, scope, place, quant_bits=8, quantizable_op_type=(), calibration_range_dict=None, only_observer=True):
        self._scope, self._place, self._quant_bits = scope, place, quant_bits
        self._types = list(quantizable_op_type) or list(SUPPORT_QUANTIZATION_OP_DICT)
        self._ranges, self._only_observer = calibration_range_dict or {}, only_observer

    def apply(self, graph):
        """Change a graph, and return it."""
        check_graph(graph, "AddQuantDequantForInferencePass.apply")
        for node in graph.topology_sort():
            names = _get_op_output_var_names(node) if node.name() in self._types else ()
            for made in [n for n in node.outputs if n.name() in names and is_float(n)]:
                self._round(graph, made)
        graph.resolve_hazard()
        return graph

    def _round(self, graph, made):
        name, inserter = made.name(), Inserter(graph, self._scope, True)
        if name in self._ranges:
            self._scope.set(f"{name}@scale", np.asarray([self._ranges[name]], made.dtype().name))
        if not self._scope.has(f"{name}@scale"):
            return
        readers = list(made.outputs)
        if any(n.name() == f"{name}.quantized" for r in readers for n in r.outputs):
            return
        out = inserter.linear(made, self._quant_bits, -1, 0, False)
        for op in (out.inputs[0], out.inputs[0].inputs[0].inputs[0]):
            op.set_attr("only_observer", self._only_observer)
        for reader in readers:
            graph.update_input_link(made, out, reader)
