"""Passes that let a program compute as if with few bits: for training, and for testing while it is trained."""

from ...core.docstrings import documented_like
from ...core.errors import check_choice
from .insertion import Inserter, axis_of, check_graph, is_float, is_skipped, redirect
from .quant_config import SUPPORT_ACT_QUANTIZATION_OP_DICT, SUPPORT_QUANTIZATION_OP_DICT, SUPPORT_WEIGHT_QUANTIZATION_OP_DICT
from .utils import _get_op_input_var_names, _get_op_output_var_names

_WAYS = ("abs_max", "channel_wise_abs_max", "range_abs_max", "moving_average_abs_max")


def _check_types(given, known, function):
    for kind in given:
        check_choice(kind, tuple(known), function, "quantizable_op_type")


def _role(node):
    return node.operator.attrs.get("op_role", 0)


class QuantizationTransformPass:
    """Rounds weights and inputs of operators that have weights; gradients are computed with what was rounded.

    Args:
        scope: gets the scales.
        place: a CPU.
        weight_bits, activation_bits: bits of weights and of other inputs.
        activation_quantize_type: ``abs_max``, ``moving_average_abs_max`` or, in testing, ``range_abs_max``.
        weight_quantize_type: one of these or ``channel_wise_abs_max``.
        window_size: how many steps ``range_abs_max`` looks back.
        moving_rate: how much of the past ``moving_average_abs_max`` keeps at each step.
        skip_pattern: operators in name scopes with this text are left alone.
        quantizable_op_type: which operators.
        is_test: are scales fixed? By default what the graph says.
    """

    def __init__(self, scope=None, place=None, weight_bits=8, activation_bits=8, activation_quantize_type="abs_max",
                 weight_quantize_type="abs_max", window_size=10000, moving_rate=0.9, skip_pattern=("skip_quant",),
                 quantizable_op_type=("conv2d", "depthwise_conv2d", "mul"), weight_quantize_func=None, act_quantize_func=None,
                 weight_preprocess_func=None, act_preprocess_func=None, optimizer_func=None, executor=None, is_test=None):
        own, function = {"weight_quantize_func": weight_quantize_func, "act_quantize_func": act_quantize_func,
                         "weight_preprocess_func": weight_preprocess_func, "act_preprocess_func": act_preprocess_func,
                         "optimizer_func": optimizer_func}, type(self).__name__
        for name, value in own.items():
            if value is not None:
                raise NotImplementedError(f"{function}(): {name} is not supported")
        check_choice(activation_quantize_type, tuple(w for w in _WAYS if w != "channel_wise_abs_max"), function,
                     "activation_quantize_type")
        check_choice(weight_quantize_type, _WAYS, function, "weight_quantize_type")
        _check_types(quantizable_op_type, SUPPORT_WEIGHT_QUANTIZATION_OP_DICT, function)
        self._scope, self._place, self._weight_bits, self._activation_bits = scope, place, weight_bits, activation_bits
        self._activation_quantize_type, self._weight_quantize_type = activation_quantize_type, weight_quantize_type
        self._window_size, self._moving_rate, self._skip_pattern = window_size, moving_rate, skip_pattern
        self._quantizable_ops, self._executor, self._is_test = list(quantizable_op_type), executor, is_test

    def apply(self, graph):
        """Change a graph, and return it."""
        check_graph(graph, f"{type(self).__name__}.apply")
        is_test = graph.is_test() if self._is_test is None else self._is_test
        inserter, rounded, nodes = Inserter(graph, self._scope, is_test, self._moving_rate), {}, graph.topology_sort()
        for node in nodes:
            if node.name() in self._quantizable_ops and self._wanted(node):
                for read in list(node.inputs):
                    if read.name() in _get_op_input_var_names(node) and is_float(read):
                        if read not in rounded:
                            rounded[read] = self._rounded(inserter, read, node)
                        graph.update_input_link(read, rounded[read], node)
        for node in nodes:
            if node.name().removesuffix("_grad") in self._quantizable_ops and node.name().endswith("_grad"):
                for read in list(node.inputs):
                    redirect(graph, read, rounded.get(read, read), [node] if read in rounded else [])
        graph.resolve_hazard()
        return graph

    def _wanted(self, node):
        """Mark an operator that is rounded, or left alone."""
        if is_skipped(node, self._skip_pattern):
            node.set_attr("skip_quant", True)
            node.set_attr("with_quant_attr", True)
        names = _get_op_input_var_names(node)
        if node.operator.attrs.get("skip_quant") or not any(n.persistable() for n in node.inputs if n.name() in names):
            return False
        node.set_attr("quantization_type", "qat_with_weight")
        node.set_attr("with_quant_attr", True)
        return True

    def _rounded(self, inserter, read, node):
        weight = read.persistable()
        kind = self._weight_quantize_type if weight else self._activation_quantize_type
        bits, axis = self._weight_bits if weight else self._activation_bits, axis_of(node)
        steps, scale = inserter.quantized(read, kind, bits, axis, _role(node))
        return inserter.dequantized(steps, scale, bits, axis if kind == "channel_wise_abs_max" else None, _role(node))


