"""Initializers: how parameters get their first values. Each is a call that fills a parameter, in either mode."""

from ...core.addresses import lookup as _lookup
from .base import Initializer, calculate_gain  # noqa: F401
from .defaults import choose, set_global_initializer  # noqa: F401
from .fixed import Assign, Bilinear, Constant, Dirac, Orthogonal
from .random import (
    KaimingNormal,
    KaimingUniform,
    MSRAInitializer,  # noqa: F401
    Normal,
    TruncatedNormal,
    Uniform,
    XavierInitializer,  # noqa: F401
    XavierNormal,
    XavierUniform,
)

__all__ = ["Bilinear", "Constant", "KaimingUniform", "KaimingNormal", "XavierNormal", "XavierUniform", "Assign", "Normal",
           "TruncatedNormal", "Uniform", "Orthogonal", "Dirac", "set_global_initializer", "calculate_gain"]


__getattr__ = _lookup(__name__)
