"""Initializers: how parameters get their first values. Each is a call that fills a parameter, in either mode."""

from ...core.addresses import late as _late
from ...core.addresses import names_of as _names_of
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

__getattr__, __dir__ = _late(__name__, _names_of({"paddle.fluid.initializer": [  # the classes below those above, in 2.5 and 2.6
    "ConstantInitializer", "NormalInitializer", "NumpyArrayInitializer", "TruncatedNormalInitializer", "UniformInitializer"]}))
