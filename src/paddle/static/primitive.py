"""Programs of simpler operators: composite operators as what they are made of, gradients as what their rules are made of.

``forward`` and ``backward`` say which of them programs get; ``eager`` belongs to dynamic code, whose rules are always composed.
"""

from ..core import flags
from ..core.context import changed
from ..core.errors import ModeError, describe
from .composites import RULES
from .ir.lower import op_call
from .ir.nodes.op import OpCall
from .program.program import Block, program_guard
from .program.registry import find

forward = flags.define("FLAGS_prim_forward", False, "translated programs have composite operators as their parts")
backward = flags.define("FLAGS_prim_backward", False, "gradients of programs are written as the operators that rules are made of")
eager = flags.define("FLAGS_prim_eager", False, "gradients of dynamic code are made of operators, which they always are")


def recorded(block, function):
    """The operators that a function adds to a block, taken off it again, and what it returns; None where it needs values, which
    programs do not have while they are built."""
    first, known, program = len(block.ops), set(block.vars), block.program
    before, program.current_block_idx = program.current_block_idx, block.idx
    with program_guard(program), changed(static_mode=True):
        try:
            found = function()
        except (ModeError, TypeError, AttributeError):
            found = None  # what was recorded until then goes
        finally:
            program.current_block_idx = before
            made = block.ops[first:]
            del block.ops[first:]
    if found is None:
        for name in set(block.vars) - known:
            del block.vars[name]
        return None
    return made, found


def decompose(block, only=None, but=()):
    """Replace the composite operators of a block (of all types, or of these) by what they are made of."""
    for operator in list(block.ops):
        if operator.type in RULES and operator.type not in but and (only is None or operator.type in only):
            _decompose_one(block, operator)


def _decompose_one(block, operator):
    call, ins, outs = op_call(find(operator.type), operator)
    ins, outs = [None if n is None else block.var(n) for n in ins], [None if n is None else block.var(n) for n in outs]
    if not isinstance(call, OpCall) or any(v is not None and -1 in v.shape for v in ins):
        return
    assign = find("assign")

    def parts():
        results = RULES[operator.type](*call.nest(ins), *call.values)
        if results is None:
            return None
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        return [(out, assign(result)) for out, result in zip(outs, results) if out is not None]
    found = recorded(block, parts)
    if found is None:
        return
    made, pairs = found
    for out, result in pairs:  # the last operators write into the variables that were there
        writer = next(op for op in made if result.name in op.output_arg_names)
        writer.outputs = {slot: [out.name if n == result.name else n for n in names] for slot, names in writer.outputs.items()}
        del block.vars[result.name]
    at = block.ops.index(operator)
    block.ops[at:at + 1] = made
    block.program.touch()


def to_prim(blocks, blacklist=frozenset(), whitelist=frozenset(), start_idx=-1, backward_length=-1):
    """Replace composite operators by what they are made of, where ``forward`` is on.

    Args:
        blocks: a Block or several.
        blacklist: types to leave as they are.
        whitelist: types to replace; all for an empty one.
        start_idx, backward_length: only all operators are supported, which the defaults mean.
    """
    if start_idx != -1 or backward_length != -1:
        raise NotImplementedError("to_prim(): start_idx and backward_length are not supported; all operators are decomposed")
    if not forward.value:
        return
    for block in [blocks] if isinstance(blocks, Block) else blocks:
        if not isinstance(block, Block):
            raise TypeError(f"to_prim(): blocks must be a Block or several, got {describe(blocks)}")
        decompose(block, set(whitelist) or None, set(blacklist))
