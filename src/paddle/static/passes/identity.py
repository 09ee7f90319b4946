"""Copies that copy nothing: in a graph whose values are never overwritten, ``assign`` and friends are their input.

So are transposes of transposes that put the axes back.
"""

from ...ops.manip import inverse
from ..calls import Constant, GradCall, OpCall

_COPIES = ("assign", "share_data", "memcpy")


def run(graph):
    """Let readers of a copy read the original; copies that leave the graph stay where storage would be shared."""
    results = {v for v in graph.results() if v is not None}
    mapping, kept = {}, []
    for node in graph.nodes:
        original = _original(node)
        out = node.outs[0] if original is not None else None
        if out is None or out in results and not _may_leave(original, results):
            kept.append(node)
            continue
        mapping[out] = original
        if out in results:
            results.add(original)
    if mapping:
        graph.nodes = kept
        graph.replace(mapping)


def _may_leave(value, results):
    """Is the original made by the graph, and not a result itself?"""
    return value.node is not None and not isinstance(value.node.call, Constant) and value not in results


def _original(node):
    """The value that a node only hands on, or None."""
    if isinstance(node.call, OpCall) and _is_copy(node.call):
        return node.ins[0]
    value, order = _transposed(node)
    if order is None or value.node is None:
        return None
    before, first = _transposed(value.node)
    return before if first is not None and list(first) == inverse(order) else None


def _transposed(node):
    """(the value, the order of axes that a node puts it into), (None, None) for other nodes."""
    call = node.call
    if isinstance(call, OpCall) and call.type == "transpose2":
        return node.ins[0], [a % len(call.values[0]) for a in call.values[0]]
    if isinstance(call, GradCall) and isinstance(call.inner, OpCall) and call.inner.type == "transpose2":
        return node.ins[-1], inverse(call.inner.values[0])
    return None, None


def _is_copy(call):
    if call.type in _COPIES:
        return True
    if call.type == "scale":
        values = dict(zip(call.op.attr_names, call.values))
        return values["scale"] == 1 and values["bias"] == 0 and call.layout[-1] is None
    return False
