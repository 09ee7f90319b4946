"""Recurrent layers taken apart: products for all steps at once, then one kernel per layer and direction.

The rnn operator of files is a whole stack of layers and keeps nothing for its gradient, which would run it again. Its parts
are operators of their own, whose gradients are theirs.
"""

from ..calls import OpCall
from ..differentiate import Differentiation
from ..graph import Graph, Node, Value
from ..lower import Differentiable
from ..registry import find
from .pattern import Matcher


def run(graph):
    """Replace rnn, and its gradient if there is one, by their parts."""
    for node in [n for n in graph.nodes if isinstance(n.call, OpCall) and n.call.type == "rnn"]:
        none, gradient = Matcher(graph).gradient(node)
        if none or gradient is not None:
            _replace(graph, node, gradient)


def _replace(graph, node, gradient):
    forward, mapping, backward = _Parts(node).nodes, {}, []
    if gradient is not None:
        back = gradient.call
        leaves = {w: node.ins[w] for w in back.wanted}
        if len({id(v) for v in node.ins if v is not None}) < sum(v is not None for v in node.ins):
            return  # one value at two places: their gradients could not be told apart
        whole = Differentiable(Graph())
        whole.graph.nodes = list(forward)
        sweep = Differentiation(whole, leaves.values())
        for out, g in zip(node.outs, gradient.ins[back.n_in + back.n_out:]):
            if out is not None and g is not None:
                sweep.add(out, g)
        found = sweep.run()
        if any(v not in found for v in leaves.values()):
            return
        backward = whole.graph.nodes[len(forward):]
        mapping = {gradient.outs[w]: found[v] for w, v in leaves.items()}
    graph.nodes = [part for n in graph.nodes for part in (forward if n is node else backward if n is gradient else [n])]
    graph.replace(mapping)


class _Parts:
    """The nodes that do what an rnn node does; the last ones make its outputs."""

    def __init__(self, rnn):
        self.rnn, self.nodes = rnn, []
        a = dict(zip(rnn.call.op.attr_names, rnn.call.values))
        x, states, weights, lengths = rnn.call.nest(rnn.ins)
        self.mode, directions, layers = a["mode"], 2 if a["is_bidirec"] else 1, a["num_layers"]
        x, finals, count = self.call("transpose2", [x], perm=[1, 0, 2]), [[] for _ in states], layers * directions
        biases = weights[2 * count:] or [None] * (2 * count)
        for layer in range(layers):
            outs = []
            for k in range(layer * directions, (layer + 1) * directions):
                y, *final = self.sequence(x, [self.member(s, k) for s in states], *weights[2 * k:2 * k + 2],
                                          *biases[2 * k:2 * k + 2], lengths, k % directions == 1)
                outs.append(y)
                for kept, f in zip(finals, final):
                    kept.append(f)
            x = outs[0] if directions == 1 else self.call("concat", [*outs, None], [2, None], axis=2)
            if a["dropout_prob"] and not a["is_test"] and layer < layers - 1:
                x = self.call("dropout", [x, None], n_outs=2, p=a["dropout_prob"], mode="upscale_in_train")[0]
        first, *rest = rnn.outs
        self.call("transpose2", [x], outs=[first], perm=[1, 0, 2])
        for members, out in zip(finals, rest):
            self.call("stack", members, [len(members)], outs=[out], axis=0)

    def call(self, kind, ins, layout=None, n_outs=1, outs=None, **attributes):
        """Add a node; returns its output Value, or the list of them."""
        op = find(kind)
        values = [attributes.get(name, default) for name, default in zip(op.attr_names, op.defaults[op.n_in:])]
        made = outs or [Value(f"{self.name()}.{kind}{len(self.nodes)}_{k}") for k in range(n_outs)]
        self.nodes.append(Node(OpCall(op, values, layout or [None] * len(ins), n_outs), ins, made, self.rnn.operator))
        return made[0] if n_outs == 1 else made

    def name(self):
        return next((v.name for v in self.rnn.outs if v is not None), "rnn")

    def member(self, states, k):
        """The k-th matrix of stacked states."""
        return self.call("slice", [states, None, None], [None, None, None, 0, 0], axes=[0], starts=[k], ends=[k + 1],
                         decrease_axis=[0], infer_flags=[1])

    def sequence(self, x, states, w_ih, w_hh, b_ih, b_hh, lengths, reverse):
        """[outputs, final states ...] of one layer in one direction, batch first."""
        xp = self.call("matmul_v2", [x, w_ih], transpose_y=True)
        if b_ih is not None:
            xp = self.call("elementwise_add", [xp, b_ih])
        if self.mode == "LSTM":
            return self.call("lstm_sequence", [xp, *states, w_hh, b_hh, lengths], n_outs=5, reverse=reverse)[:3]
        if self.mode == "GRU":
            return self.call("gru_sequence", [xp, *states, w_hh, b_hh, lengths], n_outs=2, reverse=reverse)
        return self.call("simple_rnn_sequence", [xp, *states, w_hh, b_hh, lengths], n_outs=2, reverse=reverse, mode=self.mode)
