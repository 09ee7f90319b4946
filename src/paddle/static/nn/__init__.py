"""Layers and control flow of static programs."""

from .control_flow import case, cond, switch_case, while_loop  # noqa: F401
