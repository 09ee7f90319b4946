"""paddle.pir: programs under the names of later releases. A program has one form here, whichever release's files it comes from."""

from ..core.addresses import lookup as _lookup
from ..serialization import program_desc
from ..static.model_files import parse as _parse
from ..static.program.program import Block, Operator, Program, Variable
from . import core  # noqa: F401

Operation, OpResult, Value = Operator, Variable, Variable

__all__ = ["Block", "OpResult", "Operation", "Program", "Value", "translate_to_pir"]


def translate_to_pir(desc):
    """The Program of a ProgramDesc or of its bytes."""
    data = desc if isinstance(desc, bytes) else desc.serialize_to_string() if hasattr(desc, "serialize_to_string") else None
    if data is None:
        data = program_desc.write(desc)
    return _parse(data)


__getattr__ = _lookup(__name__)
