"""Random variables as transforms see them: are they discrete, how many axes has one event, which values are there."""

from ..tensor.joining import stack, unstack
from . import constraint as constraints

__all__ = ["Variable", "Real", "Positive", "Independent", "Stack", "real", "positive"]


class Variable:
    """A random variable.

    Args:
        is_discrete: does it have separate values?
        event_rank: number of axes of one event.
        constraint: Constraint of its values.
    """

    def __init__(self, is_discrete=False, event_rank=0, constraint=None):
        self._is_discrete, self._event_rank, self._constraint = is_discrete, event_rank, constraint

    @property
    def is_discrete(self):
        """Does it have separate values?"""
        return self._is_discrete

    @property
    def event_rank(self):
        """Number of axes of one event."""
        return self._event_rank

    def constraint(self, value):
        """Where a value is allowed."""
        return self._constraint(value)


class Real(Variable):
    """Any number."""

    def __init__(self, event_rank=0):
        super().__init__(False, event_rank, constraints.real)


class Positive(Variable):
    """Positive numbers."""

    def __init__(self, event_rank=0):
        super().__init__(False, event_rank, constraints.positive)


class Independent(Variable):
    """Another variable with some of its last batch axes counted as axes of one event."""

    def __init__(self, base, reinterpreted_batch_rank):
        self._base, self._reinterpreted_batch_rank = base, reinterpreted_batch_rank
        super().__init__(base.is_discrete, base.event_rank + reinterpreted_batch_rank)

    def constraint(self, value):
        """Where whole events are allowed."""
        allowed = self._base.constraint(value)
        if len(allowed.shape) < self._reinterpreted_batch_rank:
            raise ValueError(f"Independent.constraint(): value needs at least {self._reinterpreted_batch_rank} axes, "
                             f"got shape {list(value.shape)}")
        count = len(allowed.shape) - self._reinterpreted_batch_rank
        return allowed.reshape([*allowed.shape[:count], -1]).all(-1)


class Stack(Variable):
    """A variable of its own for every slice along an axis."""

    def __init__(self, vars, axis=0):
        self._vars, self._axis = list(vars), axis
        rank = max(v.event_rank for v in self._vars)
        super().__init__(any(v.is_discrete for v in self._vars), rank + (axis + rank < 0))  # is the axis before those of an event?

    def constraint(self, value):
        """Where the slices are allowed, each by its own variable."""
        if not -len(value.shape) <= self._axis < len(value.shape):
            raise ValueError(f"Stack.constraint(): there is no axis {self._axis} in shape {list(value.shape)}")
        return stack([v.constraint(one) for v, one in zip(self._vars, unstack(value, self._axis))], self._axis)


real, positive = Real(), Positive()
