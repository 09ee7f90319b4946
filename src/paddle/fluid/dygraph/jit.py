"""Tracing and translation in fluid's names (1.x; successor: paddle.jit)."""

from ...core.addresses import lookup as _lookup
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...jit import ProgramTranslator, declarative
from ...jit.dy2static import convert_call
from ...jit.into_program import dygraph_to_static_func
from ...jit.traced_layer import FolderTracedLayer as TracedLayer

dygraph_to_static_output = declarative

__all__ = ["TracedLayer", "declarative", "ProgramTranslator", "dygraph_to_static_output", "dygraph_to_static_func", "convert_call"]


def extract_vars(inputs):
    """The tensors and Variables in a value or in nested lists and tuples, in order."""
    if isinstance(inputs, (Tensor, Symbolic)):
        return [inputs]
    return [one for item in inputs for one in extract_vars(item)] if isinstance(inputs, (list, tuple)) else []


__getattr__ = _lookup(__name__)
