"""Copies that copy nothing: in a graph whose values are never overwritten, ``assign`` and friends are their input."""

from ..calls import OpCall

_COPIES = ("assign", "share_data", "memcpy")


def run(graph):
    """Let readers of a copy read the original; copies that leave the graph stay, so that storage is not shared."""
    results = {v for v in graph.results() if v is not None}
    mapping, kept = {}, []
    for node in graph.nodes:
        if isinstance(node.call, OpCall) and _is_copy(node.call) and node.outs[0] is not None and node.outs[0] not in results:
            mapping[node.outs[0]] = node.ins[0]
        else:
            kept.append(node)
    if mapping:
        graph.nodes = kept
        graph.replace(mapping)


def _is_copy(call):
    if call.type in _COPIES:
        return True
    if call.type == "scale":
        values = dict(zip(call.op.attr_names, call.values))
        return values["scale"] == 1 and values["bias"] == 0 and call.layout[-1] is None
    return False
