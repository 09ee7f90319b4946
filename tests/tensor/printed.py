"""Seeded arrays of every type, shape and magnitude. Run by real Paddle 2.6.2, this file records in printed.json how
it prints them: ``python tests/tensor/printed.py``."""

import json
import pathlib

import numpy as np

RECORD = pathlib.Path(__file__).with_name("printed.json")
TYPES = ("float32", "float64", "float16", "int32", "int64", "bool", "uint8", "int8", "int16", "complex64", "complex128")
POWERS = np.array([float(f"1e{k}") for k in range(-9, 9)])


def numbers(random, shape):
    """Floats of one of five kinds: of one magnitude, whole, of many magnitudes, with NaN and infinities, mostly zeros."""
    kind, values = random.randint(5), np.asarray(random.randn(*shape))
    if kind == 0:
        return values * POWERS[random.randint(18)]
    if kind == 1:
        return np.round(values * 10)
    if kind == 2:
        return values * POWERS[random.randint(3, 15, size=shape)]
    if kind == 3:
        flat = values.reshape(-1)
        flat[::3], flat[1::4], flat[2::5] = np.nan, np.inf, -np.inf
        return values
    return np.asarray(random.randint(0, 3, size=shape), np.float64)


def array(k):
    """The k-th array."""
    random, kind = np.random.RandomState(k), np.dtype(TYPES[k % len(TYPES)])
    shape = tuple(random.randint(0 if k % 9 == 0 else 1, 5, random.randint(0, 5)))
    if k % 10 == 7:
        shape = (34, 35) if k % 20 == 7 else (1010,)  # these are summarised
    if kind.kind == "b":
        return np.asarray(random.rand(*shape) < 0.5)
    if kind.kind in "iu":
        limit = min(np.iinfo(kind).max, 10 ** random.randint(1, 10))
        return np.asarray(random.randint(max(np.iinfo(kind).min, -limit), limit, size=shape)).astype(kind)
    with np.errstate(all="ignore"):
        values = numbers(random, shape)
        if kind.kind == "c":
            values = values + 1j * numbers(random, shape)
        return values.astype(kind)


if __name__ == "__main__":
    import paddle
    RECORD.write_text(json.dumps([str(paddle.to_tensor(array(k))) for k in range(110)], indent=0) + "\n")
