"""Layers for models that compute with few bits; see ``paddle.quantization``."""

from . import format, qat
from .stub import Stub

__all__ = ["Stub", "format", "qat"]
