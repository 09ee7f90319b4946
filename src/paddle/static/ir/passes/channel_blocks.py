"""Channels in blocks of 16 through chains of convolutions: explicit nodes go into that layout and back, the rest stays in it.

A node can stay in blocks if it is a convolution of one group, or of one channel in each, with constant weights; or if what it reads
is in blocks and it is a pooling, an elementwise function or a concatenation of whole blocks. Nodes that hand each other values in
blocks are a chain. It is rewritten if it has enough convolutions for the nodes at its ends. A first convolution of few channels
reads its image as it is.

A convolution in a chain that reads a rounded value and has weights of whole steps (``quantized.py``) computes with whole numbers,
and hands its result on as bytes where only such convolutions read it, rounded alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....core.context import process
from ....ops.nn.blocked import BLOCK, blocked_conv, blocked_pool, blocked_scale, from_blocks, integer_conv, to_blocks
from ....ops.nn.fused import conv_add_act, conv_bias_act
from ....ops.nn.quantize import on_grid
from ....ops.nn.window_geometry import pad_pairs
from ..graph import Node, Value
from ..nodes.chain import steps_of
from ..nodes.op import Constant, OpCall
from . import dead_code
from .pattern import Matcher, known_shape
from .quantized import worth_of_sums

if TYPE_CHECKING:
    from ..graph import Graph

FEW = 8  # channels of an image that is read as it is
POINTWISE = ("hard_sigmoid", "hard_swish", "on_grid", "swish")  # elementwise, and no native steps, or only for some attributes
ENDS = 2  # convolutions that pay for one end of a chain


def run(graph: Graph) -> None:
    """Rewrite the chains that gain by it; used where parameters are constants (``frozen.py``)."""
    if process.native is None or not any(_is_conv(node) for node in graph.nodes):
        return
    _join_activations(graph)
    chains = _Chains(graph)
    for node in graph.nodes:
        chains.consider(node)
    _Rewriter(graph, chains.accepted()).run()
    if any(_op(node) is integer_conv for node in graph.nodes):
        dead_code.run(graph)  # roundings that are part of what reads them now
        _hand_on_bytes(graph)


def _op(node: Node | None) -> Any:
    return node.call.op if node is not None and isinstance(node.call, OpCall) else None


def _named(call: OpCall) -> dict[str, Any]:
    return dict(zip(call.op.attr_names, call.values))


def _is_conv(node: Node) -> bool:
    """A convolution of float32 with constant weights that the kernels of blocks take."""
    call = node.call
    if not isinstance(call, OpCall) or call.op not in (conv_bias_act, conv_add_act) or node.outs[0] is None:
        return False
    made, groups = node.ins[1].node, _named(call)["groups"]
    w = made.call.value if made is not None and isinstance(made.call, Constant) else None
    if not isinstance(w, np.ndarray) or w.ndim != 4 or w.dtype != np.float32 or not w.size:
        return False
    return groups == 1 or groups == w.shape[0] and w.shape[1] == 1


def _weights(node: Node) -> Any:
    return node.ins[1].node.call.value


def _residual(node: Node) -> Value | None:
    return node.ins[2] if node.call.op is conv_add_act else None


def _join_activations(graph: Graph) -> None:
    """Take a hard swish behind a convolution into it, whose kernels of blocks do it on the way."""
    m = Matcher(graph)
    for conv in [node for node in graph.nodes if _is_conv(node) and not _named(node.call)["act"]]:
        act = m.reader(conv.outs[0], "hard_swish")
        if act is None or not m.only_inside(conv.outs[0], {act}) or tuple(act.call.values) != (6.0, 6.0, 3.0):
            continue
        values = {**_named(conv.call), "act": "hard_swish"}
        call = OpCall(conv.call.op, [values[name] for name in conv.call.op.attr_names], conv.call.layout, 1)
        m.exchange({conv, act}, Node(call, conv.ins, act.outs, conv.operator), act)
    m.finish()


class _Chains:
    """Which nodes can stay in blocks, in chains."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.readers = graph, graph.uses()
        self.channels: dict[Value, int] = {}  # of values that can be in blocks
        self.chain: dict[Node, Node] = {}     # node -> one that stands for its chain (after `_root`)
        self.single: set[Value] = set()       # values of one pixel

    def consider(self, node: Node) -> None:
        """Take a node into the chains of what it reads, or let it begin one, if it can stay in blocks."""
        if not isinstance(node.call, OpCall) or len(node.outs) != 1 or node.outs[0] is None:
            return
        if _is_conv(node):
            read, channels = [node.ins[0], _residual(node)], _weights(node).shape[0]
        else:
            read, channels = node.ins, self._kept(node)
        if channels is None:
            return
        self.channels[node.outs[0]] = channels
        self.chain[node] = node
        for v in read:
            if v in self.channels:
                self.chain[self._root(v.node)] = self._root(node)
        if _whole(node) or not _is_conv(node) and all(v in self.single for v in node.ins if v is not None):
            self.single.add(node.outs[0])

    def _root(self, node: Node) -> Node:
        while self.chain[node] is not node:
            node = self.chain[node]
        return node

    def _kept(self, node: Node) -> int | None:
        """The channels of what a node makes of values in blocks, None if it can't stay in them."""
        found = {self.channels.get(v) for v in node.ins if v is not None}
        if None in found or not found:
            return None
        if node.type == "pool2d":
            return found.pop() if _pool_values(node.call) is not None else None
        if node.type == "concat":
            return self._joined(node)
        elementwise = node.type in POINTWISE or steps_of(node) is not None
        return found.pop() if elementwise and len(found) == 1 else None

    def _joined(self, node: Node) -> int | None:
        channels = [self.channels[v] for v in node.ins if v is not None]
        whole = _named(node.call).get("axis") in (1, -3) and all(c % BLOCK == 0 for c in channels)
        return sum(channels) if whole else None

    def accepted(self) -> dict[Node, int]:
        """Nodes of the chains worth rewriting -> channels of what they make."""
        convs: dict[Node, int] = {}
        ends: dict[Node, int] = {}
        for node in self.chain:
            root = self._root(node)
            convs[root] = convs.get(root, 0) + _is_conv(node)
            entries = _entries(node, self.channels) if _is_conv(node) else 0
            leaves = any(r not in self.chain for r in self.readers.get(node.outs[0], ())) and node.outs[0] not in self.single
            ends[root] = ends.get(root, 0) + entries + leaves
        good = {root for root, count in convs.items() if count and count >= ENDS * ends[root]}
        return {node: self.channels[node.outs[0]] for node in self.chain if self._root(node) in good}


