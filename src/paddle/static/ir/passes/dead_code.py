"""Dead code: nodes whose results nobody reads are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..graph import Graph


def run(graph: Graph) -> None:
    """Drop nodes that lead to no output, no update and no effect, outputs nobody reads, and states no longer needed."""
    needed = {v for v in graph.results() if v is not None}
    kept = []
    for node in reversed(graph.nodes):
        if node.call.effect or any(v in needed for v in node.outs if v is not None):
            kept.append(node)
            needed.update(v for v in node.ins if v is not None)
            node.outs = [v if v in needed else None for v in node.outs]
    graph.nodes = kept[::-1]
    graph.states = {name: v for name, v in graph.states.items() if v in needed}
