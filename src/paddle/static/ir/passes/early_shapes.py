"""Shapes are taken as soon as there is something to take them of, so that nothing is kept for its shape alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..nodes.op import MetaCall

if TYPE_CHECKING:
    from ..graph import Graph


def run(graph: Graph) -> None:
    """Move every shape_of behind the node that makes its value (to the front for inputs and states)."""
    behind, makers = {}, graph.makers()
    for node in graph.nodes:
        if isinstance(node.call, MetaCall):
            behind.setdefault(makers.get(node.ins[0]), []).append(node)
    nodes = behind.get(None, [])
    for node in graph.nodes:
        if not isinstance(node.call, MetaCall):
            nodes += [node, *behind.get(node, ())]
    graph.nodes = nodes
