"""Losses of fluid.dygraph in 1.8 (successor: paddle.nn): the classes are those of 2.x."""

from ...nn import BCELoss, L1Loss, MSELoss, NLLLoss

__all__ = ["BCELoss", "L1Loss", "MSELoss", "NLLLoss"]
