"""A program with fixed parameters: they are constants of the plan, so that more can be worked out in advance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir import passes
from ..ir.graph import Node
from ..ir.lower import lower
from ..ir.nodes.op import Constant
from .plan import Plan

if TYPE_CHECKING:
    from ..program.program import Program


class Frozen:
    """Inputs -> outputs of an inference program whose parameters never change. Threads may share it.

    ``arrays`` become its own, so they are not copied: nobody may write to them afterwards."""

    def __init__(self, program: Program, feeds: list[Any], fetches: list[Any], arrays: dict[Any, Any],
                 skip: tuple[Any, ...] = ()) -> None:
        self.program, self.feeds, self.fetches = program, list(feeds), list(fetches)
        graph = lower(program, self.feeds, self.fetches)
        graph.updates = {}
        missing = [name for name in graph.states if name not in arrays]
        if missing:
            raise ValueError(f"the model reads {missing[0]!r}, which is neither an input nor a parameter")
        constants = [Node(Constant(np.asarray(arrays[name], order="C")), [], [v]) for name, v in graph.states.items()]
        graph.nodes, graph.states = [*constants, *graph.nodes], {}
        self.graph = passes.apply(graph, skip, frozen=True)
        self.plan = Plan(self.graph)

    def __call__(self, arrays: list[Any]) -> list[Any]:
        """Outputs for a list of arrays, one per input."""
        outputs, _ = self.plan(arrays)
        return list(outputs)
