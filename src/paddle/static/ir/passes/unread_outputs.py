"""Gradients that are given a result they do not look at are given it no longer, so that it need not be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..nodes.op import GradCall, OpCall

if TYPE_CHECKING:
    from ....core.op import Op
    from ..graph import Graph


def run(graph: Graph) -> None:
    """Take the first result away from gradient nodes whose rules read the other results only, or none."""
    for node in graph.nodes:
        call = node.call
        inner = call.inner if isinstance(call, GradCall) and isinstance(call.inner, OpCall) else None
        if inner is not None and not _reads_first(inner.op, inner.values):
            node.ins[call.n_in] = None


def _reads_first(op: Op, values: list[Any]) -> bool:
    """Does the gradient rule look at the first result? See Op.vjp."""
    if isinstance(op.reads, str):
        return bool(values[op.attr_names.index(op.reads)])
    return op.reads is None or 0 in op.reads
