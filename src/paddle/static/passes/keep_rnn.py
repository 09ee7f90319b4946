"""Recurrent layers that are trained keep their tape instead of running forward again on the way back.

The rnn of files is time-major; where a batch-major layer put transposes around it, they are dropped with it.
"""

from ..calls import OpCall
from ..graph import Node, Value
from ..rnn_calls import KeepingRnn, KeepingRnnGrad
from .pattern import Matcher


def run(graph):
    """Replace rnn and its gradient by the pair that shares a tape."""
    for node in [n for n in graph.nodes if isinstance(n.call, OpCall) and n.call.type == "rnn"]:
        m = Matcher(graph)
        _, gradient = m.gradient(node)
        if gradient is not None:
            _replace(graph, m, node, gradient)


def _replace(graph, m, node, gradient):
    back = gradient.call
    ins, outs = list(node.ins), list(node.outs)
    grads, found = gradient.ins[back.n_in + back.n_out:], list(gradient.outs)
    before, after = _before(m, node, gradient), _after(m, node, gradient)
    gone, at, late = set(), node, gradient
    if before is not None:
        ins[0] = before[0].ins[0]
        if before[1] is not None:
            found[0], late = before[1].outs[0], before[1]
            gone |= {before[1], gradient}
    if after is not None:
        forward, backward = after
        outs[0], at = forward.outs[0], forward
        grads[0] = backward.ins[-1]
        gone |= {forward, backward, node}
    tape = Value(f"{node.outs[0].name if node.outs[0] else 'rnn'}.tape")
    call = KeepingRnn(node.call, back.wanted, before is not None, after is not None)
    new = Node(call, ins, [*outs, tape], node.operator)
    newer = Node(KeepingRnnGrad(back.n_in, back.wanted), [tape, *grads], found, gradient.operator)
    graph.nodes = [new if n is at else newer if n is late else n for n in graph.nodes if n in (at, late) or n not in gone]


def _turns(node):
    if node is None or not isinstance(node.call, OpCall) or node.type != "transpose2":
        return False
    return list(node.call.values[0]) == [1, 0, 2]


def _before(m, node, gradient):
    """(transpose in front, its gradient or None) if the rnn's input is a transposed one."""
    turn = node.ins[0].node
    if not _turns(turn):
        return None
    if gradient.outs[0] is None:
        return turn, None
    _, back = m.gradient(turn)
    alone = back is not None and m.readers.get(gradient.outs[0]) == [back]
    return (turn, back) if alone else None


def _after(m, node, gradient):
    """(transpose behind, its gradient) if the rnn's output is only ever read transposed."""
    out = node.outs[0]
    readers = m.readers.get(out, []) if out is not None else []
    if len(readers) != 1 or not _turns(readers[0]):
        return None
    _, back = m.gradient(readers[0])
    return (readers[0], back) if back is not None and m.readers.get(back.outs[0]) == [gradient] else None
