"""Draws that take as many random numbers as it happens, one result at a time: what runs without the kernels in C."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np


def _normal_pair(numbers: Iterator) -> tuple:
    """Two standard normal numbers (Marsaglia's polar method), in the order in which they are used."""
    while True:
        x, y = 2 * next(numbers) - 1, 2 * next(numbers) - 1
        square = x * x + y * y
        if 0 < square <= 1:
            kind = type(square)
            factor = np.sqrt(-2 * kind(math.log(square)) / square)
            return y * factor, x * factor


def poisson_number(numbers: Iterator, rate: float) -> float:
    """A count of the Poisson distribution."""
    return _small_count(numbers, rate) if rate < 12 else _large_count(numbers, rate)


def _small_count(numbers: Iterator, rate: float) -> int:
    limit, product, count = math.exp(-rate), 1.0, -1
    while count < 0 or product > limit:
        product *= next(numbers)
        count += 1
    return count


def _large_count(numbers: Iterator, rate: float) -> float:
    """Rejection under a hat of two normal halves, three bars and an exponential tail (Devroye 1986, X.3)."""
    mode, log_rate = math.floor(rate), math.log(rate)
    log_mode, left_width, quarter = math.lgamma(mode + 1), math.sqrt(mode), math.pi / 4
    reach = math.floor(max(6.0, min(mode, math.sqrt(2 * mode * math.log(32 * mode / quarter)))) + 0.5)
    wide = 2 * mode + reach
    right_width, inverse = math.sqrt(wide / 2), 1 / wide
    left = left_width * 1.2533141373155002512
    right = left + math.sqrt(quarter * wide) * math.exp(inverse)
    minus, zero, one = right + 1, right + 2, right + 2 + 1.0129030479320018583
    tail, saved = 2 * wide * math.exp(-reach * inverse * (1 + reach / 2)) / reach, []
    while True:
        u, e, weight = (tail + one) * next(numbers), -math.log(1 - next(numbers)), 0.0
        if u <= right:
            n = saved.pop() if saved else None
            if n is None:
                n, other = _normal_pair(numbers)
                saved.append(other)
            y = -abs(n) * left_width - 1 if u <= left else 1 + abs(n) * right_width
            x, weight = (math.floor(y), -n * n / 2) if u <= left else (math.ceil(y), y * (2 - y) * inverse)
            if x < -mode if u <= left else x > reach:
                continue
        elif u <= one:
            x = -1 if u <= minus else 0 if u <= zero else 1
            weight = 0.0128205128205128205 if x == 1 else 0.0
        else:
            y = reach - math.log(1 - next(numbers)) * 2 * wide / reach
            x, weight = math.ceil(y), -reach * inverse * (1 + y / 2)
        if weight - e - x * log_rate <= log_mode - math.lgamma(x + mode + 1) and x + mode < 2147483647.5:
            return x + mode


def gamma_number(numbers: Iterator, alpha: np.floating) -> np.floating:
    """A number of the gamma distribution with scale 1 (Marsaglia and Tsang 2000), in alpha's type."""
    kind = type(alpha)
    if alpha == 0:
        return alpha
    scale = kind(1)
    if alpha < 1:
        scale, alpha = kind(math.pow(1 - next(numbers), 1 / alpha)), alpha + kind(1)
    d = alpha - kind(np.float32(1) / np.float32(3))
    c = 1 / np.sqrt(9 * d)
    squeeze = kind(np.float32(0.0331))
    while True:
        x = _normal_pair(numbers)[0]
        y = 1 + c * x
        if y <= 0:
            continue
        v, u, square = y * y * y, 1 - next(numbers), x * x
        if u < 1 - squeeze * square * square or math.log(u) < kind(0.5) * square + d * (1 - v + kind(math.log(v))):
            return scale * d * v
