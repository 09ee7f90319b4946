"""Models as ONNX files."""

from ..core.addresses import lookup as _lookup
from .export import export  # noqa: F401

__getattr__ = _lookup(__name__)
