"""fluid.contrib.layers: contributed functions of 1.x: recurrent layers written in Python, fused operators, suppression with
places."""

from ....core.addresses import lookup as _lookup
from . import nn, rnn_impl
from .nn import *  # noqa: F403
from .rnn_impl import *  # noqa: F403

__all__ = [*nn.__all__, *rnn_impl.__all__]
__getattr__ = _lookup(__name__)
