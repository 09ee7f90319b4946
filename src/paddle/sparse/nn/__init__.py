"""Layers for sparse tensors."""

from . import functional  # noqa: F401
from .layers import *  # noqa: F403
from .layers import __all__  # noqa: F401
