"""ProgramDesc, the protobuf message inside `.pdmodel` and `__model__` files, as plain objects.

`read(bytes)` and `write(desc)` convert; unknown fields survive. Enumerated fields hold plain integers that compare
equal to the members of `AttrType` and `VarKind`.
"""

import enum
import graphlib

from . import wire
from .errors import FormatError
from .wire import message, optional, repeated, required


class AttrType(enum.IntEnum):
    """The type of an operator's attribute."""

    INT = 0
    FLOAT = 1
    STRING = 2
    INTS = 3
    FLOATS = 4
    STRINGS = 5
    BOOLEAN = 6
    BOOLEANS = 7
    BLOCK = 8
    LONG = 9
    BLOCKS = 10
    LONGS = 11
    FLOAT64S = 12
    VAR = 13
    VARS = 14
    FLOAT64 = 15
    SCALAR = 16
    SCALARS = 17


class VarKind(enum.IntEnum):
    """The kind of a variable, or the element type of a tensor (`VarType.Type` in Paddle's words)."""

    BOOL = 0
    INT16 = 1
    INT32 = 2
    INT64 = 3
    FP16 = 4
    FP32 = 5
    FP64 = 6
    LOD_TENSOR = 7
    SELECTED_ROWS = 8
    FEED_MINIBATCH = 9
    FETCH_LIST = 10
    STEP_SCOPES = 11
    LOD_RANK_TABLE = 12
    LOD_TENSOR_ARRAY = 13
    PLACE_LIST = 14
    READER = 15
    RAW = 17
    TUPLE = 18
    SIZE_T = 19
    UINT8 = 20
    INT8 = 21
    BF16 = 22
    COMPLEX64 = 23
    COMPLEX128 = 24
    STRING = 25
    STRINGS = 26
    VOCAB = 27
    FEED_LIST = 28
    PSTRING = 29
    SPARSE_COO = 30
    SPARSE_CSR = 31

    def __str__(self):
        return f"VarType.{self.name}"

    def __repr__(self):
        return f"<VarType.{self.name}: {int(self)}>"


@message
class TensorDesc:
    """Element type and shape; an unknown size is -1."""

    data_type: int = required(1, "enum")
    dims: list[int] = repeated(2, "int64")


@message
class LoDTensorDesc:
    """A tensor's type and its number of LoD levels."""

    tensor: TensorDesc = required(1, TensorDesc)
    lod_level: int = optional(2, "int32")


@message
class ReaderDesc:
    """What a reader variable yields."""

    lod_tensor: list[LoDTensorDesc] = repeated(1, LoDTensorDesc)


@message
class TupleDesc:
    """The element types of a tuple variable."""

    element_type: list[int] = repeated(1, "enum")


@message
class VarType:
    """A variable's kind, with the description that belongs to that kind."""

    type: int = required(1, "enum")
    selected_rows: TensorDesc = optional(2, TensorDesc)
    lod_tensor: LoDTensorDesc = optional(3, LoDTensorDesc)
    tensor_array: LoDTensorDesc = optional(4, LoDTensorDesc)
    reader: ReaderDesc = optional(5, ReaderDesc)
    tuple: TupleDesc = optional(7, TupleDesc)
    string: TensorDesc = optional(8, TensorDesc)
    strings: TensorDesc = optional(9, TensorDesc)
    vocab: TensorDesc = optional(10, TensorDesc)
    sparse_coo: TensorDesc = optional(11, TensorDesc)
    sparse_csr: TensorDesc = optional(12, TensorDesc)

    def tensor_desc(self):
        """The TensorDesc inside, whatever the kind, or None."""
        nested = self.lod_tensor or self.tensor_array
        if nested is not None:
            return nested.tensor
        return (self.selected_rows or self.string or self.strings or self.vocab or self.sparse_coo or self.sparse_csr)


@message
class VarAttr:
    """An attribute of a variable."""

    name: str = required(1, "string")
    type: int = required(2, "enum")
    i: int = optional(3, "int32")
    s: str = optional(4, "string")
    ints: list[int] = repeated(5, "int32")


@message
class VarDesc:
    """A variable of a block."""

    name: str = required(1, "string")
    type: VarType = required(2, VarType)
    persistable: bool = optional(3, "bool")
    need_check_feed: bool = optional(4, "bool")
    is_parameter: bool = optional(5, "bool")
    stop_gradient: bool = optional(6, "bool")
    attrs: list[VarAttr] = repeated(7, VarAttr)


@message
class ComplexDesc:
    """A complex number."""

    r: float = required(1, "double")
    i: float = required(2, "double")


