"""Shapes of traced programs, which are certain: gradients need not ask for them while the program runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...program.registry import find
from ...program.variable import LOD_TENSOR
from ..graph import Node
from ..nodes.op import Constant, FixedMeta, GradCall, MetaCall, OpCall

if TYPE_CHECKING:
    from ..graph import Graph


def run(graph: Graph) -> None:
    """Put constants in place of known shapes; gradients of sums and products become the gradient, or products with it."""
    if graph.exact:
        _fix(graph)
        _simplify(graph)


def _known(value: Any) -> Any:
    var = value.var
    return None if var is None or var.kind != LOD_TENSOR or -1 in var.shape else tuple(var.shape)


def _fix(graph: Any) -> None:
    for node in graph.nodes:
        if isinstance(node.call, MetaCall) and _known(node.ins[0]) is not None:
            var = node.ins[0].var
            node.call, node.ins = Constant(FixedMeta(tuple(var.shape), var.dtype.dtype)), []


def _simplify(graph: Any) -> None:
    """Where no operand was broadcast, gradients of sums are the result's gradient, those of products its products."""
    mapping, nodes = {}, []
    for node in graph.nodes:
        call = node.call
        if isinstance(call, GradCall) and isinstance(call.inner, OpCall) and not call.aligns:
            for w in call.wanted:
                if node.outs[w] is not None and _same_shape(node.ins[w], node.ins[-1]):
                    _shorten(node, w, mapping, nodes)
        if any(v is not None for v in node.outs) or call.effect:
            nodes.append(node)
    graph.nodes = nodes
    graph.replace(mapping)


def _shorten(node: Any, w: Any, mapping: Any, nodes: Any) -> None:
    """Take one gradient out of a node of several, if there is a shorter way to it."""
    kind, g, out = node.call.inner.type, node.ins[-1], node.outs[w]
    if kind == "elementwise_add" or kind == "elementwise_sub" and w == 0:
        mapping[out] = g
    elif kind == "elementwise_mul" and out.var is not None and out.var.dtype is not None and out.var.dtype.is_floating:
        nodes.append(Node(OpCall(find(kind), [-1], [None, None], 1), [g, node.ins[1 - w]], [out], node.operator))
    else:
        return
    node.outs[w] = None


def _same_shape(operand: Any, g: Any) -> Any:
    """Does an operand (of which only the shape may be there) surely have the shape of the gradient?"""
    if operand is None or g is None:
        return False
    fixed = operand.node.call if operand.node is not None else None
    shape = fixed.value.shape if isinstance(fixed, Constant) else _known(operand)
    return shape is not None and shape == _known(g)
