"""fluid.dygraph_utils: what layers of 1.7 and 1.8 finished their results with."""

from . import layers
from .framework import dygraph_only
from .layers import elementwise_add


@dygraph_only
def _append_activation_in_dygraph(input, act=None, use_cudnn=None, use_mkldnn=None):
    """The activation of that name applied, or the input for None; how it is computed makes no difference."""
    return layers.activate(input, act)


@dygraph_only
def _append_bias_in_dygraph(input, bias=None, axis=1):
    """The bias added along an axis, or the input for None."""
    return input if bias is None else elementwise_add(input, bias, axis=axis)
