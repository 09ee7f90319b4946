"""Models as ONNX files."""

from ..core.errors import typos as _typos
from .export import export  # noqa: F401

__getattr__ = _typos(__name__)
