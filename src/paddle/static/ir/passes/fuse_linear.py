"""Matrix product, bias and relu as one node; with their gradients, if there are any, as one more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....core.context import process
from ....ops.nn.fused import linear_act
from ..graph import Node
from ..nodes.op import GradCall, OpCall
from .pattern import Matcher, known_shape

if TYPE_CHECKING:
    from ..graph import Graph


def run(graph: Graph) -> None:
    """Fuse every product with a matrix with the bias (and relu) that directly follow it."""
    if process.native is None:
        return
    products = [n for n in graph.nodes if isinstance(n.call, OpCall) and n.call.type == "matmul_v2"]
    if products:
        m = Matcher(graph)
        for node in products:
            _fuse(m, node)
        m.finish()


def _fuse(m: Matcher, product: Node) -> None:
    x, w = known_shape(product.ins[0]), known_shape(product.ins[1])
    if any(product.call.values) or x is None or w is None or len(x) < 2 or len(w) != 2:
        return
    add = m.reader(product.outs[0], "elementwise_add")
    if add is None or add.ins[0] is not product.outs[0] or add.ins[1] is product.outs[0]:
        return
    axis = add.call.values[0]
    if tuple(known_shape(add.ins[1]) or ()) != (w[1],) or axis not in (-1, len(x) - 1):
        return
    relu = m.reader(add.outs[0], "relu")
    for chain in ([product, add, relu], [product, add]) if relu else ([product, add],):
        if _apply(m, chain):
            return


def _apply(m: Matcher, chain: list[Any]) -> bool:
    gradients = [m.gradient(node) for node in chain]
    trained = [g for _, g in gradients if g is not None]
    if not all(none for none, _ in gradients) and len(trained) != len(chain):
        return False
    group = {*chain, *trained}
    if not all(m.only_inside(node.outs[0], group) for node in chain[:-1]):
        return False
    if any(g.outs[0] is None or not m.only_inside(g.outs[0], group) for g in trained[1:]):
        return False
    product, add, last = chain[0], chain[1], chain[-1]
    call = OpCall(linear_act, ["relu" if len(chain) == 3 else ""], [None, None, None], 1)
    new = Node(call, [product.ins[0], product.ins[1], add.ins[1]], [last.outs[0]], product.operator)
    m.exchange(set(chain), new, last)
    if trained:
        outs = [trained[0].outs[0], trained[0].outs[1], trained[1].outs[1]]
        back = GradCall(call, [p for p, v in enumerate(outs) if v is not None], [0])
        ins = back.trim([*new.ins, *new.outs, trained[-1].ins[-1]])
        m.exchange(set(trained), Node(back, ins, outs, product.operator), trained[-1])  # as in fuse_conv
    return True