@message
class Scalar:
    """A number that carries its own type: 1 bool, 2 int64, 3 float64, 4 complex128."""

    type: int = required(1, "enum")
    b: bool = optional(2, "bool")
    i: int = optional(3, "int64")
    r: float = optional(4, "double")
    c: ComplexDesc = optional(5, ComplexDesc)

    @property
    def value(self):
        """The number as a Python bool, int, float or complex."""
        if self.type == 1:
            return bool(self.b)
        if self.type == 2:
            return self.i or 0
        if self.type == 3:
            return self.r or 0.0
        if self.type == 4:
            return complex(self.c.r, self.c.i) if self.c is not None else 0j
        raise FormatError(f"a Scalar has the unknown type {self.type}")

    @classmethod
    def of(cls, value):
        """The Scalar of a Python number."""
        if isinstance(value, bool):
            return cls(1, b=value)
        if isinstance(value, int):
            return cls(2, i=value)
        if isinstance(value, float):
            return cls(3, r=value)
        if isinstance(value, complex):
            return cls(4, c=ComplexDesc(value.real, value.imag))
        raise TypeError(f"Scalar.of(): value must be a Python number, got {value!r}")


@message
class Attr:
    """An attribute of an operator; `value` reads the field that `type` names."""

    name: str = required(1, "string")
    type: int = required(2, "enum")
    i: int = optional(3, "int32")
    f: float = optional(4, "float")
    s: str = optional(5, "string")
    ints: list[int] = repeated(6, "int32")
    floats: list[float] = repeated(7, "float")
    strings: list[str] = repeated(8, "string")
    b: bool = optional(10, "bool")
    bools: list[bool] = repeated(11, "bool")
    block_idx: int = optional(12, "int32")
    l: int = optional(13, "int64")  # noqa: E741 - the field's name in the format
    blocks_idx: list[int] = repeated(14, "int32")
    longs: list[int] = repeated(15, "int64")
    float64s: list[float] = repeated(16, "double")
    var_name: str = optional(17, "string")
    vars_name: list[str] = repeated(18, "string")
    float64: float = optional(19, "double")
    scalar: Scalar = optional(20, Scalar)
    scalars: list[Scalar] = repeated(21, Scalar)

    @property
    def value(self):
        """The attribute as Python data; blocks are numbers, variables names, Scalars plain numbers."""
        field, default = _ATTR_FIELDS.get(self.type, (None, None))
        if field is None:
            raise FormatError(f"attribute {self.name!r} has the unknown type {self.type}")
        content = getattr(self, field)
        if self.type == AttrType.SCALARS:
            return [item.value for item in content]
        if content is None:
            return default
        return content.value if self.type == AttrType.SCALAR else content

    @classmethod
    def of(cls, name, attr_type, value):
        """The attribute `name` of the given AttrType."""
        field, default = _ATTR_FIELDS[AttrType(attr_type)]
        if attr_type == AttrType.SCALAR:
            value = Scalar.of(value)
        elif attr_type == AttrType.SCALARS:
            value = [Scalar.of(item) for item in value]
        elif default is None:
            value = list(value)
        return cls(name, int(attr_type), **{field: value})


_ATTR_FIELDS = {  # attribute type: (field that holds it, its value when a file leaves it out; None marks lists)
    AttrType.INT: ("i", 0), AttrType.FLOAT: ("f", 0.0), AttrType.STRING: ("s", ""), AttrType.INTS: ("ints", None),
    AttrType.FLOATS: ("floats", None), AttrType.STRINGS: ("strings", None), AttrType.BOOLEAN: ("b", False),
    AttrType.BOOLEANS: ("bools", None), AttrType.BLOCK: ("block_idx", 0), AttrType.LONG: ("l", 0),
    AttrType.BLOCKS: ("blocks_idx", None), AttrType.LONGS: ("longs", None), AttrType.FLOAT64S: ("float64s", None),
    AttrType.VAR: ("var_name", ""), AttrType.VARS: ("vars_name", None), AttrType.FLOAT64: ("float64", 0.0),
    AttrType.SCALAR: ("scalar", 0), AttrType.SCALARS: ("scalars", None),
}


@message
class Slot:
    """A named slot of an operator and the variables in it."""

    parameter: str = required(1, "string")
    arguments: list[str] = repeated(2, "string")


@message
class OpDesc:
    """One operator: its type, the variables in its slots, its attributes."""

    inputs: list[Slot] = repeated(1, Slot)
    outputs: list[Slot] = repeated(2, Slot)
    type: str = required(3, "string")
    attrs: list[Attr] = repeated(4, Attr)
    is_target: bool = optional(5, "bool")

    def input(self, slot):
        """Names of the variables in an input slot; an absent slot is empty."""
        return next((item.arguments for item in self.inputs if item.parameter == slot), [])

    def output(self, slot):
        """Names of the variables in an output slot; an absent slot is empty."""
        return next((item.arguments for item in self.outputs if item.parameter == slot), [])

    def attributes(self):
        """All attributes as a dict of Python values."""
        return {attr.name: attr.value for attr in self.attrs}

    def attribute(self, name, default=None):
        """One attribute's value, or `default` where the file leaves it out."""
        return next((attr.value for attr in self.attrs if attr.name == name), default)


