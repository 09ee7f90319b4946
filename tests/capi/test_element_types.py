"""Every record of an operator that the C library knows, with other elements than it asks for: what the library computes is what
Python computes, to the last digit of an integer; what it has no code for, it refuses."""

import functools

import ml_dtypes
import numpy as np
import pytest
from capi.library import Failed, Model
from capi.test_ops_in_c import CASES, OTHERWISE, record

BEYOND_DOUBLE = 2**60 + 1  # a double holds every integer up to 2**53
NOT_FINITE = np.float32([np.nan, np.inf, -np.inf])
ELEMENTS = {
    "int64": lambda a: np.rint(a * 100).astype(np.int64) + np.where(a > 0, BEYOND_DOUBLE, -BEYOND_DOUBLE),
    "int32": lambda a: np.rint(a * 100).astype(np.int32),
    "uint8": lambda a: np.rint(np.abs(a) * 100).astype(np.uint8),
    "bool": lambda a: a > 0,
    "float16": lambda a: a.astype(np.float16),
    "bfloat16": lambda a: a.astype(ml_dtypes.bfloat16),
    "float64": lambda a: a.astype(np.float64),
    "not finite": lambda a: np.where(np.arange(a.size).reshape(a.shape) % 5 == 0, NOT_FINITE[a.size % 3], a),
}
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2}
OTHER = {  # records that differ where the result is not defined, with the reason
    "polar": "Python makes complex128 of integers", "norm-4": "third powers that float32 does not hold",
    **dict.fromkeys(("distribute_fpn_proposals", "distribute_fpn_proposals-2"), "a box that is NaN has no level"),
    **dict.fromkeys(("floor", "ceil", "round", "trunc"), "Python keeps truth values, which Paddle refuses"),
}


class Recast:
    """A record whose floats are elements of another kind."""

    def __init__(self, case, elements):
        self.case, self.elements = case, ELEMENTS[elements]

    def __getattr__(self, name):
        return getattr(self.case, name)

    def arrays(self, dtype):
        return [self.recast(a) for a in self.case.arrays(dtype)]

    def recast(self, a):
        if isinstance(a, list):
            return [self.recast(x) for x in a]
        return self.elements(a) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a


def close(got, expected, tolerance):
    """Equal integers; floats to a part of the largest finite one."""
    if expected.dtype.kind in "iub":
        return np.array_equal(got, expected)
    wide = "complex128" if expected.dtype.kind == "c" else "float64"
    got, expected = got.astype(wide), expected.astype(wide)
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=0.1)
    return np.allclose(got, expected, rtol=tolerance, atol=tolerance * largest, equal_nan=True)


@functools.cache
def runs(elements):
    """(records that both computed, texts of the differences)."""
    computed, differ = 0, []
    for case in CASES:
        if case.id in OTHERWISE or case.id in OTHER:
            continue
        try:
            with np.errstate(all="ignore"):
                found = record(Recast(case, elements))
        except Exception:  # elements that Python refuses
            continue
        try:
            got = Model(found[0])(*found[1]) if found else None
        except Failed:
            continue
        if got is None:
            continue
        computed += 1
        for one, other in zip(got, map(np.asarray, found[2]), strict=True):
            if one.dtype == ml_dtypes.bfloat16 and other.dtype == np.uint16:  # as Paddle hands bfloat16 over
                other = other.view(one.dtype)
            tolerance = max(TOLERANCE.get(other.dtype.name, 2e-5), case.tol)
            if (one.shape, one.dtype) != (other.shape, other.dtype) or not close(one, other, tolerance):
                differ.append(f"{case.id}: {one.dtype} {one.ravel()[:4]}, Python {other.dtype} {other.ravel()[:4]}")
    return computed, differ


@pytest.mark.parametrize("elements", ELEMENTS)
@pytest.mark.filterwarnings("ignore")
def test_the_library_computes_what_python_does(elements):
    computed, differ = runs(elements)
    assert not differ, "\n".join(differ)
    assert computed > 300
