"""Functions of neural networks: what layers compute, without their parameters."""

import importlib

_MODULES = ("activation", "common", "conv", "cross_entropy", "distance", "dropout", "input", "loss", "norm", "pooling")

__all__ = []
for _name in _MODULES:
    _module = importlib.import_module("." + _name, __name__)
    __all__ += _module.__all__
    globals().update({n: getattr(_module, n) for n in _module.__all__})
