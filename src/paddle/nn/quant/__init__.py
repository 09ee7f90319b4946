"""Layers for models that compute with few bits; see ``paddle.quantization``."""

from . import format, lsq, qat, quant_layers
from .functional_layers import (  # noqa: F401
    FloatFunctionalLayer,
    add,
    concat,
    divide,
    flatten,
    matmul,
    multiply,
    reshape,
    subtract,
    transpose,
)
from .quant_layers import QuantStub  # noqa: F401
from .stub import Stub
from .weight import llm_int8_linear, weight_dequantize, weight_only_linear, weight_quantize

__all__ = ["Stub", "format", "llm_int8_linear", "lsq", "qat", "quant_layers", "weight_dequantize",
           "weight_only_linear", "weight_quantize"]
