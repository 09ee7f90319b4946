"""Convolution, bias, relu and 2x2 max pooling as one node; with their gradients, if there are any, as one more.

Where nothing is trained, relu6 too, and the addition of a residual before the activation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ....core.context import process
from ....core.sizes import pools_apart
from ....ops.nn.conv import geometry
from ....ops.nn.fused import conv_add_act, conv_bias_act, conv_relu_pool
from ....ops.nn.window_geometry import reaching_pads
from ..graph import Node, Value
from ..nodes.op import GradCall, OpCall
from .pattern import Matcher, known_shape

if TYPE_CHECKING:
    from ..graph import Graph

_TYPES = ("conv2d", "depthwise_conv2d")


def run(graph: Graph) -> None:
    """Fuse every convolution with what directly follows it."""
    if process.native is None:
        return
    _each(graph, _fuse, lambda call: call.type in _TYPES)
    _each(graph, _fuse_residual, lambda call: call.op is conv_bias_act)


def _each(graph: Graph, fuse: Callable[[Matcher, Node], None], concerns: Callable[[OpCall], bool]) -> None:
    nodes = [n for n in graph.nodes if isinstance(n.call, OpCall) and concerns(n.call)]
    if nodes:
        m = Matcher(graph)
        for node in nodes:
            fuse(m, node)
        m.finish()


def _attrs(call: OpCall) -> dict[Any, Any]:
    return dict(zip(call.op.attr_names, call.values))


def _fuse(m: Matcher, conv: Node) -> None:
    attrs = _attrs(conv.call)
    if attrs["data_format"] != "NCHW" or attrs["padding_algorithm"] == "SAME":
        return
    bias = _bias(m, conv)
    add = bias.add if bias else None
    relu = _relu(m, add or conv)
    pool = m.reader(relu.outs[0], "pool2d") if relu and relu.call.type == "relu" else None
    weights = known_shape(conv.ins[1])
    if pool is not None and m.gradient(conv)[0] and weights is not None and pools_apart(*weights[:2]):
        pool = None
    for chain in _chains(conv, add, relu, pool if pool and _is_plain_pool(pool.call) else None):
        if _apply(m, conv, bias if bias and (add is None or add in chain) else None, chain, attrs):
            return


def _relu(m: Matcher, node: Node) -> Node | None:
    """The relu behind a node, or the relu6, if 6 is its limit."""
    found = m.reader(node.outs[0], "relu") or m.reader(node.outs[0], "relu6")
    return None if found is None or found.call.type == "relu6" and found.call.values != [6.0] else found


def _fuse_residual(m: Matcher, conv: Node) -> None:
    """Take the addition of something of the result's shape, and an activation behind it, into a convolution of one group."""
    add, attrs, shape = m.reader(conv.outs[0], "elementwise_add"), _attrs(conv.call), known_shape(conv.outs[0])
    if add is None or attrs["act"] or attrs["groups"] != 1 or not m.gradient(conv)[0] or not m.gradient(add)[0]:
        return
    other = [v for v in add.ins if v is not conv.outs[0]]
    if len(other) != 1 or shape is None or known_shape(other[0]) != shape or -1 in shape[1:]:
        return
    act = _relu(m, add)
    chain = [conv, add, act] if act is not None and m.gradient(act)[0] else [conv, add]
    if not all(m.only_inside(node.outs[0], set(chain)) for node in chain[:-1]):
        return
    values = {**attrs, "act": chain[2].call.type if len(chain) == 3 else ""}
    call = OpCall(conv_add_act, [values[name] for name in conv_add_act.attr_names], [None, None, None, None], 1)
    new = Node(call, [conv.ins[0], conv.ins[1], other[0], conv.ins[2]], [chain[-1].outs[0]], conv.operator)
    m.exchange(set(chain), new, chain[-1])


def _chains(conv: Node, add: Node | None, relu: Node | None, pool: Node | None) -> Iterator[Any]:
    """Longest first; of a convolution alone the geometry is worked out."""
    nodes = [n for n in (conv, add, relu, pool) if n is not None]
    while nodes:
        yield list(nodes)
        nodes.pop()


def _is_plain_pool(call: OpCall) -> bool:
    a = _attrs(call)
    return (a["pooling_type"] == "max" and tuple(a["ksize"]) == (2, 2) and tuple(a["strides"]) == (2, 2)
            and not any(a["paddings"]) and not a["ceil_mode"] and not a["global_pooling"] and not a["adaptive"]
            and a["data_format"] == "NCHW" and a["padding_algorithm"] == "EXPLICIT")


class _Bias:
    """The addition of a bias: of the vector itself along axis 1, or of one reshaped to [1, C, 1, 1]; None: in the conv."""

    def __init__(self, add: Any, vector: Value, reshape: Any) -> None:
        self.add, self.vector, self.reshape = add, vector, reshape


