"""Operations of ``.json`` programs that have no row in the operator table, or a form of their own: inputs, outputs, constants."""

from __future__ import annotations

import numpy as np

from ...core import dtype as dtypes
from ...serialization.errors import FormatError
from ...serialization.pir import model, operators
from .importer import builtin
from .types import element_type

_VALUES = {"bool": "bool_values", "int32": "int32_values", "int64": "int64_values", "float32": "fp32_values",
           "float64": "fp64_values"}


@builtin(0, "parameter")
def _parameter(importer, block, op):
    (number, kind), = op.results
    name, shape = op.get("parameter_name"), list(kind.dims)
    if any(n < 0 for n in shape):
        raise FormatError(f"the parameter {name!r} has the shape {shape}: its sizes must be known")
    dtype = element_type(kind.dtype, f"parameter {name!r}")
    persistable = op.flag("persistable", 0, True)
    if persistable and op.flag("trainable", 0, True):
        var = block.create_parameter(shape, dtype, name)
        var.stop_gradient = op.flag("stop_gradient", 0, False)
        var.trainable = not var.stop_gradient
    else:
        block.new_var(name=name, shape=shape, dtype=dtype, persistable=persistable, stop_gradient=True)
    if not persistable:  # files hold no value of it
        block.append_op("fill_constant", {}, {"Out": name}, {"shape": shape, "dtype": dtype.code, "value": 0.0, "str_value": "0"})
    importer.bind(number, name, kind)


@builtin(0, "combine")
def _combine(importer, block, op):
    (number, kind), = op.results
    names = [importer.one(op, k) for k in range(len(op.operands))]
    if kind.kind != "vec" or len(kind.items) != len(names):
        raise FormatError("builtin.combine: the result must be a list of as many values as there are operands")
    importer.bind(number, names, kind)


@builtin(0, "split", "slice")
def _take_apart(importer, block, op):
    names = importer.names.get(op.operands[0]) if len(op.operands) == 1 else None
    if not isinstance(names, list):
        raise FormatError(f"{op.label}: the operand must be a list of values")
    if op.name == "slice":
        index = op.get("index")
        if not isinstance(index, int) or not 0 <= index < len(names):
            raise FormatError(f"builtin.slice: the index {index!r} is not one of {len(names)} values")
        names = [names[index]]
    if len(names) != len(op.results):
        raise FormatError(f"{op.label}: {len(names)} values can't be {len(op.results)} results")
    for (number, kind), name in zip(op.results, names):
        importer.bind(number, name, kind)


@builtin(1, "data")
def _data(importer, block, op):
    (number, kind), = op.results
    var = importer.variable(block, kind, op.get("name"), op.flag("stop_gradient", 0, True), "pd_op.data")
    var.is_data = var.need_check_feed = True
    importer.feeds.append(var.name)
    importer.bind(number, var.name, kind)


@builtin(1, "fetch")
def _fetch(importer, block, op):
    if block.parent_idx >= 0:
        raise FormatError("pd_op.fetch must not be inside of a region")
    importer.one(op, 0)
    importer.fetches.append((op.get("col", len(importer.fetches)), op.get("name"), op.operands[0]))


@builtin(1, "full")
def _full(importer, block, op):
    number = op.results[0][0]
    value, dtype, shape = op.get("value"), op.get("dtype"), op.get("shape")
    if not isinstance(value, (bool, int, float)) or not isinstance(shape, list):
        raise FormatError("pd_op.full: needs a number and a shape")
    dtype = element_type("float32" if dtype == model.UNDEFINED else dtype, "pd_op.full")
    if dtype.is_integer and not np.isfinite(value):
        raise FormatError(f"pd_op.full: {value} is not an integer")
    number_text = str(int(value)) if dtype.is_integer else repr(float(value))
    name, = importer.declare(block, op, 0, "fill_constant")
    block.append_op("fill_constant", {}, {"Out": name}, {"shape": shape, "dtype": dtype.code, "value": float(value),
                                                        "str_value": number_text, "force_cpu": False})
    if number not in importer.changed and all(n == 1 for n in shape):
        importer.constants[number] = int(value) if dtype.is_integer or dtype.name == "bool" else float(value)


@builtin(1, "full_int_array")
def _full_int_array(importer, block, op):
    number, values = op.results[0][0], op.get("value")
    if not isinstance(values, list) or not all(isinstance(v, int) for v in values):
        raise FormatError("pd_op.full_int_array: needs integers")
    _assign_value(importer, block, op, [len(values)], element_type(op.get("dtype", "int64"), op.label), values)
    if number not in importer.changed:
        importer.constants[number] = list(values)


@builtin(1, "assign_value_", "assign_value")
def _assign_value_(importer, block, op):
    shape, values = op.get("shape"), op.get("values")
    if not isinstance(shape, list) or not isinstance(values, list) or not all(isinstance(v, (bool, int, float)) for v in values):
        raise FormatError(f"{op.label}: needs a shape and numbers")
    if int(np.prod([max(n, 0) for n in shape], dtype=object)) != len(values):
        raise FormatError(f"{op.label}: {len(values)} values do not fill the shape {shape}")
    target = op.operands[0] if op.operands else 0
    _assign_value(importer, block, op, shape, element_type(op.get("dtype"), op.label), values)
    if target:
        importer.names[target] = importer.names[op.results[0][0]]


