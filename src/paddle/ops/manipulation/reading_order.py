"""Where the elements of an axis are read from when a tensor is turned round, rolled or padded: tables for the kernel ``remap``.

A table has the place in x for every place of the result along one axis, -1 for one that nothing is read for. Tables are kept:
programs ask for few of them, over and over.
"""

import functools

import numpy as np

PAD_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}  # as NumPy calls them


def _kept(function):
    @functools.lru_cache(maxsize=64)
    def table(*sizes):
        found = np.ascontiguousarray(function(*sizes), np.int64)
        found.flags.writeable = False
        return found
    return table


@_kept
def turned(size):
    """From the last place to the first."""
    return np.arange(size)[::-1]


@_kept
def rolled(size, shift):
    """Moved on by ``shift``, what leaves at the end coming in at the front."""
    return (np.arange(size) - shift) % max(size, 1)


@_kept
def padded(size, before, after, mode):
    """With places before and after it."""
    if mode == "constant":
        return np.pad(np.arange(size), (before, after), constant_values=-1)
    if mode == "circular":  # any number of times around
        return np.arange(-before, size + after) % max(size, 1)
    return np.pad(np.arange(size), (before, after), mode=PAD_MODES[mode])


@_kept
def copied(size, times):
    """From first to last, several times over."""
    return np.tile(np.arange(size), times)


@_kept
def shifted(size, back):
    """Moved on, or back, by one."""
    places = np.arange(size) + (1 if back else -1)
    return np.where(places < size, places, -1)


def pad_tables(shape, pairs, mode):
    """One table for each axis, None where nothing is added."""
    return tuple([padded(n, before, after, mode) if before or after else None for n, (before, after) in zip(shape, pairs)])


def picking(ndim, axis, ids):
    """Tables that read one axis (not negative) at the given ids, and the others as they are."""
    return tuple([np.ascontiguousarray(ids.reshape(-1), np.int64) if a == axis % ndim else None for a in range(ndim)])


NOTHING = {char: np.zeros((), char) for char in "fd"}  # what fills the places that have nothing, if it is read at all


def nothing(dtype):
    """A zero of the type."""
    found = NOTHING.get(dtype.char)
    return np.zeros((), dtype) if found is None else found