def _bias(m: Matcher, conv: Node) -> Any:
    if conv.ins[2] is not None:
        return _Bias(None, conv.ins[2], None)
    add = m.reader(conv.outs[0], "elementwise_add")
    if add is None or add.ins[0] is not conv.outs[0]:
        return None
    b, shape = add.ins[1], known_shape(add.ins[1])
    channels = known_shape(conv.ins[1])
    if shape is None or channels is None:
        return None
    axis = _attrs(add.call)["axis"]
    if len(shape) == 1 and axis == 1 and shape[0] == channels[0]:
        return _Bias(add, b, None)
    made = b.node
    if axis == -1 and tuple(shape) == (1, channels[0], 1, 1) and made is not None and isinstance(made.call, OpCall) \
            and made.call.type == "reshape2" and len(known_shape(made.ins[0]) or ()) == 1:
        return _Bias(add, made.ins[0], made)
    return None


def _apply(m: Matcher, conv: Node, bias: Any, chain: list[Any], attrs: dict[Any, Any]) -> bool:
    forward = list(chain)
    gradients = [m.gradient(node) for node in forward]
    if bias and bias.reshape is not None:
        gradients.append(m.gradient(bias.reshape))
    trained = [g for _, g in gradients if g is not None]
    if not all(none for none, _ in gradients) and len(trained) != len(gradients):
        return False  # several gradients of one node, or gradients of a part only
    group = {*forward, *trained}
    for node in forward[:-1]:
        if not m.only_inside(node.outs[0], group):
            return False
    if bias and bias.reshape is not None and not m.only_inside(bias.reshape.outs[0], {*group, bias.reshape}):
        return False
    if trained and not _gradients_inside(m, forward, trained, group):
        return False
    pools = forward[-1].call.type == "pool2d"
    act = next((n.call.type for n in forward if n.call.type in ("relu", "relu6")), "")
    if act == "relu6" and trained:
        return False
    call = _call(conv, attrs, act, pools)
    if call is None:
        return False
    ins = [conv.ins[0], conv.ins[1], bias.vector if bias else None]
    last = forward[-1]
    outs = [last.outs[0]] if not pools else [last.outs[0], Value(last.outs[0].name + ".index")]
    new = Node(call, ins, outs, conv.operator)
    m.exchange(set(forward), new, last)
    if trained:
        _replace_gradients(m, new, conv, bias, forward, trained)
    return True


def _call(conv: Node, attrs: dict[Any, Any], act: str, pools: bool) -> OpCall | None:
    shape, kernel = known_shape(conv.ins[0]), known_shape(conv.ins[1])
    if shape is None or kernel is None or len(shape) != 4 or -1 in kernel:
        return None

    def plain(value: list[Any]) -> tuple[Any, ...]:
        return tuple(value) if isinstance(value, list) else value
    size = tuple(max(n, 1) for n in shape[2:])  # explicit padding does not depend on it
    where = geometry("conv2d", size, tuple(kernel[2:]), plain(attrs["stride"]), plain(attrs["padding"]),
                     attrs["padding_algorithm"], plain(attrs["dilation"]))
    if -1 not in shape[2:]:
        stride, pads, dilation = where
        where = stride, reaching_pads(pads, size, tuple(kernel[2:]), stride, dilation), dilation
    values = [*where, attrs["groups"]] if pools else [*where, attrs["groups"], act]
    return OpCall(conv_relu_pool if pools else conv_bias_act, values, [None, None, None], 2 if pools else 1)


def _gradients_inside(m: Matcher, forward: list[Any], trained: list[Any], group: set[Any]) -> bool:
    """Does every gradient between the nodes of the chain stay inside?"""
    for gradient in trained[1:len(forward)]:
        through = gradient.outs[0]  # of the first input, which the node before made
        if through is None or not m.only_inside(through, group):
            return False
    for gradient in trained[len(forward):]:  # the bias's reshape: its incoming gradient
        incoming = gradient.ins[-1]
        if not m.only_inside(incoming, group):
            return False
    return True


def _replace_gradients(m: Matcher, new: Node, conv: Node, bias: Any, forward: list[Any], trained: list[Any]) -> None:
    gconv, glast = trained[0], trained[len(forward) - 1]
    db = None
    if bias:
        if bias.add is None:
            db = gconv.outs[2]
        else:
            db = trained[-1].outs[0] if bias.reshape is not None else trained[forward.index(bias.add)].outs[1]
    outs = [gconv.outs[0], gconv.outs[1], db]
    seed = glast.ins[-1]
    wanted = [p for p, v in enumerate(outs) if v is not None]
    call = GradCall(new.call, wanted, [0])
    ins = call.trim([*new.ins, *new.outs, seed, *([None] if len(new.outs) == 2 else [])])
    node = Node(call, ins, outs, conv.operator)
    m.exchange(set(trained), node, glast)  # where all that it reads is known, and before all that reads what it gives


