"""paddle.pir.core: the programs in use."""

from ..core.dtype import convert
from ..static.program.program import (
    Program,
    default_main_program,
    default_startup_program,
    program_guard,
    switch_main_program,
    switch_startup_program,
)

__all__ = ["Program", "convert_np_dtype_to_dtype_", "default_main_program", "default_startup_program", "program_guard",
           "switch_main_program", "switch_startup_program"]


def convert_np_dtype_to_dtype_(np_dtype):
    """The element type of a NumPy type or of a name."""
    return convert(np_dtype, "convert_np_dtype_to_dtype_")
