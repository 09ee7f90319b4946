"""Programs to and from ProgramDesc, the message inside ``.pdmodel`` files."""

import math

import numpy as np

from ...core import dtype as dtypes
from ...serialization import program_desc as pd
from ...serialization.errors import FormatError
from ...serialization.program_desc import AttrType, VarKind
from ..ir.lower import VarName, is_special, op_of, place
from . import lod_files, op_table
from .program import Block, Operator, Parameter, Program, Variable
from .registry import declared

VERSION = 2006002  # the Paddle whose meaning of operators our files follow
_LEFT_OUT = ("op_callstack", "op_role_var", "op_device")


# ---------------------------------------------------------------- to files

def to_desc(program, strict=False):
    """The ProgramDesc of a program; ``strict``: raise for operators that Paddle's files do not have."""
    program = lod_files.stripped(program)
    if strict:
        check_expressible(program)
    blocks = [_block_desc(b) for b in program.blocks]
    used = {t: op_of(t) for t in sorted({op.type for b in program.blocks for op in b.ops})}
    versions = pd.OpVersionMap(pair=[pd.OpVersionPair(t, pd.OpVersion(op.facts.version)) for t, op in used.items()
                                     if op is not None and op.facts.version])
    return pd.ProgramDesc(blocks=blocks, version=pd.Version(version=VERSION), op_version_map=versions)


def check_expressible(program):
    """Raise NotImplementedError naming every operator that has no counterpart in Paddle 2.6, with the user's line."""
    unknown = {}
    for block in program.blocks:
        for op in block.ops:
            row = op_table.table().get(op_table.base(op.type))
            if row is None:
                unknown.setdefault(op.type, op)
            elif op.type in op_table.table():
                known = {slot.rstrip("*?") for slot in row["in"]}
                for slot, names in op.inputs.items():
                    if names and slot not in known:
                        unknown.setdefault(f"{op.type} with the input {slot}", op)
    if unknown:
        listed = "; ".join(f"{t}{place(op)}" for t, op in sorted(unknown.items()))
        raise NotImplementedError(f"the program can't be written as a Paddle file; its operators without a counterpart there: "
                                  f"{listed}")


def _block_desc(block):
    desc = pd.BlockDesc(idx=block.idx, parent_idx=block.parent_idx)
    desc.vars = [_var_desc(v) for _, v in sorted(block.vars.items())]
    desc.ops = [op_desc(op) for op in block.ops]
    if block.forward_block_idx >= 0:
        desc.forward_block_idx = block.forward_block_idx
    return desc


def _var_desc(var):
    kind = pd.VarType(type=int(var.kind))
    if var.kind in (VarKind.LOD_TENSOR, VarKind.LOD_TENSOR_ARRAY):
        code = 5 if var.dtype is None else var.dtype.code
        tensor = pd.LoDTensorDesc(tensor=pd.TensorDesc(data_type=code, dims=list(var.shape)), lod_level=var.lod_level or 0)
        if var.kind == VarKind.LOD_TENSOR:
            kind.lod_tensor = tensor
        else:
            kind.tensor_array = tensor
    elif var.kind == VarKind.SELECTED_ROWS and var.dtype is not None:
        kind.selected_rows = pd.TensorDesc(data_type=var.dtype.code, dims=list(var.shape))
    desc = pd.VarDesc(name=var.name, type=kind, persistable=bool(var.persistable))
    if var.need_check_feed:
        desc.need_check_feed = True
    if var.is_parameter:
        desc.is_parameter = True
    if var.stop_gradient:
        desc.stop_gradient = True
    return desc


def op_desc(op):
    """The message of one operator."""
    desc = pd.OpDesc(type=op.type)
    row = op_table.table().get(op.type)
    desc.inputs = _slots(op.inputs, row and row["in"])
    desc.outputs = _slots(op.outputs, None)
    attrs = {**op_table.defaults(op.type), **op.attrs} if row else op.attrs
    desc.attrs = [_attr(op, name, value) for name, value in sorted(attrs.items()) if name not in _LEFT_OUT]
    return desc


def _slots(table, known):
    listed = {slot.rstrip("*?"): [] for slot in known or ()}
    return [pd.Slot(parameter=slot, arguments=list(names)) for slot, names in sorted({**listed, **table}.items())
            if names or slot in listed]


def _attr(op, name, value):
    if isinstance(value, Block):
        return pd.Attr.of(name, AttrType.BLOCK, value.idx)
    if isinstance(value, VarName):
        return pd.Attr.of(name, AttrType.VAR, str(value))
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], VarName):
        return pd.Attr.of(name, AttrType.VARS, [str(v) for v in value])
    kind = op_table.attr_type(op.type, name, value)
    try:
        return pd.Attr.of(name, kind, _as(kind, value))
    except (TypeError, ValueError, KeyError) as error:
        message = f"operator {op.type}: the attribute {name}={value!r} can't be written as {kind.name}{place(op)}"
        raise TypeError(message) from error


