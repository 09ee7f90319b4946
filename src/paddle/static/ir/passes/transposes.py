"""Transposes that undo each other are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ops.manipulation.reshape import inverse
from ..nodes.op import GradCall, OpCall
from .identity import may_leave

if TYPE_CHECKING:
    from ..graph import Graph, Node


def run(graph: Graph) -> None:
    """Let readers of a transposed transpose that puts the axes back read the original."""
    results, mapping = {v for v in graph.results() if v is not None}, {}
    for node in graph.nodes:
        value, order = _transposed(node)
        if order is None or value.node is None:
            continue
        original, first = _transposed(value.node)
        if first is None or list(first) != inverse(order):
            continue
        out = node.outs[0]
        if out not in results or may_leave(original, results):
            mapping[out] = original
            results.update([original] if out in results else [])
    graph.nodes = [node for node in graph.nodes if not node.outs or node.outs[0] not in mapping]
    graph.replace(mapping)


def _transposed(node: Node) -> tuple[Any, ...]:
    """(the value, the order of axes that a node puts it into), (None, None) for other nodes."""
    call = node.call
    if isinstance(call, OpCall) and call.type == "transpose2":
        return node.ins[0], [a % len(call.values[0]) for a in call.values[0]]
    if isinstance(call, GradCall) and isinstance(call.inner, OpCall) and call.inner.type == "transpose2":
        return node.ins[-1], inverse(call.inner.values[0])
    return None, None
