"""fluid.compiler (1.x; successor: paddle.static.CompiledProgram)."""

from ..core.addresses import lookup as _lookup
from ..static import BuildStrategy, CompiledProgram, ExecutionStrategy

__all__ = ["CompiledProgram", "BuildStrategy", "ExecutionStrategy"]

__getattr__ = _lookup(__name__)
