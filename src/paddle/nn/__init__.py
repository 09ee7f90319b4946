"""Layers, their functions (``nn.functional``) and their initializers (``nn.initializer``)."""

import importlib

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
from ..core.spelling import spelled as _spelled
from ..core.spelling import table as _spellings
from . import functional, init, initializer  # noqa: F401
from .clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from .layer.layers import Layer
from .param_attr import ParamAttr  # noqa: F401

_MODULES = ("activation", "common", "container", "conv", "decode", "extension", "loss", "norm", "pooling", "rnn", "transformer",
            "vision", "modern")

__all__ = ["Layer", "ClipGradByGlobalNorm", "ClipGradByNorm", "ClipGradByValue"]
for _name in _MODULES:
    _module = importlib.import_module(".layer." + _name, __name__)
    __all__ += _module.__all__
    globals().update({n: getattr(_module, n) for n in _module.__all__})

for _key in _spellings():  # constructors and methods of layers that take further spellings of their keywords
    _owner, _, _method = _key.removeprefix("nn.").partition(".")
    _owner = globals().get(_owner) if _key.startswith("nn.") and _method else None
    if isinstance(_owner, type) and _method in vars(_owner):
        setattr(_owner, _method, _spelled(_key, vars(_owner)[_method]))

from . import utils  # noqa: E402, F401, I001  (behind the layers, which it uses)
from .layer import decode, loss  # noqa: E402, F401  (Paddle's own examples say nn.loss.MSELoss)

# quant is rarely used
__getattr__, __dir__ = _late(__name__, _names_of({".": ["quant"]}, __name__), alpha=True)
