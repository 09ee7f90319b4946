"""LoD: rows packed sequence behind sequence, and where each sequence ends.

A variable with sequence lengths has companions in the program: for every level, outermost first, an int64 variable of offsets
(``Variable.lod`` holds their names). They are fed and fetched together with it. Ops that want the offsets of their slot ``X``
declare an input ``XLoD*?``, which recording fills in; ops that make new ones return them in ``OutLoD*``; every other op that
keeps the rows of its input passes the names on (the fact ``rows``). A program without sequences meets none of this.
"""

import numpy as np

from ...core.errors import WrongKindError, describe
from ...core.op import BY_NAME, Symbolic
from ...core.tensor import Tensor
from ..lod_tensor import LoDTensor, LoDTensorArray  # noqa: F401
from . import program

SUFFIX = "LoD"


# ---- while a program is built ----------------------------------------------------------------------------------------------
def declare(var, levels, **kind):
    """Give a variable companions of its own, to be fed or written; returns their names."""
    for name in give(var, _own_names(var, levels)).lod:
        var.block.new_var(name=name, shape=[-1], dtype="int64", stop_gradient=True, **kind)
    return var.lod


def _own_names(var, levels):
    return tuple(f"{var.name}@LOD_{k}" for k in range(levels))


def give(var, offsets):
    """Let a variable have these companions (Variables or names); returns the variable."""
    var.lod = tuple(o if isinstance(o, str) else o.name for o in offsets)
    var.lod_level = len(var.lod)
    return var


def levels(var):
    """The companions of a variable, outermost first."""
    return [var.block._var_recursive(name) for name in var.lod]


def need(var, function, argument="input", count=1):
    """The companions of a variable; ValueError if there are fewer than ``count`` levels, TypeError for something else than a
    Variable. Data that was declared without ``lod_level`` gets them: as in Paddle, what is fed decides."""
    if getattr(var, "is_data", False) and not var.lod:
        declare(var, count, is_data=True, need_check_feed=True)
    if not isinstance(var, Symbolic) or len(var.lod) < count:
        name, kind = getattr(var, "name", describe(var)), ValueError if isinstance(var, Symbolic) else WrongKindError
        raise kind(f"{function}(): {argument} {name} must have sequence lengths ({count} level{'s' if count > 1 else ''}); "
                         f"declare the data they come from with lod_level={count}")
    return levels(var)


def _spares_rows(attrs, x, out):
    """Do the axes that an op works along leave the first one alone?"""
    axes = attrs.get("axis", attrs.get("axes"))
    axes = [axes] if isinstance(axes, int) else axes
    return bool(axes) and all(a % len(x.shape) for a in axes)


def _same_rows(attrs, x, out):
    """Has a new shape as many numbers in a row as before?"""
    return np.prod(x.shape[1:]) == np.prod(out.shape[1:])


def _within_rows(attrs, x, out):
    """Are elements repeated within their rows alone?"""
    times = attrs.get("repeat_times", attrs.get("expand_times"))
    return bool(times) and len(times) == len(x.shape) and times[0] == 1


_TESTS = {"axes": _spares_rows, "sizes": _same_rows, "times": _within_rows}


def made_slots(op):
    """The output slots of an op that hold offsets; they stand behind the others."""
    return [slot for slot in op.outputs if slot.name.endswith(SUFFIX)]


def _give_made(op, made, outs, names):
    """Let the outputs of a call have the lengths that it makes."""
    first = len(op.outputs) - len(made)
    each = [outs[first:]] if len(made) == 1 else [[out] for out in outs[first:]]
    by_slot = {slot.name[:-len(SUFFIX)]: offsets for slot, offsets in zip(made, each)}
    if len(made) == 1:
        by_slot[op.outputs[0].name] = each[0]
    for name in names:
        output, _, source = name.partition("=")
        by_slot[output] = by_slot[source] if source else each[0]
    for slot, out in zip(op.outputs[:first], outs):
        if slot.name in by_slot and out is not None:
            give(out, by_slot[slot.name])


def follow(op, inputs, attrs, outs):
    """Let the outputs of a recorded call have the sequence lengths that its inputs give them, as the op's fact ``rows`` says:

    "keep": outputs with as many rows as the first input have its lengths ("keep Ids": as the input Ids); "axes", "sizes" and
    "times": they do if the op leaves the first axis alone, if each row has as many numbers as before, or if nothing is repeated
    along the first axis; "copy": in variables of their own; "pool": each innermost sequence has become a row. An op that makes
    lengths (outputs ``OutLoD``) gives them to its first output and to the outputs that ``rows`` names; one that makes several
    (outputs ``<slot>LoD``, one level each) to these, and to the outputs of which ``rows`` says "<output>=<slot>".
    """
    made = made_slots(op)
    rows, *names = (op.facts.rows or "none").split()
    if made:
        _give_made(op, made, outs, names)
    elif rows == "copy":  # the copy may be written to, so its lengths are copies as well
        assign_levels(inputs["X"][0], outs[0])
    elif rows == "pool":
        give(outs[0], inputs["X"][0].lod[:-1])
    elif rows != "none" and op.inputs:
        source, test = inputs.get(names[0] if names else op.inputs[0].name), _TESTS.get(rows)
        for out in outs if source and source[0].lod else ():
            if out is not None and out.shape[:1] == source[0].shape[:1] and (test is None or test(attrs, source[0], out)):
                give(out, source[0].lod)


def offsets_of(slot, inputs):
    """The companions for an input slot ``<other slot>LoD`` of a call that is being recorded, or None."""
    of = inputs.get(slot.name[:-len(SUFFIX)])
    found = [level for var in of or () for level in levels(var)]
    return found or None


