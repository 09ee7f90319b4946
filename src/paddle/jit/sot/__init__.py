"""paddle.jit.sot: the settings of to_static's way without ``full_graph``, under the addresses that 2.6 has for them."""

from ...core.addresses import lookup as _lookup

__getattr__ = _lookup(__name__)
