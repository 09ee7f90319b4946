"""A program's operators copied into the program that is being traced: how a loaded layer is part of another function."""

from ..ops.manipulation.creation import assign
from ..static.program.program import Block, Operator, default_main_program
from ..static.program.transform import writes
from ..utils import unique_name


def inline(program, feeds, fetches, variables, trace):
    """Append a program to the current block, with Variables for its inputs; returns those of its outputs.

    Loops of files write into what they are fed: such an input is copied first, so that the caller's Variable stays as it is.
    Sizes that the program declares hold for inputs as it declares them; for others no size inside is known.
    """
    declared = [program.global_block().find(name) for name in feeds]
    fits = all(v is None or len(v.shape) == len(given.shape) and all(a in (-1, b) for a, b in zip(v.shape, given.shape))
               for v, given in zip(declared, variables))
    target = default_main_program().current_block()
    written = set().union(*(writes(op) for op in program.global_block().ops if op.type not in ("feed", "fetch")))
    names = {name: (assign(v) if name in written else v).name for name, v in zip(feeds, variables)}
    for name, tensor in program.captured.items():
        names[name] = trace.variable(tensor).name
    _copy(program.global_block(), target, names, fits)
    return [target._var_recursive(names[name]) for name in fetches]


def _copy(source, target, names, fits):
    program = target.program
    for name, var in source.vars.items():
        if name in names:
            continue
        names[name] = unique_name.generate("inlined_" + name)
        given = {"name": names[name], "dtype": var.dtype, "stop_gradient": var.stop_gradient, "lod_level": var.lod_level,
                 "kind": var.kind}
        if var.shapes is not None:
            target.new_var(shapes=var.shapes if fits else tuple((-1,) * len(s) for s in var.shapes), why=var.why, **given)
        else:
            target.new_var(shape=var.shape if fits or var.persistable else [-1] * len(var.shape), **given)
    for op in source.ops:
        if op.type in ("feed", "fetch"):
            continue
        attrs = {}
        for key, value in op.attrs.items():
            if isinstance(value, Block):
                block = Block(program, len(program.blocks), target.idx)
                program.blocks.append(block)
                _copy(value, block, names, fits)
                value = block
            attrs[key] = value
        inputs, outputs = [{slot: [names.get(n, n) for n in listed] for slot, listed in table.items()}
                           for table in (op.inputs, op.outputs)]
        target.ops.append(Operator(target, op.type, inputs, outputs, attrs, op.where))
    program.touch()
