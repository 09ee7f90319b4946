"""Tracing and translation in fluid's names (1.x; successor: paddle.jit)."""

from ...jit import ProgramTranslator, declarative
from ...jit.dy2static import convert_call
from ...jit.traced_layer import FolderTracedLayer as TracedLayer

dygraph_to_static_output = declarative

__all__ = ["TracedLayer", "declarative", "ProgramTranslator", "dygraph_to_static_output", "convert_call"]
