"""Inserting operators that round: what all passes do."""

import numpy as np

from ...core import dtype as dtypes
from ...core.errors import check_type
from ...utils import unique_name
from ..graph import IrGraph
from ..program.variable import LOD_TENSOR
from .utils import _channelwise_quant_axis1_ops

START = 0.001  # of a scale that nothing was measured for yet


def check_graph(graph, function):
    """TypeError unless it is an IrGraph."""
    check_type(graph, IrGraph, function, "graph")


def is_skipped(node, patterns):
    """Does the operator stand in a name scope that is not to be rounded?"""
    scope = node.operator.attrs.get("op_namescope", "")
    return any(p in scope for p in ([patterns] if isinstance(patterns, str) else patterns or ()))


def axis_of(node):
    """The axis of a weight along which the operator's channels lie."""
    attrs = node.operator.attrs
    turned = attrs.get("trans_y") or attrs.get("transpose_Y")
    return 1 if node.name() in _channelwise_quant_axis1_ops and not turned else 0


def is_float(node):
    """Does a node hold floating-point numbers?"""
    return node.variable is not None and node.dtype() is not None and node.dtype().name in ("float16", "float32", "float64")


def redirect(graph, old, new, ops):
    """Let operators read another node in place of one."""
    for op in ops:
        if old in op.inputs:
            graph.update_input_link(old, new, op)


class Inserter:
    """Puts operators behind nodes of a graph; variables that keep values get them in a scope."""

    def __init__(self, graph, scope, is_test, moving_rate=0.9):
        self.graph, self.scope, self.is_test, self.moving_rate = graph, scope, is_test, moving_rate

    def kept(self, name, shape, dtype, start):
        """A node of a variable that keeps its value; what the scope has of that name already stays."""
        if not self.scope.has(name) or list(np.shape(self.scope.get(name))) != list(shape):
            self.scope.set(name, np.full(shape, start, dtype.name))
        return self.graph.create_persistable_node(name, LOD_TENSOR, shape, dtype)

    def fresh(self, name, like):
        """A node of a variable like another."""
        return self.graph.create_var_node(name, like.type(), like.shape(), like.dtype())

    def operator(self, kind, attrs, inputs, outputs):
        """A new operator with its links."""
        node = self.graph.create_op_node(kind, attrs, inputs, outputs)
        for table, forward in ((inputs, True), (outputs, False)):
            for nodes in table.values():
                for other in nodes if isinstance(nodes, list) else [nodes]:
                    self.graph.link_to(*((other, node) if forward else (node, other)))
        return node

    def moving(self, dtype, names=("state", "accum")):
        """(inputs, outputs): what a scale that follows is made of."""
        inputs, outputs = {}, {}
        for slot, name in zip(("State", "Accum"), names):
            inputs["In" + slot] = node = self.kept(unique_name.generate(name), [1], dtype, 1.0)
            outputs["Out" + slot] = self.graph.create_var_node_from_desc(node.var())
        return inputs, outputs

    def following(self, kind, node, out_name, scale_name, bits, role):
        """(result, scale): an operator of a scale that follows the largest magnitude."""
        scale = self.kept(scale_name, [1], node.dtype(), START)
        new, out = self.graph.create_var_node_from_desc(scale.var()), self.fresh(out_name, node)
        inputs, outputs = ({}, {}) if self.is_test else self.moving(node.dtype())
        self.operator(kind, {"bit_length": bits, "moving_rate": self.moving_rate, "is_test": self.is_test, "op_role": role},
                      {"X": node, "InScale": scale, **inputs}, {"Out": out, "OutScale": new, **outputs})
        return out, new

    def quantized(self, node, kind, bits, axis, role):
        """(steps, scale) of a node, by the name of a way: abs_max, channel_wise_abs_max, moving_average_abs_max, range_abs_max."""
        name = node.name()
        if kind in ("moving_average_abs_max", "range_abs_max"):
            return self.following(f"fake_quantize_{kind}", node, f"{name}.quantized", f"{name}@scale", bits, role)
        channels = kind == "channel_wise_abs_max"
        scale = self.kept(f"{name}@scale", [node.shape()[axis]] if channels else [1], node.dtype(), 0.0)
        out = self.fresh(f"{name}.quantized", node)
        attrs = {"quant_axis": axis, "is_test": self.is_test} if channels else {}
        self.operator(f"fake_{'channel_wise_' if channels else ''}quantize_abs_max", {"bit_length": bits, "op_role": role, **attrs},
                      {"X": node}, {"Out": out, "OutScale": scale})
        return out, scale

    def dequantized(self, steps, scale, bits, axis, role):
        """What steps of a scale, or of one for each slice along an axis (None: one), stand for."""
        out = self.fresh(f"{steps.name()}.dequantized", steps)
        if axis is None:
            self.operator("fake_dequantize_max_abs", {"max_range": float(2 ** (bits - 1) - 1), "op_role": role},
                          {"X": steps, "Scale": scale}, {"Out": out})
        else:
            self.operator("fake_channel_wise_dequantize_max_abs", {"quant_bits": [bits], "quant_axis": axis, "op_role": role},
                          {"X": steps, "Scales": [scale]}, {"Out": out})
        return out

    def linear(self, node, bits, axis, role, is_weight, start=START, name=None, out=None):
        """A node through quantize_linear and dequantize_linear, as ONNX has it; axis -1 for one scale. ``out`` is the node of the
        result, a new one unless given."""
        name, sizes = name or node.name(), [1] if axis < 0 else [node.shape()[axis]]
        scale = self.kept(f"{name}@scale", sizes, node.dtype(), start)
        zero = self.kept(f"{name}.quantized@zero_point", sizes, dtypes.int32, 0)
        steps, out = self.fresh(f"{name}.quantized", node), out or self.fresh(f"{name}.quantized.dequantized", node)
        attrs, inputs, outputs = {"quant_axis": axis, "bit_length": bits, "op_role": role}, {}, {}
        after = scale
        if not self.is_test:
            after = self.graph.create_var_node_from_desc(scale.var())
            if not is_weight or axis < 0:
                inputs, outputs = self.moving(node.dtype())
            outputs["OutScale"] = after
        self.operator("quantize_linear", {**attrs, "is_test": self.is_test, "moving_rate": self.moving_rate},
                      {"X": node, "Scale": scale, "ZeroPoint": zero, **inputs}, {"Y": steps, **outputs})
        self.operator("dequantize_linear", attrs, {"X": steps, "Scale": after, "ZeroPoint": zero}, {"Y": out})
        return out
