"""What quantization leaves in a program with fixed parameters: weights become constants that remember the numbers of their steps,
and roundings with fixed scales, there and back, one node each; casts to the type that a value has already go. Convolutions and
products of such values and weights are then computed with whole numbers (``channel_blocks.py``, ``whole_products.py``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....core.context import process
from ....ops.nn import quantize
from ..graph import Node, Value
from ..nodes.op import Constant, OpCall
from . import dead_code
from .pattern import known_shape

if TYPE_CHECKING:
    from ..graph import Graph

WEIGHTS = {quantize.fake_quantize_dequantize_abs_max, quantize.fake_channel_wise_quantize_dequantize_abs_max}
STEPS = {quantize.fake_quantize_moving_average_abs_max, quantize.fake_quantize_range_abs_max}  # with scales that are given
SUMS = {quantize.fake_dequantize_max_abs, quantize.fake_channel_wise_dequantize_max_abs}  # of products of steps
CONVOLUTIONS = ("conv2d", "depthwise_conv2d")
PRODUCTS = ("matmul_v2", "matmul", "mul")


def run(graph: Graph) -> None:
    """Rewrite the operators of quantization; used where parameters are constants (``frozen.py``)."""
    concerned = {quantize.dequantize_linear, quantize.fake_quantize, *WEIGHTS, *SUMS}
    if process.native is None or not any(_op(node) in concerned for node in graph.nodes):
        return
    results, readers = {v for v in graph.results() if v is not None}, graph.uses()
    mapping: dict[Value, Value] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        node.ins = [mapping.get(v, v) for v in node.ins]
        if _op(node) in {quantize.fake_quantize, *STEPS} and _attrs(node)["is_test"] and node.outs[1] not in {None, *results}:
            mapping[node.outs[1]] = node.ins[1]  # the scale as it was
        others = any(readers.get(v) for v in node.outs[1:] if v not in mapping)
        if _op(node) is None or node.outs[0] in {None, *results} or others:
            nodes.append(node)
        elif _does_nothing(node):
            mapping[node.outs[0]] = node.ins[0]
        elif _op(node) in SUMS and len(readers[node.ins[0]]) == 1:
            nodes += _of_steps(node) or [node]
        else:
            nodes.append(_weights(node) or _rounding(node) or node)
    graph.nodes = nodes
    dead_code.run(graph)  # first halves of roundings


def _op(node: Node) -> Any:
    return node.call.op if isinstance(node.call, OpCall) else None


def _attrs(node: Node) -> dict[str, Any]:
    return dict(zip(node.call.op.attr_names, node.call.values))


def _does_nothing(node: Node) -> bool:
    """Is it a cast to the type that a value has, or does it only look at one?"""
    looks = _op(node) in (quantize.quantize_linear, quantize.dequantize_linear) and _attrs(node)["only_observer"] \
        and _attrs(node).get("is_test", True)
    given, made = (None if v is None else v.var for v in (node.ins[0], node.outs[0]))
    return (looks or node.type == "cast") and given is not None and made is not None and given.dtype == made.dtype


def _constant(value: Value | None) -> Any:
    node = None if value is None else value.node
    return node.call.value if node is not None and isinstance(node.call, Constant) else None


def _weights(node: Node) -> Node | None:
    """Constants that are rounded, or come from numbers of steps."""
    op, x = _op(node), _constant(node.ins[0])
    if x is None or op not in {quantize.dequantize_linear, *WEIGHTS} or any(v and _constant(v) is None for v in node.ins):
        return None
    if op is quantize.dequantize_linear:
        value = np.asarray(node.call.prepare()(*[_constant(v) for v in node.ins]))
        scale = _constant(node.ins[1])
        whole = x if not _attrs(node)["only_observer"] and not np.any(_constant(node.ins[2])) else None
    else:
        value, scale = op.fn(x, *node.call.values)
        limit = quantize.limit_of(_attrs(node)["bit_length"])
        axis = _attrs(node).get("quant_axis", 0) % max(1, x.ndim)
        whole = np.rint(value * (limit / np.where(scale == 0, 1, scale)).reshape([-1 if k == axis else 1 for k in range(x.ndim)]))
    axis = None if scale.size == 1 else _attrs(node)["quant_axis"] % max(1, x.ndim)
    return Node(Constant(value, _bytes(whole, value, axis), axis), [], node.outs[:1], node.operator)


def _bytes(whole: Any, value: Any, axis: int | None) -> Any:
    """Numbers of steps as int8, if they are and all of a convolution's channel, or of a matrix's row or column, has one step."""
    if whole is None or value.dtype != np.float32 or not (whole.ndim == 2 or whole.ndim == 4 and axis in (None, 0)):
        return None
    small = whole.astype(np.int8)
    return small if (small == whole).all() else None


def worth_of_sums(weights: Any, steps: Any, grid: dict[str, Any]) -> Any:
    """What one is worth in the sums of each slice along the first axis, of weights that are steps times something and of what is
    rounded to a grid."""
    flat, whole = weights.reshape(len(weights), -1), steps.reshape(len(steps), -1)
    largest = np.abs(whole.astype(np.int16)).argmax(axis=1)[:, None]
    one = np.take_along_axis(whole, largest, 1)[:, 0]
    worth = np.take_along_axis(flat, largest, 1)[:, 0].astype(np.float64) / np.where(one == 0, 1, one)
    return (worth * (np.float32(grid["scale"]) / np.float32(grid["limit"]))).astype(np.float32)


def _rounding(node: Node) -> Node | None:
    """A rounding to steps and back of a value that is not known, with a scale that is."""
    first, attrs = node, _attrs(node)
    if _op(node) is quantize.dequantize_linear:
        first = node.ins[0].node
        if first is None or _op(first) is not quantize.quantize_linear or attrs["only_observer"]:
            return None
        before = _attrs(first)
        scales = [_constant(n.ins[1]) for n in (first, node)]
        zeros = [_constant(n.ins[2]) for n in (first, node)]
        if not before["is_test"] or before["only_observer"] or before["bit_length"] != attrs["bit_length"] \
                or any(v is None for v in [*scales, *zeros]) or scales[0].size != 1 or not np.array_equal(*scales) or np.any(zeros):
            return None
        attrs = before
    elif _op(node) is quantize.fake_quantize:
        scales = [_constant(node.ins[1])]
        if not attrs["is_test"] or scales[0] is None:
            return None
    else:
        return None
    scale = float(scales[0].reshape(()))
    if not 0 < scale < np.inf or attrs["bit_length"] > 8:
        return None
    values = [scale, quantize.limit_of(attrs["bit_length"]), attrs["round_type"]]
    return Node(OpCall(quantize.on_grid, values, [None], 1), first.ins[:1], node.outs[:1], node.operator)


def _of_steps(node: Node) -> list[Node]:
    """A convolution or product of steps with steps, and what makes numbers of its sums, as one of rounded numbers."""
    made = node.ins[0].node
    kind = None if made is None else made.type
    first = made.ins[0].node if kind in (*CONVOLUTIONS, *PRODUCTS) and made.ins[0] is not None else None
    if first is None or _op(first) not in STEPS or not _attrs(first)["is_test"] or any(v is not None for v in made.ins[2:]):
        return []
    steps, scale = _constant(made.ins[1]), _constant(first.ins[1])
    axis = 0 if kind in CONVOLUTIONS else results_along(made)  # of the weights
    worth = None if steps is None or axis is None else _worth(node, kind, steps.shape[axis])
    whole = None if worth is None or steps.ndim != (4 if kind in CONVOLUTIONS else 2) else _bytes(steps, steps, axis)
    attrs = _attrs(first)
    if whole is None or scale is None or not 0 < scale.reshape(()) < np.inf or attrs["bit_length"] > 8:
        return []
    limit = quantize.limit_of(attrs["bit_length"])
    rounded, weights = Value(first.outs[0].name + ".rounded", first.ins[0].var), Value(made.ins[1].name + ".worth", made.ins[1].var)
    values = [float(scale.reshape(())), limit, attrs["round_type"]]
    along = [-1 if k == axis else 1 for k in range(steps.ndim)]
    value = (steps * (worth / (scale.reshape(()) / limit)).reshape(along)).astype(steps.dtype)
    return [Node(OpCall(quantize.on_grid, values, [None], 1), first.ins[:1], [rounded], first.operator),
            Node(Constant(value, whole, axis), [], [weights]),
            Node(made.call, [rounded, weights, *made.ins[2:]], node.outs[:1], made.operator)]


def results_along(product: Node) -> int | None:
    """The axis of the right matrix along which the results of a product lie; None if it is more than rows of x times a matrix."""
    named = _attrs(product)
    if named.get("transpose_x") or named.get("alpha", 1) != 1 or named.get("y_num_col_dims", 1) != 1:
        return None
    return 0 if named.get("transpose_y") else 1


def _worth(node: Node, kind: str | None, count: int) -> Any:
    """What one in the sums is worth: one number, or one for each of ``count`` channels; None if that is not known."""
    scales = [_constant(v) for v in node.ins[1:]]
    if any(v is None for v in scales):
        return None
    attrs = _attrs(node)
    if _op(node) is quantize.fake_dequantize_max_abs:
        return scales[0].reshape(-1) / scales[0].dtype.type(attrs["max_range"])
    axis = 1 if kind in CONVOLUTIONS else len(known_shape(node.outs[0]) or ()) - 1  # of the sums
    if len(scales) != 2 or attrs["x_num_col_dims"] != axis or scales[0].size not in (1, count):
        return None
    limits = [quantize.limit_of(bits) for bits in attrs["quant_bits"][:2]]
    return scales[0] * scales[1].reshape(()) / np.float32(limits[0] * limits[1])
