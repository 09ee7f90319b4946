"""The 64-bit Mersenne twister (Matsumoto and Nishimura 2004) in NumPy: states, their next block of words, seeding.

A state is an array of 313 uint64: the words, then how many of them were handed out. The kernels in C read and write the
same arrays.
"""

from functools import lru_cache

import numpy as np

WORDS, HALF, POSITION = 312, 156, 312
_LOW32, _LOW64 = 0xFFFFFFFF, 2 ** 64 - 1
_UPPER, _LOWER, _MATRIX = (np.uint64(n) for n in (0xFFFFFFFF80000000, 0x7FFFFFFF, 0xB5026F5AA96619E9))
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_TEMPER = [np.uint64(n) for n in (29, 0x5555555555555555, 17, 0x71D67FFFEDA60000, 37, 0xFFF7EEE000000000, 43)]


def _state(words: list[int]) -> np.ndarray:
    """A state whose words are still to be mixed before the first is handed out; shared, so nobody may write to it."""
    state = np.array([*words, WORDS], np.uint64)
    state.setflags(write=False)
    return state


@lru_cache(16)
def seeded_plainly(seed: int) -> np.ndarray:
    """The state that the twister's own seeding gives: what an operator with a seed of its own draws from."""
    words = [seed & _LOW64]
    for i in range(1, WORDS):
        last = words[-1]
        words.append((6364136223846793005 * (last ^ (last >> 62)) + i) & _LOW64)
    return _state(words)


@lru_cache(16)
def seeded_by_sequence(seed: int) -> np.ndarray:
    """The state filled by C++'s ``seed_seq`` of one number, of which it takes the lower 32 bits: that of generators."""
    count, given = 2 * WORDS, [seed & _LOW32]
    pool = [0x8B8B8B8B] * count
    middle, beyond = (count - 11) // 2, (count - 11) // 2 + 11

    def mixed(number: int) -> int:
        return number ^ (number >> 27)

    for k in range(count):
        first = 1664525 * mixed(pool[k] ^ pool[(k + middle) % count] ^ pool[k - 1]) & _LOW32
        second = first + (1 if k == 0 else k + (given[0] if k == 1 else 0)) & _LOW32
        pool[(k + middle) % count] = pool[(k + middle) % count] + first & _LOW32
        pool[(k + beyond) % count] = pool[(k + beyond) % count] + second & _LOW32
        pool[k] = second
    for k in range(count):
        first = 1566083941 * mixed(pool[k] + pool[(k + middle) % count] + pool[k - 1] & _LOW32) & _LOW32
        second = first - k & _LOW32
        pool[(k + middle) % count] ^= first
        pool[(k + beyond) % count] ^= second
        pool[k] = second
    return _state([low | high << 32 for low, high in zip(pool[::2], pool[1::2])])


def _twist(words: np.ndarray, following: np.ndarray, far: np.ndarray) -> np.ndarray:
    joined = (words & _UPPER) | (following & _LOWER)
    return far ^ (joined >> _ONE) ^ np.where(following & _ONE, _MATRIX, _ZERO)


def _refill(state: np.ndarray) -> None:
    """Replace all words; each half needs only what the other one holds by then."""
    state[:HALF] = _twist(state[:HALF], state[1:HALF + 1], state[HALF:WORDS])
    state[HALF:WORDS - 1] = _twist(state[HALF:WORDS - 1], state[HALF + 1:WORDS], state[:HALF - 1])
    state[WORDS - 1:WORDS] = _twist(state[WORDS - 1:WORDS], state[:1], state[HALF - 1:HALF])
    state[POSITION] = 0


def _tempered(x: np.ndarray) -> np.ndarray:
    x = x ^ ((x >> _TEMPER[0]) & _TEMPER[1])
    x = x ^ ((x << _TEMPER[2]) & _TEMPER[3])
    x = x ^ ((x << _TEMPER[4]) & _TEMPER[5])
    return x ^ (x >> _TEMPER[6])


def next_words(state: np.ndarray, out: np.ndarray) -> None:
    """Fill ``out`` (flat, uint64) with the next words of a state."""
    at = 0
    while at < out.size:
        if state[POSITION] >= WORDS:
            _refill(state)
        position = int(state[POSITION])
        count = min(out.size - at, WORDS - position)
        out[at:at + count] = _tempered(state[position:position + count])
        state[POSITION] += np.uint64(count)
        at += count
