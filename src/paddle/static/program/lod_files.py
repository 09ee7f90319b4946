"""Sequence lengths and files: Paddle programs do not name them, so they are taken out when writing and put in when reading, and
when a program that was put together operator by operator is fed with them first."""

from ...core.attributes import from_file
from ...core.facts import Spec
from . import lod
from .infer import infer
from .program import GRAD, LOD_TENSOR, LOD_TENSOR_ARRAY, Operator
from .registry import declared
from .transform import clone, feed_fetch_names, sub_blocks


def stripped(program):
    """The program as files have it: without offsets and without the operators that only move them (itself, if it has none)."""
    hidden = _hidden(program)
    return _strip(clone(program), hidden) if hidden else program


def _hidden(program):
    return {name for var in program.list_vars() for name in var.lod}


def _strip(program, hidden):
    """Take offsets out of a program; returns it."""
    for block in program.blocks:
        block.ops = [op for op in block.ops if not (op.output_arg_names and set(op.output_arg_names) <= hidden)]
        for op in block.ops:
            op.inputs = {slot: [n for n in names if n not in hidden] for slot, names in op.inputs.items()
                         if not slot.endswith(lod.SUFFIX)}
            op.outputs = {slot: [n for n in names if n not in hidden] for slot, names in op.outputs.items()
                          if not slot.endswith(lod.SUFFIX)}
        for name in hidden & block.vars.keys():
            del block.vars[name]
    return program


def complete(program):
    """Give the variables of a program from a file the offsets that follow from those of its inputs, and from operators that make
    sequences of padded rows; returns the program."""
    block = program.global_block()
    fed = set(feed_fetch_names(program)[0])
    sources = [v for v in block.vars.values() if v.lod_level and not v.lod and (v.name in fed or v.need_check_feed or v.is_data)]
    if not any(v.kind != LOD_TENSOR_ARRAY for v in sources) and not any(_makes_offsets(op) for b in program.blocks for op in b.ops):
        return program
    return begin(program, {var: var.lod_level for var in sources})


def _makes_offsets(operator):
    op, level = declared(operator.type)
    return op is not None and not level and bool(lod.made_slots(op))


def begin(program, sources):
    """Give {variable: levels} offsets to be fed, and all that follows from them its own; returns the program. What it had before
    is worked out anew if one of these variables has another number of levels now."""
    if any(var.lod for var in sources):
        sources = {**{var: len(var.lod) for var in program.list_vars() if var.lod and var.is_data}, **sources}
        _strip(program, _hidden(program))
        for var in program.list_vars():
            var.lod = ()
    for var, levels in sources.items():
        lod.declare(var, levels, is_data=True, need_check_feed=True)
    _complete_block(program.global_block())
    for var in program.list_vars():  # a gradient has the lengths of what it belongs to
        of = var.block.find(var.name.removesuffix(GRAD))
        if of is not var and of is not None and of.kind == LOD_TENSOR and not var.lod:
            lod.give(var, of.lod)
    return program


def _complete_block(block):
    ops, block.ops = block.ops, []
    for op in ops:
        for inner in sub_blocks(op):
            _complete_block(inner)
        block.ops.append(op)
        special = _SPECIAL.get(op.type)
        if special is not None:
            special(block, op)
        else:
            complete_op(block, op)
    block.program.touch()


def _variables(block, names):
    return [v for v in map(block.find, names) if v is not None]


def fill_inputs(block, operator):
    """Fill in the slots of offsets of an operator's inputs; returns the inputs by slot."""
    op, _ = declared(operator.type)
    inputs = {slot: _variables(block, names) for slot, names in operator.inputs.items()}
    for slot in op.inputs:
        if slot.name.endswith(lod.SUFFIX):
            found = lod.offsets_of(slot, inputs)
            if found:
                inputs[slot.name] = found
                operator.inputs[slot.name] = [v.name for v in found]
    return inputs


def complete_op(block, operator):
    """Fill in the slots of offsets of an operator that is an op's call (or its gradient), and pass lengths on."""
    op, level = declared(operator.type)
    if op is None:
        return
    inputs = fill_inputs(block, operator)
    if level or not any(v.lod for some in inputs.values() for v in some) and op.family != "sequence":
        return
    outs = [v for slot in op.outputs for v in _variables(block, operator.output(slot.name)) or [None]]
    attrs = from_file(op, operator.attrs)
    made = lod.made_slots(op)
    if made:
        specs = [[Spec(v.shape, v.dtype.dtype) for v in inputs.get(s.name, [])] for s in op.inputs]
        specs = [None if not some else some if s.is_list else some[0] for s, some in zip(op.inputs, specs)]
        first = len(op.outputs) - len(made)
        count = len(infer(op, specs, attrs)) - first
        offsets = [block.new_var(name=f"{outs[0].name}@LOD_{k}", shape=[-1], dtype="int64", stop_gradient=True)
                   for k in range(count)]
        for k, slot in enumerate(made):
            operator.outputs[slot.name] = [v.name for v in (offsets if slot.is_list else offsets[k:k + 1])]
        outs[first:] = offsets
    lod.follow(op, inputs, dict(zip(op.attr_names, attrs)), outs)


def _write(block, operator):
    x, array = block.find(operator.input("X")[0]), block.find(operator.output("Out")[0])
    if not x.lod:
        return
    names = array.lod or lod.declare(array, len(x.lod), kind=LOD_TENSOR_ARRAY)
    for level, name in zip(x.lod, names):
        block.ops.append(Operator(block, "write_to_array", {"X": [level], "I": operator.input("I")}, {"Out": [name]}, {}))


def _read(block, operator):
    array, out = block.find(operator.input("X")[0]), block.find(operator.output("Out")[0])
    for level, name in zip(array.lod, lod.declare(out, len(array.lod))):
        block.ops.append(Operator(block, "read_from_array", {"X": [level], "I": operator.input("I")}, {"Out": [name]}, {}))


def _assign(block, operator):
    x, out = block.find(operator.input("X")[0]), block.find(operator.output("Out")[0])
    if x.lod and x.kind != LOD_TENSOR_ARRAY:
        for level, name in zip(x.lod, out.lod or lod.declare(out, len(x.lod))):
            block.ops.append(Operator(block, "assign", {"X": [level]}, {"Out": [name]}, {}))


def _decode(block, operator):
    ids = block.find(operator.input("Ids")[0])
    outs = [block.find(operator.output(s)[0]) for s in ("SentenceIds", "SentenceScores")]
    operator.inputs["IdsLoD"], operator.outputs["OutLoD"] = list(ids.lod), list(lod.declare(outs[0], len(ids.lod)))
    lod.give(outs[1], outs[0].lod)


_SPECIAL = {"write_to_array": _write, "read_from_array": _read, "assign": _assign, "beam_search_decode": _decode,
            **{name: lambda _, operator, complete=complete: complete(operator) for name, complete in (
                ("lod_tensor_to_array", lod.steps_in_array), ("array_to_lod_tensor", lod.steps_packed),
                ("lod_tensor_to_array_grad", lod.steps_gradient), ("array_to_lod_tensor_grad", lod.steps_gradient))}}
