"""Layers and control flow of static programs."""

from ..debug import Assert, py_func  # noqa: F401
from .control_flow import case, cond, switch_case, while_loop  # noqa: F401
