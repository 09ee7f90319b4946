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


def operator(type_, inputs, attributes, output):
    """The result of an operator of the C library, {slot: array} and attributes of files; NotImplemented where it fails."""
    found = native.operator(type_, [(slot, array, None) for slot, array in inputs.items()], attributes, [output])
    return found if found is NotImplemented else found[0][0]


def grid_sample(x, grid, nearest, padding, corners):
    """x read at the places of the grid."""
    return operator("grid_sampler", {"X": x, "Grid": grid}, {"mode": "nearest" if nearest else "bilinear", "align_corners": corners,
                    "padding_mode": ("zeros", "border", "reflection", "none")[padding]}, "Output")


def inverse(x):
    """The inverses of matrices."""
    return operator("inverse", {"Input": x}, {}, "Output")


def tolerance(dtype):
    """Relative and absolute limits for a short computation in this type."""
    return {"rtol": 2e-6, "atol": 2e-6} if dtype == np.float32 else {"rtol": 1e-13, "atol": 1e-13}


def close(actual, expected, **limits):
    """Compare with a reference that was computed in double precision."""
    assert actual.shape == np.shape(expected)
    np.testing.assert_allclose(actual, expected, **(limits or tolerance(actual.dtype)))
