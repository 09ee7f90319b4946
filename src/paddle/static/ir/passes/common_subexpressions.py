"""Common subexpressions: what is computed twice from the same values is computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..graph import Graph, Value


def run(graph: Graph) -> None:
    """Merge nodes whose calls are equal and whose inputs are the same values."""
    seen, mapping, kept = {}, {}, []
    results = {v for v in graph.results() if v is not None}

    def now(v: Value | None) -> Value | None:
        while v in mapping:
            v = mapping[v]
        return v
    for node in graph.nodes:
        node.ins = [now(v) for v in node.ins]
        key = node.call.key()
        if key is None or node.call.effect:
            kept.append(node)
            continue
        key = (key, *[id(v) for v in node.ins])
        first = seen.get(key)
        if first is None:
            seen[key] = node
            kept.append(node)
        elif any(v in results for v in node.outs if v is not None):
            kept.append(node)  # leaves the graph: storage is not shared
        else:
            for k, v in enumerate(node.outs):
                if v is None:
                    continue
                if first.outs[k] is None:
                    first.outs[k], v.node = v, first
                else:
                    mapping[v] = first.outs[k]
    graph.nodes = kept
    graph.replace(mapping)
