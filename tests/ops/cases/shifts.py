"""Shifts, signs and incomplete gamma functions."""

import math

import numpy as np
from opcase import OpCase, away, bad, f, i


def upper(a, y):
    """The integral from y on, by Simpson's rule up to where nothing is left."""
    def one(a, y):
        t = np.linspace(y, y + 80, 40001)
        values = np.exp((a - 1) * np.log(t) - t - math.lgamma(a))
        weights = np.ones(len(t))
        weights[1:-1:2], weights[2:-1:2] = 4, 2
        return (values * weights).sum() * (t[1] - t[0]) / 3
    return np.vectorize(one, otypes=[float])(*np.broadcast_arrays(a.astype("float64"), y.astype("float64")))


CASES = [
    OpCase("paddle.bitwise_left_shift", [i(3, 4), i(3, 4, high=5)], ref=np.left_shift, grad=False, inplace=True,
           errors=[bad(TypeError, f(2), f(2))]),
    OpCase("paddle.bitwise_right_shift", [i(3, 4), i(3, 4, high=5)], ref=np.right_shift, grad=False, inplace=True),
    OpCase("paddle.copysign", [away(3, 4), away(3, 4)], ref=np.copysign, grad=[0], inplace=True, more=[[away(3, 4), away(4)]]),
    OpCase("paddle.gammaincc", [f(3, 4, low=0.5, high=6), f(3, 4, low=0.5, high=9)], ref=upper, grad=[1], inplace=True, tol=2e-6),
    OpCase("paddle.standard_gamma", [f(3, 4, low=0.5, high=6)], check=lambda out, x: bool((out > 0).all()), grad=False),
]
