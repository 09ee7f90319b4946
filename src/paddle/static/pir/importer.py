"""The Importer: makes operators and variables of a Program from the operations of a ``.json`` program."""

from __future__ import annotations

from ...core import dtype as dtypes
from ...core.attributes import named_in
from ...serialization.errors import FormatError, UnsupportedError
from ...serialization.pir import model, operators
from ..ir.lower import VarName
from ..program.program import LOD_TENSOR_ARRAY, Block, Program
from ..program.registry import declared
from ..program.transform import add_feed_fetch
from . import composite, conversions
from .types import element_type, shape_of, to_python

READERS = {}  # (dialect, name) -> function(importer, block, op)


def builtin(dialect: int, *names: str):
    """Decorator: read operations of these names with the function."""
    def register(function):
        for name in names:
            READERS[dialect, name] = function
        return function
    return register


def all_ops(block: model.Block):
    """Every operation of a block and of the regions in it."""
    for op in block.ops:
        yield op
        for inner in op.regions:
            yield from all_ops(inner)


class Importer:
    """Makes a Program; keeps what each number of the file stands for."""

    def __init__(self, source: model.Program):
        self.program = Program()
        self.names = {}  # number -> name of a variable, or names where it is a list of values
        self.types = {}  # number -> Type
        self.constants = {}  # number -> number or list that a constant operation makes
        self.stacked = {}  # number -> names of the values that it joins
        self.feeds, self.fetches = [], []
        self.changed = set()  # numbers that some operation changes in place
        self.wanted, self.taken, self.counts = {}, set(), {}
        self._extra = -2 ** 63  # below every number of a file
        self._survey(source.block)

    def _survey(self, block: model.Block) -> None:
        """Note names that are taken, how results are to be called, and what is changed in place."""
        made = set()
        for op in block.ops:
            name = op.get("parameter_name") if (op.dialect, op.name) == (0, "parameter") else None
            if (op.dialect, op.name) in ((1, "data"), (1, "fetch")):
                name = op.get("name")
            if name is not None:
                if not isinstance(name, str) or not name or name in self.taken or name in ("feed", "fetch"):
                    raise FormatError(f"the name {name!r} of {op.label} is empty, or there twice")
                self.taken.add(name)
            if op.name == "fetch" and op.operands and op.operands[0] in made:
                self.wanted.setdefault(op.operands[0], name)
            if op.dialect == 1 and op.name != "data":
                made.update(number for number, kind in op.results if kind.kind == "tensor")
        for op in all_ops(block):
            row = operators.by_name(op.name) if op.dialect == 1 else None
            for operand in ([] if row is None else row.changes.values()):
                position = [o.name for o in row.operands].index(operand)
                self.changed.update(op.operands[position:position + 1])

    # ---- variables ----
    def fresh(self, hint: str) -> str:
        """A name that no variable has."""
        while True:
            k = self.counts.get(hint, 0)
            self.counts[hint] = k + 1
            name = f"{hint}_{k}.tmp_0"
            if name not in self.taken:
                self.taken.add(name)
                return name

    def extra(self) -> int:
        """A number of our own for a value that the file does not number."""
        self._extra -= 1
        return self._extra

    def variable(self, block: Block, kind: model.Type, name: str, stop_gradient: bool = True, where: str = ""):
        """A new variable of a type."""
        if kind.kind not in ("tensor", "array"):
            raise UnsupportedError(f"{where}: a value of the kind {kind.kind} is not supported here")
        dtype = None if kind.dtype == "undefined" else element_type(kind.dtype, where)
        extra = {"kind": LOD_TENSOR_ARRAY} if kind.kind == "array" else {}
        return block.new_var(name=name, shape=shape_of(kind), dtype=dtype, stop_gradient=stop_gradient, **extra)

    def declare(self, block: Block, op: model.Op, k: int, hint: str) -> list[str]:
        """Variables for result k of an operation; returns their names."""
        number, kind = op.results[k]
        if kind.kind == "null":
            return []
        stop = op.flag("stop_gradient", k, True)
        items = kind.items if kind.kind == "vec" else [kind]
        wanted = self.wanted.get(number) if kind.kind == "tensor" else None
        names = [self.variable(block, item, wanted or self.fresh(hint), stop, op.label).name
                 for item in items]
        self.bind(number, names if kind.kind == "vec" else names[0], kind)
        return names

    def bind(self, number: int, name, kind: model.Type) -> None:
        """Let a number stand for a variable."""
        if number:
            self.names[number], self.types[number] = name, kind

    def one(self, op: model.Op, k: int) -> str:
        """The name of operand k, which must be one tensor or array."""
        name = self.names.get(op.operands[k]) if k < len(op.operands) else None
        if not isinstance(name, str):
            raise FormatError(f"{op.label}: operand {k} is missing, or not one tensor")
        return name

    def dtype_of(self, number: int):
        """The element type of a number's tensor, or None."""
        kind = self.types.get(number)
        return dtypes.ALL.get(kind.dtype) if kind is not None and kind.kind == "tensor" else None

    # ---- operations ----
    def block(self, source: model.Block, block: Block) -> list[int]:
        """Read a block's operations into a block of the program; returns the operands of the yield that ends it."""
        for k, op in enumerate(source.ops):
            if (op.dialect, op.name) == (2, "yield"):
                if k != len(source.ops) - 1 or block.parent_idx < 0:
                    raise FormatError("cf.yield must be the last operation of a region's block")
                return op.operands
            handler = READERS.get((op.dialect, op.name))
            if handler is not None:
                handler(self, block, op)
            else:
                self.operator(block, op, operators.by_name(op.name))
        return []

    def operator(self, block: Block, op: model.Op, row: operators.Operator) -> None:
        """Read an operation by the operator table."""
        if len(op.operands) != len(row.operands) or len(op.results) > len(row.results):
            raise FormatError(f"{op.label}: has {len(op.operands)} operands and {len(op.results)} results, not "
                              f"{len(row.operands)} and {len(row.results)}")
        if row.type is None:
            composite.expand(self, block, op, row)
            return
        inputs, attrs = {}, dict(row.adds)
        for spec, number in zip(row.operands, op.operands):
            if number:
                self._operand(op, row, spec, number, inputs, attrs)
        for spec in row.attributes:
            if spec.name in op.attrs:
                self._attribute(op, spec, attrs)
        convert = conversions.READ.get(row.via)
        if convert is not None:
            convert(attrs, self.dtype_of(op.operands[0]) if op.operands else None)
        changes, outputs = row.changes, {}
        for k, spec in enumerate(row.results[:len(op.results)]):
            if spec.name in changes:
                target = self.one(op, [o.name for o in row.operands].index(changes[spec.name]))
                self.bind(op.results[k][0], target, op.results[k][1])
                names = [target]
            else:
                names = self.declare(block, op, k, row.type)
            if spec.slot and names:
                outputs[spec.slot] = names
        block.append_op(row.type, inputs, outputs, attrs)

    def _operand(self, op, row, spec, number, inputs, attrs) -> None:
        name = self.names[number]
        if not spec.kind:
            names = name if isinstance(name, list) else [name]
            if spec.slot:
                inputs[spec.slot] = names
            elif (row.name, spec.name) != ("rnn", "dropout_state_in"):
                raise UnsupportedError(f"{op.label}: the operand {spec.name} is not supported")
            return
        if number in self.constants:
            attrs[spec.attr] = _constant(spec.kind, self.constants[number], f"{op.label}: operand {spec.name}")
            return
        if isinstance(name, list):
            raise FormatError(f"{op.label}: the operand {spec.name} must be one tensor")
        known = {slot.name: slot for slot in declared(row.type)[0].inputs} if declared(row.type)[0] is not None else {}
        slot = known.get(spec.slot)
        if slot is not None and (not slot.is_list or number in self.stacked):
            inputs[spec.slot] = self.stacked[number] if slot.is_list else [name]
        elif spec.kind == "L":
            attrs[spec.attr] = [VarName(n) for n in self.stacked.get(number, [name])]
        else:
            attrs[spec.attr] = VarName(name)

    def _attribute(self, op, spec, attrs) -> None:
        where = f"{op.label}: attribute {spec.name}"
        if spec.attr:
            attrs[spec.attr] = to_python(op.attrs[spec.name], where)
        elif spec.matters and spec.default is not operators.MISSING and op.get(spec.name) != spec.default:
            raise UnsupportedError(f"{where}: only {spec.default!r} is supported, got {op.get(spec.name)!r}")

    # ---- the end ----
    def finish(self) -> None:
        """Add feed and fetch operators, and drop constants that became attributes."""
        block = self.program.global_block()
        fetched = []
        for _, name, number in sorted(self.fetches, key=lambda entry: entry[0]):
            source = self.names[number]
            if source != name:  # an input or parameter, or fetched a second time
                self.variable(block, self.types[number], name, where="pd_op.fetch")
                block.append_op("assign", {"X": source}, {"Out": name})
            fetched.append(name)
        used = {n for b in self.program.blocks for op in b.ops for n in (*op.input_arg_names, *named_in(op.attrs))} | set(fetched)
        for b in self.program.blocks:
            for op in [op for op in b.ops if op.type in ("fill_constant", "assign_value") and not used & set(op.output_arg_names)]:
                outer = [n for n in op.output_arg_names if n not in b.vars]
                if not outer:
                    b.ops.remove(op)
                    for name in op.output_arg_names:
                        b.vars.pop(name, None)
        add_feed_fetch(self.program, self.feeds, fetched)


def _constant(kind: str, value, where: str):
    """A folded constant as an attribute of a ``.pdmodel`` file."""
    values = value if isinstance(value, list) else [value]
    try:
        if kind == "L":
            return [int(v) for v in values]
        if len(values) != 1:
            raise FormatError(f"{where}: one number is expected, got {len(values)}")
        return {"i": int, "b": bool, "f": lambda v: v, "t": lambda v: repr(float(v))}[kind](values[0])
    except (OverflowError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{where}: {value!r} is not an integer") from error