class QuantizationTransformPassV2(QuantizationTransformPass):
    """As QuantizationTransformPass, with the operators quantize_linear and dequantize_linear."""

    def _rounded(self, inserter, read, node):
        weight = read.persistable()
        channels = weight and self._weight_quantize_type == "channel_wise_abs_max"
        bits = self._weight_bits if weight else self._activation_bits
        return inserter.linear(read, bits, axis_of(node) if channels else -1, _role(node), weight)


@documented_like(QuantizationTransformPass)
class AddQuantDequantPass:
    """Rounds the inputs of operators without weights; their scales follow the largest magnitude.

    Args:
        moving_rate: how much of the past scales keep at each step.
        quant_bits: bits of what is rounded.
        scale_dict: scales by name, where they are known already.
    """

    def __init__(self, scope=None, place=None, moving_rate=0.9, quant_bits=8, skip_pattern=("skip_quant",),
                 quantizable_op_type=("elementwise_add", "pool2d"), is_test=None, scale_dict=None):
        _check_types(quantizable_op_type, SUPPORT_ACT_QUANTIZATION_OP_DICT, type(self).__name__)
        self._scope, self._place, self._moving_rate, self._quant_bits = scope, place, moving_rate, quant_bits
        self._skip_pattern, self._quantizable_op_type = skip_pattern, list(quantizable_op_type)
        self._is_test, self._scale_dict = is_test, scale_dict or {}

    def apply(self, graph):
        """Change a graph, and return it."""
        check_graph(graph, f"{type(self).__name__}.apply")
        is_test = graph.is_test() if self._is_test is None else self._is_test
        inserter, rounded, nodes = Inserter(graph, self._scope, is_test, self._moving_rate), {}, graph.topology_sort()
        for node in nodes:
            names = _get_op_input_var_names(node)
            reads = [read for read in node.inputs if read.name() in names]
            if node.name() not in self._quantizable_op_type or not self._wanted(node, reads):
                continue
            for read in reads:
                if is_float(read) and not read.persistable():
                    if read not in rounded:
                        rounded[read] = self._rounded(inserter, read, _role(node))
                    graph.update_input_link(read, rounded[read], node)
        for node in nodes:
            if node.name().endswith("_grad") and node.name().removesuffix("_grad") in self._quantizable_op_type:
                for read in [r for r in node.inputs if r in rounded]:
                    graph.update_input_link(read, rounded[read], node)
        graph.resolve_hazard()
        return graph

    def _wanted(self, node, reads):
        """Mark an operator that is rounded: not by another pass already, and without weights."""
        if (is_skipped(node, self._skip_pattern) or node.operator.attrs.get("quantization_type") == "qat_with_weight"
                or any(read.persistable() for read in reads)):
            return False
        node.set_attr("quantization_type", "qat_without_weight")
        node.set_attr("activation_bits", self._quant_bits)
        node.set_attr("with_quant_attr", True)
        return not any("quantized.dequantized" in read.name() for read in reads)

    def _rounded(self, inserter, read, role):
        name = read.name()
        if name in self._scale_dict:
            inserter.kept(f"{name}.quant_dequant@scale", [1], read.dtype(), float(self._scale_dict[name]))
        return inserter.following("fake_quantize_dequantize_moving_average_abs_max", read, f"{name}.quant_dequant",
                                  f"{name}.quant_dequant@scale", self._quant_bits, role)[0]


