"""From a `Program` to the bytes of a ``.json`` file, in the form that Paddle 3.3 writes: one line, keys in order."""

from __future__ import annotations

import itertools
import json
import math

from .model import ELEMENTS, Attr, Block, Op, Program, Type

_TAGS = {name: tag for tag, name in ELEMENTS.items()}
_OPERATOR_KINDS = ("intarray", "dtype", "place", "scalar", "layout")  # those of pd_op; the others are builtin


def write(program: Program) -> bytes:
    """The bytes of a ``.json`` file."""
    document = {"base_code": {"magic": "pir", "trainable": program.trainable, "version": program.version},
                "program": {"regions": [_Writer().region(program.block)]}}
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8")


class _Writer:
    """Writes blocks; regions and blocks are numbered over the whole file, in the order they are met."""

    def __init__(self):
        self.regions, self.blocks = itertools.count(), itertools.count()

    def region(self, block: Block) -> dict:
        """A region with its block."""
        number, name = next(self.regions), f"block_{next(self.blocks)}"
        return {"#": f"region_{number}", "blocks": [{
            "#": name, "args": [{"#": n, "TT": write_type(t)} for n, t in block.args],
            "ops": [self.op(op) for op in block.ops]}]}

    def op(self, op: Op) -> dict:
        """One operation."""
        if (op.dialect, op.name) == (0, "parameter"):
            return _parameter(op)
        written = {"#": f"{op.dialect}.{op.name}", "A": [{"N": n, "AT": write_attr(a)} for n, a in op.attrs.items()],
                   "I": [{"%": n} for n in op.operands], "O": [{"%": n, "TT": write_type(t)} for n, t in op.results],
                   "OA": [{"N": n, "AT": write_attr(Attr("array", [Attr("bool", v) for v in values]))}
                          for n, values in op.about.items()]}
        if op.regions:
            written["regions"] = [self.region(block) for block in op.regions]
        return written


def _parameter(op: Op) -> dict:
    (number, kind), = op.results
    values = [int(op.get(n)) for n in ("is_distributed", "is_parameter", "need_clip")]
    return {"#": "p", "A": [*values, op.get("parameter_name")], "DA": [], "O": {"%": number, "TT": write_type(kind)},
            "OA": [int(op.flag(n, 0, d)) for n, d in (("persistable", True), ("stop_gradient", False), ("trainable", True))],
            "QA": []}


def write_type(kind: Type) -> dict:
    """A value's type."""
    if kind.kind == "null":
        return {"#": "NULL"}
    if kind.kind == "vec":
        return {"#": "0.t_vec", "D": [write_type(item) for item in kind.items]}
    element = {"#": f"0.{_TAGS[kind.dtype]}"}
    if kind.kind == "scalar":
        return element
    if kind.kind == "array":
        return {"#": "1.t_dense_tensor_array", "D": [element, kind.dims, kind.layout]}
    return {"#": "0.t_dtensor", "D": [element, kind.dims, kind.layout, [], 0]}


def write_attr(attr: Attr) -> dict:
    """An attribute's value."""
    tag = f"{int(attr.kind in _OPERATOR_KINDS)}.a_{attr.kind}"
    if attr.kind in ("f32", "f64") and not math.isfinite(attr.value):
        return {"#": tag, "VD": "NaN" if math.isnan(attr.value) else "INF" if attr.value > 0 else "-INF"}
    if attr.kind == "array":
        return {"#": tag, "D": [write_attr(item) for item in attr.value]}
    return {"#": tag, "D": write_type(attr.value) if attr.kind == "type" else attr.value}
