"""Checkpoints: backward operators read results that are computed again from a few kept ones, so that the rest can be freed."""

from ..core.errors import suggest
from .ir.lower import op_of
from .program.program import Operator
from .program.transform import sub_blocks

AGAIN = "@RECOMPUTE"


def recompute(block, forward, checkpoints):
    """Let the backward operators, which follow the forward ones, read copies of what lies between checkpoints.

    The forward operators up to each checkpoint are one segment; what follows the last is used at once and stays as it is. The
    copies of a segment stand before the first backward operator that reads one of its results. What random operators and
    operators with blocks give is kept.
    """
    start = next(k for k, op in enumerate(block.ops) if op is forward[-1]) + 1
    backward = block.ops[start:]
    for segment in _segments(forward, checkpoints):
        hidden = {name for op in segment if _repeatable(op) for name in op.output_arg_names
                  if name not in checkpoints and not block.var(name).persistable}
        readers = [k for k, op in enumerate(backward) if not hidden.isdisjoint(op.input_arg_names)]
        if readers:
            first = readers[0]
            wanted = {name for k in readers for name in backward[k].input_arg_names} & hidden
            copies = _copies(block, segment, wanted, hidden, _made_before(backward, first))
            for k in readers:
                for name in wanted:
                    backward[k]._rename_input(name, name + AGAIN)
            backward[first:first] = copies
    block.ops[start:] = backward
    block.program.touch()


def _segments(forward, checkpoints):
    known = {name for op in forward for name in (*op.output_arg_names, *op.input_arg_names)}  # what goes in is kept anyway
    for name in checkpoints:
        if name not in known:
            raise ValueError(f"append_backward(): no operator reads or writes the checkpoint {name!r}{suggest(name, known)}")
    segments, current = [], []
    for op in forward:
        current.append(op)
        if not checkpoints.isdisjoint(op.output_arg_names):
            segments.append(current)
            current = []
    return segments


def _repeatable(op):
    declared = op_of(op.type)
    return (declared is None or declared.facts.pure and not declared.facts.random) and not sub_blocks(op)


def _made_before(backward, position):
    """A variable that backward operators before the position compute and the one there reads, or None."""
    made = {name for op in backward[:position] for name in op.output_arg_names}
    return next((name for name in backward[position].input_arg_names if name in made), None)


def _copies(block, segment, wanted, hidden, after):
    """Operators that compute the wanted results again under other names, from what is kept; nothing before ``after``."""
    copies, needed = [], set(wanted)
    for op in reversed(segment):
        if not needed.isdisjoint(op.output_arg_names) and _repeatable(op):
            needed.update(name for name in op.input_arg_names if name in hidden)
            copies.insert(0, op)
    made, gates = [], {}
    for op in copies:
        inputs = {slot: [_renamed(block, n, hidden, gates, after, op) for n in names] for slot, names in op.inputs.items()}
        outputs = {slot: [_twin(block, n, n + AGAIN) for n in names] for slot, names in op.outputs.items()}
        made.append(Operator(block, op.type, inputs, outputs, op.attrs, op.where))
    return [*gates.values(), *made]


def _renamed(block, name, hidden, gates, after, op):
    """What a copy reads: a copy, a parameter, or a kept value through a gate that keeps copies from being merged with their
    originals."""
    if name in hidden:
        return name + AGAIN
    var = block.find(name)
    if var is None or var.persistable:
        return name
    through = name + AGAIN + "_FROM"
    if name not in gates:
        inputs = {"X": [name], **({"After": [after]} if after is not None else {})}
        gates[name] = Operator(block, "recompute_gate", inputs, {"Out": [_twin(block, name, through)]}, {}, op.where)
    return through


def _twin(block, name, new):
    old = block.var(name)
    if not block.has_var(new):
        block.new_var(name=new, shape=old.shape, dtype=old.dtype, stop_gradient=True)
    return new
