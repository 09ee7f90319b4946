"""Optimizers of 2.x and their learning-rate schedulers (``paddle.optimizer.lr``)."""

from ..core.rooms import rooms as _rooms
from . import lr  # noqa: F401
from .adam import Adam, AdamW
from .adam_variants import NAdam, RAdam
from .adaptive import Adadelta, Adagrad, Adamax, Lamb, RMSProp
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .sgd import SGD, Momentum
from .sign import ASGD, Rprop

__all__ = ["Optimizer", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSProp", "Rprop", "Adadelta", "SGD",
           "Momentum", "Lamb", "LBFGS"]


def __getattr__(name):
    """Names that only 2.0 alpha had here."""
    if name.startswith("__"):
        raise AttributeError(f"module 'paddle.optimizer' has no attribute {name!r}")
    return _rooms.older_name("paddle.optimizer", name, __all__)
