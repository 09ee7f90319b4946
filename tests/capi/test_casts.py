"""Conversions between element types: the library's are Python's, of numbers that don't fit too."""

import warnings

import numpy as np
import pytest
from capi.library import Model

import paddle
from paddle import static

TYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64")
NUMBERS = [0, 1, -1, 2.5, -2.5, 127, 255, -129, 70000, 3e9, -3e9, 2.0**53 + 2, 1e19, -1e19, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("to", TYPES)
@pytest.mark.parametrize("given", [name for name in TYPES if name != "int8"])  # cast() takes none in programs
def test_casts(given, to):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, of numbers that don't fit
        fits = [n for n in NUMBERS if given.startswith("float") or np.isfinite(n) and abs(n) < 2.0**62]
        x = np.array(fits, "float64").astype(given)
        if to in ("uint8", "int8", "int16"):  # what becomes of numbers far outside is the processor's business
            x = x[np.isfinite(x) & (np.abs(x.astype("float64")) < 2.0**31)]
        wanted = paddle.cast(paddle.to_tensor(x), to).numpy()
        program = static.Program()
        with static.program_guard(program, static.Program()):
            v = static.data("x", [len(x)], given)
            data = static.serialize_program([v], [paddle.cast(v, to) if given != to else paddle.assign(v)], program=program)
    found, = Model(data, b"")(x)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
