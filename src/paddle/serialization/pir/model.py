"""What a ``.json`` program holds, as plain dataclasses: a block of operations whose values are numbered."""

from __future__ import annotations

import dataclasses

DIALECTS = {0: "builtin", 1: "pd_op", 2: "cf", 3: "custom_op", 4: "dist_op"}
ELEMENTS = {"t_bool": "bool", "t_bf16": "bfloat16", "t_f16": "float16", "t_f32": "float32", "t_f64": "float64", "t_i8": "int8",
            "t_ui8": "uint8", "t_i16": "int16", "t_i32": "int32", "t_i64": "int64", "t_index": "index", "t_c64": "complex64",
            "t_c128": "complex128", "t_f8e4m3fn": "float8_e4m3fn", "t_f8e5m2": "float8_e5m2", "t_undefined": "undefined"}
UNDEFINED = "Undefined(ALL_DTYPE)"  # the dtype attribute that says: as the input
NON_FINITE = {"NaN": float("nan"), "INF": float("inf"), "-INF": float("-inf")}


@dataclasses.dataclass(slots=True)
class Type:
    """The type of a value. ``kind``: 'tensor', 'array' (of tensors), 'vec' (a tuple of values), 'scalar' or 'null' (absent)."""

    kind: str
    dtype: str | None = None
    dims: list[int] = dataclasses.field(default_factory=list)  # negative: not known
    items: list[Type] = dataclasses.field(default_factory=list)
    layout: str = "NCHW"

    def __str__(self) -> str:
        if self.kind == "vec":
            return f"vec[{', '.join(map(str, self.items))}]"
        return self.kind if self.dtype is None else f"{self.kind}<{self.dtype}{self.dims}>"


NULL = Type("null")


@dataclasses.dataclass(slots=True)
class Attr:
    """An attribute's value with its kind: the part of its tag behind ``a_``, such as 'i32', 'array', 'intarray', 'dtype'."""

    kind: str
    value: object

    def plain(self):
        """The value as Python data; arrays are lists, a scalar is its number."""
        if self.kind == "array":
            return [item.plain() for item in self.value]
        if self.kind == "scalar":
            name, *numbers = self.value
            return complex(*numbers) if len(numbers) == 2 else numbers[0]
        if self.kind in ("c64", "c128"):
            return complex(*self.value)
        return self.value


@dataclasses.dataclass(slots=True)
class Op:
    """An operation: operands by number (0: absent, negative: an argument of a block), results as (number, Type)."""

    dialect: int
    name: str
    operands: list[int] = dataclasses.field(default_factory=list)
    results: list[tuple[int, Type]] = dataclasses.field(default_factory=list)
    attrs: dict[str, Attr] = dataclasses.field(default_factory=dict)
    about: dict[str, list[bool]] = dataclasses.field(default_factory=dict)  # of the results: stop_gradient, persistable
    regions: list[Block] = dataclasses.field(default_factory=list)

    @property
    def label(self) -> str:
        """The full name, such as pd_op.relu."""
        return f"{DIALECTS[self.dialect]}.{self.name}"

    def get(self, name: str, default=None):
        """An attribute as Python data."""
        attr = self.attrs.get(name)
        return default if attr is None else attr.plain()

    def flag(self, name: str, k: int, default: bool) -> bool:
        """What the file says of result k: 'stop_gradient' or 'persistable'."""
        values = self.about.get(name, ())
        return values[k] if k < len(values) else default


@dataclasses.dataclass(slots=True)
class Block:
    """Operations in order; ``args`` are (number, Type) of a loop body's variables."""

    args: list[tuple[int, Type]] = dataclasses.field(default_factory=list)
    ops: list[Op] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class Program:
    """A program file: its one block, the version of its form, and whether it says what is trained."""

    block: Block
    version: int = 4
    trainable: bool = True

    def persistable_names(self) -> list[str]:
        """Names of the stored parameters, in the order of a combined parameter file."""
        return sorted(op.get("parameter_name") for op in self.block.ops
                      if (op.dialect, op.name) == (0, "parameter") and op.flag("persistable", 0, True))
