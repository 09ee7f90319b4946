"""Operators of programs that are written to ``.json`` files in a form of their own: constants, arrays, old broadcasting."""

from __future__ import annotations

import numpy as np

from ...core import dtype as dtypes
from ...serialization.pir import operators
from ...serialization.pir.model import Attr, Type
from .exporter import Exporter, Frame, writer
from .types import ANYWHERE, dtype_attr, to_attr

_VALUES = ("bool_values", "fp32_values", "fp64_values", "int32_values", "int64_values", "values")


@writer("feed", "fetch")
def _nothing(exporter: Exporter, frame: Frame, op) -> None:
    """Inputs and outputs are written around the block."""


@writer("fill_constant")
def _fill_constant(exporter: Exporter, frame: Frame, op) -> None:
    if any(op.input(slot) for slot in ("ShapeTensor", "ShapeTensorList", "ValueTensor")):
        _fill_computed(exporter, frame, op)
        return
    dtype = dtypes.convert(op.attrs.get("dtype", 5))
    number = exporter.full(frame, [int(n) for n in op.attrs.get("shape", [])], _number(op, dtype), dtype.name, ANYWHERE)
    exporter.bind(frame, op.output("Out")[0], number)


def _number(op, dtype):
    text = op.attrs.get("str_value") or op.attrs.get("value", 0.0)
    if dtype.is_integer and isinstance(text, str) and text.lstrip("+-").isdigit():
        return int(text)
    return float(text)


def _fill_computed(exporter: Exporter, frame: Frame, op) -> None:
    dtype = dtypes.convert(op.attrs.get("dtype", 5))
    where = "operator fill_constant"
    value = (exporter.read(frame, op.input("ValueTensor")[0], where) if op.input("ValueTensor")
             else exporter.full(frame, [1], _number(op, dtype), dtype.name))
    sizes = op.input("ShapeTensor") or op.input("ShapeTensorList")
    shape = (exporter.joined(frame, sizes, where) if sizes
             else exporter.integers(frame, [int(n) for n in op.attrs.get("shape", [])]))
    exporter.results(frame, op, operators.by_name("full_with_tensor"), [value, shape], {"dtype": dtype_attr(dtype)})


@writer("assign_value")
def _assign_value(exporter: Exporter, frame: Frame, op) -> None:
    dtype, shape = dtypes.convert(op.attrs["dtype"]), [int(n) for n in op.attrs["shape"]]
    found = next((op.attrs[k] for k in _VALUES if op.attrs.get(k) is not None and len(op.attrs[k])), [])
    values = [v.item() if isinstance(v, np.generic) else v for v in found]
    if dtype.name == "int64" and len(shape) == 1:
        number = exporter.integers(frame, [int(v) for v in values])
    elif len(values) == 1:
        number = exporter.full(frame, shape, values[0], dtype.name, ANYWHERE)
    else:
        if any(isinstance(v, int) and int(float(v)) != v for v in values):
            raise NotImplementedError("operator assign_value: integers beyond 2**53 can't be written to a .json program")
        target = exporter.full(frame, shape, 0, dtype.name, ANYWHERE)
        number, = exporter.add(frame, "assign_value_", [target], [Type("tensor", dtype.name, shape)], {
            "shape": to_attr("i[]", shape, "shape"), "dtype": dtype_attr(dtype), "values": to_attr("d[]", values, "values"),
            "place": ANYWHERE})
    exporter.bind(frame, op.output("Out")[0], number)


@writer("assign")
def _assign(exporter: Exporter, frame: Frame, op) -> None:
    source, target = exporter.read(frame, op.input("X")[0], "operator assign"), op.output("Out")[0]
    var = frame.block.find(target)
    kind = frame.types[source]
    if kind.kind == "array":
        exporter.bind(frame, target, source)
        return
    if var is not None and var.persistable and target in frame.values:
        number, = exporter.add(frame, "assign_out_", [source, frame.values[target]], [kind])
    else:
        number, = exporter.add(frame, "assign", [source], [kind], stop=[exporter.stops(frame, target)])
    exporter.bind(frame, target, number)


