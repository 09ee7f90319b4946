"""Elementwise functions with polynomials of their own (vecfunctions.inc), against the C library's in long double."""

import math

import numpy as np
import pytest

from .engine import both_floats, engine, every_engine, native

WIDE = np.finfo(np.longdouble).nmant > 60
FUNCTIONS = {  # name: (function, ranges of the arguments, largest error in units of the last place: float, double)
    "sin": (np.sin, [(-1, 1), (-10, 10), (-99000, 99000)], 0.8, 0.75),
    "cos": (np.cos, [(-1, 1), (-10, 10), (-99000, 99000)], 0.8, 0.75),
    "tan": (np.tan, [(-1, 1), (-10, 10), (-99000, 99000)], 0.9, 0.9),
    "asin": (np.arcsin, [(-1, 1), (-1e-3, 1e-3), (0.999, 1)], 0.7, 0.7),
    "acos": (np.arccos, [(-1, 1), (-1e-3, 1e-3), (0.999, 1)], 0.7, 0.7),
    "atan": (np.arctan, [(-1, 1), (-9, 9), (-1e6, 1e6)], 0.7, 0.7),
    "sinh": (np.sinh, [(-1.5, 1.5), (-80, 80)], 0.9, 0.9),
    "cosh": (np.cosh, [(-1.5, 1.5), (-80, 80)], 0.9, 0.9),
    "asinh": (np.arcsinh, [(-2, 2), (-1e-3, 1e-3), (-1e9, 1e9)], 1.01, 1),
    "acosh": (np.arccosh, [(1, 1.001), (1, 3), (1, 1e9)], 0.9, 0.9),
    "atanh": (np.arctanh, [(-0.999, 0.999), (-1e-3, 1e-3), (0.999, 1)], 1.01, 0.9),
    "log2": (np.log2, [(1e-3, 3), (0.9, 1.1), (1, 1e30)], 1, 1.1),
    "log10": (np.log10, [(1e-3, 3), (0.9, 1.1), (1, 1e30)], 1, 1),
    "log1p": (np.log1p, [(-0.99, 3), (-1e-3, 1e-3), (1, 1e30)], 0.9, 0.9),
}
PAIRS = {
    "atan2": (np.arctan2, [((-3, 3), (-3, 3)), ((-1e6, 1e6), (-1e-3, 1e-3))], 0.7, 0.7),
    "pow": (np.power, [((0, 3), (-9, 9)), ((0, 1e6), (-3, 3)), ((0.9, 1.1), (-600, 600))], 0.51, 0.75),
}


def draw(ranges, dtype, seed, count=20011):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.uniform(*bounds, count) for bounds in ranges]).astype(dtype)


def worst(found, function, *arguments):
    """The largest error in units of the last place."""
    with np.errstate(all="ignore"):
        exact = function(*[a.astype(np.longdouble) for a in arguments])
        unit = np.spacing(np.abs(exact.astype(found.dtype)))
    seen = np.isfinite(unit) & np.isfinite(exact)
    assert seen.mean() > 0.9
    return np.max(np.abs(found[seen] - exact[seen]) / unit[seen])


@pytest.mark.skipif(not WIDE, reason="long double has no more digits than double")
@every_engine
@both_floats
@pytest.mark.parametrize("name", [*FUNCTIONS, *PAIRS])
def test_errors_are_those_that_the_text_states(isa, threads, dtype, name):
    function, ranges, *limits = (FUNCTIONS | PAIRS)[name]
    pairs = name in PAIRS
    arguments = [draw([r[k] for r in ranges], dtype, k) for k in range(2)] if pairs else [draw(ranges, dtype, 0)]
    with engine(isa, threads):
        found = native.binary(name, *arguments) if pairs else native.unary(name, *arguments)
    assert found.dtype == dtype
    limit = 3 if isa == "base" else limits[dtype == np.float64]  # there it is the C library's: glibc's sinhf has 1.7
    assert worst(found, function, *arguments) < limit


