"""Layers of 2.0 alpha under the names of 2.x: fluid's, made in whatever mode is on (see ``construction`` of core/generation.py)."""

import contextlib

from ..fluid.dygraph import nn as _fluid


def _of_alpha(older):
    return type(older.__name__, (older,), {"_running_mode": contextlib.nullcontext, "__doc__": older.__doc__,
                                            "__module__": __name__})


Conv2D, Conv3D, Conv2DTranspose, Conv3DTranspose, Linear, Embedding, Dropout, LayerNorm, GroupNorm = map(_of_alpha, (
    _fluid.Conv2D, _fluid.Conv3D, _fluid.Conv2DTranspose, _fluid.Conv3DTranspose, _fluid.Linear, _fluid.Embedding, _fluid.Dropout,
    _fluid.LayerNorm, _fluid.GroupNorm))
