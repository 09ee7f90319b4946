"""paddle.base.layers: 2.6's parts of it add readers and operators to classes; here the classes have them."""

from ..core.addresses import lookup as _lookup

__all__: list[str] = []

__getattr__ = _lookup(__name__)