def joined(variables):
    """The companions of variables that stand one behind the other."""
    found = []
    for offsets in zip(*map(levels, variables)):
        whole = offsets[0]
        for more in offsets[1:]:
            whole = BY_NAME["concat"]([whole, more[1:] + whole[-1:]])
        found.append(whole)
    return found


def _others(var):
    """Do variables that live as long as var have its companions too? Those of blocks inside are computed anew at each turn."""
    block = var.block
    while block is not None:
        if any(v is not var and set(v.lod) & set(var.lod) for v in block.vars.values()):
            return True
        block = block.parent
    return False


def assign_levels(source, target):
    """Write the companions of one variable into those of another, which gets some of its own if it has none yet."""
    if source.lod in ((), target.lod):
        return
    block = program.default_main_program().current_block()
    own = target.lod or declare(target, len(source.lod))
    if len(own) != len(source.lod) or own != _own_names(target, len(own)) and _others(target):
        raise ValueError(f"assign(): the sequence lengths of {target.name} are also those of other variables, so others can't be "
                         "written into it; begin with a copy of its own (assign without output)")
    for level, name in zip(levels(source), own):
        block.append_op("assign", {"X": level}, {"Out": name})


def steps_in_array(operator):
    """The slots of offsets of a lod_tensor_to_array: members have the levels below that of the rank table."""
    x, table, array = _operands(operator)
    inner = len(x.lod) - len(table.lod[2:])
    operator.inputs.update({"RankTable" + SUFFIX: list(table.lod), "X" + SUFFIX: list(x.lod)})
    if inner > 0:
        operator.outputs["Out" + SUFFIX] = list(declare(array, inner, kind=program.LOD_TENSOR_ARRAY))


def steps_packed(operator):
    """The slots of offsets of an array_to_lod_tensor: the levels that the rank table holds, and those of the members."""
    array, table, out = _operands(operator)
    operator.inputs.update({"RankTable" + SUFFIX: list(table.lod), "X" + SUFFIX: list(array.lod)})
    outer = table.lod[2:]
    inner = _own_names(out, len(outer) + len(array.lod))[len(outer):]
    for name in inner:
        out.block.new_var(name=name, shape=[-1], dtype="int64", stop_gradient=True)
    if inner:
        operator.outputs["Out" + SUFFIX] = list(inner)
    give(out, (*outer, *inner))


def steps_gradient(operator):
    """The slots of offsets of the gradients of both."""
    find = operator.block._var_recursive
    for slot in ("RankTable", "X"):
        operator.inputs[slot + SUFFIX] = list(find(operator.input(slot)[0]).lod)


def _operands(operator):
    find = operator.block._var_recursive
    return find(operator.input("X")[0]), find(operator.input("RankTable")[0]), find(operator.output("Out")[0])


# ---- while it runs -----------------------------------------------------------------------------------------------------------
def fed(var, value):
    """(array, {companion: offsets}) of a value fed to a variable with sequence lengths: a LoDTensor, or (array, lengths). An array
    alone will do where no operator asks for the lengths."""
    if isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[1], (list, tuple)):
        array, lengths = value
        value = LoDTensor(array._data if isinstance(array, Tensor) else array)
        value.set_recursive_sequence_lengths(lengths)
    if (not isinstance(value, LoDTensor) or not value._lengths) and not _asked(var):
        return value, {}
    if not isinstance(value, LoDTensor):
        raise ValueError(f"Executor.run(): {var.name!r} has {len(var.lod)} level(s) of sequence lengths: feed a LoDTensor "
                         f"(fluid.create_lod_tensor) or a pair (array, lengths), got {describe(value)}")
    offsets = value.lod()
    if len(offsets) != len(var.lod) or not value.has_valid_recursive_sequence_lengths():
        raise ValueError(f"Executor.run(): {var.name!r} has {len(var.lod)} level(s) of sequence lengths that cover all rows, the "
                         f"fed value of shape {value.shape()} has {value.recursive_sequence_lengths()}")
    return np.asarray(value._array), {name: np.asarray(o, np.int64) for name, o in zip(var.lod, offsets)}


def _asked(var):
    """Does an operator of the program read the lengths of a variable?"""
    return any(name in op.input_arg_names for block in var.block.program.blocks for op in block.ops for name in var.lod)


def rows_of(var, values):
    """The values of samples as one array in the type of a variable and, where it is known, the shape of its rows."""
    array, row = np.array(values, dtype=var.dtype.name), list(var.shape[1:])
    if -1 in row:
        return array
    fits = array.size == len(values) * int(np.prod(row))  # or a sample is a whole batch
    return array.reshape([len(values) if fits else -1, *row])


def packed(var, values):
    """A LoDTensor of samples that are nested as deep as the variable has levels."""
    lengths = []
    for _ in var.lod:
        lengths.append([len(v) for v in values])
        values = [item for v in values for item in v]
    return LoDTensor(rows_of(var, values), lengths)


def companions(block, name):
    """Names of the companions to fetch with a variable, none for arrays of tensors and rank tables."""
    var = block.find(name)
    return () if var is None or var.kind != program.LOD_TENSOR else var.lod


def with_companions(block, names, fed):
    """Names to fetch, their companions behind them: those that the program makes or that were fed."""
    return [*names, *(one for name in names for one in companions(block, name) if one in fed or not block.find(one).is_data)]


def fetched(array, offsets):
    """The LoDTensor of a fetched array."""
    return LoDTensor(array, [np.diff(o).tolist() for o in offsets])
