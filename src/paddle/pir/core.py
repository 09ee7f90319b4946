"""paddle.pir.core: the programs in use, and element types."""

from ..core.dtype import DType as DataType
from ..core.dtype import convert
from ..static.program.program import (
    Program,
    default_main_program,
    default_startup_program,
    program_guard,
    switch_main_program,
    switch_startup_program,
)
from ..static.var_types import datatype_to_vartype, vartype_to_datatype

__all__ = ["DataType", "Program", "convert_np_dtype_to_dtype_", "datatype_to_vartype", "default_main_program",
           "default_startup_program", "program_guard", "switch_main_program", "switch_startup_program", "vartype_to_datatype"]


def convert_np_dtype_to_dtype_(np_dtype):
    """The element type of a NumPy type or of a name."""
    return convert(np_dtype, "convert_np_dtype_to_dtype_")
