"""What is known of operator types, in the form in which Paddle's C++ side tells it: OpProto messages, kernels, gradients."""

from __future__ import annotations

import functools

import numpy as np

from ..core.dtype import ALL, DType
from ..serialization.program_desc import AttrType
from ..static.program import op_table, registry
from .c_ops import table as functions
from .proto.framework_pb2 import OpProto

_COMMON = (("op_role", AttrType.INT), ("op_role_var", AttrType.STRINGS), ("op_namescope", AttrType.STRING),
           ("op_callstack", AttrType.STRINGS), ("op_device", AttrType.STRING), ("with_quant_attr", AttrType.BOOLEAN))
_ONE = {AttrType.INT: int, AttrType.LONG: int, AttrType.FLOAT: float, AttrType.FLOAT64: float, AttrType.BOOLEAN: bool,
        AttrType.STRING: str}
_MANY = {AttrType.INTS: int, AttrType.LONGS: int, AttrType.FLOATS: float, AttrType.FLOAT64S: float, AttrType.BOOLEANS: bool,
         AttrType.STRINGS: str}


class OpProtoHolder:
    """All OpProtos by operator type."""

    @classmethod
    @functools.cache
    def instance(cls) -> OpProtoHolder:
        """The one holder."""
        return cls()

    def __init__(self):
        self.op_proto_map = {kind: _proto(kind) for kind in op_types()}

    def get_op_proto(self, type: str) -> OpProto:
        """The OpProto of an operator; ValueError where there is none."""
        if type not in self.op_proto_map:
            raise ValueError(f"OpProtoHolder.get_op_proto(): the operator {type!r} is not registered")
        return self.op_proto_map[type]

    @staticmethod
    def generated_op_attr_names() -> set:
        """Attributes that programs get without asking."""
        return {name for name, _ in _COMMON}


@functools.cache
def op_types() -> tuple:
    """The operator types of 2.6.2 that run here."""
    registry.load_all()
    return tuple(kind for kind in op_table.table() if registry.find(kind) is not None)


def get_all_op_protos() -> list:
    """The bytes of all OpProtos."""
    return [proto.SerializeToString() for proto in OpProtoHolder.instance().op_proto_map.values()]


def _proto(kind):
    row = op_table.table()[kind]
    made = OpProto(type=kind, comment=registry.find(kind).__doc__ or "")
    for slots, listed in ((made.inputs, row["in"]), (made.outputs, row["out"])):
        for text in listed:
            name = text.rstrip("*?~")
            marks, intermediate = text[len(name):], text.endswith("~")
            slots.add(name=name, comment="", duplicable="*" in marks, intermediate=intermediate,
                      dispensable="?" in marks and not intermediate)
    for name, entry in row["attrs"].items():
        made.attrs.add(name=name, type=entry[0], comment="")
    for name, attr_type in _COMMON:
        made.attrs.add(name=name, type=int(attr_type), comment="", generated=True)
    return made


def canonicalize_attrs(attrs: dict, op_proto: OpProto) -> dict:
    """Attributes with values of the types that an OpProto says."""
    kinds = {attr.name: attr.type for attr in op_proto.attrs}
    kinds.update({name: entry[0] for name, entry in op_table.table()[op_proto.type].get("extra", {}).items()})
    return {name: _of_type(value, kinds.get(name)) for name, value in attrs.items()}


def _of_type(value, kind):
    if kind is None or value is None:
        return value
    if isinstance(value, DType):
        return value.code
    if kind in _ONE:
        if isinstance(value, np.ndarray) and value.size == 1:
            value = value.item()
        return _ONE[kind](value)
    if kind in _MANY:
        return [_MANY[kind](item) for item in (value if isinstance(value, (list, tuple, np.ndarray)) else [value])]
    if kind == AttrType.SCALAR and isinstance(value, (np.ndarray, np.generic)):
        return value.item()
    if kind == AttrType.SCALARS:
        return [item.item() if isinstance(item, np.generic) else item for item in value]
    return value


def get_op_extra_attrs(op_type: str) -> dict:
    """Attributes that files may carry beside those of the OpProto, with their defaults."""
    return {name: entry[1] for name, entry in op_table.table().get(op_type, {}).get("extra", {}).items()}


def get_attrtibute_type(op_type: str, name: str) -> AttrType:
    """The type of an operator's attribute (the name is spelled as in Paddle); ValueError where it has no such attribute."""
    row = op_table.table().get(op_type, {"attrs": {}})
    entry = row["attrs"].get(name) or row.get("extra", {}).get(name)
    if entry is None:
        raise ValueError(f"get_attrtibute_type(): the operator {op_type!r} has no attribute {name!r}")
    return AttrType(entry[0])


def get_op_attrs_default_value(op_type) -> dict:
    """The attributes of an operator that have a default, with it."""
    return op_table.defaults(op_type.decode() if isinstance(op_type, bytes) else op_type)


def has_grad_op_maker(op_type: str) -> bool:
    """Does this operator have a gradient operator of its own? Operators of gradients have one, those of second ones none."""
    op, level = registry.declared(op_type)
    return op is not None and op.differentiable and level < 2


def has_infer_inplace(op_type: str) -> bool:
    """May this operator write its result over an input?"""
    return op_type in _inplace_types()


@functools.cache
def _inplace_types():
    return {row["type"] for row in functions()["functions"].values() if "inplace" in row}


def op_support_gpu(op_type: str) -> bool:
    """False: this is a CPU build."""
    return False


def _get_all_register_op_kernels(lib="all") -> dict:
    """{operator type: its kernels by element type}, gradients included, for the operators that run here."""
    kernels = {}
    for kind in op_types():
        op = registry.find(kind)
        listed = [f"{{data_type[{name}]; data_layout[Undefined(AnyLayout)]; place[Place(cpu)]; library_type[PLAIN]}}"
                  for name in ALL]
        kernels[kind] = listed
        if op.differentiable:
            kernels[kind + "_grad"] = listed
    return kernels


def kernel_signature(op_type: str, inputs: dict) -> tuple:
    """(input slots, attributes, output slots) of the C++ function of an operator; RuntimeError where it has none.

    An attribute that is given by a tensor is named by that tensor's slot.
    """
    row = _by_type().get(op_type)
    if row is None:
        raise RuntimeError(f"kernel_signature(): the operator {op_type!r} has no C++ function in 2.6.2")
    known = {text.rstrip("*?~") for text in op_table.table()[op_type]["in"]}
    slots = [slot for slot in (text.split("=")[1] for text in row["args"] if "=" in text) if slot in known]
    attrs = [text.split(":")[1] for text in row["args"] if ":" in text]
    standing = functions()["tensors"].get(op_type, {})
    attrs = [next((slot for slot in standing.get(name, ()) if inputs.get(slot)), name) for name in attrs]
    return slots, attrs, [text.split("=")[1] for text in row["out"]]


@functools.cache
def _by_type():
    table = functions()
    return {row["type"]: row for row in [*table["kernels"], *reversed(table["functions"].values())]}
