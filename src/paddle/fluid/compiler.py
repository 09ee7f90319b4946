"""fluid.compiler (1.x; successor: paddle.static.CompiledProgram)."""

from ..core.errors import typos as _typos
from ..static import BuildStrategy, CompiledProgram, ExecutionStrategy

__all__ = ["CompiledProgram", "BuildStrategy", "ExecutionStrategy"]

__getattr__ = _typos(__name__)
