"""Tracing and translation in fluid's names."""

from ...jit import ProgramTranslator, TracedLayer, declarative

dygraph_to_static_output = declarative

__all__ = ["TracedLayer", "declarative", "ProgramTranslator", "dygraph_to_static_output"]