def _entries(conv: Node, blocked: dict[Value, int]) -> int:
    """How many values a convolution reads must be brought into blocks."""
    residual = _residual(conv)
    return (conv.ins[0] not in blocked and not _reads_plain(conv)) + (residual is not None and residual not in blocked)


def _reads_plain(conv: Node) -> bool:
    return _weights(conv).shape[1] <= FEW and _named(conv.call)["groups"] == 1


def _whole(node: Node) -> bool:
    """Is it a pooling of the whole image?"""
    values = _pool_values(node.call) if node.type == "pool2d" else None
    return values is not None and not values[0]


def _pool_values(call: OpCall) -> list[Any] | None:
    """The attributes of blocked_pool for a pool2d; None if it is of a kind that has none."""
    a = _named(call)
    average = a["pooling_type"] == "avg"
    whole = a["global_pooling"] or a["adaptive"] and tuple(a["ksize"]) in ((1,), (1, 1))
    if a["data_format"] != "NCHW" or a["adaptive"] and not whole:
        return None
    if whole:
        return [(), (1, 1), ((0, 0), (0, 0)), False, average, True]
    if a["padding_algorithm"] != "EXPLICIT":
        return None
    kernel, stride = (tuple(a[n]) * (2 if len(a[n]) == 1 else 1) for n in ("ksize", "strides"))
    pads = pad_pairs(tuple(a["paddings"]), "EXPLICIT", (1, 1), kernel, stride, "pool2d")
    return [kernel, stride, tuple(map(tuple, pads)), bool(a["ceil_mode"]), average, bool(a["exclusive"])]


