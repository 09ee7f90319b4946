"""Batch normalisation in test mode behind a convolution, both with constant parameters: one convolution with other weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ops.math import arithmetic, unary
from ..graph import Node, Value
from ..nodes.op import Constant, OpCall
from .pattern import Matcher, replace_group

if TYPE_CHECKING:
    from ..graph import Graph

_TYPES = ("conv2d", "depthwise_conv2d")


def run(graph: Graph) -> None:
    """Fold what can be folded; used where parameters are constants (``frozen.py``)."""
    for norm in [n for n in graph.nodes if isinstance(n.call, OpCall) and n.call.type == "batch_norm"]:
        _fold(graph, norm)


def _constant(value: Any) -> Any:
    node = None if value is None else value.node
    return node.call.value if node is not None and isinstance(node.call, Constant) else None


def _before(m: Any, value: Any, channels: Any) -> Any:
    """(convolution, its constant bias or 0, nodes up to the value) that make a value which nobody else reads, or None."""
    node, bias, nodes = value.node, 0, []
    if node is not None and isinstance(node.call, OpCall) and node.type == "elementwise_add":
        bias = _constant(node.ins[1])
        aligned = bias is not None and bias.size == channels and (
            node.call.values[0] == 1 and bias.ndim == 1 or bias.shape == (1, channels, 1, 1))
        if not aligned or len(m.readers[node.outs[0]]) != 1:
            return None
        nodes.append(node)
        bias, value = bias.reshape(-1), node.ins[0]
        node = value.node
    if node is None or not isinstance(node.call, OpCall) or node.type not in _TYPES or node.ins[2] is not None \
            or len(m.readers[value]) != 1:
        return None
    return node, bias, [*nodes, node]


def _fold(graph: Any, norm: Any) -> None:
    attrs = dict(zip(norm.call.op.attr_names, norm.call.values))
    named = {s.name: v for s, v in zip(norm.call.op.inputs, norm.ins)}
    values = [_constant(named[s]) for s in ("Scale", "Bias", "Mean", "Variance")]
    scale, shift, mean, variance = values
    m = Matcher(graph)
    if not (attrs.get("is_test") or attrs.get("use_global_stats")) or attrs.get("data_layout", "NCHW") != "NCHW" \
            or mean is None or variance is None or any(v is not None and m.readers.get(v) for v in norm.outs[1:]) \
            or any(named[s] is not None and v is None for s, v in zip(("Scale", "Bias"), values)):
        return
    found = _before(m, named["X"], mean.size)
    w = None if found is None else _constant(found[0].ins[1])
    if w is None:
        return
    conv, bias, nodes = found
    kind = w.dtype.type
    factor = arithmetic.divide.fn(np.ones_like(variance) if scale is None else scale,
                                  unary.sqrt.fn(variance + kind(attrs["epsilon"])))
    total = (0 if shift is None else shift) + (bias - mean) * factor
    weight = Value(conv.ins[1].name + ".folded", conv.ins[1].var)
    vector = Value(norm.outs[0].name + ".bias")
    made = [Node(Constant((w * factor.reshape(-1, 1, 1, 1)).astype(w.dtype), conv.ins[1].node.call.steps, 0), [], [weight]),
            Node(Constant(total.astype(w.dtype)), [], [vector])]
    new = Node(conv.call, [conv.ins[0], weight, vector], [norm.outs[0]], conv.operator)
    replace_group(graph, {norm, *nodes}, new, norm)
    at = graph.nodes.index(new)
    graph.nodes[at:at] = made
