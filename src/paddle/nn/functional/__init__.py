"""Functions of neural networks: what layers compute, without their parameters."""

import importlib

from ...core.generation import published as _published
from ...core.rooms import rooms as _rooms
from ...core.spelling import spelled as _spelled

_MODULES = ("activation", "attention", "common", "conv", "cross_entropy", "distance", "dropout", "extension", "input", "loss",
            "margin_loss", "norm", "pooling", "sequence_loss", "vision", "modern")

__all__ = []
for _name in _MODULES:
    _module = importlib.import_module("." + _name, __name__)
    __all__ += _module.__all__
    globals().update({n: _spelled("nn.functional." + n, _published(getattr(_module, n))) for n in _module.__all__})

from . import flash_attention  # noqa: E402, F401, I001  (a module whose functions are called by its name)
from .flash_attention import flash_attn_qkvpacked, flash_attn_varlen_qkvpacked, flashmask_attention  # noqa: E402

__all__ += ["flash_attn_qkvpacked", "flash_attn_varlen_qkvpacked", "flashmask_attention"]


def __getattr__(name):
    """Names that only 2.0 alpha had here."""
    if name.startswith("__"):
        raise AttributeError(f"module 'paddle.nn.functional' has no attribute {name!r}")
    return _rooms.older_name("paddle.nn.functional", name, __all__)