@writer("increment")
def _increment(exporter: Exporter, frame: Frame, op) -> None:
    """Written as x + step: the in-place form would change x where it is still read."""
    source = exporter.read(frame, op.input("X")[0], "operator increment")
    one = exporter.full(frame, [1], 1.0, "float32")
    number, = exporter.add(frame, "scale", [source, one], [frame.types[source]], {
        "bias": to_attr("f", op.attrs.get("step", 1.0), "step"), "bias_after_scale": Attr("bool", True)})
    exporter.bind(frame, op.output("Out")[0], number)


@writer("write_to_array")
def _write_to_array(exporter: Exporter, frame: Frame, op) -> None:
    """Arrays are changed in place: the name goes on standing for the same value, in loops too."""
    array = exporter.read(frame, op.output("Out")[0], "operator write_to_array")
    x, i = (exporter.read(frame, op.input(slot)[0], "operator write_to_array") for slot in ("X", "I"))
    exporter.add(frame, "array_write_", [array, x, i], [frame.types[array]])


@writer("set_value")
def _set_value(exporter: Exporter, frame: Frame, op) -> None:
    """Values that the operator holds itself become a constant first."""
    row = operators.by_name("set_value_with_tensor")
    if not op.input("ValueTensor"):
        values = next((op.attrs[k] for k in _VALUES if op.attrs.get(k)), [])
        dtype = frame.types[exporter.read(frame, op.input("Input")[0], "operator set_value")].dtype
        shape = [int(n) for n in op.attrs.get("shape", [len(values)])]
        target = exporter.full(frame, shape, 0, dtype, ANYWHERE)
        number, = exporter.add(frame, "assign_value_", [target], [Type("tensor", dtype, shape)], {
            "shape": to_attr("i[]", shape, "shape"), "dtype": dtype_attr(dtype), "values": to_attr("d[]", values, "values"),
            "place": ANYWHERE})
        name = "set_value.constant"
        exporter.bind(frame, name, number)
        op = type(op)(op.block, op.type, {**op.inputs, "ValueTensor": [name]}, op.outputs, op.attrs, op.where)
    exporter.operator(frame, op, row)


@writer("matrix_rank")
def _matrix_rank(exporter: Exporter, frame: Frame, op) -> None:
    """Paddle 3 gives int64."""
    name = op.output("Out")[0]
    wide = Type("tensor", "int64", list(exporter.type_of(frame, name).dims))
    exporter.operator(frame, op)
    frame.done.ops[-1].results = [(frame.values[name], wide)]
    frame.types[frame.values[name]] = wide
    number, = exporter.add(frame, "cast", [frame.values[name]], [exporter.type_of(frame, name)], {"dtype": dtype_attr("int32")})
    exporter.bind(frame, name, number)


@writer("einsum")
def _einsum(exporter: Exporter, frame: Frame, op) -> None:
    """The axes behind an ellipsis get letters: Paddle's operator knows letters only."""
    equation = op.attrs["equation"].replace(" ", "")
    if "..." in equation:
        terms = equation.split("->")[0].split(",")
        ranks = [len(exporter.type_of(frame, n).dims) for n in op.input("Operands")]
        hidden = {rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks) if "..." in term}
        if len(hidden) != 1:
            raise NotImplementedError(f"operator einsum: {equation!r} with ellipses of different lengths can't be written")
        free = [c for c in "zyxwvutsrqponmlkjihgfedcba" if c not in equation]
        equation = equation.replace("...", "".join(free[:hidden.pop()]))
    exporter.operator(frame, type(op)(op.block, op.type, op.inputs, op.outputs, {**op.attrs, "equation": equation}, op.where))
