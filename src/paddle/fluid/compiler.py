"""fluid.compiler (1.x; successor: paddle.static.CompiledProgram)."""

from ..static import BuildStrategy, CompiledProgram, ExecutionStrategy

__all__ = ["CompiledProgram", "BuildStrategy", "ExecutionStrategy"]
