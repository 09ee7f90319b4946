"""Batch normalisation in training: the normalisation keeps its statistics for its gradient, the running ones move beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import Value
from ..nodes.op import OpCall
from .parts import Parts, take_apart
from .pattern import known_shape

if TYPE_CHECKING:
    from ..graph import Graph, Node


def run(graph: Graph) -> None:
    """Replace batch_norm in training, and its gradient if there is one, by their parts."""
    nodes = [n for n in graph.nodes if isinstance(n.call, OpCall) and n.call.type == "batch_norm" and _trains(n)]
    if nodes:
        take_apart(graph, _Statistics, nodes)


def _trains(node: Node) -> bool:
    """Does it normalise by the batch's statistics, channels first, in one type, and hand none of them out? A batch that may turn
    out to have one element for each channel has none."""
    a = dict(zip(node.call.op.attr_names, node.call.values))
    shape, (_, _, _, *saved) = known_shape(node.ins[0]), node.outs
    fixed = a["is_test"] and not a["trainable_statistics"] or a["use_global_stats"]
    if fixed or shape is None or max((shape[0], *shape[2:])) < 2 or a["data_format"][-1] == "C" and len(shape) > 2:
        return False
    return all(v is None for v in saved) and _one_type(node)


def _one_type(node: Node) -> bool:
    kinds = {None if v.var is None else v.var.dtype for v in node.ins if v is not None}
    return len(kinds) == 1 and None not in kinds


class _Statistics(Parts):
    """Normalisation by the batch's own statistics, towards which the running ones move."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        x, scale, bias, *running = node.ins
        y, *moved = node.outs
        keep = self.attributes["momentum"]
        statistics = [Value(f"{self.name()}.{name}", old.var) for name, old in zip(("mean", "variance"), running)]
        self.call("batch_norm_train", [x, scale, bias], outs=[y, *statistics], epsilon=self.attributes["epsilon"])
        for old, new, out in zip(running, statistics, moved):
            if out is not None:
                parts = self.call("scale", [old], scale=keep), self.call("scale", [new], scale=1 - keep)
                for part in parts:
                    part.var = old.var
                self.call("elementwise_add", parts, outs=[out])
