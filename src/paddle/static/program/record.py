"""How an op call becomes an Operator of the current program: this module plugs itself into the engine."""

import os
import sys

import numpy as np

from ...core import dtype as dtypes
from ...core.attributes import VarName, to_file
from ...core.context import changed, context
from ...core.facts import Spec
from ...core.late import LateInt, LateInts, LateSizes
from ...core.op import Symbolic
from ...core.tensor import Parameter, Tensor
from ...utils import naming
from . import lod, open_ranks
from . import program as program_module
from .infer import infer
from .registry import find

_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
CONSTANT_LIMIT = 1024  # elements of a tensor that is written into the program as a constant
KNOWN_LIMIT = 64  # elements of an integer tensor whose value is followed while the program is built


def user_line():
    """(file, line) of the innermost frame outside this package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else None


def record(op, args):
    """Append a call of ``op`` with bound arguments to the current block; returns its output Variables."""
    block = program_module.default_main_program().current_block()
    if op.in_programs is not None:
        return op.in_programs(*[as_variable(a, block) for a in args[:op.n_in]], *args[op.n_in:])
    inputs, specs, variables = _bound_inputs(op, args, block)
    attrs = _with_program_seed(op, args[op.n_in:], block.program.random_seed)
    late = [k for k, a in enumerate(attrs) if isinstance(a, (LateInts, LateInt))]
    several = any(v.shapes is not None for v in variables)
    if several:
        found = open_ranks.infer_each([inputs.get(slot.name) for slot in op.inputs], specs,
                                      lambda each: _open_shapes(op, each, attrs, late) if late else infer(op, each, attrs))
    else:
        found = _open_shapes(op, specs, attrs, late) if late else infer(op, specs, attrs)
    known = [None] * len(found) if late or several else _known_values(op, specs, attrs, found)
    stop = not op.differentiable or not context.grad or not variables or _all_stopped(variables)
    names = naming.slot_names(op, {s.name: len(found) - len(op.outputs) + 1 for s in op.outputs if s.is_list})
    outs = [None if s is None else block.new_var(
        name=name, dtype=dtypes.of(s.dtype), stop_gradient=stop or s.dtype.kind not in "fcV", **_extent(s, variables))
        for name, s in zip((name for slot in op.outputs for name in names[slot.name]), found)]
    for out, value in zip(outs, known):
        if out is not None:
            out.known = value
    if any(v.lod for v in variables) or op.family == "sequence":
        lod.follow(op, inputs, dict(zip(op.attr_names, attrs)), outs)
    written = _with_variables(op, attrs, late, block) if late else to_file(op, attrs)
    block.append_op(op.type, inputs, _output_slots(op, outs, names, block, variables), written, user_line())
    if context.trace is not None and variables and 0 <= op.view_since <= context.rules.number:
        _note_views(variables[0], outs)
    if op.single:
        return outs[0]
    return outs if len(op.outputs) == 1 else tuple(outs)


def _all_stopped(variables):
    """Does no gradient leave an operator of these inputs? The inputs of a translated function may get gradients in a later call."""
    return context.trace is None and context.rules.stops_spread and all(v.stop_gradient for v in variables)


def _bound_inputs(op, args, block):
    """({slot: its Variables}, the Spec or Specs of each slot, all Variables) of a call."""
    inputs, specs, variables = {}, [], []
    for slot, a in zip(op.inputs, args):
        if a is None and slot.name.endswith(lod.SUFFIX):
            a = lod.offsets_of(slot, inputs)
        if a is None or (slot.is_list and isinstance(a, (list, tuple)) and not a):
            specs.append(None)
            continue
        items = [as_variable(i, block) for i in (a if isinstance(a, (list, tuple)) else [a])]
        variables += items
        for stale in [v for v in items if v.stale is not None and context.trace is not None]:
            context.trace.refuse_views(stale, stale.stale)
        inputs[slot.name] = items
        spec = [Spec(v.shape if v.shapes is None else v.shapes[0], v.dtype.dtype, v.known) for v in items]
        specs.append(spec if slot.is_list else spec[0])
    return inputs, specs, variables


def _extent(spec, variables):
    """What a new variable is told of its shape."""
    if spec.__class__ is open_ranks.OpenSpec:
        return {"shapes": spec.shapes, "why": next(v.why for v in variables if v.shapes is not None)}
    return {"shape": spec.shape}


def _open_shapes(op, specs, attrs, late):
    """Specs of the outputs of an op some of whose attributes only a run knows: sizes that depend on these are unknown."""
    tried = []
    for by in range(max([2, *[len(s.shape) for s in specs if isinstance(s, Spec)]])):
        try:
            tried.append(infer(op, specs, [a.shifted(by) if k in late else a for k, a in enumerate(attrs)]))
        except (ValueError, TypeError, IndexError):
            continue
    if not tried:
        return infer(op, specs, attrs)  # which says what is wrong
    found, several = [], any(isinstance(attrs[k], LateInts) and len(attrs[k]) > 1 and not isinstance(attrs[k], LateSizes)
                             for k in late)
    for alike in zip(*tried):
        lowest = min(len(s.shape) for s in alike)
        sizes = list(zip(*[s.shape for s in alike if len(s.shape) == lowest]))
        found.append(alike[0].like([n[0] if len(set(n)) == 1 and not several else -1 for n in sizes]))
    return found


def _with_variables(op, attrs, late, block):
    """File attributes with the names of Variables in the places of what only a run knows."""
    written = first = to_file(op, [a.shifted(1) if k in late else a for k, a in enumerate(attrs)])
    for k in late:  # where it stands in files is where another number makes a difference
        second = to_file(op, [a.shifted(1 + (i == k)) if i in late else a for i, a in enumerate(attrs)])
        names = [VarName(as_variable(np.array([v], np.int32) if isinstance(v, int) else v, block).name)
                 for v in attrs[k].variables]
        key, = [key for key in first if first[key] != second[key]]
        written = {**written, key: names if getattr(attrs[k], "listed", False) else names[0]}
    return written


def _note_views(source, outs):
    """Note which variables would be views of one memory if the function that is translated ran eagerly."""
    if source.family is None:
        source.family = [source]
    for out in outs:
        out.family = source.family
        source.family.append(out)


def _with_program_seed(op, attrs, seed):
    """Dropout and the sampling of classes take the program's seed if they have none; of other ops only initializers do."""
    if seed and op.type in ("dropout", "class_center_sample"):
        i = op.attr_names.index("seed")
        if attrs[i] in (None, 0):
            attrs = (*attrs[:i], seed, *attrs[i + 1:])
    return attrs


