"""Copies that copy nothing: in a graph whose values are never overwritten, ``assign`` and friends are their input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..nodes.op import Constant, OpCall

if TYPE_CHECKING:
    from ..graph import Graph, Node, Value

_COPIES = ("assign", "share_data", "memcpy")


def run(graph: Graph) -> None:
    """Let readers of a copy read the original; copies that leave the graph stay where storage would be shared."""
    results = {v for v in graph.results() if v is not None}
    read = {v for node in graph.nodes for v in node.ins if v is not None} | results
    mapping, kept = {}, []
    for node in graph.nodes:
        out = node.outs[0] if isinstance(node.call, OpCall) and _is_copy(node, read) else None
        if out is None or out in results and not may_leave(node.ins[0], results):
            kept.append(node)
            continue
        mapping[out] = node.ins[0]
        if out in results:
            results.add(node.ins[0])
    if mapping:
        graph.nodes = kept
        graph.replace(mapping)


def may_leave(value: Value, results: set[Any]) -> bool:
    """Is the original made by the graph, and not a result itself?"""
    return value.node is not None and not isinstance(value.node.call, Constant) and value not in results


def _is_copy(node: Node, read: set[Any]) -> bool:
    call = node.call
    if call.type in _COPIES:
        return True
    values = dict(zip(call.op.attr_names, call.values))
    if call.type == "scale":
        return values["scale"] == 1 and values["bias"] == 0 and call.layout[-1] is None
    if call.type == "dropout":  # when testing nothing is dropped; the mask says so to whoever reads it
        return values["is_test"] and values["mode"] == "upscale_in_train" and not read.intersection(node.outs[1:])
    return False
