"""Weight decay given to optimizers or single parameters."""

from .core.addresses import lookup as _lookup
from .core.errors import describe
from .ops.math import unary


def _number(value, function):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{function}(): coeff must be a number, got {describe(value)}") from None


class WeightDecayRegularizer:
    """Base of regularizers: what to add to a parameter's gradient."""

    def __call__(self, param):
        """The decay term for a parameter (Tensor or static Variable)."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__(param)")


class L1Decay(WeightDecayRegularizer):
    """Add coeff * sign(p) to the gradient of each parameter p.

    Args:
        coeff (float): the factor.
    Raises:
        TypeError: ``coeff`` is not a number.

    >>> paddle.regularizer.L1Decay(0.01)
    L1Decay, coeff=0.01
    """

    def __init__(self, coeff=0.0):
        self._coeff = self.coeff = _number(coeff, type(self).__name__)

    def __call__(self, param):
        return unary.sign(param) * self.coeff

    def __repr__(self):
        return f"L1Decay, coeff={self.coeff}"


class L2Decay(WeightDecayRegularizer):
    """Add coeff * p to the gradient of each parameter p.

    Args:
        coeff (float, 0): the factor; given to an optimizer as ``weight_decay`` or to a parameter by
            ``ParamAttr(regularizer=)``, which goes before the optimizer's.
    Raises:
        TypeError: ``coeff`` is not a number.

    >>> paddle.regularizer.L2Decay(0.01)
    L2Decay, coeff=0.01
    """

    def __init__(self, coeff=0.0):
        self._coeff = self.coeff = _number(coeff, type(self).__name__)

    def __call__(self, param):
        return param * self.coeff

    def __repr__(self):
        return f"L2Decay, coeff={self.coeff}"


__getattr__ = _lookup(__name__)
