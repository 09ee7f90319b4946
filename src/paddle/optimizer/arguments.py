"""Checks of the arguments of schedulers."""

import numbers

from ..core.errors import ArgumentError, WrongKindError, describe


def number(value, who, argument, low=None, high=None):
    """A float from a real number within bounds."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{who}(): {argument} must be a number, got {describe(value)}")
    if (low is not None and value < low) or (high is not None and value > high):
        raise ValueError(f"{who}(): {argument} must be in [{low}, {high if high is not None else 'inf'}], got {value}")
    return float(value)


def count(value, who, argument):
    """A positive int."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value <= 0:
        raise (ArgumentError if whole else WrongKindError)(f"{who}(): {argument} must be a positive int, got {describe(value)}")
    return int(value)
