"""Attention as one node: the product of queries and keys, scale, mask, softmax and the product with the values.

Its kernel has the weights of a block of queries in memory at a time. Used where nothing is trained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....core.context import process
from ....ops.nn.attention import dot_attention
from ..graph import Node, Value
from ..nodes.op import OpCall
from .pattern import Matcher, known_shape

if TYPE_CHECKING:
    from ..graph import Graph


def run(graph: Graph) -> None:
    """Fuse what stands around every softmax over the last axis that weighs values."""
    found = [node for node in graph.nodes if isinstance(node.call, OpCall) and node.type == "softmax"]
    if process.native is None or not found:
        return
    m = Matcher(graph)
    for node in found:
        _fuse(m, node)
    m.finish()


def _made_by(value: Value | None, kind: str) -> Node | None:
    node = None if value is None else value.node
    return node if node is not None and isinstance(node.call, OpCall) and node.type == kind else None


def _four_axes(*values: Value | None) -> bool:
    return all(v is not None and len(known_shape(v) or ()) == 4 for v in values)


def _unscaled(value: Value) -> tuple[Value, float, list[Any]]:
    """(what a value is a multiple of, the factor, the node between)."""
    scale = _made_by(value, "scale")
    if scale is None or len(scale.ins) != 1 or scale.call.values[1] != 0:
        return value, 1.0, []
    return scale.ins[0], scale.call.values[0], [scale]


def _fuse(m: Matcher, softmax: Node) -> None:
    weighted = m.reader(softmax.outs[0], "matmul_v2")
    if weighted is None or weighted.ins[0] is not softmax.outs[0] or any(weighted.call.values):
        return
    scores, mask = softmax.ins[0], None
    add = _made_by(scores, "elementwise_add")
    if add is not None and add.call.values[0] == -1:
        scores, mask = add.ins
        if not len(known_shape(mask) or ()) == 4:
            return
    scores, after, scaled = _unscaled(scores)
    product = _made_by(scores, "matmul_v2")
    if product is None or list(product.call.values) != [False, True]:
        return
    q, before, scaled_first = _unscaled(product.ins[0])
    if scaled_first and not m.only_inside(product.ins[0], {product}):
        q, before, scaled_first = product.ins[0], 1.0, []
    k, v = product.ins[1], weighted.ins[1]
    group = [*scaled_first, product, *scaled, *([add] if mask is not None else []), softmax, weighted]
    if softmax.call.values[0] not in (-1, 3) or not _four_axes(q, k, v) or not all(m.gradient(node)[0] for node in group):
        return
    if not all(m.only_inside(node.outs[0], set(group)) for node in group[:-1]):
        return
    call = OpCall(dot_attention, [after * before, False, 0.0], [None, None, None, None], 3)
    m.exchange(set(group), Node(call, [q, k, v, mask], [weighted.outs[0], None, None], weighted.operator), weighted)
