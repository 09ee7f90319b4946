"""A node taken apart: other nodes that do the same together, with gradients of their own."""

from __future__ import annotations

from typing import Any

from ...program.registry import find
from ..differentiate import Differentiation
from ..graph import Graph, Node, Value
from ..lower import Differentiable
from ..nodes.op import OpCall
from .pattern import Matcher


class Parts:
    """Collects the nodes that shall do what a node does; those that make its outputs are given them."""

    def __init__(self, node: Node) -> None:
        self.node, self.nodes = node, []
        self.attributes = dict(zip(node.call.op.attr_names, node.call.values))

    def call(self, kind: str, ins: list[Any] | tuple[Any, ...], layout: list[Any] | None = None, outs: int | list[Any] = 1,
             **attributes: Any) -> Any:
        """Add a node; returns its output Value, or a list of them. ``outs``: their number, or the Values themselves."""
        op = find(kind)
        values = [attributes.get(name, default) for name, default in zip(op.attr_names, op.defaults[op.n_in:])]
        if isinstance(outs, int):
            outs = [Value(f"{self.name()}.{kind}{len(self.nodes)}_{k}") for k in range(outs)]
        self.nodes.append(Node(OpCall(op, values, layout or [None] * len(ins), len(outs)), ins, outs, self.node.operator))
        return outs[0] if len(outs) == 1 else outs

    def name(self) -> str:
        """What the parts are named after."""
        return next((v.name for v in self.node.outs if v is not None), self.node.type)


def take_apart(graph: Graph, kind: type[Parts], nodes: list[Node]) -> None:
    """Put parts in the place of nodes, and their gradients in that of the nodes' gradients, where they have one or none."""
    matcher, places, mapping = Matcher(graph), {}, {}  # what one is replaced by changes nothing of the others' gradients
    for node in nodes:
        none, gradient = matcher.gradient(node)
        if not none and gradient is None:
            continue
        parts = kind(node)
        renamed, backward = ({}, []) if gradient is None else _differentiated(node, gradient, parts)
        if backward is None:
            for out in node.outs:
                if out is not None:
                    out.node = node  # not that of a part
            continue
        mapping |= renamed
        places |= {node: parts.nodes, gradient: backward}
    graph.nodes = [part for node in graph.nodes for part in places.get(node, [node])]
    graph.replace(mapping)


def _differentiated(node: Node, gradient: Node, parts: Any) -> tuple[Any, ...]:
    """(gradients of the node -> those of its parts, the nodes that make these); (None, None) if they can't take their place."""
    back = gradient.call
    leaves = {w: node.ins[w] for w in back.wanted}
    if any(sum(v is leaf for v in node.ins) > 1 for leaf in leaves.values()):
        return None, None  # one value at two places: their gradients could not be told apart
    whole = Differentiable(Graph())
    whole.graph.nodes = list(parts.nodes)
    sweep = Differentiation(whole, leaves.values())
    for out, g in zip(node.outs, gradient.ins[back.n_in + back.n_out:]):
        if out is not None and g is not None:
            sweep.add(out, g)
    found = sweep.run()
    if any(v not in found for v in leaves.values()):
        return None, None
    mapping = {gradient.outs[w]: found[v] for w, v in leaves.items()}
    mapping = {old: new for old, new in mapping.items() if old is not None}
    for old, new in mapping.items():
        new.var = new.var or old.var
    return mapping, whole.graph.nodes[len(parts.nodes):]
