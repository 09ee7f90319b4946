"""fluid.regularizer (1.x; successor: paddle.regularizer)."""

from ..core.addresses import lookup as _lookup
from ..regularizer import L1Decay as _L1
from ..regularizer import L2Decay as _L2
from ..regularizer import WeightDecayRegularizer  # noqa: F401
from ..static.program.program import program_guard
from ..tensor.math import add_n

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


def append_regularization_ops(parameters_and_grads, regularization=None):
    """Pairs of parameters and gradients with the decay added: a parameter's own, else ``regularization`` (1.x; successor:
    weight_decay= of an optimizer)."""
    pairs = []
    for parameter, grad in parameters_and_grads:
        decay = getattr(parameter, "regularizer", None) or regularization
        if grad is not None and decay is not None:
            with program_guard(parameter.block.program):
                grad = add_n([grad, decay(parameter)])
        pairs.append((parameter, grad))
    return pairs


__getattr__ = _lookup(__name__)