def special(dtype):
    info = np.finfo(dtype)
    sizes = [0, 0.5, 1, 1 + info.eps, 1 - info.epsneg, 2, 3, 8, 10, 20, 88, 90, 100, 700, 711, 1000, 1024, 1e5, 1e6, 1e10, 1e20,
             0.1, 1e-3, 1e-10, 1e-20, info.tiny, info.smallest_subnormal, info.max, np.inf, np.nan]
    return np.array([sign * size for size in sizes for sign in (1, -1)], dtype)


@every_engine
@both_floats
@pytest.mark.parametrize("name", [*FUNCTIONS, *PAIRS])
def test_zeros_infinities_and_edges_are_the_c_librarys(isa, threads, dtype, name):
    """Signs of zeros, NaN outside the domain, denormals and huge numbers, alone and beside ordinary ones in a vector."""
    arguments = [special(dtype)]
    if name in PAIRS:
        arguments = [np.ascontiguousarray(m.ravel()) for m in np.meshgrid(*[special(dtype)] * 2)]
    with np.errstate(all="ignore"):
        exact = (FUNCTIONS | PAIRS)[name][0](*[a.astype(np.longdouble) for a in arguments]).astype(dtype)
    with engine(isa, threads):
        call = native.binary if name in PAIRS else native.unary
        each = [call(name, *[a[i:i + 1] for a in arguments]) for i in range(len(exact))]
        for found in (call(name, *arguments), np.concatenate(each)):
            np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))
            number = ~np.isnan(exact)
            np.testing.assert_array_equal(np.signbit(found)[number], np.signbit(exact)[number])
            np.testing.assert_array_equal(np.isinf(found), np.isinf(exact))
            some = np.isfinite(exact)
            unit = np.spacing(np.clip(np.abs(exact[some]), np.finfo(dtype).tiny, np.finfo(dtype).max / 2))
            assert np.all(np.abs(found[some].astype(np.longdouble) - exact[some]) <= 2 * unit)


@every_engine
@both_floats
def test_powers_of_negative_numbers_are_those_of_whole_exponents(isa, threads, dtype):
    x, y = np.array([-2, -2, -2, -0.5, -1.5, -3] * 7, dtype), np.array([3, 2, 0.5, -3, 0, -1.25] * 7, dtype)
    with engine(isa, threads):
        np.testing.assert_array_equal(native.binary("pow", x, y)[:6], [-8, 4, np.nan, -8, 1, np.nan])
        np.testing.assert_array_equal(native.binary("pow", x, np.full_like(x, 1))[:6], x[:6])


@every_engine
@both_floats
def test_what_is_exact_stays_exact(isa, threads, dtype):
    with engine(isa, threads):
        np.testing.assert_array_equal(native.unary("log2", np.exp2(np.arange(-100, 100)).astype(dtype)), np.arange(-100, 100))
        np.testing.assert_array_equal(native.unary("log10", np.array([1, 10, 100, 1000, 10000], dtype)), [0, 1, 2, 3, 4])
        whole = np.arange(1, 100).astype(dtype)
        np.testing.assert_array_equal(native.binary("pow", whole, np.full_like(whole, 3)), whole ** 3)
        np.testing.assert_array_equal(native.unary("cosh", np.zeros(9, dtype)), np.ones(9))
        assert native.unary("atan", np.array([np.inf], dtype)) == dtype(math.pi / 2)


@every_engine
@both_floats
@pytest.mark.parametrize("name, rule", [("fmax", np.fmax), ("fmin", np.fmin)])
def test_a_number_beats_nan(isa, threads, dtype, name, rule):
    a, b = np.meshgrid(*[np.array([1, -1, 0, np.inf, -np.inf, np.nan, 2, 2], dtype)] * 2)
    with engine(isa, threads):
        np.testing.assert_array_equal(native.binary(name, a, b), rule(a, b))
