"""What values a random variable can have, asked of a value."""

import numbers

from ..core.op import OPS

__all__ = ["Constraint", "Real", "Range", "Positive", "Simplex", "real", "positive", "simplex"]


def _both(a, b):
    """a and b of tensors, or of Python's truth values."""
    return a and b if isinstance(a, bool) else OPS["logical_and"](a, b)


class Constraint:
    """Base of constraints: called with a value, a subclass says where it is allowed."""

    def __call__(self, value):
        raise NotImplementedError(f"{type(self).__name__} does not say which values it allows")


class Real(Constraint):
    """Any number that is no NaN."""

    def __call__(self, value):
        return value == value


class Range(Constraint):
    """Numbers from a lower to an upper bound."""

    def __init__(self, lower, upper):
        self._lower, self._upper = lower, upper

    def __call__(self, value):
        return _both(self._lower <= value, value <= self._upper)


class Positive(Constraint):
    """Numbers of at least 0."""

    def __call__(self, value):
        return value >= 0.0


class Simplex(Constraint):
    """Numbers of at least 0 whose sum over the last axis is 1."""

    def __call__(self, value):
        if isinstance(value, numbers.Number):
            raise TypeError(f"Simplex(): value must be a Tensor, got {value!r}")
        return _both((value >= 0.0).all(-1), ((value.sum(-1) - 1.0).abs() < 1e-6))


real, positive, simplex = Real(), Positive(), Simplex()
