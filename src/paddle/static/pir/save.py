"""From a Program to a ``.json`` program, as Paddle 3.3 reads it."""

from __future__ import annotations

from ...serialization.pir import model, operators
from ...serialization.pir.model import Attr, Op, Type
from ..ir.lower import place
from ..program import lod_files
from ..program.transform import feed_fetch_names
from . import save_control, save_special  # noqa: F401 - they register what they write
from .exporter import WRITERS, Exporter, Frame, is_tensor
from .types import ANYWHERE, dtype_attr, tensor_type
from .upgrade import upgraded


def from_program(program) -> model.Program:
    """The ``.json`` program of a Program that has feed and fetch operators; operators without a counterpart raise, all named."""
    program = upgraded(lod_files.stripped(program))
    check_expressible(program)
    exporter, block = Exporter(), program.global_block()
    frame = Frame(block, {}, {})
    for name in sorted((n for n, v in block.vars.items() if v.persistable and is_tensor(v)), reverse=True):
        _parameter(exporter, frame, block.vars[name])
    feeds, fetches = feed_fetch_names(program)
    for name in feeds:
        _data(exporter, frame, block.vars[name])
    exporter.block(frame)
    for k, name in enumerate(fetches):
        number = exporter.read(frame, name, "fetch")
        attrs = {"name": Attr("str", f"fetch_name_{k}"), "col": Attr("i32", k)}
        exporter.add(frame, "fetch", [number], [frame.types[number]], attrs, stop=[exporter.stops(frame, name)])
        frame.done.ops[-1].about = {"persistable": [True], **frame.done.ops[-1].about}
    return model.Program(frame.done)


def check_expressible(program) -> None:
    """Raise NotImplementedError naming every operator that ``.json`` programs lack, with the user's line."""
    unknown = {}
    for block in program.blocks:
        for op in block.ops:
            if op.type not in WRITERS and not operators.by_type(op.type):
                unknown.setdefault(op.type, op)
    if unknown:
        listed = "; ".join(f"{kind}{place(op)}" for kind, op in sorted(unknown.items()))
        raise NotImplementedError(f"the program can't be written as a .json file of Paddle 3; its operators without a counterpart "
                                  f"there: {listed}")


def _parameter(exporter, frame, var) -> None:
    trained = var.is_parameter and not var.stop_gradient
    attrs = {"is_distributed": Attr("bool", False), "is_parameter": Attr("bool", True), "need_clip": Attr("bool", True),
             "parameter_name": Attr("str", var.name)}
    number, kind = next(exporter.numbers), tensor_type(var)
    about = {"persistable": [True], "stop_gradient": [not trained], "trainable": [trained]}
    frame.types[number] = kind
    frame.done.ops.append(Op(0, "parameter", [], [(number, kind)], attrs, about))
    exporter.bind(frame, var.name, number)


def _data(exporter, frame, var) -> None:
    kind: Type = tensor_type(var)
    number, = exporter.add(frame, "data", [], [kind], {
        "name": Attr("str", var.name), "shape": Attr("intarray", list(var.shape)), "dtype": dtype_attr(kind.dtype),
        "place": ANYWHERE}, stop=[bool(var.stop_gradient)])
    exporter.bind(frame, var.name, number)
