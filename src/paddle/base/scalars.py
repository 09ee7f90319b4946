"""Numbers as attributes of operators: what ``paddle.base.core.Scalar`` holds."""

import numpy as np

from ..core.errors import describe

__all__ = ["Scalar", "extract_plain_list", "wrap_as_scalar", "wrap_as_scalars"]


class Scalar:
    """One number: a bool, an int of 64 bits, a float or a complex one.

    >>> paddle.base.core.Scalar(3) == 3, paddle.base.core.Scalar(2.5).value()
    (True, 2.5)
    """

    __slots__ = ("_value",)

    def __init__(self, value):
        if isinstance(value, np.generic):
            value = value.item()
        if not isinstance(value, (bool, int, float, complex)):
            raise TypeError(f"Scalar(): value must be a number, got {describe(value)}")
        if isinstance(value, int) and not -2 ** 63 <= value < 2 ** 63:
            raise OverflowError(f"Scalar(): {value} does not fit into 64 bits")
        self._value = value

    def value(self):
        """The number, as Python has it."""
        return self._value

    def __eq__(self, other):
        return self._value == (other._value if isinstance(other, Scalar) else other)

    def __hash__(self):
        return hash(self._value)

    def __repr__(self):
        return f"Scalar({self._value!r})"


def wrap_as_scalar(number):
    """A number as a Scalar; one that is a Scalar is returned as it is."""
    return number if isinstance(number, Scalar) else Scalar(number)


def wrap_as_scalars(array):
    """The Scalars of a list of numbers, or of all elements of an array in order."""
    return [wrap_as_scalar(number) for number in (array.ravel() if isinstance(array, np.ndarray) else array)]


def extract_plain_list(array):
    """The numbers of a list of Scalars.

    >>> from paddle.base import framework
    >>> framework.extract_plain_list(framework.wrap_as_scalars([1, 2.5]))
    [1, 2.5]
    """
    return [scalar.value() for scalar in array]
