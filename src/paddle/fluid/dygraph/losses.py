"""Losses of fluid.dygraph in 1.8 (successor: paddle.nn): those of 2.x, with one number in shape [1]."""

from ... import nn
from ..layers.common import at_least_1d
from ..state import era_mode

__all__ = ["BCELoss", "L1Loss", "MSELoss", "NLLLoss"]


class _OneAxis(nn.Layer):
    """A loss whose single number has shape [1]; static outside guards."""

    def __call__(self, *inputs, **kwargs):
        with era_mode():
            return at_least_1d(super().__call__(*inputs, **kwargs))


class BCELoss(_OneAxis, nn.BCELoss):
    """Binary cross entropy (1.8; successor: paddle.nn.BCELoss)."""


class L1Loss(_OneAxis, nn.L1Loss):
    """Mean absolute error (1.8; successor: paddle.nn.L1Loss)."""


class MSELoss(_OneAxis, nn.MSELoss):
    """Mean squared error (1.8; successor: paddle.nn.MSELoss)."""


class NLLLoss(_OneAxis, nn.NLLLoss):
    """Negative log likelihood (1.8; successor: paddle.nn.NLLLoss)."""

    def __init__(self, weight=None, reduction="mean", ignore_index=-100):
        super().__init__(weight, ignore_index, reduction)