def _known_values(op, specs, attrs, found):
    """Values of outputs that follow from known inputs: small integer tensors, so that shapes computed from them are known."""
    nothing = [None] * len(found)
    flat = [s for spec in specs for s in (spec if isinstance(spec, list) else [spec]) if s is not None]
    if not op.single or found[0] is None or op.facts.random or found[0].dtype.kind not in "iub":
        return nothing
    if found[0].known is not None:
        return [found[0].known]
    if any(s.known is None for s in flat) or -1 in found[0].shape or np.prod(found[0].shape) > KNOWN_LIMIT:
        return nothing
    values = [None if s is None else [i.known for i in s] if isinstance(s, list) else s.known for s in specs]
    return [np.asarray(op.run_arrays([*values, *attrs]))]


def _output_slots(op, outs, names, block, variables):
    slots, rest = {}, list(outs)
    lists = sum(slot.is_list for slot in op.file_outputs)  # each has its share of what single outputs leave
    share = (len(rest) - sum(not (slot.is_list or slot.optional) for slot in op.file_outputs)) // max(lists, 1)
    for slot in op.file_outputs:
        if slot.optional:  # exists in files only
            shape = (0, *_declared(variables[0])) if slot.name == "XShape" and variables else ()
            kind = variables[0].dtype if variables else "float32"
            slots[slot.name] = [block.new_var(name=names[slot.name][0], shape=shape, dtype=kind,
                                                 stop_gradient=True)]
        elif slot.is_list:
            slots[slot.name], rest = rest[:share], rest[share:]
        else:
            out = rest.pop(0)
            slots[slot.name] = [] if out is None else [out]
    return slots


def _declared(var):
    return var.shape if var.shapes is None else var.declared


def as_variable(value, block):
    """The Variable that stands for an op's argument: itself, a captured Tensor, or a constant of the program."""
    if isinstance(value, Symbolic):
        return value
    if isinstance(value, Tensor):
        program = block.program
        if isinstance(value, Parameter) or not value.stop_gradient or value.persistable or value._data.size > CONSTANT_LIMIT:
            return capture(value, program)
        value = value._data
    array = np.asarray(value)
    if array.dtype == np.float64 and not isinstance(value, np.ndarray):
        array = array.astype(dtypes.default_numpy())
    return constant(array)


def constant(array):
    """A constant of the current program (element types that files can't hold are cast from one that they can)."""
    kind = dtypes.of(array)
    if kind.is_complex:  # files have no such numbers
        out = find("complex")(constant(np.ascontiguousarray(array.real)), constant(np.ascontiguousarray(array.imag)))
        out.stop_gradient = True
        return out
    stored = kind if kind.name in ("bool", "int32", "int64", "float32", "float64") else dtypes.convert(
        "float32" if kind.is_floating else "int64")
    op = find("assign_value")
    out = record(op, op.bind((), {"shape": list(array.shape), "dtype": stored,
                                  "values": array.astype(stored.dtype).reshape(-1)}))
    if stored is not kind:
        out = find("cast")(out, kind, stored)
    out.stop_gradient = True
    return out


