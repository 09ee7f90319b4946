"""Chains of elementwise operators in one pass over memory (the kernel ``eltwise_chain``)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ....core.context import process
from ....kernels import thresholds
from ..nodes.chain import ChainCall, steps_of
from ..nodes.op import GradCall, OpCall
from .pattern import known_shape
from .running_sums import RunningSum

if TYPE_CHECKING:
    from ..graph import Graph, Node

MOST = 24  # nodes in one chain
MOST_INPUTS = 16


def run(graph: Graph) -> None:
    """Join elementwise nodes that read each other's results, as long as nobody outside needs a result before the last."""
    if process.native is None:
        return
    position = {node: k for k, node in enumerate(graph.nodes)}
    readers = graph.uses()
    groups = {}  # node -> list of nodes of its chain, in order
    for node in graph.nodes:
        if not _fits(node):
            continue
        chain = [node]
        for v in node.ins:
            made = None if v is None else v.node
            if made in groups and _joins(made, node, chain, groups, readers, position):
                chain = sorted({*groups[made], *chain}, key=position.__getitem__)
        for member in chain:
            groups[member] = chain
    done = set()
    for chain in list(groups.values()):
        if id(chain) not in done and len(chain) > 1:
            done.add(id(chain))
            _replace(graph, chain, readers)


def _fits(node: Node) -> bool:
    """Is the node elementwise, of a float type, with results of one known shape?"""
    if not isinstance(node.call, (OpCall, GradCall)) or isinstance(node.call, RunningSum) or steps_of(node) is None:
        return False
    var = node.outs[0].var if node.outs[0] is not None else None
    if var is None or var.dtype is None or var.dtype.name not in ("float32", "float64"):
        return False
    if -1 not in var.shape and math.prod(var.shape) < thresholds.CHAIN_ELEMENTS:
        return False  # one by one is as quick
    return all(v is None or (v.var is not None and v.var.dtype is var.dtype) for v in node.ins)


def _joins(made: Any, node: Any, chain: list[Any], groups: dict[Any, Any], readers: dict[Any, Any],
           position: dict[Any, Any]) -> bool:
    members = {*groups[made], *chain}
    if len(members) > MOST or known_shape(made.outs[0]) != known_shape(node.outs[0]) or len(_inputs(members)) > MOST_INPUTS:
        return False
    for member in groups[made]:
        for r in readers.get(member.outs[0], ()):
            if r is not None and r not in members and position[r] < position[node]:
                return False  # somebody needs it before the chain would run
    return True


def _inputs(chain: list[Any] | set[Any]) -> list[Any]:
    """What nodes read that none of them makes."""
    members = set(chain)
    return list(dict.fromkeys(v for node in chain for v in node.ins if v is not None and v.node not in members))


def _replace(graph: Graph, chain: list[Any], readers: dict[Any, Any]) -> None:
    members, last = set(chain), chain[-1]
    results = [n.outs[0] for n in chain if n is last or any(r not in members for r in readers.get(n.outs[0], ()))]
    inputs = _inputs(chain)
    new = type(last)(ChainCall(chain, inputs, results), inputs, results, last.operator)
    graph.nodes = [new if n is last else n for n in graph.nodes if n is last or n not in members]
