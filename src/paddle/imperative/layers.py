"""Layers of 2.0 alpha under the names of 2.x: fluid's, made in whatever mode is on (see ``construction`` of core/generation.py)."""

import contextlib

from ..fluid.dygraph import nn as _fluid
from ..fluid.dygraph import special as _special


def _of_alpha(older, **different):
    return type(older.__name__, (older,), {"_running_mode": contextlib.nullcontext, "__doc__": older.__doc__,
                                            "__module__": __name__, **different})


_SHARED = ["padding", "stride", "dilation", "groups", "param_attr", "bias_attr", "use_cudnn", "act", "data_format", "dtype"]
_CONV = {"_18": ["num_channels", "num_filters", "filter_size", *_SHARED]}  # here padding came before stride
_TRANSPOSED = {"_18": ["num_channels", "num_filters", "filter_size", "output_size", *_SHARED]}

Conv2D, Conv3D = _of_alpha(_fluid.Conv2D, **_CONV), _of_alpha(_fluid.Conv3D, **_CONV)
Conv2DTranspose, Conv3DTranspose = (_of_alpha(older, **_TRANSPOSED) for older in (_fluid.Conv2DTranspose, _fluid.Conv3DTranspose))
Linear, Embedding, Dropout, LayerNorm, GroupNorm = map(_of_alpha, (
    _fluid.Linear, _fluid.Embedding, _fluid.Dropout, _fluid.LayerNorm, _fluid.GroupNorm))


class RowConv(_of_alpha(_special.RowConv)):
    """Each step plus weighted following steps, [N, T, D] (2.0 alpha; successor: paddle.static.nn.row_conv)."""

    def __init__(self, num_channels, future_context_size, param_attr=None, act=None, dtype="float32"):
        super().__init__(None, future_context_size, param_attr, act)
        self._dtype = dtype
        self.weight = self.create_parameter([future_context_size + 1, num_channels], param_attr, dtype)

    def _build_once(self, input):
        """Nothing: the number of channels was given."""
