"""paddle.base.framework: programs, parameters and modes."""

from ..core.addresses import lookup as _lookup
from ..core.tensor import Parameter as EagerParamBase  # noqa: F401
from ..static.program import (  # noqa: F401
    Parameter,
    Program,
    Variable,
    default_main_program,
    default_startup_program,
    program_guard,
)
from .dygraph import in_dygraph_mode


def in_dynamic_mode():
    """Do calls run at once?"""
    return in_dygraph_mode()


__getattr__ = _lookup(__name__)
