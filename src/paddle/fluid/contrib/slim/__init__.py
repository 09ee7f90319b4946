"""fluid.contrib.slim (1.x): pruning and quantization of programs; what else it had says why not (core/addresses.py)."""

from ....core.addresses import lookup as _lookup

__all__: list[str] = []

__getattr__ = _lookup(__name__)
