"""The high-level API: Model, its callbacks, summary and flops."""

from . import callbacks
from .flops import flops
from .model import Model
from .summary import summary

__all__ = ["Model", "callbacks", "flops", "summary"]
