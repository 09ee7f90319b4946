"""How an op call becomes an Operator of the current program: this module plugs itself into the engine."""

import os
import sys

import numpy as np

from ..core import dtype as dtypes
from ..core import graph
from ..core import op as engine
from ..core.op import OPS, Symbolic
from ..core.tensor import Parameter, Tensor
from ..nn.layer import layers
from ..utils import unique_name
from . import program as P
from .attributes import to_file
from .infer import Spec, infer

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
CONSTANT_LIMIT = 1024  # elements of a tensor that is written into the program as a constant


def user_line():
    """(file, line) of the innermost frame outside this package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else None


def record(op, args):
    """Append a call of ``op`` with bound arguments to the current block; returns its output Variables."""
    block = P.default_main_program().current_block()
    inputs, specs, variables = {}, [], []
    for slot, a in zip(op.inputs, args):
        if a is None or (slot.is_list and isinstance(a, (list, tuple)) and not a):
            specs.append(None)
            continue
        items = [as_variable(i, block) for i in (a if isinstance(a, (list, tuple)) else [a])]
        variables += items
        inputs[slot.name] = items
        spec = [Spec(v.shape, v.dtype.dtype) for v in items]
        specs.append(spec if slot.is_list else spec[0])
    attrs = args[op.n_in:]
    found = infer(op, specs, attrs)
    stop = not op.differentiable or all(v.stop_gradient for v in variables)
    base = unique_name.generate(op.name)
    outs = [None if s is None else block.create_var(
        name=f"{base}.tmp_{k}", shape=s.shape, dtype=dtypes.of(s.dtype), stop_gradient=stop or s.dtype.kind not in "fcV")
        for k, s in enumerate(found)]
    block.append_op(op.type, inputs, _output_slots(op, outs, base, block, variables), to_file(op, attrs), user_line())
    if op.single:
        return outs[0]
    return outs if len(op.outputs) == 1 else tuple(outs)


def _output_slots(op, outs, base, block, variables):
    slots, rest = {}, list(outs)
    for slot in op.file_outputs:
        if slot.optional:  # exists in files only
            shape = (0, *variables[0].shape) if slot.name == "XShape" and variables else ()
            kind = variables[0].dtype if variables else "float32"
            slots[slot.name] = [block.create_var(name=f"{base}.{slot.name.lower()}", shape=shape, dtype=kind,
                                                 stop_gradient=True)]
        elif slot.is_list:
            slots[slot.name], rest = rest, []
        else:
            out = rest.pop(0)
            slots[slot.name] = [] if out is None else [out]
    return slots


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
    constant = OPS["assign_value"]
    before = graph.set_static(True)
    try:
        out = record(constant, constant.bind((), {"shape": list(array.shape), "dtype": dtypes.of(array),
                                                  "values": array.reshape(-1)}))
    finally:
        graph.set_static(before)
    out.stop_gradient = True
    return out


def capture(tensor, program):
    """The persistable variable of a program that reads an eager tensor."""
    name = tensor.name
    program.captured[name] = tensor
    block = program.global_block()
    if name not in block.vars:
        if isinstance(tensor, Parameter):
            var = block.create_parameter(name, tensor.shape, tensor.dtype)
            var.trainable, var.stop_gradient = not tensor.stop_gradient, tensor.stop_gradient
            var.optimize_attr, var.regularizer, var.need_clip = tensor.optimize_attr, tensor.regularizer, tensor.need_clip
        else:
            block.create_var(name=name, shape=tensor.shape, dtype=tensor.dtype, persistable=True,
                             stop_gradient=tensor.stop_gradient)
    return block.vars[name]


def static_parameter(shape, dtype, attr, initializer, name):
    """A parameter of the default main program, initialised by the default startup program."""
    p = P.default_main_program().global_block().create_parameter(name, shape, dtype, attr)
    p.initializer = initializer
    initialize(initializer, p, P.default_startup_program().global_block())
    return p


def initialize(initializer, var, block=None):
    """Append what fills a persistable variable to a startup block."""
    startup = block.program if block is not None else P.default_startup_program()
    target = startup.global_block()
    target.vars.pop(var.name, None)
    for op in [op for op in target.ops if var.name in op.output_arg_names]:
        target.ops.remove(op)  # a later initializer replaces an earlier one
    before = graph.set_static(True)
    old = P.switch_main_program(startup)
    try:
        out = initializer.make(list(var.shape), var.dtype)
    finally:
        P.switch_main_program(old)
        graph.set_static(before)
    target.vars.pop(out.name)
    target.ops[-1]._rename_output(out.name, var.name)
    made = target.create_var(name=var.name, shape=var.shape, dtype=var.dtype, persistable=True)
    made.stop_gradient = True
    return var


engine.record_symbolic = record
layers.static_parameter = static_parameter
