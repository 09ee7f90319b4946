"""What passes ask about a Graph: who reads a value, which node computes whose gradient, and replacing a group of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..nodes.op import GRAD, GradCall, MetaCall, OpCall, freeze

if TYPE_CHECKING:
    from ..graph import Graph, Node, Value


class Matcher:
    """Readers and gradients of a Graph's nodes, as they are now: make a new one after changes by other means than ``exchange``."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.readers = graph.uses()
        self.position = {node: k for k, node in enumerate(graph.nodes)}
        self.named = {}  # name -> the node that makes the value of that name, None if several do
        for node in graph.nodes:
            for v in node.outs:
                if v is not None:
                    self.named[v.name] = None if v.name in self.named else node
        self.gradients = self._pair_gradients()
        self.exchanged: dict[Node, Node | None] = {}  # node that goes -> the one in its place, if any

    def _pair_gradients(self) -> dict[Any, Any]:
        """Forward node -> the nodes that compute its gradients (first order)."""
        found = {}
        for node in self.graph.nodes:
            if isinstance(node.call, GradCall) and isinstance(node.call.inner, OpCall):
                forward = self._forward_of(node)
                if forward is not None:
                    found.setdefault(forward, []).append(node)
        return found

    def _forward_of(self, node: Node) -> Node | None:
        call, inner = node.call, node.call.inner
        for p in range(call.n_in + call.n_out):
            v = source(node.ins[p])
            if v is None:
                continue
            if p >= call.n_in:
                candidates = [v.node]
            else:
                candidates = [r for r in self.readers.get(v, ()) if r is not None]
            for c in candidates:
                if c is not None and isinstance(c.call, OpCall) and c.call.type == inner.type and self._agrees(c, node):
                    return c
        if not any(v is not None for v in node.ins[:call.n_in + call.n_out]):  # all it reads is a gradient: go by its name
            c = self.named.get(next(v for v in node.ins if v is not None).name.partition(GRAD)[0])
            if c is not None and isinstance(c.call, OpCall) and c.call.type == inner.type and self._agrees(c, node):
                return c
        return None

    def _agrees(self, forward: Node, node: Node) -> bool:
        call = node.call
        if freeze(forward.call.values) != freeze(call.inner.values) or forward.call.layout != call.inner.layout:
            return False
        named = node.ins[:call.n_in + call.n_out]
        return all(v is None or own is source(v) for own, v in zip([*forward.ins, *forward.outs], named))

    def gradient(self, node: Node) -> tuple[Any, ...]:
        """(has none, the one gradient node): (True, None), (False, node), or (False, None) if there are several."""
        nodes = self.gradients.get(node, [])
        return not nodes, nodes[0] if len(nodes) == 1 else None

    def reader(self, value: Value, kind: str) -> Node | None:
        """The one OpCall of a type that reads a value (gradients and shapes aside), or None."""
        found = [r for r in self.readers.get(value, ()) if r is None or not isinstance(r.call, (GradCall, MetaCall))]
        if len(found) == 1 and found[0] is not None and isinstance(found[0].call, OpCall) and found[0].call.type == kind:
            return found[0]
        return None

    def only_inside(self, value: Value, group: set[Any]) -> bool:
        """Is a value read by nodes of the group alone (or of it only the shape is)?"""
        for r in self.readers.get(value, ()):
            if r is None:
                return False
            if r in group:
                continue
            if isinstance(r.call, MetaCall) and all(m in group for m in self.readers.get(r.outs[0], ())):
                continue
            return False
        return True

    def exchange(self, group: set[Any], new: Node, at: Node) -> None:
        """Let a node stand for a group, in the place of one of them, as soon as ``finish`` is called."""
        for node in group:
            self.exchanged[node] = None
            for v in node.ins:
                if v is not None:
                    self.readers[v] = [r for r in self.readers[v] if r is not node]
        self.exchanged[at] = new
        for v in {id(v): v for v in new.ins if v is not None}.values():
            self.readers.setdefault(v, []).append(new)

    def finish(self) -> None:
        """Put what was exchanged into the graph, all at once: one by one the time would grow with the square of its size."""
        nodes = [self.exchanged.get(node, node) for node in self.graph.nodes]
        self.graph.nodes = [node for node in nodes if node is not None]


def source(value: Value | None) -> Value | None:
    """The value itself, or the one whose shape it is."""
    if value is not None and value.node is not None and isinstance(value.node.call, MetaCall):
        return value.node.ins[0]
    return value


def replace_group(graph: Graph, group: set[Any], new: Node, at: Node) -> None:
    """Take nodes out of a graph and put another in the place of one of them."""
    graph.nodes = [new if node is at else node for node in graph.nodes if node is at or node not in group]


def known_shape(value: Value) -> tuple[Any, ...] | None:
    """The declared shape of a value, or None."""
    shape = None if value is None or value.var is None or value.var.shapes is not None else value.var.shape
    return None if shape is None else tuple(shape)
