"""From a ``.json`` program to a Program: the same operators, variables and sub-blocks that a ``.pdmodel`` file gives."""

from __future__ import annotations

from ...serialization.errors import UnsupportedError
from ...serialization.pir import model, operators
from ..ir.lower import is_special
from ..program.program import Program
from ..program.registry import declared
from . import composite, load_control, special  # noqa: F401 - the last two register what they read
from .importer import READERS, Importer, all_ops


def to_program(source: model.Program) -> Program:
    """The Program of a ``.json`` file, with feed and fetch operators; unknown operators raise, all of them named."""
    importer = Importer(source)
    _check_known(source.block)
    importer.block(source.block, importer.program.global_block())
    importer.finish()
    return importer.program


def _is_known(op: model.Op) -> bool:
    if (op.dialect, op.name) in READERS or (op.dialect, op.name) == (2, "yield"):
        return True
    row = operators.by_name(op.name) if op.dialect == 1 else None
    if row is None:
        return False
    if row.type is None:
        return row.name in composite.FUNCTIONS
    return is_special(row.type) or declared(row.type)[0] is not None


def _check_known(block: model.Block) -> None:
    unknown = sorted({op.label for op in all_ops(block) if not _is_known(op)})
    if unknown:
        raise UnsupportedError(f"the program has operators that are not supported here: {', '.join(unknown)}")
