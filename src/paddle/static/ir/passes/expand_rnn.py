"""Recurrent layers taken apart: products for all steps at once, then one kernel per layer and direction.

The rnn operator of files is a whole stack of layers and keeps nothing for its gradient, which would run it again. Its parts
are operators of their own, whose gradients are theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..nodes.op import OpCall
from .parts import Parts, take_apart

if TYPE_CHECKING:
    from ..graph import Graph, Node, Value


def run(graph: Graph) -> Any:
    """Replace rnn, and its gradient if there is one, by their parts."""
    nodes = [n for n in graph.nodes if isinstance(n.call, OpCall) and n.call.type == "rnn"]
    if nodes:
        take_apart(graph, _Layers, nodes)


class _Layers(Parts):
    """An rnn operator, layer by layer."""

    def __init__(self, rnn: Node) -> None:
        super().__init__(rnn)
        a = self.attributes
        x, states, weights, lengths = rnn.call.nest(rnn.ins)
        self.mode, directions, layers = a["mode"], 2 if a["is_bidirec"] else 1, a["num_layers"]
        x, finals, count = self.call("transpose2", [x], perm=[1, 0, 2]), [[] for _ in states], layers * directions
        biases = weights[2 * count:] or [None] * (2 * count)
        for layer in range(layers):
            outs = []
            for k in range(layer * directions, (layer + 1) * directions):
                first = [self.member(s, k) for s in states]
                (w_ih, w_hh), (b_ih, b_hh) = weights[2 * k:2 * k + 2], biases[2 * k:2 * k + 2]
                y, *final = self.sequence(x, first, w_ih, w_hh, b_ih, b_hh, lengths, k % directions == 1)
                outs.append(y)
                for kept, f in zip(finals, final):
                    kept.append(f)
            x = outs[0] if directions == 1 else self.call("concat", [*outs, None], [2, None], axis=2)
            if a["dropout_prob"] and not a["is_test"] and layer < layers - 1:
                x, _ = self.call("dropout", [x, None], outs=2, p=a["dropout_prob"], mode="upscale_in_train")
        first, *rest = rnn.outs
        self.call("transpose2", [x], outs=[first], perm=[1, 0, 2])
        for members, out in zip(finals, rest):
            self.call("stack", members, [len(members)], outs=[out], axis=0)

    def member(self, states: Value, k: int) -> Value:
        """The k-th matrix of stacked states."""
        return self.call("slice", [states, None, None], [None, None, None, 0, 0], axes=[0], starts=[k], ends=[k + 1],
                         decrease_axis=[0], infer_flags=[1])

    def sequence(self, x: Any, states: list[Any], w_ih: Value, w_hh: Value, b_ih: Value, b_hh: Value, lengths: Any,
                 reverse: bool) -> list[Any]:
        """[outputs, final states ...] of one layer in one direction, batch first."""
        xp = self.call("matmul_v2", [x, w_ih], transpose_y=True)
        if b_ih is not None:
            xp = self.call("elementwise_add", [xp, b_ih])
        if self.mode == "LSTM":
            return self.call("lstm_sequence", [xp, *states, w_hh, b_hh, lengths], outs=5, reverse=reverse)[:3]
        if self.mode == "GRU":
            return self.call("gru_sequence", [xp, *states, w_hh, b_hh, lengths], outs=4, reverse=reverse)[:2]
        return self.call("simple_rnn_sequence", [xp, *states, w_hh, b_hh, lengths], outs=2, reverse=reverse, mode=self.mode)