def capture(tensor, program):
    """The persistable variable of a program that reads an eager tensor."""
    name = tensor.name
    program.captured[name] = tensor
    block = program.global_block()
    if name not in block.vars:
        if isinstance(tensor, Parameter):
            var = block.create_parameter(tensor.shape, tensor.dtype, name)
            var.trainable, var.stop_gradient = not tensor.stop_gradient, tensor.stop_gradient
            var.optimize_attr, var.regularizer, var.need_clip = tensor.optimize_attr, tensor.regularizer, tensor.need_clip
        else:
            block.new_var(name=name, shape=tensor.shape, dtype=tensor.dtype, persistable=True,
                             stop_gradient=tensor.stop_gradient)
    return block.vars[name]


def assign_to(value, target):
    """Append the operator that writes a value into an existing variable, which is of the value's shape and dtype from there on;
    returns the variable."""
    block = program_module.default_main_program().current_block()
    value = as_variable(value, block)
    block.append_op("assign", {"X": value}, {"Out": target}, {}, user_line())
    lod.assign_levels(value, target)
    target.known, target.shape = None, value.shape
    target._dtype = value.dtype
    return target


def write_over(**slots):
    """Let the operator that was appended last write results over variables or captured Tensors: ``slot=(what it made, the
    target)``. Programs in Paddle's files keep statistics so."""
    block = program_module.default_main_program().current_block()
    op = block.ops[-1]
    for slot, (made, target) in slots.items():
        if made is not None:
            del block.vars[made.name]
        op.outputs[slot] = [as_variable(target, block).name]


def static_parameter(shape, dtype, attr, initializer, name):
    """A parameter of the default main program, initialised by the default startup program; a trace refuses to make one."""
    if context.trace is not None:
        context.trace.refuse_parameter(name)
    p = program_module.default_main_program().global_block().create_parameter(shape, dtype, name, attr)
    p.initializer = initializer
    initialize_once(initializer, p, program_module.default_startup_program().global_block())
    return p


def initialize_once(initializer, var, block):
    """``initialize``, unless the startup block fills a parameter of that name and shape already: it is shared, and the first
    initializer made it."""
    startup = block.program.global_block()
    before = startup.vars.get(var.name)
    if before is None or list(before.shape) != list(var.shape) or before.dtype is not var.dtype or not any(
            var.name in op.output_arg_names for op in startup.ops):
        if _fills_by_call(type(initializer)):
            initializer(startup.new_var(name=var.name, shape=var.shape, dtype=var.dtype, persistable=True, stop_gradient=True),
                        startup)
        else:
            initialize(initializer, var, block)


def _fills_by_call(kind):
    """Is it an initializer of the user's own, written as Paddle's are: ``__call__(var, block)`` appends the operator that fills?
    The more derived of ``make`` and ``__call__`` decides."""
    first = next(each for each in kind.__mro__ if "make" in vars(each) or "__call__" in vars(each))
    return "make" not in vars(first)


def initialize(initializer, var, block=None):
    """Append what fills a persistable variable to a startup block."""
    startup = block.program if block is not None else program_module.default_startup_program()
    target = startup.global_block()
    if target.vars.pop(var.name, None) is not None:  # a later initializer replaces an earlier one
        for op in [op for op in target.ops if var.name in op.output_arg_names]:
            target.ops.remove(op)
    first = len(target.ops)
    with changed(static_mode=True, main=startup), naming.apart("startup"):  # what fills a variable takes no numbers
        wide = context.rules.startup_reversed and var.dtype.name == "float16"
        out = initializer.make(list(var.shape), dtypes.float32 if wide else var.dtype)
        if isinstance(out, Tensor):  # an initializer of the user's own that computes at once
            out = constant(out._data)
        if wide:
            out = out.astype(var.dtype)
    if startup.random_seed:
        for op in target.ops[first:]:
            if op.attrs.get("seed") == 0:
                op.attrs["seed"] = startup.random_seed
    target.vars.pop(out.name)
    next(op for op in reversed(target.ops) if out.name in op.output_arg_names)._rename_output(out.name, var.name)
    target.new_var(name=var.name, shape=var.shape, dtype=var.dtype, persistable=True, stop_gradient=True)
    made = target.ops[first:]
    own = {name for op in made for name in op.output_arg_names}
    if context.rules.startup_reversed and all(name in own for op in made for name in op.input_arg_names):
        target.ops[:] = made + target.ops[:first]  # what reads other variables stays behind them
    return var
