"""What the kernel tests share: every instruction set, several thread counts, and easy comparisons."""

import contextlib

import numpy as np
import pytest

native = pytest.importorskip("paddle._native")

ISAS = ("base", "avx2", "avx512")
BEST = native.isa()


@contextlib.contextmanager
def engine(isa=BEST, threads=1):
    """Run with this instruction set (the nearest one that the machine has) and number of threads."""
    before = native.num_threads()
    native.set_isa(isa)
    native.set_num_threads(threads)
    try:
        yield native
    finally:
        native.set_isa(BEST)
        native.set_num_threads(before)


every_engine = pytest.mark.parametrize("isa,threads", [("base", 1), ("avx2", 3), ("avx512", 1), ("avx512", 3)])
both_floats = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["f32", "f64"])


def tolerance(dtype):
    """Relative and absolute limits for a short computation in this type."""
    return {"rtol": 2e-6, "atol": 2e-6} if dtype == np.float32 else {"rtol": 1e-13, "atol": 1e-13}


def close(actual, expected, **limits):
    """Compare with a reference that was computed in double precision."""
    assert actual.shape == np.shape(expected)
    np.testing.assert_allclose(actual, expected, **(limits or tolerance(actual.dtype)))
