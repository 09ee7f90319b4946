"""Shapes are taken as soon as there is something to take them of, so that nothing is kept for its shape alone."""

from ..nodes.op import MetaCall


def run(graph):
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
