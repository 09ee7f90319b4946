"""A graph and its gradients taken apart: a forward that also returns what the backwards need, and those backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .differentiate import Differentiation
from .graph import Graph, Value
from .nodes.op import GRAD, MetaCall

if TYPE_CHECKING:
    from .lower import Lowering


class Forward:
    """A lowered block as a function of its inputs, with as many backwards as are asked for.

    The forward graph returns ``outputs``, then what each backward needs (``Backward.kept``), one after the other.
    """

    def __init__(self, lowering: Lowering, outputs: list[Any]) -> None:
        self.lowering, self.outputs = lowering, list(outputs)
        self.nodes = list(lowering.graph.nodes)
        self.metas, self.backwards = [], []

    @property
    def leaves(self) -> list[Any]:
        """Inputs, then states."""
        return [*self.lowering.graph.inputs, *self.lowering.graph.states.values()]

    def differentiate(self, given: list[Any], wanted: list[Any]) -> Backward:
        """The Backward from the gradients of the ``given`` outputs to those of the ``wanted`` leaves (both by number)."""
        return Backward(self, given, wanted)

    def graph(self) -> Graph:
        """The forward graph, keeping what the backwards in ``backwards`` need."""
        kept = [v for backward in self.backwards for v in backward.kept]
        made = _graph(self.lowering.graph.inputs, [*self.nodes, *self.metas], [*self.outputs, *kept])
        made.states = self.lowering.graph.states
        return made

    def kept_by(self, backward: Backward) -> tuple[Any, ...]:
        """Where, behind the outputs, the values are that a backward needs: (first, last)."""
        first = sum(len(b.kept) for b in self.backwards[:self.backwards.index(backward)])
        return first, first + len(backward.kept)


class Backward:
    """Gradients as a graph: ``kept`` values and gradients of given outputs -> gradients of wanted leaves (None: none)."""

    def __init__(self, forward: Forward, given: list[Any], wanted: list[Any]) -> None:
        lowering, graph = forward.lowering, forward.lowering.graph
        self.given, self.wanted = list(given), list(wanted)
        graph.nodes = list(forward.nodes)
        leaves = forward.leaves
        d = Differentiation(lowering, {leaves[w] for w in wanted})
        seeds = [Value(forward.outputs[k].name + GRAD, forward.outputs[k].var) for k in given]
        for k, seed in zip(given, seeds):
            d.add(forward.outputs[k], seed)
        found = d.run()
        self.results = [found.get(leaves[w]) for w in wanted]
        made, nodes = {v for node in [*forward.nodes, *forward.metas] for v in node.outs} | set(leaves), []
        for node in graph.nodes[len(forward.nodes):]:
            if isinstance(node.call, MetaCall) and node.ins[0] in made:  # taken in the forward, so that only it is kept
                forward.metas.append(node)
                made.update(node.outs)
            else:
                nodes.append(node)
        self.kept = []
        for v in [v for node in nodes for v in node.ins] + self.results:
            if v is not None and v in made and v not in self.kept:
                self.kept.append(v)
        self.graph = _graph([*self.kept, *seeds], nodes, self.results)


def _graph(inputs: list[Any], nodes: list[Any], outputs: list[Any]) -> Graph:
    made = Graph(inputs)
    made.nodes, made.outputs = nodes, list(outputs)
    return made
