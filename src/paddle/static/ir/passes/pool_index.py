"""Max pooling that is trained keeps where its maxima were, instead of looking for them again on the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ops.nn.pooling import max_pool2d_with_index
from ..graph import Node, Value
from ..nodes.op import GradCall, OpCall
from .pattern import Matcher, replace_group

if TYPE_CHECKING:
    from ..graph import Graph


def run(graph: Graph) -> None:
    """Replace pool2d (max) and its gradient by max_pool2d_with_index and its gradient."""
    nodes = [n for n in graph.nodes if isinstance(n.call, OpCall) and n.call.type == "pool2d"]
    if not nodes:
        return
    m = Matcher(graph)
    for node in nodes:
        a = dict(zip(node.call.op.attr_names, node.call.values))
        _, gradient = m.gradient(node)
        if gradient is None or a["pooling_type"] != "max" or a["data_format"] != "NCHW" \
                or a["padding_algorithm"] != "EXPLICIT" or len(a["paddings"]) != 2:
            continue
        op = max_pool2d_with_index
        call = OpCall(op, [a[n] for n in op.attr_names], [None], 2)
        new = Node(call, node.ins, [node.outs[0], Value(node.outs[0].name + ".index")], node.operator)
        replace_group(graph, {node}, new, node)
        back = GradCall(call, [0], [0])
        ins = back.trim([*new.ins, *new.outs, gradient.ins[-1], None])
        replace_group(graph, {gradient}, Node(back, ins, gradient.outs, gradient.operator), gradient)
