"""Functions of neural networks: what layers compute, without their parameters."""

import importlib

from ...core.addresses import late as _late
from ...core.generation import published as _published
from ...core.spelling import spelled as _spelled

_MODULES = ("activation", "attention", "common", "conv", "cross_entropy", "distance", "dropout", "extension", "input", "loss",
            "margin_loss", "norm", "pooling", "sequence_loss", "vision", "modern")

__all__ = []
for _name in _MODULES:
    _module = importlib.import_module("." + _name, __name__)
    __all__ += _module.__all__
    globals().update({n: _spelled("nn.functional." + n, _published(getattr(_module, n))) for n in _module.__all__})

from . import flash_attention  # noqa: E402, F401, I001  (a module whose functions are called by its name)
from .flash_attention import flash_attn_qkvpacked, flash_attn_varlen_qkvpacked, flashmask_attention, sdp_kernel  # noqa: E402

__all__ += ["flash_attn_qkvpacked", "flash_attn_varlen_qkvpacked", "flashmask_attention", "sdp_kernel"]

__getattr__, __dir__ = _late(__name__, {}, alpha=True)