@message
class OpProtoSlot:
    """A slot of an operator type."""

    name: str = required(1, "string")
    comment: str = required(2, "string")
    duplicable: bool = optional(3, "bool")
    intermediate: bool = optional(4, "bool")
    dispensable: bool = optional(5, "bool")
    extra: bool = optional(6, "bool")
    quant: bool = optional(7, "bool")


@message
class OpProtoAttr:
    """An attribute of an operator type."""

    name: str = required(1, "string")
    type: int = required(2, "enum")
    comment: str = required(3, "string")
    generated: bool = optional(4, "bool")
    extra: bool = optional(5, "bool")
    quant: bool = optional(6, "bool")
    support_tensor: bool = optional(7, "bool")


@message
class OpProto:
    """What an operator type takes and makes."""

    type: str = required(1, "string")
    inputs: list[OpProtoSlot] = repeated(2, OpProtoSlot)
    outputs: list[OpProtoSlot] = repeated(3, OpProtoSlot)
    attrs: list[OpProtoAttr] = repeated(4, OpProtoAttr)
    comment: str = required(5, "string")


@message
class BlockDesc:
    """A list of operators with their variables; `parent_idx` is -1 for the outermost block."""

    idx: int = required(1, "int32")
    parent_idx: int = required(2, "int32")
    vars: list[VarDesc] = repeated(3, VarDesc)
    ops: list[OpDesc] = repeated(4, OpDesc)
    forward_block_idx: int = optional(5, "int32")


@message
class Version:
    """Version of the writer: major * 1000000 + minor * 1000 + patch."""

    version: int = optional(1, "int64")


@message
class OpVersion:
    """Version of an operator's meaning."""

    version: int = required(1, "int32")


@message
class OpVersionPair:
    """An operator's name with its version."""

    op_name: str = required(1, "string")
    op_version: OpVersion = required(2, OpVersion)


@message
class OpVersionMap:
    """Versions of the operators that have changed since their first form."""

    pair: list[OpVersionPair] = repeated(1, OpVersionPair)


@message
class ProgramDesc:
    """A program: its blocks, the writer's version, the operators' versions."""

    blocks: list[BlockDesc] = repeated(1, BlockDesc)
    op_compatible_map: bytes = optional(3, "bytes")  # 1.6 to 1.8 wrote it; kept, no longer looked at
    version: Version = optional(4, Version)
    op_version_map: OpVersionMap = optional(5, OpVersionMap)

    def op_version(self, name):
        """Version of an operator's meaning in this file; 0 where it is not listed."""
        pairs = self.op_version_map.pair if self.op_version_map is not None else []
        return next((pair.op_version.version for pair in pairs if pair.op_name == name), 0)

    def persistable_names(self):
        """Names of the persistable tensors of all blocks, in the order of a combined parameter file."""
        return sorted({var.name for block in self.blocks for var in block.vars
                       if var.persistable and var.type.type == VarKind.LOD_TENSOR})


def read(data):
    """Decode a ProgramDesc; anything that is not one raises FormatError with the position."""
    if bytes(data[:1]) == b"\x80" and len(data) > 1 and data[1] in range(2, 6):
        raise FormatError("this is a pickled object (.pdparams, .pdopt), not a program (.pdmodel): "
                          "open it with paddle.load", 0)
    program = wire.decode(ProgramDesc, data)
    if not program.blocks:
        raise FormatError("a program must have at least one block", 0)
    _check_blocks(program.blocks)
    return program


def _check_blocks(blocks):
    # Whoever follows parents or sub-blocks may rely on arriving somewhere.
    references, known = {}, set(range(len(blocks)))
    for number, block in enumerate(blocks):
        if block.idx != number or not -1 <= block.parent_idx < number:
            raise FormatError(f"block number {number} calls itself {block.idx}, inside of block {block.parent_idx}")
        references[number] = set()
        for op in block.ops:
            for attr in op.attrs:
                if attr.type in (AttrType.BLOCK, AttrType.BLOCKS):
                    references[number].update([attr.value] if attr.type == AttrType.BLOCK else attr.value)
        beyond = references[number] - known
        if beyond:
            raise FormatError(f"an operator of block {number} refers to block {min(beyond)} of {len(blocks)}")
    try:
        graphlib.TopologicalSorter(references).prepare()
    except graphlib.CycleError as error:
        raise FormatError(f"blocks contain each other: {error.args[1]}") from error


def write(program):
    """Encode a ProgramDesc."""
    return wire.encode(program)


from .program_text import to_text  # noqa: E402, F401 - part of this module's interface; the file needs the enums above