class _Rewriter:
    """Puts chains in blocks."""

    def __init__(self, graph: Graph, accepted: dict[Node, int]) -> None:
        self.graph, self.accepted = graph, accepted
        self.nodes: list[Node] = []
        self.blocked: dict[Value, Value] = {}  # value -> the same in blocks
        self.only: dict[Value, int] = {}       # values that are in blocks alone so far, with their channels

    def run(self) -> None:
        for node in self.graph.nodes if self.accepted else ():
            if node in self.accepted:
                self._rewrite(node)
                continue
            for v in node.ins:
                self._bring_back(v)
            self.nodes.append(node)
        for v in self.graph.results() if self.accepted else ():
            self._bring_back(v)
        self.graph.nodes = self.nodes or self.graph.nodes

    def _add(self, op: Any, values: list[Any], ins: list[Any], out: Value, operator: Any = None) -> Value:
        self.nodes.append(Node(OpCall(op, values, [None] * len(ins), 1), ins, [out], operator))
        return out

    def _bring_back(self, value: Value | None) -> None:
        if value in self.only:
            self._add(from_blocks, [self.only.pop(value)], [self.blocked[value]], value)

    def _in_blocks(self, value: Value) -> Value:
        if value not in self.blocked:
            self.blocked[value] = self._add(to_blocks, [], [value], Value(value.name + ".blocks"))
        return self.blocked[value]

    def _rewrite(self, node: Node) -> None:
        out = node.outs[0]
        made = Value(out.name + ".blocks")
        if _is_conv(node):
            self._convolve(node, made)
        elif node.type == "pool2d":
            self._add(blocked_pool, _pool_values(node.call) or [], [self._in_blocks(node.ins[0])], made, node.operator)
        elif node.type == "concat":
            axis = node.call.op.attr_names.index("axis")
            values = [1 if k == axis else v for k, v in enumerate(node.call.values)]
            call = OpCall(node.call.op, values, node.call.layout, 1)
            self.nodes.append(Node(call, [v and self._in_blocks(v) for v in node.ins], [made], node.operator))
        else:
            factor = _factor(node)
            if factor is None:
                self.nodes.append(Node(node.call, [self._in_blocks(v) for v in node.ins], [made], node.operator))
            else:
                pair = [self._in_blocks(node.ins[k]) for k in (1 - factor, factor)]
                self._add(blocked_scale, [], pair, made, node.operator)
        self.blocked[out], self.only[out] = made, self.accepted[node]

    def _convolve(self, node: Node, made: Value) -> None:
        a, x, residual = _named(node.call), node.ins[0], _residual(node)
        plain = x not in self.blocked and _reads_plain(node)
        added = None if residual is None else self._in_blocks(residual)
        steps = node.ins[1].node.call.steps if _op(x.node) is on_grid else None
        if steps is None:
            ins = [x if plain else self._in_blocks(x), node.ins[1], node.ins[-1], added]
            self._add(blocked_conv, [a[name] for name in blocked_conv.attr_names], ins, made, node.operator)
            return
        grid, x = _named(x.node.call), x.node.ins[0]
        whole, factors = Value(node.ins[1].name + ".steps"), Value(node.ins[1].name + ".factors")
        worth = worth_of_sums(_weights(node), steps, grid)
        self.nodes += [Node(Constant(steps), [], [whole]), Node(Constant(worth), [], [factors])]
        values = [a.get(name, grid.get(name, usual)) for name, usual in zip(integer_conv.attr_names, integer_conv.defaults[5:])]
        ins = [x if plain else self._in_blocks(x), whole, factors, node.ins[-1], added]
        self._add(integer_conv, values, ins, made, node.operator)


def _factor(node: Node) -> int | None:
    """Which operand of a product is one number for each image and channel, None if neither is known to be."""
    if node.type != "elementwise_mul":
        return None
    shapes = [known_shape(v) for v in node.ins]
    single = [s is not None and len(s) == 4 and tuple(s[2:]) == (1, 1) for s in shapes]
    return single.index(True) if single.count(True) == 1 else None


def _hand_on_bytes(graph: Graph) -> None:
    """Let convolutions of whole numbers give bytes to those that alone read them. What could hold a NaN stays as floats."""
    readers = graph.uses()
    for node in [n for n in graph.nodes if _op(n) is integer_conv and n.ins[4] is None]:
        grids = [_grid_read(r, node.outs[0]) for r in readers.get(node.outs[0], [])]
        if grids and grids[0] is not None and all(g == grids[0] for g in grids) and all(map(_finite, node.ins[2:4])):
            node.call = OpCall(integer_conv, [*node.call.values[:-3], *grids[0]], node.call.layout, 1)


def _grid_read(node: Node | None, value: Value) -> list[Any] | None:
    """The grid to which a convolution rounds a value that it reads, None if something else does, too."""
    if node is None or _op(node) is not integer_conv or node.ins[4] is value:
        return None
    named = _named(node.call)
    return [named[name] for name in ("scale", "limit", "round_type")]


def _finite(value: Value | None) -> bool:
    """Is it a constant without NaN and infinity, or nothing?"""
    made = None if value is None else value.node
    return value is None or made is not None and isinstance(made.call, Constant) and bool(np.isfinite(made.call.value).all())