_ONE = {AttrType.INT: int, AttrType.LONG: int, AttrType.FLOAT: float, AttrType.FLOAT64: float, AttrType.BOOLEAN: bool,
        AttrType.STRING: str}
_MANY = {AttrType.INTS: int, AttrType.LONGS: int, AttrType.FLOATS: float, AttrType.FLOAT64S: float, AttrType.BOOLEANS: bool,
         AttrType.STRINGS: str}


def _as(kind, value):
    if kind in _ONE:
        if kind in (AttrType.FLOAT,) and isinstance(value, (int, float)) and math.isfinite(value) and abs(value) > 3.4028235e38:
            return math.copysign(math.inf, value)
        if kind == AttrType.STRING and not isinstance(value, str):
            raise TypeError("not a text")
        if isinstance(value, (list, tuple)) and len(value) == 1:
            value = value[0]
        return _ONE[kind](value)
    if kind in _MANY:
        return [_MANY[kind](v) for v in (value if isinstance(value, (list, tuple)) else [value])]
    return value


# ---------------------------------------------------------------- from files

def from_desc(desc, check=True):
    """The program of a ProgramDesc; ``check``: raise if it has operators that can't run here, naming all of them."""
    program = Program()
    program.blocks = [Block(program, b.idx, b.parent_idx) for b in desc.blocks]
    for block, b in zip(program.blocks, desc.blocks):
        block.forward_block_idx = -1 if b.forward_block_idx is None else b.forward_block_idx
        for v in b.vars:
            block.vars[v.name] = _variable(block, v)
        block.ops = [operator_of(program, block, op) for op in b.ops]
    if check:
        check_runnable(program)
    return lod_files.complete(program)


def check_runnable(program):
    """Raise NotImplementedError listing every operator type that is not known here."""
    unknown = sorted({op.type for b in program.blocks for op in b.ops
                      if not is_special(op.type) and declared(op.type)[0] is None})
    if unknown:
        raise NotImplementedError(f"the program has operators that are not supported here: {', '.join(unknown)}")


def _variable(block, desc):
    tensor, kind = desc.type.tensor_desc(), desc.type.type
    shape, dtype = (), None
    if tensor is not None:
        shape = tuple(tensor.dims)
        dtype = dtypes.convert(tensor.data_type) if tensor.data_type in _CODES else None
    elif kind == VarKind.LOD_RANK_TABLE:  # here: the numbers of the sequences
        shape, dtype = (-1,), dtypes.int64
    given = {"persistable": bool(desc.persistable), "stop_gradient": bool(desc.stop_gradient), "kind": kind,
             "need_check_feed": bool(desc.need_check_feed)}
    if desc.is_parameter and kind == VarKind.LOD_TENSOR:
        p = Parameter(block, desc.name, shape, dtype, kind=kind)
        p.stop_gradient = given["stop_gradient"]
        p.trainable = not p.stop_gradient
        return p
    var = Variable(block, desc.name, shape, dtype, **given)
    nested = desc.type.lod_tensor or desc.type.tensor_array
    var.lod_level = (nested.lod_level or 0) if nested is not None else 0
    return var


_DEFAULTS = {"op_role": 0, "op_namescope": "/", "with_quant_attr": False}
_CODES = {d.code for d in dtypes.ALL.values()}


def _shortest(value):
    """The number that was meant: 0.9 for the float32 nearest to it."""
    return float(str(np.float32(value)))


def operator_of(program, block, desc):
    """The Operator of a message; attributes that it leaves out are what Paddle takes them to be."""
    attrs = op_table.defaults(desc.type)
    for attr in desc.attrs:
        value = attr.value
        if attr.type == AttrType.FLOAT:
            value = _shortest(value)
        elif attr.type == AttrType.FLOATS:
            value = [_shortest(v) for v in value]
        elif attr.type == AttrType.BLOCK:
            value = program.blocks[value]
        elif attr.type == AttrType.BLOCKS:
            value = [program.blocks[v] for v in value]
        elif attr.type == AttrType.VAR:
            value = VarName(value)
        elif attr.type == AttrType.VARS:
            value = [VarName(v) for v in value]
        if attr.name not in _LEFT_OUT and _DEFAULTS.get(attr.name) != value:
            attrs[attr.name] = value
    inputs = {slot.parameter: list(slot.arguments) for slot in desc.inputs}
    outputs = {slot.parameter: list(slot.arguments) for slot in desc.outputs}
    if len(inputs) != len(desc.inputs) or len(outputs) != len(desc.outputs):
        raise FormatError(f"an operator {desc.type} has a slot twice")
    return Operator(block, desc.type, inputs, outputs, attrs)
