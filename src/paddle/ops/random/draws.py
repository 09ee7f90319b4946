"""How random words become numbers: one function per distribution, drawn as GNU's C++ library draws them.

Every operator that draws comes here. Each function takes the op's ``seed`` (0: the global generator), holds the
generator's lock while it reads, and runs on the kernel in C or, without it, on the text beside it that gives the same
numbers (float32 normal ones to the last bit but one: NumPy has no float32 logarithm of the C library).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from ...core import dtype as dtypes
from ...core import twister
from ...core.context import process
from ...core.random import generator_of
from .slow_draws import gamma_number, poisson_number

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_LAST = {_FLOAT32: np.float32(1 - 2.0 ** -24), _FLOAT64: np.float64(1 - 2.0 ** -53)}  # what would round up to 1 becomes this


@contextmanager
def _held(seed: int) -> Iterator[np.ndarray]:
    """The state of a seed's generator, for this thread alone."""
    generator = generator_of(seed)
    with generator.lock:
        yield generator.state


def _words(state: np.ndarray, count: int) -> np.ndarray:
    out = np.empty(count, np.uint64)
    (twister.next_words if process.native is None else process.native.random_words)(state, out)
    return out


def _fractions(words: np.ndarray, kind: np.dtype) -> np.ndarray:
    """Words as numbers in [0, 1)."""
    return np.minimum(words.astype(kind) * kind.type(2.0 ** -64), _LAST[kind])


def _drawn_type(kind: np.dtype) -> np.dtype:
    """The type in which numbers are drawn before they are rounded to ``kind``."""
    return _FLOAT64 if kind == _FLOAT64 else _FLOAT32


def uniform(seed: int, shape, low: float, high: float, kind: np.dtype) -> np.ndarray:
    """Numbers drawn evenly from [low, high); the bounds are floats, as they are in Paddle's kernels."""
    drawn = _drawn_type(kind)
    low, high = drawn.type(np.float32(low)), drawn.type(np.float32(high))
    with _held(seed) as state:
        if process.native is not None:
            out = np.empty(shape, drawn)
            process.native.random_uniform(state, out, float(low), float(high))
        else:
            out = _fractions(_words(state, math.prod(shape)), drawn).reshape(shape) * (high - low) + low
    return _cut(np.asarray(out)) if kind.name == "bfloat16" else np.asarray(out).astype(kind, copy=False)


def _cut(x: np.ndarray) -> np.ndarray:
    """float32 as bfloat16 by leaving bits out, as Paddle does on a CPU; rounding could reach the upper bound."""
    return (x.view(np.uint32) >> 16).astype(np.uint16).view(dtypes.ALL["bfloat16"].dtype)


def normal(seed: int, shape, mean: float, std: float, kind: np.dtype) -> np.ndarray:
    """Numbers drawn from a normal distribution (Marsaglia's polar method)."""
    drawn = _drawn_type(kind)
    mean, std = drawn.type(np.float32(mean)), drawn.type(np.float32(std))
    with _held(seed) as state:
        if process.native is not None:
            out = np.empty(shape, drawn)
            process.native.random_normal(state, out, float(mean), float(std))
        else:
            out = _polar_pairs(state, math.prod(shape), drawn).reshape(shape) * std + mean
    return np.asarray(out).astype(kind, copy=False)


def _polar_pairs(state: np.ndarray, count: int, kind: np.dtype) -> np.ndarray:
    """Standard normal numbers; reads ahead, then goes back to behind the last pair of words that was needed."""
    wanted, before, chunk = (count + 1) // 2, state.copy(), 0
    x = y = square = np.empty(0, kind)
    inside = np.empty(0, np.int64)
    while inside.size < wanted:
        chunk += 64 + (wanted - inside.size) * 4 // 3
        state[:] = before
        x, y = (2 * _fractions(_words(state, 2 * chunk), kind) - 1).reshape(-1, 2).T
        square = x * x + y * y
        inside, = np.nonzero((square <= 1) & (square > 0))
    inside = inside[:wanted]
    state[:] = before
    _words(state, 2 * (int(inside[-1]) + 1) if wanted else 0)
    x, y, square = x[inside], y[inside], square[inside]
    logs = np.array([math.log(s) for s in square.tolist()], np.float64).astype(kind)
    factor = np.sqrt(-2 * logs / square)
    return np.stack([y * factor, x * factor], 1).ravel()[:count]


