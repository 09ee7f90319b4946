"""Models as ONNX files."""

from .export import export  # noqa: F401
