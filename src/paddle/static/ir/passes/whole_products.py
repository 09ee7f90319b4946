"""Products of a rounded value and a matrix of whole steps (``quantized.py``), with bias and activation behind them, are computed
with whole numbers. A product whose result only such products read, rounded alike, hands it on as bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....core.context import process
from ....ops.nn.integer import LONGEST, integer_linear
from ....ops.nn.quantize import on_grid
from ..graph import Node, Value
from ..nodes.op import Constant, OpCall
from . import dead_code
from .pattern import Matcher, known_shape
from .quantized import PRODUCTS, results_along, worth_of_sums

if TYPE_CHECKING:
    from ..graph import Graph

ACTIVATIONS = {"relu": [], "relu6": [6.0], "hard_swish": [6.0, 6.0, 3.0]}  # with attributes as the kernels have them


def run(graph: Graph) -> None:
    """Rewrite the products; used where parameters are constants (``frozen.py``)."""
    if process.native is None:
        return
    _round_slices(graph)
    found = [node for node in graph.nodes if _is_whole(node)]
    if not found:
        return
    m = Matcher(graph)
    before: dict[Node, list[Node]] = {}  # constants
    for node in found:
        new, constants = _rewrite(m, node)
        before[new] = constants
    m.finish()
    graph.nodes = [n for node in graph.nodes for n in (*before.get(node, ()), node)]
    dead_code.run(graph)
    _hand_on_bytes(graph)


def _rounds(node: Node | None) -> bool:
    return node is not None and isinstance(node.call, OpCall) and node.call.op is on_grid


def _round_slices(graph: Graph) -> None:
    """A slice of a rounded value as a rounded slice, which is what a product can read."""
    nodes: list[Node] = []
    for node in graph.nodes:
        rounding = node.ins[0].node if node.type == "slice" and node.ins[0] is not None else None
        if rounding is not None and _rounds(rounding) and len(node.outs) == 1:
            part = Value(node.outs[0].name + ".exact", node.outs[0].var)
            nodes.append(Node(node.call, [rounding.ins[0], *node.ins[1:]], [part], node.operator))
            node = Node(rounding.call, [part], node.outs, rounding.operator)
        nodes.append(node)
    graph.nodes = nodes


def _named(node: Node) -> dict[str, Any]:
    return dict(zip(node.call.op.attr_names, node.call.values))


def _constant(value: Value | None) -> Any:
    """The node of a constant array."""
    made = None if value is None else value.node
    return made.call if made is not None and isinstance(made.call, Constant) and isinstance(made.call.value, np.ndarray) else None


def _is_whole(node: Node) -> bool:
    if not isinstance(node.call, OpCall) or node.type not in ("linear_act", *PRODUCTS):
        return False
    if node.type == "mul" and known_shape(node.ins[0]) is None:
        return False
    first, w, axis = node.ins[0].node, _constant(node.ins[1]), results_along(node)
    if not _rounds(first) or w is None or w.steps is None or axis is None:
        return False
    return w.steps.ndim == 2 and w.axis in (None, axis) and 0 < w.steps.shape[1 - axis] <= LONGEST and w.steps.size > 0


def _rewrite(m: Matcher, product: Node) -> tuple[Node, list[Node]]:
    """The node of whole numbers for a product, and those of its constants."""
    w, axis, named = _constant(product.ins[1]), results_along(product), _named(product)
    first, rank = product.ins[0].node, len(known_shape(product.ins[0]) or ())  # 0: not known
    grid = _named(first)
    summed = rank - named["x_num_col_dims"] if product.type == "mul" else 1
    group, last, bias, act = {product}, product, product.ins[2] if product.type == "linear_act" else None, named.get("act", "")
    add = m.reader(last.outs[0], "elementwise_add") if product.type != "linear_act" else None
    if add is not None and _is_bias(add, last.outs[0], w.steps.shape[axis], rank - summed) and m.only_inside(last.outs[0], {add}):
        group, last, bias = {*group, add}, add, add.ins[1]
    after = None if act else next(filter(None, (m.reader(last.outs[0], kind) for kind in ACTIVATIONS)), None)
    if after is not None and after.call.values == ACTIVATIONS[after.type] and m.only_inside(last.outs[0], {after}):
        group, last, act = {*group, after}, after, after.type
    steps = np.ascontiguousarray(w.steps if axis == 0 else w.steps.T)
    factors = worth_of_sums(w.value if axis == 0 else w.value.T, steps, grid)
    values = [Value(f"{product.outs[0].name}.{name}") for name in ("steps", "factors")]
    constants = [Node(Constant(a), [], [v]) for a, v in zip((steps, factors), values)]
    given = {**grid, "act": act, "summed": summed}
    settings = [given.get(name, default) for name, default in zip(integer_linear.attr_names, integer_linear.defaults[4:])]
    new = Node(OpCall(integer_linear, settings, [None] * 4, 1), [first.ins[0], *values, bias], [last.outs[0]], product.operator)
    m.exchange(group, new, last)
    return new, constants


def _is_bias(add: Node, value: Value, columns: int, axis: int) -> bool:
    """Does a sum add one number for each column of a product, whose columns lie along an axis?"""
    bias = _constant(add.ins[1])
    return add.ins[0] is value and bias is not None and bias.value.shape == (columns,) and bias.value.dtype == np.float32 \
        and _named(add).get("axis", -1) in (-1, max(axis, -1))


def _hand_on_bytes(graph: Graph) -> None:
    """Bytes in place of floats where all that reads them rounds them alike. What could hold a NaN stays as floats."""
    readers = graph.uses()
    for node in [n for n in graph.nodes if _whole(n)]:
        grids = [_grid_read(r) for r in readers.get(node.outs[0], [])]
        if grids and grids[0] is not None and all(g == grids[0] for g in grids) and all(map(_finite, node.ins[2:])):
            node.call = OpCall(integer_linear, [*node.call.values[:-3], *grids[0]], node.call.layout, 1)


def _whole(node: Node | None) -> bool:
    return node is not None and isinstance(node.call, OpCall) and node.call.op is integer_linear


def _grid_read(node: Node | None) -> list[Any] | None:
    """The grid to which a product rounds what it reads; None of others."""
    return [_named(node)[name] for name in ("scale", "limit", "round_type")] if node is not None and _whole(node) else None


def _finite(value: Value | None) -> bool:
    """Is it a constant without NaN and infinity, or nothing?"""
    return value is None or (made := _constant(value)) is not None and bool(np.isfinite(made.value).all())
