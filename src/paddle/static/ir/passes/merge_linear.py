"""Linear layers of one input with constant weights: one layer with their weights side by side, and a slice for each.

The queries, keys and values of attention are such. Where a result is taken apart into heads, a slice is as good as an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....core.context import process
from ...program.registry import find
from ..graph import Node, Value
from ..nodes.op import OpCall
from .fold_linear import constant, is_linear, weights
from .pattern import known_shape

if TYPE_CHECKING:
    from ..graph import Graph

STRIDED = ("reshape2", "transpose2")  # these need not copy a slice of columns


def run(graph: Graph) -> None:
    """Merge layers that read one value; used where parameters are constants (``frozen.py``)."""
    groups: dict[Any, list[Any]] = {}
    uses = graph.uses()
    for node in graph.nodes:
        if process.native is not None and is_linear(node) and _apart(uses.get(node.outs[0], ())) and known_shape(node.ins[0]):
            found = weights(node)
            if found is not None and found[0].ndim == 2:
                key = node.ins[0], node.call.values[0], found[0].dtype, found[1].dtype
                groups.setdefault(key, []).append(node)
    places: dict[Node, list[Node]] = {}
    for nodes in groups.values():
        if len(nodes) > 1:
            places |= dict.fromkeys(nodes, [])
            places[nodes[0]] = _merged(nodes)
    graph.nodes = [new for node in graph.nodes for new in places.get(node, [node])]


def _apart(readers: Any) -> bool:
    return bool(readers) and all(r is not None and isinstance(r.call, OpCall) and r.type in STRIDED for r in readers)


def _merged(nodes: list[Node]) -> list[Node]:
    """The nodes that stand for layers of one input."""
    first, slice_op = nodes[0], find("slice")
    parts = [found for node in nodes if (found := weights(node)) is not None]  # run() has asked that all have them
    axis, name = len(known_shape(first.ins[0]) or ()) - 1, first.outs[0].name
    made = [constant(f"{name}.{kind}", np.concatenate([pair[k] for pair in parts], axis=-1))
            for k, kind in enumerate(("weights", "biases"))]
    whole = Value(f"{name}.merged")
    product = Node(first.call, [first.ins[0], *(node.outs[0] for node in made)], [whole], first.operator)
    slices, start = [], 0
    for node, (weight, _) in zip(nodes, parts):
        end = start + weight.shape[1]
        named = {"axes": [axis], "starts": [start], "ends": [end]}
        values = [named.get(key, default) for key, default in zip(slice_op.attr_names, slice_op.defaults[slice_op.n_in:])]
        ins = [whole, *[None] * (slice_op.n_in - 1)]
        slices.append(Node(OpCall(slice_op, values, [None] * slice_op.n_in, 1), ins, node.outs, node.operator))
        start = end
    return [*made, product, *slices]
