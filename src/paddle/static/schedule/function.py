"""A program as a differentiable function of arrays: one forward and one backward plan, for traced layers."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ...core.collection import uncollected
from ..ir import passes
from ..ir.differentiate import Differentiation
from ..ir.graph import Graph, Value
from ..ir.lower import Lowering, lower, persistent_writes
from ..ir.nodes.op import GRAD, Constant, MetaCall
from ..ir.passes import dead_code
from ..scope import global_scope
from .compile import run
from .plan import Plan

LATE = ("fuse_elementwise", "group_updates")  # passes for forward and backward apart


class Function:
    """What a program computes from its inputs, with gradients for inputs and captured or scope parameters.

    ``leaves`` are the inputs (positions 0 ... n-1), then the persistable variables that the program reads
    (``state_names``). Plans are made once for each set of leaves that need gradients, when it is first asked for.

        f = Function(program, ["x"], [y.name])
        outputs = f(arrays)                                   # no gradients
        outputs, kept = f.forward(arrays, wanted=(0, 1))      # gradients of leaves 0 and 1 will be asked for
        gradients = f.backward(kept, output_gradients, wanted=(0, 1))
    """

    def __init__(self, program: Any, inputs: Any, outputs: Any, scope: Any = None, skip: Any = ()) -> None:
        self.program, self.inputs, self.outputs, self.scope, self.skip = program, list(inputs), list(outputs), scope, skip
        graph = lower(program, self.inputs, self.outputs)
        dead_code.run(graph)
        self.state_names = list(graph.states)
        self._plans = {}

    def __call__(self, arrays: Any) -> Any:
        """Outputs, without keeping anything for gradients."""
        return list(run(self.plan, self.program, arrays, self._scope()))

    @functools.cached_property
    def plan(self) -> Any:
        """The plan of calls that keep nothing for gradients."""
        with uncollected():
            return Plan(passes.apply(lower(self.program, self.inputs, self.outputs), self.skip))

    def forward(self, arrays: Any, wanted: Any) -> Any:
        """(outputs, what ``backward`` needs)."""
        results = run(self.pair(tuple(wanted)).forward, self.program, arrays, self._scope())
        n = len(self.outputs)
        return list(results[:n]), results[n:]

    def backward(self, kept: Any, gradients: Any, wanted: Any) -> Any:
        """Gradients of the wanted leaves (None where there is none) from those of the outputs (None: zeros)."""
        return self.pair(tuple(wanted)).gradients(kept, gradients)

    def given(self, wanted: Any) -> Any:
        """Numbers of the outputs that depend on a wanted leaf: only their gradients matter."""
        return self.pair(tuple(wanted)).given

    def _scope(self) -> Any:
        return global_scope() if self.scope is None else self.scope

    def pair(self, wanted: Any) -> Any:
        """Forward and backward plans for a tuple of wanted leaves."""
        pair = self._plans.get(wanted)
        if pair is None:
            pair = self._plans[wanted] = _Pair(self, wanted)
        return pair


class _Pair:
    """Forward and backward plans for one set of wanted leaves."""

    @uncollected()
    def __init__(self, function: Any, wanted: Any) -> None:
        graph, seeds = self._joint(function, wanted)
        rest = tuple(name for name in passes.names() if name not in LATE)
        passes.apply(graph, (*function.skip, *LATE))
        n = len(function.outputs)
        outputs, results = graph.outputs[:n], graph.outputs[n:]
        late = set(seeds)
        before, after = [], []
        for node in graph.nodes:
            if any(v in late for v in node.ins if v is not None):
                late.update(v for v in node.outs if v is not None)
                after.append(node)
            else:
                before.append(node)
        early = {v for node in before for v in node.outs} | set(graph.inputs) | set(graph.states.values())
        kept, constants = dict[Any, None](), {}
        for v in [v for node in after for v in node.ins] + results:
            if v is None or v in late or v not in early:
                continue
            if v.node is not None and isinstance(v.node.call, Constant):
                constants[v.node] = True
            else:
                kept[v] = None
        metas = Graph()
        for v in (outputs[k] for k in self.given):
            metas.add(MetaCall(), [v], [v.name + ".shape"])
        self.metas = [node.outs[0] for node in metas.nodes]
        forward = Graph([v for v in graph.inputs if v not in late])
        forward.nodes, forward.states, forward.updates = [*before, *metas.nodes], graph.states, graph.updates
        forward.outputs = [*outputs, *self.metas, *kept]
        backward = Graph([*kept, *seeds])
        backward.nodes, backward.outputs = [*constants, *after], results
        for part in (forward, backward):  # what joins neighbours must not join the two
            passes.apply(part, (*function.skip, *rest))
        self.forward, self.backward = Plan(forward), Plan(backward)

    def gradients(self, kept: Any, gradients: Any, take: Any = False) -> Any:
        """Gradients of the wanted leaves from those of the outputs (None: zeros) and what ``forward`` kept.

        With ``take``, ``kept`` is a list that is emptied.
        """
        seeds = [_nothing(meta) if gradients[k] is None else gradients[k] for meta, k in zip(kept, self.given)]
        inputs = [*kept[len(seeds):], *seeds]
        if take:
            kept.clear()
        return self.backward(inputs, (), True)[0]

    def _joint(self, function: Any, wanted: Any) -> Any:
        """Forward and backward as one graph, with the gradients of the outputs as further inputs."""
        program = function.program
        lowering = Lowering(program.global_block(), function.inputs).run()
        graph = lowering.graph
        outputs = [lowering.whole(lowering.read(name)) for name in function.outputs]
        updates = persistent_writes(lowering)
        states = [graph.states[name] for name in function.state_names]
        leaves = [*graph.inputs, *states]
        d = Differentiation(lowering, {leaves[w] for w in wanted})
        self.given = [k for k, v in enumerate(outputs) if v in d.active]
        seeds = [Value(outputs[k].name + GRAD, outputs[k].var) for k in self.given]
        for k, seed in zip(self.given, seeds):
            d.add(outputs[k], seed)
        found = d.run()
        for gradient, value in d.fresh.items():
            gradient.var = value.var  # shape and dtype, for the passes
        graph.inputs = [*graph.inputs, *seeds]
        graph.outputs = [*outputs, *[found.get(leaves[w]) for w in wanted]]
        graph.updates = updates
        return graph, seeds


def _nothing(meta: Any) -> Any:
    """A gradient of zeros; an empty list for a tensor array's."""
    return [] if meta.shape is None else np.zeros(meta.shape, meta.dtype)