def _assign_value(importer, block, op, shape, dtype, values):
    held = dtype.name if dtype.name in _VALUES else "float32" if dtype.is_floating else "int64"
    number = float if held.startswith("float") else int
    try:
        numbers = [number(v) for v in values]
    except (OverflowError, ValueError) as error:
        raise FormatError(f"{op.label}: the values are not of the type {dtype.name}") from error
    name, = importer.declare(block, op, 0, "assign_value")
    attrs = {"shape": shape, "dtype": dtypes.ALL[held].code, _VALUES[held]: numbers}
    if held == dtype.name:
        block.append_op("assign_value", {}, {"Out": name}, attrs)
        return
    inner = block.new_var(name=importer.fresh("assign_value"), shape=shape, dtype=held, stop_gradient=True)
    block.append_op("assign_value", {}, {"Out": inner}, attrs)
    block.append_op("cast", {"X": inner}, {"Out": name}, {"in_dtype": inner.dtype.code, "out_dtype": dtype.code})


@builtin(1, "arange")
def _arange(importer, block, op):
    name, = importer.declare(block, op, 0, "range")
    dtype = block.vars[name].dtype
    inputs = {}
    for k, slot in enumerate(("Start", "End", "Step")):
        inputs[slot] = _as_type(importer, block, importer.one(op, k), importer.dtype_of(op.operands[k]), dtype)
    block.append_op("range", inputs, {"Out": name}, {})


def _as_type(importer, block, name, current, dtype):
    if current is dtype:
        return name
    made = block.new_var(name=importer.fresh("cast"), shape=block.find(name).shape, dtype=dtype, stop_gradient=True)
    block.append_op("cast", {"X": name}, {"Out": made}, {"in_dtype": current.code, "out_dtype": dtype.code})
    return made.name


@builtin(1, "shape64")
def _shape64(importer, block, op):
    name, = importer.declare(block, op, 0, "shape")
    inner = block.new_var(name=importer.fresh("shape"), shape=block.vars[name].shape, dtype="int32", stop_gradient=True)
    block.append_op("shape", {"Input": importer.one(op, 0)}, {"Out": inner})
    block.append_op("cast", {"X": inner}, {"Out": name}, {"in_dtype": inner.dtype.code,
                                                         "out_dtype": dtypes.convert("int64").code})


@builtin(1, "stack")
def _stack(importer, block, op):
    importer.operator(block, op, operators.by_name("stack"))
    items = importer.types[op.operands[0]].items if op.operands and op.operands[0] else []
    if items and all(item.kind == "tensor" and not item.dims for item in items):
        importer.stacked[op.results[0][0]] = list(importer.names[op.operands[0]])


@builtin(1, "set_value", "set_value_")
def _set_value(importer, block, op):
    """Values that the operation holds itself become a constant first."""
    shape, values = op.get("shape"), op.get("values")
    if not isinstance(shape, list) or not isinstance(values, list) or len(op.operands) != 4:
        raise FormatError(f"{op.label}: needs four operands, a shape and values")
    x = importer.types.get(op.operands[0])
    if x is None or x.kind != "tensor":
        raise FormatError(f"{op.label}: operand 0 is missing, or not one tensor")
    number = importer.extra()
    constant = model.Op(1, "assign_value", [], [(number, model.Type("tensor", x.dtype, shape))])
    _assign_value(importer, block, constant, shape, element_type(x.dtype, op.label), values)
    attrs = {name: attr for name, attr in op.attrs.items() if name not in ("shape", "values")}
    name = op.name.replace("set_value", "set_value_with_tensor")
    whole = model.Op(1, name, [op.operands[0], number, *op.operands[1:]], op.results, attrs, op.about)
    importer.operator(block, whole, operators.by_name(name))


@builtin(1, "matrix_rank")
def _matrix_rank(importer, block, op):
    """Paddle 3 gives int64, the operator of old files int32."""
    if len(op.results) != 1:
        raise FormatError(f"{op.label}: has {len(op.results)} results, not 1")
    (_, kind), inner = op.results[0], importer.extra()
    importer.operator(block, model.Op(1, "matrix_rank", op.operands, [(inner, model.Type("tensor", "int32", kind.dims))], op.attrs),
                      operators.by_name("matrix_rank"))
    name, = importer.declare(block, op, 0, "cast")
    block.append_op("cast", {"X": importer.names[inner]}, {"Out": name},
                    {"in_dtype": dtypes.convert("int32").code, "out_dtype": block.vars[name].dtype.code})


@builtin(1, "create_array")
def _create_array(importer, block, op):
    importer.declare(block, op, 0, "create_array")


@builtin(1, "array_write_")
def _array_write(importer, block, op):
    array, x, i = (importer.one(op, k) for k in range(3))
    block.append_op("write_to_array", {"X": x, "I": i}, {"Out": array}, {})
    importer.bind(op.results[0][0], array, op.results[0][1])


@builtin(1, "assign_out_")
def _assign_out(importer, block, op):
    source, target = importer.one(op, 0), importer.one(op, 1)
    block.append_op("assign", {"X": source}, {"Out": target}, {})
    importer.bind(op.results[0][0], target, op.results[0][1])