class AddQuantDequantPassV2(AddQuantDequantPass):
    """As AddQuantDequantPass, with the operators quantize_linear and dequantize_linear."""

    def _wanted(self, node, reads):
        """Operators that no other pass rounds; what they compute with weights is rounded too."""
        return not (is_skipped(node, self._skip_pattern) or node.operator.attrs.get("quantization_type") == "qat_with_weight"
                    or any("quantized.dequantized" in read.name() for read in reads))

    def _rounded(self, inserter, read, role):
        start = self._scale_dict.get(read.name())
        return inserter.linear(read, self._quant_bits, -1, role, False, *([] if start is None else [float(start)]))


@documented_like(AddQuantDequantPass)
class AddQuantDequantForResidual:
    """Rounds what goes around layers: the operand of an addition of two computed values that is read first."""

    def __init__(self, scope, place, quant_bits=8, is_test=True):
        self._scope, self._place, self._quant_bits, self._is_test = scope, place, quant_bits, is_test

    def apply(self, graph):
        """Change a graph, and return it."""
        check_graph(graph, "AddQuantDequantForResidual.apply")
        nodes, first = graph.topology_sort(), {}
        for place, node in enumerate(nodes):
            for read in node.inputs:
                first.setdefault(read.name(), place)
        weights = {node.name() for node in graph.all_persistable_nodes()}
        weights |= {node.outputs[0].name() for node in nodes if node.name() == "cast" and node.inputs[0].name() in weights}
        inserter = Inserter(graph, self._scope, self._is_test)
        for node in [n for n in nodes if n.name() == "elementwise_add"]:
            reads = node.inputs[:2]
            if not weights & {read.name() for read in reads}:
                around = min(reversed(reads), key=lambda read: first[read.name()])
                rounded = inserter.linear(around, self._quant_bits, -1, _role(node), False, name=f"{around.name()}.skip")
                graph.update_input_link(around, rounded, node)
        return graph


@documented_like(AddQuantDequantPass)
class OutScaleForTrainingPass:
    """Measures the results of operators: scales that follow their largest magnitude."""

    def __init__(self, scope=None, place=None, moving_rate=0.9, is_test=None, scale_dict=None):
        self._scope, self._place, self._moving_rate = scope, place, moving_rate
        self._is_test, self._scale_dict = is_test, scale_dict or {}

    def apply(self, graph):
        """Change a graph, and return it."""
        check_graph(graph, "OutScaleForTrainingPass.apply")
        is_test = graph.is_test() if self._is_test is None else self._is_test
        inserter, known = Inserter(graph, self._scope, is_test, self._moving_rate), {n.name() for n in graph.all_var_nodes()}
        for node in graph.topology_sort():
            if node.name() in SUPPORT_QUANTIZATION_OP_DICT:
                names = _get_op_output_var_names(node)
                for made in [n for n in node.outputs if n.name() in names and is_float(n) and "@GRAD" not in n.name()]:
                    if f"{made.name()}@scale" not in known:
                        known.add(f"{made.name()}@scale")
                        self._measure(inserter, made, _role(node))
        return graph

    def _measure(self, inserter, made, role):
        scale = inserter.kept(f"{made.name()}@scale", [1], made.dtype(), float(self._scale_dict.get(made.name(), 1.0)))
        if inserter.is_test:
            return  # nothing changes it
        inputs, outputs = inserter.moving(made.dtype(), ("scale_state@", "scale_accum@"))
        out = inserter.fresh(f"{made.name()}.measured", made)
        inserter.operator("moving_average_abs_max_scale", {"moving_rate": self._moving_rate, "is_test": False, "op_role": role},
                          {"X": made, **inputs}, {"Out": out, "OutScale": scale, **outputs})
