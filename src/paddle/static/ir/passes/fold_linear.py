"""Linear layers behind each other with nothing between, and constant weights: one layer with the product of their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph import Node, Value
from ..nodes.op import Constant, OpCall
from .pattern import replace_group

if TYPE_CHECKING:
    from ..graph import Graph


def run(graph: Graph) -> None:
    """Fold pairs where one product is less work than two; used where parameters are constants (``frozen.py``)."""
    folding = True
    while folding:
        folding = any(_fold(graph, node) for node in graph.nodes if is_linear(node))


def is_linear(node: Node) -> bool:
    """Is it a product with a matrix and a bias?"""
    return isinstance(node.call, OpCall) and node.type == "linear_act"


def weights(node: Node) -> list[Any] | None:
    """(weight, bias) of a linear layer, or None if they are not constants."""
    made = [v.node.call.value for v in node.ins[1:] if v.node is not None and isinstance(v.node.call, Constant)]
    return made if len(made) == 2 else None


def constant(name: str, array: np.ndarray, variable: Any = None) -> Node:
    """A node that makes an array."""
    return Node(Constant(array), [], [Value(name, variable)])


def _fold(graph: Graph, second: Node) -> bool:
    first = graph.makers().get(second.ins[0])
    if first is None or not is_linear(first) or first.call.values[0] or graph.uses()[second.ins[0]] != [second]:
        return False
    before, after = weights(first), weights(second)
    if before is None or after is None:
        return False
    (w1, b1), (w2, b2) = [[a.astype(np.float64) for a in pair] for pair in (before, after)]
    rows, columns = len(w1), w2.shape[1]
    if rows * columns > w1.size + w2.size or before[0].dtype != after[0].dtype:
        return False
    made = [constant(f"{second.outs[0].name}.{name}", a.astype(before[0].dtype), old.var)
            for name, a, old in zip(("weight", "bias"), (w1 @ w2, b1 @ w2 + b2), second.ins[1:])]
    new = Node(second.call, [first.ins[0], *(node.outs[0] for node in made)], second.outs, second.operator)
    replace_group(graph, {first, second}, new, second)
    at = graph.nodes.index(new)
    graph.nodes[at:at] = made
    return True
