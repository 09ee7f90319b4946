"""What follows a linear layer is done on its way to memory: GELU, or a sum with a residual. Used where nothing is trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....core.context import process
from ....ops.nn.fused import linear_act, linear_add
from ..graph import Node
from ..nodes.op import OpCall
from .pattern import Matcher, known_shape

if TYPE_CHECKING:
    from ..graph import Graph


def run(graph: Graph) -> None:
    """Give every linear layer without an activation what directly follows it."""
    if process.native is None:
        return
    m = Matcher(graph)
    for node in graph.nodes:
        if isinstance(node.call, OpCall) and node.type == "linear_act" and not node.call.values[0] and m.gradient(node)[0]:
            _fuse(m, node)
    m.finish()


def _fuse(m: Matcher, product: Node) -> None:
    out = product.outs[0]
    gelu, add = m.reader(out, "gelu"), m.reader(out, "elementwise_add")
    last = gelu or add
    if last is None or not m.gradient(last)[0] or not m.only_inside(out, {last}):
        return
    if gelu is not None:
        call = OpCall(linear_act, ["gelu_tanh" if gelu.call.values[0] else "gelu"], [None, None, None], 1)
        ins = product.ins
    else:
        residual = next((v for v in last.ins if v is not out), None)
        if residual is None or known_shape(residual) is None or known_shape(residual) != known_shape(out):
            return
        call, ins = OpCall(linear_add, [], [None, None, None, None], 1), [*product.ins, residual]
    m.exchange({product, last}, Node(call, ins, last.outs, last.operator), last)
