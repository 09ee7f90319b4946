"""Slices are taken before what works on each row by itself, so that rows that nobody reads are not computed.

Of the last layer of an encoder whose first token is all that is read, only that token is computed; of a decoder's last layer the
last one. Which part of a value is wanted is found from its readers, backwards. A value of which all readers want the same
part is made as that part alone; for others a slice stands where the parts begin to differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ....core.sizes import slice_end
from ..graph import Node, Value
from ..nodes.chain import steps_of
from ..nodes.op import OpCall
from .pattern import known_shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph import Graph

END = 2**31 - 1  # beyond every size
POINTWISE = ("gelu", "on_grid", "scale", "swish", "silu", "hard_swish", "hard_sigmoid")  # and no native step for some attributes


class Range(NamedTuple):
    """The part of a value that is wanted."""

    axis: int
    start: int
    end: int

    @property
    def single(self) -> bool:
        """Is it the first or the last position, and so the whole of an operand that is repeated along the axis?"""
        return (self.start, self.end) == (0, 1) or self.start == -1 and self.end >= END


def run(graph: Graph) -> None:
    """Move slices of one axis, from the second on, to the front; used where parameters are constants (``frozen.py``)."""
    if not any(_taken(node) for node in graph.nodes):
        return
    wanted = dict.fromkeys(graph.results())  # None: all of it
    narrow: dict[Node, list[Any]] = {}
    for node in reversed(graph.nodes):
        parts = _parts(node, wanted)
        if parts is not None:
            narrow[node] = parts
        own = _taken(node)
        for k, v in enumerate(node.ins):
            part = parts[k] if parts is not None else own if k == 0 else None
            wanted[v] = part if wanted.get(v, part) == part else None
    if narrow:
        graph.nodes = _rewritten(graph, narrow)


def _taken(node: Node) -> Range | None:
    """What a slice along one axis takes of its operand; None for other nodes."""
    call = node.call
    if not isinstance(call, OpCall) or call.type != "slice" or any(v is not None for v in node.ins[1:]):
        return None
    named = dict(zip(call.op.attr_names, call.values))
    shape = known_shape(node.ins[0])
    if shape is None or len(named["axes"]) != 1 or len(named["starts"]) != 1 or len(named["ends"]) != 1:
        return None
    axis, start, end = (int(named[name][0]) for name in ("axes", "starts", "ends"))
    axis += len(shape) if axis < 0 else 0
    one = -1 in named["infer_flags"] or bool({axis, axis - len(shape)} & set(named["decrease_axis"]))
    end = min(slice_end(start, end, one), END)
    return Range(axis, start, end) if axis > 0 else None


def _parts(node: Node, wanted: dict[Any, Any]) -> list[Any] | None:
    """What a node needs of each operand if only a part of its result is wanted; None if it can't do with less than all."""
    out = node.outs[0] if node.outs else None
    part = wanted.get(out)
    if not isinstance(node.call, OpCall) or part is None or any(v in wanted for v in node.outs[1:] if v is not None):
        return None
    shapes = [None if v is None else known_shape(v) for v in (out, *node.ins)]
    if any(s is None for s, v in zip(shapes, (out, *node.ins)) if v is not None):
        return None
    rule: Callable[..., Any] | None = RULES.get(node.type)
    pointwise = node.type in POINTWISE or steps_of(node) is not None
    if rule is None and pointwise and (node.type.startswith("elementwise_") or sum(v is not None for v in node.ins) == 1):
        rule = _elementwise
    named = dict(zip(node.call.op.attr_names, node.call.values))
    return None if rule is None else rule(part, named, *shapes)


# ---- what is needed of operands, by operator: (part of the result, attributes, its shape, shapes of operands) ----

def _elementwise(part: Range, named: dict[str, Any], out: Any, *shapes: Any) -> list[Any] | None:
    if named.get("axis", -1) != -1 and any(s is not None and len(s) != len(out) for s in shapes):
        return None
    parts: list[Range | None] = []
    for shape in shapes:
        axis = -1 if shape is None else part.axis - len(out) + len(shape)
        if axis < 0 or shape[axis] == 1:
            parts.append(None)
        elif part.single or shape[axis] == out[part.axis] != -1:
            parts.append(part._replace(axis=axis))
        else:
            return None
    return parts


def _linear(part: Range, named: dict[str, Any], out: Any, x: Any, *others: Any) -> list[Any] | None:
    return [part, *(None for _ in others)] if part.axis < len(x) - 1 else None


def _layer_norm(part: Range, named: dict[str, Any], out: Any, x: Any, *others: Any) -> list[Any] | None:
    return [part, *(None for _ in others)] if part.axis < named["begin_norm_axis"] else None


def _softmax(part: Range, named: dict[str, Any], out: Any, x: Any) -> list[Any] | None:
    return [part] if named["axis"] % len(x) != part.axis else None


def _matmul(part: Range, named: dict[str, Any], out: Any, x: Any, y: Any) -> list[Any] | None:
    if min(len(x), len(y)) < 2 or part.axis != len(out) - 2:
        return None
    return [part._replace(axis=len(x) - (1 if named["transpose_x"] else 2)), None]


def _transpose(part: Range, named: dict[str, Any], out: Any, x: Any) -> list[Any] | None:
    return [part._replace(axis=named["perm"][part.axis] % len(x))]


def _reshape(part: Range, named: dict[str, Any], out: Any, x: Any, *given: Any) -> list[Any] | None:
    """Axes up to the one that is cut must stay as they are, whatever their sizes."""
    kept = list(named["shape"])[:part.axis + 1]
    if any(s is not None for s in given) or len(x) <= part.axis or len(kept) <= part.axis or any(kept):
        return None
    return [part, *(None for _ in given)]


RULES: dict[str, Callable[..., Any]] = {"linear_act": _linear, "layer_norm": _layer_norm, "softmax": _softmax, "matmul_v2": _matmul,
                                        "transpose2": _transpose, "reshape2": _reshape}


# ---- rewriting ----

def _rewritten(graph: Graph, narrow: dict[Node, list[Any]]) -> list[Any]:
    nodes: list[Node] = []
    parts = {node.outs[0] for node in narrow}
    slices: dict[Any, Value] = {}
    model = next(node.call for node in graph.nodes if _taken(node))
    taken = {node: _taken(node) for node in graph.nodes}  # shapes of what has become less are not known any more
    for node in graph.nodes:
        own = taken[node]
        if node in narrow:
            node.ins = [v if part is None or v in parts else _part(v, part, model, slices, nodes)
                        for v, part in zip(node.ins, narrow[node])]
            for out in node.outs:
                if out is not None:
                    out.var = None
        elif own is not None and node.ins[0] in parts:
            node.call = _slice(node.call, axes=[own.axis], starts=[0], ends=[END])
        nodes.append(node)
    return nodes


def _part(value: Value, part: Range, model: OpCall, slices: dict[Any, Value], nodes: list[Node]) -> Value:
    """A slice of a value, the same for all who want the same."""
    if (value, part) not in slices:
        slices[value, part] = made = Value(f"{value.name}.part{len(slices)}")
        call = _slice(model, axes=[part.axis], starts=[part.start], ends=[part.end], decrease_axis=[], infer_flags=[1])
        nodes.append(Node(call, [value, *(None for _ in call.layout[1:] if _ is None)], [made]))
    return slices[value, part]


def _slice(call: OpCall, **changes: Any) -> OpCall:
    values = [changes.get(name, value) for name, value in zip(call.op.attr_names, call.values)]
    return OpCall(call.op, values, call.layout, call.n_outs, call.attrs)
