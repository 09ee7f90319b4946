"""Sums of many values are taken as the values arrive: two are held at a time, not all.

What loops share, a weight above all, gets as many gradients as the loop has iterations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import Node, Value
from ..nodes.op import OpCall

if TYPE_CHECKING:
    from ..graph import Graph


class RunningSum(OpCall):
    """A sum that is to be taken where it stands: joined with others later, all that they add would have to be held."""


def run(graph: Graph) -> None:
    """Replace sums of three and more values, which nobody else reads, by sums of two behind the nodes that make them."""
    for node in [n for n in graph.nodes if isinstance(n.call, OpCall) and n.type == "sum" and len(n.ins) > 2]:
        readers, makers = graph.uses(), graph.makers()
        position = {n: k for k, n in enumerate(graph.nodes)}
        made = sorted(node.ins, key=lambda v: position.get(makers.get(v), -1))
        if all(readers[v] == [node] for v in made[1:]):
            _replace(graph, node, made, makers)


def _replace(graph: Graph, node: Node, made: list[Any], makers: dict[Any, Any]) -> None:
    total, behind = made[0], {}
    for k, value in enumerate(made[1:], 1):
        out = node.outs[0] if k == len(made) - 1 else Value(f"{node.outs[0].name}.{k}", node.outs[0].var)
        pair = Node(RunningSum(node.call.op, [], [2], 1), [total, value], [out], node.operator)
        behind.setdefault(makers.get(value), []).append(pair)
        total = out
    nodes = list(behind.pop(None, ()))
    for n in graph.nodes:
        nodes += [*([] if n is node else [n]), *behind.get(n, ())]
    graph.nodes = nodes
