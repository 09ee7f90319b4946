"""The Exporter: makes operations of a ``.json`` program from the operators of a Program. Every write makes a new value."""

from __future__ import annotations

import itertools

from ...serialization.pir import model, operators
from ...serialization.pir.model import Attr, Op, Type
from ..ir.lower import EMPTY, ByType, VarName, place
from ..program import op_table
from ..program.program import LOD_TENSOR, LOD_TENSOR_ARRAY, Block
from . import conversions
from .types import ANYWHERE, CPU, dtype_attr, tensor_type, to_attr

WRITERS = ByType()  # type -> function(exporter, frame, operator)
writer = WRITERS.of


class Frame:
    """A block being written: its operations, and the number that each name stands for at this point."""

    def __init__(self, block: Block, values: dict[str, int], types: dict[int, Type]):
        self.block, self.values, self.types = block, values, types
        self.done = model.Block()
        self.skipped: set[int] = set()  # id of operators that were written with an earlier one

    def inner(self, block: Block) -> Frame:
        """The frame of a sub-block: it sees the values from around it."""
        return Frame(block, dict(self.values), self.types)


class Exporter:
    """Numbers values over the whole file."""

    def __init__(self):
        self.numbers, self.arguments = itertools.count(1), itertools.count(1)

    # ---- values ----
    def add(self, frame: Frame, name: str, operands: list[int], results: list[Type], attrs: dict[str, Attr] | None = None,
            dialect: int = 1, stop: list[bool] | None = None, regions: list[model.Block] | None = None) -> list[int]:
        """Append an operation; returns the numbers of its results."""
        made = [(0 if t.kind == "null" else next(self.numbers), t) for t in results]
        frame.types.update((number, t) for number, t in made if number)
        about = {"stop_gradient": stop if stop is not None else [True] * len(made)} if made else {}
        frame.done.ops.append(Op(dialect, name, operands, made, attrs or {}, about, regions or []))
        return [number for number, _ in made]

    def full(self, frame: Frame, shape: list[int], value: float, dtype: str, where: Attr = CPU) -> int:
        """A constant tensor full of one number."""
        if isinstance(value, int) and int(float(value)) != value:
            raise NotImplementedError(f"the integer {value} can't be a constant of a .json program, which holds doubles")
        return self.add(frame, "full", [], [Type("tensor", dtype, list(shape))], {
            "shape": Attr("intarray", list(shape)), "value": Attr("f64", float(value)), "dtype": dtype_attr(dtype),
            "place": where})[0]

    def integers(self, frame: Frame, values: list[int]) -> int:
        """A constant list of integers."""
        return self.add(frame, "full_int_array", [], [Type("tensor", "int64", [len(values)])], {
            "value": to_attr("l[]", values, "full_int_array"), "dtype": dtype_attr("int64"), "place": CPU})[0]

    def constant(self, frame: Frame, kind: str, value, where: str) -> int:
        """The operand of a constant that old files hold as an attribute."""
        if kind == "L":
            return self.integers(frame, [int(v) for v in (value if isinstance(value, (list, tuple)) else [value])])
        if isinstance(value, (list, tuple)):
            if len(value) != 1:
                raise TypeError(f"{where}: one number is expected, got {value!r}")
            value, = value
        if kind == "i":
            return self.full(frame, [1], int(value), "int64")
        if kind == "b":
            return self.full(frame, [1], int(bool(value)), "bool")
        return self.full(frame, [1], float(value), "float64" if kind == "t" else "float32")

    def combine(self, frame: Frame, numbers: list[int]) -> int:
        """A list of values as one value."""
        return self.add(frame, "combine", numbers, [Type("vec", items=[frame.types[n] for n in numbers])], dialect=0)[0]

    def joined(self, frame: Frame, names: list[str], where: str) -> int:
        """A 1-D tensor of values that are given one by one."""
        numbers = [self.read(frame, n, where) for n in names]
        if len(numbers) == 1 and frame.types[numbers[0]].dims:
            return numbers[0]
        flat, dtype = frame.types[numbers[0]].dims, frame.types[numbers[0]].dtype
        if not flat and all((frame.types[n].dims, frame.types[n].dtype) == ([], dtype) for n in numbers):
            return self.add(frame, "stack", [self.combine(frame, numbers)], [Type("tensor", dtype, [len(numbers)])],
                            {"axis": Attr("i32", 0)})[0]
        alike = [self._one_integer(frame, n) for n in numbers]
        return self.add(frame, "concat", [self.combine(frame, alike), self.full(frame, [1], 0, "int32")],
                        [Type("tensor", "int64", [len(numbers)])])[0]

    def _one_integer(self, frame: Frame, number: int) -> int:
        """A value of one element as an int64 tensor of shape [1]."""
        kind = frame.types[number]
        if kind.dtype != "int64":
            number, = self.add(frame, "cast", [number], [Type("tensor", "int64", list(kind.dims))], {"dtype": dtype_attr("int64")})
        if kind.dims == [1]:
            return number
        return self.add(frame, "reshape", [number, self.integers(frame, [1])], [Type("tensor", "int64", [1])])[0]

    def read(self, frame: Frame, name: str, where: str) -> int:
        """The number that a name stands for."""
        number = frame.values.get(name)
        if number is None:
            raise ValueError(f"{where}: the variable {name!r} is read before anything writes it")
        return number

    def bind(self, frame: Frame, name: str, number: int) -> None:
        """Let a name stand for a value from here on."""
        if name != EMPTY and number:
            frame.values[name] = number

    def type_of(self, frame: Frame, name: str) -> Type:
        """The declared type of a variable."""
        return tensor_type(frame.block._var_recursive(name))

    def stops(self, frame: Frame, name: str) -> bool:
        """Does a variable stop gradients?"""
        var = frame.block.find(name)
        return True if var is None else bool(var.stop_gradient)

    # ---- operators ----
    def block(self, frame: Frame) -> Frame:
        """Write all operators of a frame's block."""
        for var in frame.block.vars.values():
            if var.kind == LOD_TENSOR_ARRAY:
                number, = self.add(frame, "create_array", [], [tensor_type(var)], {"dtype": dtype_attr(None)})
                self.bind(frame, var.name, number)
        for op in frame.block.ops:
            if id(op) not in frame.skipped:
                WRITERS.get(op.type, Exporter.operator)(self, frame, op)
        return frame

    def operator(self, frame: Frame, op, row: operators.Operator | None = None) -> None:
        """Write an operator by the operator table; ``row``: by this row of it."""
        row = row or conversions.choose(operators.by_type(op.type), op)
        where = f"operator {op.type}"
        attrs = conversions.WRITE.get(row.via, lambda given: given)({**op_table.defaults(op.type), **op.attrs})
        used, operands = set(), []
        try:
            for spec in row.operands:
                operands.append(self._operand(frame, op, row, spec, attrs, used))
            written = {spec.name: self._attribute(frame, op, spec, attrs, where) for spec in row.attributes}
        except (TypeError, ValueError, NotImplementedError) as error:
            raise type(error)(f"{error}{place(op)}") from error
        left = [slot for slot, names in op.inputs.items() if names and slot not in used]
        if left:
            raise NotImplementedError(f"{where}: the input {left[0]} can't be written to a .json program{place(op)}")
        if row.via == "broadcast":
            operands[1] = self._aligned(frame, op, *operands)
        self.results(frame, op, row, operands, written)

    def _aligned(self, frame: Frame, op, x: int, y: int) -> int:
        """The second operand of an elementwise operator whose ``axis`` says where its axes lie: it gets axes of size 1 behind."""
        axis, ranks = op.attrs.get("axis", -1), [len(frame.types[n].dims) for n in (x, y)]
        behind = ranks[0] - axis - ranks[1] if axis is not None and axis != -1 else 0
        if behind < 0:
            raise NotImplementedError(f"operator {op.type}: axis {axis} does not fit operands of {ranks[0]} and {ranks[1]} axes")
        if behind == 0 or ranks[1] == 0:
            return y
        axes, kind = self.integers(frame, list(range(ranks[1], ranks[1] + behind))), frame.types[y]
        return self.add(frame, "unsqueeze", [y, axes], [Type("tensor", kind.dtype, [*kind.dims, *[1] * behind])])[0]

    def _operand(self, frame, op, row, spec, attrs, used) -> int:
        where = f"operator {op.type}"
        slots = [slot for slot in (spec.slot, *spec.others) if slot]
        given = next((slot for slot in slots if any(n != EMPTY for n in op.input(slot))), None)
        used.update(slots)
        if not spec.kind:
            if not spec.slot:
                return self.full(frame, [], 0, "uint8", ANYWHERE) if row.name == "rnn" else 0
            names = op.input(spec.slot) if given else []
            if spec.many:
                return self.combine(frame, [self.read(frame, n, where) for n in names]) if names else 0
            return self.read(frame, names[0], where) if names else 0
        if given is not None:
            return self.joined(frame, op.input(given), where) if spec.kind == "L" else self.read(frame, op.input(given)[0], where)
        value = attrs.get(spec.attr)
        if isinstance(value, VarName):
            return self.read(frame, value, where)
        if isinstance(value, (list, tuple)) and any(isinstance(v, VarName) for v in value):
            if not all(isinstance(v, VarName) for v in value):
                raise NotImplementedError(f"{where}: {spec.attr} mixes numbers and variables")
            return self.joined(frame, list(value), where)
        if value is None:
            return 0
        return self.constant(frame, spec.kind, value, f"{where}: {spec.attr}")

    def _attribute(self, frame, op, spec, attrs, where) -> Attr:
        if spec.kind == "P":
            return ANYWHERE
        if spec.follows:
            return dtype_attr(self.type_of(frame, next(iter(op.output_arg_names))).dtype)
        if not spec.attr:
            return to_attr(spec.kind, spec.default, where)
        value = attrs.get(spec.attr)
        if value is None and spec.kind != "T":
            raise ValueError(f"{where}: the attribute {spec.attr} is missing")
        if isinstance(value, VarName) or isinstance(value, list) and any(isinstance(v, VarName) for v in value):
            raise NotImplementedError(f"{where}: the attribute {spec.attr} can't be a variable in a .json program")
        return to_attr(spec.kind, value, f"{where}: {spec.attr}")

    def results(self, frame, op, row, operands, attrs) -> None:
        """Append the operation and let the operator's outputs stand for its results."""
        kinds, stops, targets = [], [], []
        for spec in row.results:
            names = list(op.output(spec.slot)) if spec.slot else []
            if spec.many:
                kinds.append(Type("vec", items=[self.type_of(frame, n) for n in names]))
            elif names and names[0] != EMPTY and frame.block.find(names[0]) is not None:
                kinds.append(self.type_of(frame, names[0]))
            else:
                names = []
                kinds.append(_absent(row, spec, frame, operands))
            stops.append(all(self.stops(frame, n) for n in names))
            targets.append(names)
        numbers = self.add(frame, row.name, operands, kinds, attrs, stop=stops)
        for spec, names, kind, number in zip(row.results, targets, kinds, numbers):
            if spec.many and names:
                parts = self.add(frame, "split", [number], kind.items, dialect=0, stop=[self.stops(frame, n) for n in names])
                for name, part in zip(names, parts):
                    self.bind(frame, name, part)
            elif names:
                self.bind(frame, names[0], number)


def _absent(row, spec, frame, operands) -> Type:
    """The type of a result that nobody reads: what the operator gives there, as far as it matters for reading the file."""
    first = next((frame.types[n] for n in operands if n), Type("tensor", "float32"))
    if row.name == "dropout":
        return Type("tensor", "uint8", list(first.dims))
    if spec.name == "reserve_space":
        return Type("tensor", "uint8", [-1])
    if row.name == "einsum":
        return Type("vec", items=[Type("tensor", item.dtype, []) for item in first.items])
    while first.kind == "vec" and first.items:
        first = first.items[0]
    if row.name == "batch_norm_":
        return Type("tensor", frame.types[operands[1]].dtype, list(frame.types[operands[1]].dims))
    return Type("tensor", first.dtype or "float32", [] if row.name == "rnn" else [-1])


def is_tensor(var) -> bool:
    """Is a variable a tensor (not an array, a scope, a list of fetched values)?"""
    return var is not None and var.kind == LOD_TENSOR
