"""Updates of all parameters by one native call, in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..nodes.op import OpCall, RowsCall
from ..nodes.update import GroupUpdate
from .pattern import Matcher

if TYPE_CHECKING:
    from ..graph import Graph


def run(graph: Graph) -> None:
    """Group update nodes of one type, learning rate and attributes into one node at the place of the last."""
    found = {}
    for node in graph.nodes:
        if isinstance(node.call, (OpCall, RowsCall)) and node.call.op.group and all(v is not None for v in node.ins):
            found.setdefault((node.type, node.call.key()), []).append(node)
    for nodes in found.values():
        nodes = _separate(graph, nodes)
        if nodes:
            _group(graph, nodes)


def _separate(graph: Graph, nodes: list[Any]) -> list[Any]:
    """The nodes whose old values nobody reads after the last of them, so that they can be written over."""
    m = Matcher(graph)
    last = max(m.position[n] for n in nodes)
    # what the caller gave, and states that this run leaves as they are, must not be written over
    kept = [*graph.inputs, *[v for name, v in graph.states.items() if graph.updates.get(name, v) is v]]
    free = []
    for node in nodes:
        slots = node.call.op.updates
        if any(node.ins[p] in kept for p in slots):
            continue
        late = any(r is None or m.position[r] > last for p in slots for r in m.readers.get(node.ins[p], ()))
        early = any(r is not None and m.position[r] <= last for v in node.outs if v is not None for r in m.readers.get(v, ()))
        if not late and not early:
            free.append(node)
    return free


def _group(graph: Graph, nodes: list[Any]) -> None:
    call = GroupUpdate(nodes)
    ins = [v for node in nodes for v in node.ins]
    outs = [v for node in nodes for v in node.outs]
    new = type(nodes[0])(call, ins, outs, nodes[0].operator)
    chosen, at = set(nodes), nodes[-1]
    graph.nodes = [new if n is at else n for n in graph.nodes if n is at or n not in chosen]
