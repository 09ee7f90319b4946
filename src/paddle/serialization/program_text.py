"""Readable printing of a ProgramDesc."""

from . import program_desc as pd
from .stored import DTYPE_NAMES

# Written by Paddle into nearly every operator and without influence on the result.
_BOOKKEEPING = {"op_role", "op_role_var", "op_namescope", "op_callstack", "op_device", "with_quant_attr"}


def to_text(program, bookkeeping=False):
    """Print a program's blocks, variables and operators, one per line.

    Args:
        program: a ProgramDesc.
        bookkeeping: also show attributes that only serve Paddle's own tools (op_role, op_callstack, ...).
    """
    lines = []
    if program.version is not None and program.version.version:
        number = program.version.version
        lines.append(f"program of version {number // 1000000}.{number // 1000 % 1000}.{number % 1000}")
    for block in program.blocks:
        parent = "" if block.parent_idx < 0 else f", inside block {block.parent_idx}"
        lines.append(f"block {block.idx}{parent} {{")
        lines.extend("    " + _var_text(var) for var in block.vars)
        if block.vars and block.ops:
            lines.append("")
        lines.extend("    " + _op_text(op, bookkeeping) for op in block.ops)
        lines.append("}")
    return "\n".join(lines) + "\n"


def _var_text(var):
    tensor = var.type.tensor_desc()
    kind = _member(pd.VarKind, var.type.type)
    text = kind if tensor is None else _tensor_text(tensor)
    if tensor is not None and var.type.type != pd.VarKind.LOD_TENSOR:
        text = f"{kind} of {text}"
    level = (var.type.lod_tensor.lod_level or 0) if var.type.lod_tensor is not None else 0
    marks = [f"lod_level={level}"] * bool(level)
    flags = ("persistable", "is_parameter", "stop_gradient", "need_check_feed")
    marks += [name for name in flags if getattr(var, name)]
    return " ".join([f"var {var.name}: {text}", *marks])


def _tensor_text(tensor):
    name = DTYPE_NAMES.get(tensor.data_type) or _member(pd.VarKind, tensor.data_type)
    return f"{name}{list(tensor.dims)}"


def _op_text(op, bookkeeping):
    attrs = [attr for attr in op.attrs if bookkeeping or attr.name not in _BOOKKEEPING]
    text = f"{_slots_text(op.outputs)} = {op.type}({_slots_text(op.inputs)})"
    if attrs:
        text += " {" + ", ".join(f"{attr.name}={_attr_text(attr)}" for attr in attrs) + "}"
    return text


def _slots_text(slots):
    return ", ".join(f"{slot.parameter}=[{', '.join(slot.arguments)}]" for slot in slots)


def _attr_text(attr):
    if attr.type in (pd.AttrType.FLOAT, pd.AttrType.FLOAT64):
        return f"{attr.value:.9g}"
    if attr.type == pd.AttrType.FLOATS:
        return "[" + ", ".join(f"{value:.9g}" for value in attr.value) + "]"
    if attr.type == pd.AttrType.BLOCK:
        return f"block {attr.value}"
    if attr.type == pd.AttrType.BLOCKS:
        return "[" + ", ".join(f"block {value}" for value in attr.value) + "]"
    if attr.type == pd.AttrType.VAR:
        return attr.value
    if attr.type == pd.AttrType.VARS:
        return "[" + ", ".join(attr.value) + "]"
    if attr.type in set(pd.AttrType):
        return repr(attr.value)
    return f"<type {attr.type}>"


def _member(enumeration, number):
    try:
        return enumeration(number).name
    except ValueError:
        return f"<kind {number}>"
