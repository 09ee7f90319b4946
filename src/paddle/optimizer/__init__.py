"""Optimizers of 2.x and their learning-rate schedulers (``paddle.optimizer.lr``)."""

from ..core.addresses import late as _late
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

__getattr__, __dir__ = _late(__name__, {}, alpha=True)
