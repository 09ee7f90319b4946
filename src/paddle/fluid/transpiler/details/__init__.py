"""fluid.transpiler.details: what changes of whole programs are made with."""

from ....core.addresses import lookup as _lookup

__getattr__ = _lookup(__name__)
