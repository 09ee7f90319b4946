"""Recurrence over packed sequences that is trained keeps what it computed, instead of running again on the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .... import kernels
from ..graph import Node, Value
from ..nodes.op import Call, OpCall
from .pattern import Matcher, replace_group

if TYPE_CHECKING:
    from ..graph import Graph


def run(graph: Graph) -> None:
    """Replace ops that know how to keep a run (``Op.keeping``), and their gradients, by calls that do."""
    if not kernels.enabled():
        return
    for node in [n for n in graph.nodes if isinstance(n.call, OpCall) and n.call.op.kept_run]:
        _, gradient = Matcher(graph).gradient(node)
        if gradient is None:
            continue
        way_back = Value(node.outs[0].name + ".run")
        replace_group(graph, {node}, Node(KeepingCall(node.call), node.ins, [*node.outs, way_back], node.operator), node)
        ins = [way_back, *gradient.ins[len(gradient.ins) - len(node.outs):]]
        replace_group(graph, {gradient}, Node(WayBack(gradient.call), ins, gradient.outs, gradient.operator), gradient)


class KeepingCall(Call):
    """The outputs of an op, then the function that leads from their gradients to those of its inputs."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.type = inner, inner.type + "_keeping"

    def label(self) -> Any:
        return self.inner.label().replace(self.inner.type, self.type, 1)

    def prepare(self) -> Any:
        inner, keeping = self.inner, self.inner.op.kept_run

        def run(*flat: Any) -> Any:
            outs, back = keeping(*inner.nest(flat), *inner.values)
            return [outs, back] if inner.single else [*outs, back]
        return run


class WayBack(Call):
    """Gradients of a KeepingCall: its function and the gradients of its outputs in, one gradient for each flat input out."""

    def __init__(self, gradient: Any) -> None:
        self.inner, self.wanted, self.type = gradient.inner, set(gradient.wanted), gradient.inner.type + "_back"

    def prepare(self) -> Any:
        inner, wanted, nothing = self.inner, self.wanted, [None] * sum(n for _, n, _ in self.inner.in_slots)

        def run(back: Any, *grads: Any) -> Any:
            if all(g is None for g in grads):
                return nothing
            return [g if k in wanted else None for k, g in enumerate(inner.flatten(back(grads)))]
        return run
