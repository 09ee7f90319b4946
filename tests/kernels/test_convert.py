"""float32 to and from the short float types, bit by bit against NumPy and ml-dtypes."""

import numpy as np
import pytest

from .engine import engine, every_engine, native

ml_dtypes = pytest.importorskip("ml_dtypes")
kinds = pytest.mark.parametrize("kind", [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)], ids=str)


def same(a, b):
    """Equal numbers with equal signs, NaN where NaN is."""
    a, b = a.astype(np.float32), b.astype(np.float32)
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a)[a == a], np.signbit(b)[b == b])


@every_engine
@kinds
def test_every_short_number(isa, threads, kind):
    short = np.arange(1 << 16, dtype=np.uint16).view(kind)
    with engine(isa, threads):
        wide = native.widen(short)
        assert wide.dtype == np.float32 and same(wide, short)
        assert same(native.narrow(wide, kind), short)


@every_engine
@kinds
def test_rounding(isa, threads, kind):
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        short = np.arange(1 << 16, dtype=np.uint16).view(kind).astype(np.float32)
        middle = ((short[:-1].astype(float) + short[1:]) / 2).astype(np.float32)  # ties go to the even one
        bits = rng.integers(0, 1 << 32, 300_007, dtype=np.uint64).astype(np.uint32).view(np.float32)
        edges = np.array([65504, 65519.99, 65520, 3.4e38, 6.1e-5, 5.96e-8, 2.98e-8, 2.99e-8, 1e-45, 0, -0.0, np.inf, np.nan], "f")
        x = np.concatenate([middle, np.nextafter(middle, np.float32(np.inf)), bits, edges, -edges])
        expected = x.astype(kind)
        with engine(isa, threads):
            assert same(native.narrow(x, kind), expected)


@kinds
def test_shapes(kind):
    for shape in ((), (0,), (3, 0), (1,), (5, 7), (2, 3, 17)):
        x = np.ones(shape, np.float32)
        y = native.narrow(x, kind)
        assert y.shape == shape and y.dtype == kind and native.widen(y).shape == shape


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.widen([1.0]), TypeError, "'x' must be an array"),
    (lambda: native.widen(np.ones(3, np.float32)), TypeError, "float16 or bfloat16"),
    (lambda: native.widen(np.ones((4, 4), np.float16)[:, ::2]), ValueError, "C-contiguous"),
    (lambda: native.widen(np.ones(4, ">f2")), ValueError, "byte order"),
    (lambda: native.narrow(np.ones(3), np.dtype(np.float16)), TypeError, "'x' must be a float32 array"),
    (lambda: native.narrow(np.ones(3, "f"), "float16"), TypeError, "'dtype' must be a NumPy dtype"),
    (lambda: native.narrow(np.ones(3, "f"), np.dtype(np.int16)), TypeError, "float16 or bfloat16"),
])
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()
