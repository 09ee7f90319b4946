"""Recurrent layers that are trained keep their tape instead of running forward again on the way back."""

from ..calls import OpCall
from ..graph import Node, Value
from ..rnn_calls import KeepingRnn, KeepingRnnGrad
from .pattern import Matcher, replace_group


def run(graph):
    """Replace rnn and its gradient by the pair that shares a tape."""
    for node in [n for n in graph.nodes if isinstance(n.call, OpCall) and n.call.type == "rnn"]:
        _, gradient = Matcher(graph).gradient(node)
        if gradient is None:
            continue
        back = gradient.call
        tape = Value(f"{node.outs[0].name if node.outs[0] else 'rnn'}.tape")
        new = Node(KeepingRnn(node.call, back.wanted), node.ins, [*node.outs, tape], node.operator)
        replace_group(graph, {node}, new, node)
        grads = gradient.ins[back.n_in + back.n_out:]
        ins = [tape, *grads]
        replace_group(graph, {gradient}, Node(KeepingRnnGrad(back.n_in, back.wanted), ins, gradient.outs, gradient.operator),
                      gradient)