def kept(seed: int, shape, p: float) -> np.ndarray:
    """A bool array that is false with probability p, as dropout has it; nothing is drawn for p = 1."""
    out = np.empty(shape, bool)
    with _held(seed) as state:
        if process.native is not None:
            process.native.random_mask(state, out, p)
        elif np.float32(p) == 1:
            out[...] = False
        else:
            out[...] = (_fractions(_words(state, out.size), _FLOAT32) >= np.float32(p)).reshape(shape)
    return out


def dropout(seed: int, x: np.ndarray, p: float, upscale: bool) -> tuple[np.ndarray, np.ndarray]:
    """x with elements set to 0 with probability p, and the mask of the others; needs the kernel in C."""
    with _held(seed) as state:
        return process.native.dropout(x, p, state, upscale)


def integers(seed: int, shape, low: int, high: int) -> np.ndarray:
    """Whole numbers drawn evenly from [low, high)."""
    count = high - low
    if not 0 < count < 2 ** 63:
        raise ValueError(f"high - low must be in [1, 2**63), got {count}")
    out = np.empty(shape, np.int64)
    with _held(seed) as state:
        if process.native is not None:
            process.native.random_integers(state, out, low, count)
        else:
            out[...] = (_below(state, np.full(out.size, count, np.uint64)).astype(np.int64) + low).reshape(shape)
    return out


def _below(state: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """One number of [0, counts[i]) each: equal runs of words for each, words beyond the last run are passed over."""
    runs = np.uint64(2 ** 64 - 1) // counts
    ends, words, at = runs * counts, _words(state, counts.size), 0
    while at < counts.size:
        beyond, = np.nonzero(words[at:] >= ends[at:])
        if not beyond.size:
            break
        at += int(beyond[0])
        words[at:-1], words[-1:] = words[at + 1:].copy(), _words(state, 1)
    return words // runs


@contextmanager
def one_by_one(seed: int) -> Iterator[Callable[[int], int]]:
    """A function that draws one whole number of [0, count) a call, for whoever decides by each how many more are needed."""
    with _held(seed) as state:
        yield lambda count: int(_below(state, np.array([count], np.uint64))[0])


def permutation(seed: int, count: int) -> np.ndarray:
    """The numbers 0 ... count-1 in random order; one draw decides for two places."""
    with _held(seed) as state:
        if process.native is not None:
            out = np.empty(count, np.int64)
            process.native.random_permutation(state, out)
            return out
        start = 2 - count % 2
        firsts = np.arange(start + 1, count, 2, dtype=np.uint64)
        choices = firsts * (firsts + np.uint64(1))
        if start == 2 and count:
            choices = np.concatenate([np.array([2], np.uint64), choices])
        draws = _below(state, choices).tolist() if count > 1 else []
    items = list(range(count))
    if start == 2 and count:
        place = draws.pop(0)
        items[1], items[place] = items[place], items[1]
    for i, draw in zip(range(start, count, 2), draws):
        first, second = divmod(draw, i + 2)
        items[i], items[first] = items[first], items[i]
        items[i + 1], items[second] = items[second], items[i + 1]
    return np.array(items, np.int64)


def poisson(seed: int, rates: np.ndarray) -> np.ndarray:
    """Counts of Poisson distributions, as float64."""
    rates = np.ascontiguousarray(rates, np.float64)
    if rates.size and not rates.max() <= 1e9:
        raise ValueError("every rate must be at most 1e9: counts are 32-bit integers")
    out = np.empty(rates.shape, np.float64)
    with _held(seed) as state:
        if process.native is not None:
            process.native.random_poisson(state, out, rates)
        else:
            numbers = _single_numbers(state, _FLOAT64)
            out.ravel()[...] = [poisson_number(numbers, rate) for rate in rates.ravel().tolist()]
    return out


def gamma(seed: int, alpha: np.ndarray) -> np.ndarray:
    """Numbers of gamma distributions with scale 1, in alpha's type (float32 or float64)."""
    alpha = np.ascontiguousarray(alpha)
    if alpha.size and not (alpha.min() >= 0 and alpha.max() <= 1e30):
        raise ValueError("every element of alpha must lie in [0, 1e30]")
    out = np.empty(alpha.shape, alpha.dtype)
    with _held(seed) as state:
        if process.native is not None:
            process.native.random_gamma(state, out, alpha)
        else:
            numbers = _single_numbers(state, alpha.dtype)
            out.ravel()[...] = [gamma_number(numbers, a) for a in alpha.ravel()]
    return out


def _single_numbers(state: np.ndarray, kind: np.dtype) -> Iterator[np.floating]:
    while True:
        yield _fractions(_words(state, 1), kind)[0]
