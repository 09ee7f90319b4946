"""Programs rewritten for a short floating type: casts before the operators that are to run in it, or in float32 again."""

import numpy as np

from ...core import dtype as dtypes
from ...core.op import BY_NAME
from ..op_desc import infer_outputs
from ..program.program import program_guard
from ..program.registry import find


def guarded(guard, names):
    """A function that says whether an operator stays in float32: outside of the guard's name scope (None: there is none), or
    with a variable of one of these names."""
    def kept(operator):
        outside = guard is not None and guard not in operator.attrs.get("op_namescope", "")
        return outside or bool(names and {*operator.input_arg_names, *operator.output_arg_names} & set(names))
    return kept


def in_float32(loss):
    """A loss that was computed in a short type, cast; it goes to the program that has it."""
    if loss.dtype.name == "float32":
        return loss
    with program_guard(loss.block.program):
        return BY_NAME["cast"](loss, dtypes.ALL["float32"])


def rewrite(program, caster, kept=lambda operator: False):
    """Give the operators of a program, before it has gradients, the casts that ``caster`` (of ``paddle.amp``) chooses; those of
    which ``kept`` is true, of inner blocks, and those that write what is stored stay in float32. Returns the names of the
    parameters that are read in the short type."""
    read = set()
    with program_guard(program):
        for block in program.blocks:
            operators, block.ops, casts = block.ops, [], {}
            program.current_block_idx = block.idx
            for operator in operators:
                _change(block, operator, caster, block.idx > 0 or kept(operator), casts, read)
                for name in operator.output_arg_names:
                    casts = {key: value for key, value in casts.items() if key[0] != name}
        program.current_block_idx = 0
    program.touch()
    return read


def _change(block, operator, caster, kept, casts, read):
    """Add an operator to its block, with the casts that it needs before it."""
    op = find(operator.type)
    if op is not None and op.facts.amp != "never":
        floats = [kind for slot in op.inputs for kind in _kinds(block, operator, slot, caster)]
        up = (caster.short, np.dtype(np.float32), len(op.inputs)) if caster.short in floats else None
        chosen = up if kept else caster.choose(op, floats) if floats else None
        if chosen is not None and chosen[1] == caster.short and _stores(block, operator, op):
            chosen = up
        if chosen is not None:
            _cast(block, operator, op, *chosen, casts, read)
    block.ops.append(operator)
    if op is not None:
        for var, spec in infer_outputs(operator):
            if not var.persistable:
                var._dtype = dtypes.of(spec.dtype)


def _kinds(block, operator, slot, caster):
    variables = map(block.find, operator.inputs.get(slot.name, ()))
    kinds = [v.dtype.dtype for v in variables if v is not None and v.dtype is not None]
    return [kind for kind in kinds if kind in (np.float32, caster.short)]


def _stores(block, operator, op):
    """Does the operator write floating variables that stay from run to run, of which it says nothing?"""
    written = [block.find(name) for name in operator.output_arg_names]
    return op.facts.amp != "norm" and any(v is not None and v.persistable and v.dtype.is_floating for v in written)


def _cast(block, operator, op, old, new, first, casts, read):
    for slot in op.inputs[:first]:
        names = operator.inputs.get(slot.name, ())
        for k, name in enumerate(names):
            var = block.find(name)
            if var is None or var.dtype is None or var.dtype.dtype != old:
                continue
            if (name, new) not in casts:
                casts[name, new] = BY_NAME["cast"](var, dtypes.of(new)).name
                if var.is_parameter and old == np.float32:
                    read.add(name)
            names = operator.inputs[slot.name] = [*names[:k], casts[name, new], *names[k + 1:]]
