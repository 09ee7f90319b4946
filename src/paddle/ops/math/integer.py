"""Divisors and multiples of integers."""

import numpy as np

from ...core.op import op
from ..arguments import broadcast_shape


@op("gcd(X, Y) -> Out", family="broadcast")
def gcd(x, y):
    """The greatest common divisor of two integers."""
    broadcast_shape(x.shape, y.shape, "gcd")
    return np.gcd(x, y)


@op("lcm(X, Y) -> Out", family="broadcast")
def lcm(x, y):
    """The least common multiple of two integers."""
    broadcast_shape(x.shape, y.shape, "lcm")
    return np.lcm(x, y)
