"""Constant folding: what depends on nothing is computed when the plan is made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..nodes.op import Constant, OpCall

if TYPE_CHECKING:
    from ..graph import Graph, Value

LIMIT = 1 << 16  # elements of a constant worth keeping


def run(graph: Graph) -> None:
    """Replace pure nodes without inputs, or with constant ones, by their values."""
    results = {v for v in graph.results() if v is not None}
    for k, node in enumerate(graph.nodes):
        call = node.call
        if not isinstance(call, OpCall) or not call.pure or not call.single or node.outs[0] is None:
            continue
        if node.outs[0] in results or _is_large(call) or not all(v is None or _is_constant(v) for v in node.ins):
            continue
        try:
            value = call.prepare()(*[None if v is None else v.node.call.value for v in node.ins])
        except (ValueError, TypeError, IndexError, ZeroDivisionError):
            continue  # it may never run; if it does, it says what is wrong
        value = np.asarray(value)
        if value.size <= LIMIT:
            graph.nodes[k] = type(node)(Constant(value), [], node.outs, node.operator)


def _is_large(call: OpCall) -> bool:
    """Does the call say that its result is too large to be kept?"""
    named = dict(zip(call.op.attr_names, call.values))
    sizes = [n for n in named.get("shape") or () if isinstance(n, int) and n > 0]
    return math.prod(sizes) > LIMIT


def _is_constant(value: Value) -> bool:
    return value.node is not None and isinstance(value.node.call, Constant) and isinstance(value.node.call.value, np.ndarray)
