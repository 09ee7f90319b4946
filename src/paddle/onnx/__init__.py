"""Models as ONNX files: written by ``export``, read by ``load``."""

from ..core.addresses import lookup as _lookup
from .export import export  # noqa: F401
from .load import load  # noqa: F401

__getattr__ = _lookup(__name__)
