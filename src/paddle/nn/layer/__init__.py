"""The layer classes, one file per family."""

from ...core.addresses import lookup as _lookup

__getattr__ = _lookup(__name__)
