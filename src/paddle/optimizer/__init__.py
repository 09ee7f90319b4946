"""Optimizers of 2.x and their learning-rate schedulers (``paddle.optimizer.lr``)."""

from . import lr  # noqa: F401
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD, Momentum

__all__ = ["Optimizer", "SGD", "Momentum", "Adam", "AdamW"]
