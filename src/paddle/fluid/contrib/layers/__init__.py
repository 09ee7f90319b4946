"""fluid.contrib.layers: contributed functions of 1.x: recurrent layers written in Python, fused operators, suppression with
places, sums for metrics."""

from ....core.addresses import lookup as _lookup
from . import metric_op, nn, rnn_impl
from .metric_op import *  # noqa: F403
from .nn import *  # noqa: F403
from .rnn_impl import *  # noqa: F403

__all__ = [*metric_op.__all__, *nn.__all__, *rnn_impl.__all__]
__getattr__ = _lookup(__name__)
