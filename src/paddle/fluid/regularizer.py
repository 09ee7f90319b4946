"""fluid.regularizer (1.x; successor: paddle.regularizer)."""

from ..core.addresses import lookup as _lookup
from ..regularizer import L1Decay as _L1
from ..regularizer import L2Decay as _L2
from ..regularizer import WeightDecayRegularizer  # noqa: F401
from ..static.optimize import append_decays

__all__ = ["L1Decay", "L2Decay", "L1DecayRegularizer", "L2DecayRegularizer"]


class L1DecayRegularizer(_L1):
    """Adds coeff * sign(p) to gradients (1.x; successor: paddle.regularizer.L1Decay)."""

    def __init__(self, regularization_coeff=0.0):
        super().__init__(regularization_coeff)


class L2DecayRegularizer(_L2):
    """Adds coeff * p to gradients (1.x; successor: paddle.regularizer.L2Decay)."""

    def __init__(self, regularization_coeff=0.0):
        super().__init__(regularization_coeff)


L1Decay, L2Decay = L1DecayRegularizer, L2DecayRegularizer


append_regularization_ops = append_decays  # (1.x; successor: weight_decay= of an optimizer)


__getattr__ = _lookup(__name__)
