"""Comparisons, logic, bits and arithmetic of whole numbers against NumPy."""

import numpy as np
import pytest

from .engine import engine, every_engine, native

COMPARED = {"equal": np.equal, "not_equal": np.not_equal, "less_than": np.less, "less_equal": np.less_equal,
            "greater_than": np.greater, "greater_equal": np.greater_equal}
ORDERED = [name for name in COMPARED if name not in ("equal", "not_equal")]
LOGIC = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
BITS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}


def truncated(a, b):
    down = np.floor_divide(a, b)
    return down + ((a - down * b != 0) & ((a < 0) != (b < 0))).astype(a.dtype)


ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "mod": np.remainder,
              "floordiv": np.floor_divide, "div": truncated, "pow": np.power}
SHAPES = [((), ()), ((1,), (1,)), ((31,), (31,)), ((32,), (1,)), ((1,), (1025,)), ((3, 40), (40,)), ((3, 1400), (3, 1)),
          ((5, 1), (1, 1070)), ((2, 3, 1100), (2, 1, 1100)), ((0, 3), (3,)), ((40001,), (40001,)), ((30, 4010), (4010,)),
          ((300, 401), ()), ((20, 1, 3), (20, 1, 3))]


def numbers(rng, dtype, shape, name="", second=False):
    """Numbers of a type, extremes and NaN among them; divisors that are not 0, and small exponents."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return rng.random(shape) < 0.5
    if kind.kind == "f":
        x = np.round(rng.standard_normal(shape) * 2).astype(kind)
        return np.where(rng.random(shape) < 0.2, rng.choice(np.array([np.nan, np.inf, -np.inf, -0.0], kind), shape), x)
    limits = np.iinfo(kind)
    x = rng.integers(-4 if limits.min else 0, 5, shape).astype(kind)
    x = np.where(rng.random(shape) < 0.5, rng.integers(limits.min, limits.max, shape, kind, endpoint=True), x)
    x = np.where(rng.random(shape) < 0.1, rng.choice(np.array([limits.min, limits.max], kind), shape), x)
    if second and name == "pow":
        return (x & 7).astype(kind)
    return np.where(x == 0, kind.type(1), x) if second and name in ("div", "mod", "floordiv") else x


def is_short(a, b):
    """Are there many short lines, which are left to NumPy?"""
    shape = np.broadcast_shapes(a.shape, b.shape)
    return len(shape) > 1 and a.shape != b.shape and min(a.size, b.size) != 1 and shape[-1] * a.itemsize < 1024


def check(name, numpys, dtype):
    rng = np.random.default_rng(5)
    for shapes in SHAPES:
        a, b = (np.asarray(numbers(rng, dtype, shape, name, k == 1)) for k, shape in enumerate(shapes))
        found = native.lines(name, a, b)
        if is_short(a, b) or name == "floordiv" and b.size == 1 < a.size:
            assert found is NotImplemented
            continue
        with np.errstate(all="ignore"):
            wanted = numpys(a, b)
        assert found.dtype == wanted.dtype and found.flags.c_contiguous
        np.testing.assert_array_equal(found, wanted, err_msg=f"{name} {dtype} {shapes}")


@every_engine
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float32", "float64"])
def test_comparisons_and_logic(isa, threads, dtype):
    left_out = {"bool": ORDERED, "uint8": ORDERED, "int32": LOGIC, "int64": LOGIC}.get(dtype, ())  # in which NumPy is quicker
    with engine(isa, threads):
        for name, numpys in {**COMPARED, **LOGIC}.items():
            if name in left_out:
                assert native.lines(name, np.ones(3, dtype), np.ones(3, dtype)) is NotImplemented
            else:
                check(name, numpys, dtype)


@every_engine
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_arithmetic_wraps_round(isa, threads, dtype):
    with engine(isa, threads):
        for name, numpys in {**ARITHMETIC, **BITS}.items():
            check(name, numpys, dtype)


@every_engine
@pytest.mark.parametrize("dtype", ["bool", "int8", "int16"])
def test_bits(isa, threads, dtype):
    with engine(isa, threads):
        for name, numpys in BITS.items():
            check(name, numpys, dtype)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_quotients_are_exact(dtype):
    """Also where a quotient of doubles is the next whole number, at the ends of the types, and beyond what doubles hold."""
    limits, rng = np.iinfo(dtype), np.random.default_rng(6)
    ends = [limits.min, limits.min + 1, -7, -3, -2, -1, 1, 2, 3, 5, 7, 10, limits.max // 3, limits.max - 1, limits.max, 0]
    ends = np.array(ends, dtype)
    bits = np.dtype(dtype).itemsize * 8
    pairs = [np.meshgrid(ends, ends[:-1])]
    for n in (bits - 2, 30, min(50, bits - 2), min(51, bits - 2)):
        divisors = 1 + (rng.integers(0, 1 << n, 50000) >> rng.integers(0, n, 50000))
        pairs.append((rng.integers(-1 << n, 1 << n, 50000).astype(dtype), divisors.astype(dtype)))
    for first, second in pairs:
        second = np.where(np.arange(second.size).reshape(second.shape) % 2, second, -second).astype(dtype)
        second[second == 0] = 1
        with np.errstate(all="ignore"):
            multiples = first // second * second  # nothing is left
        for dividend in (first, multiples):
            for name in ("div", "mod", "floordiv"):
                with np.errstate(all="ignore"):
                    wanted = ARITHMETIC[name](dividend, second)
                found = native.lines(name, np.ascontiguousarray(dividend), np.ascontiguousarray(second))
                np.testing.assert_array_equal(found, wanted, err_msg=name)


@every_engine
def test_of_one(isa, threads):
    rng = np.random.default_rng(7)
    with engine(isa, threads):
        for shape in ((), (1,), (33,), (3, 700), (40001,)):
            for dtype in ("float32", "float64"):
                x = np.asarray(numbers(rng, dtype, shape))
                for name, numpys in (("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite),
                                     ("logical_not", np.logical_not)):
                    np.testing.assert_array_equal(native.lines(name, x), numpys(x))
                y = np.asarray(numbers(rng, dtype, shape[-1:]))
                z = native.lines("complex", x, y)
                assert z.dtype == np.result_type(x, np.complex64) and z.shape == x.shape
                np.testing.assert_array_equal(z.real, x)
                np.testing.assert_array_equal(z.imag, np.broadcast_to(y, shape))
                np.testing.assert_array_equal(native.lines("conj", z), np.conj(z))
            for dtype in ("bool", "int8", "uint8", "int16", "int32", "int64"):
                x = np.asarray(numbers(rng, dtype, shape))
                np.testing.assert_array_equal(native.lines("bitwise_not", x), np.bitwise_not(x))
                np.testing.assert_array_equal(native.lines("logical_not", x), np.logical_not(x))


def test_layouts():
    x = np.arange(4 * 6 * 800, dtype="int64").reshape(4, 6, 800) % 11
    for a, b in [(x[:, ::2], x[:, 1::2]), (x[::-1], x[:1]), (x[..., :400], x[..., 400:]), (np.broadcast_to(x[:1], x.shape), x),
                 (x[1], x[1, :, :1]), (x[..., :1], x[0, 0])]:
        np.testing.assert_array_equal(native.lines("less_than", a, b), a < b)
        np.testing.assert_array_equal(native.lines("mul", a, b), a * b)
    for a, b in [(x.T, x.T), (x[..., ::2], x[..., ::2]), (x[..., ::-1], x), (x[..., :1], x[..., 1:2]), (x[0, :, :1], x[1, :, 1:2])]:
        assert native.lines("equal", a, b) is NotImplemented  # NumPy's results lie as operands do, and its loops have steps


def test_declined():
    x = np.ones((2, 3), "int64")
    for a, b in [(x, x.astype("int32")), (x, np.ones(4, "int64")), (x, x.astype(">i8")), (x.astype("float16"),) * 2,
                 (x.astype("complex64"),) * 2]:
        assert native.lines("equal", a, b) is NotImplemented
    assert native.lines("add", x.astype("float32"), x.astype("float32")) is NotImplemented
    assert native.lines("nothing", x, x) is NotImplemented and native.lines("equal", x) is NotImplemented
    assert native.lines("isnan", x) is NotImplemented
    for name in ("div", "mod", "floordiv"):
        assert native.lines(name, x, x * 0) is NotImplemented
    assert native.lines("pow", x, -x) is NotImplemented
    assert native.lines("equal", x, x[0], 1) is NotImplemented and native.lines("equal", x, x, 1).all()
    with pytest.raises(TypeError, match="lines"):
        native.lines("equal", x, x, "1")
