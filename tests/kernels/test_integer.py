"""Convolutions and products of whole numbers: sums equal to NumPy's of integers, on every instruction set and number of threads."""

import numpy as np
import pytest

from .engine import engine, every_engine, native
from .guard import guarded
from .reference import conv
from .test_blocked import ACTIVATIONS, CASES, blocks, case_of, cases, plain


def steps(x, scale, limit, away):
    """The numbers of the steps that x is nearest to, in float32 as the operators say."""
    scale = np.float32(scale)
    if away:
        found = np.clip(x, -scale, scale) * (np.float32(limit) / scale)
        return np.trunc(found + np.copysign(np.float32(0.5), found))
    return np.clip(np.rint(x * (np.float32(limit) / scale)), -limit - 1, limit)


def whole_case(name, scale=2.5, limit=127, away=False):
    """x, whole weights, what the sums are worth, and y in double precision with its residual and bias."""
    x, w, bias, residual, expected, settings = case_of(name)
    xs, ws, stride, padding, dilation, groups = CASES[name]
    rng = np.random.default_rng(7)
    images = rng.standard_normal(xs).astype(np.float32)
    images.flat[:6] = [scale, -scale, 1e20, -np.inf, 0.5 * scale / limit, 1.5 * scale / limit]
    whole = rng.integers(-128, 128, ws).astype(np.int8)
    factors = (rng.random(ws[0]) * 1e-4 + 1e-5).astype(np.float32)
    sums = conv(steps(images, scale, limit, away).astype(float), whole.astype(float), np.zeros(ws[0]), np.zeros(expected.shape),
                stride, (padding[:2], padding[2:]), dilation, groups)[0]
    exact = sums * factors.astype(float)[:, None, None] + bias.astype(float)[:, None, None]
    return images if xs[1] <= 8 else blocks(images), whole, bias, residual, factors, exact, settings


def close(y, expected):
    """Whole sums are exact, so that only the last steps round."""
    y = plain(y, expected.shape[1])
    assert y.shape == expected.shape and np.abs(y - expected).max() <= 5e-7 * np.abs(expected).max()


@every_engine
@cases
@pytest.mark.parametrize("away", [False, True])
def test_convolution(isa, threads, name, away):
    x, w, bias, residual, factors, exact, settings = whole_case(name, away=away)
    grid = factors, 2.5, 127, away
    with engine(isa, threads):
        ready = native.integer_conv_prepare(x, w, *settings, native.integer_conv_kind(x, w, *settings))
        close(native.integer_conv(x, w, bias, *settings, 0, ready, None, *grid), exact)
        close(native.integer_conv(x, w, bias, *settings, 0, None, None, *grid), exact)
        for act, rule in enumerate(ACTIVATIONS):
            close(native.integer_conv(x, w, bias, *settings, act, ready, blocks(residual), *grid), rule(exact + residual))
    with engine("base"):  # weights packed for another instruction set are packed anew
        close(native.integer_conv(x, w, bias, *settings, 0, ready, None, *grid), exact)


@every_engine
@cases
@pytest.mark.parametrize("away", [False, True])
def test_bytes(isa, threads, name, away):
    """What was rounded before, as bytes, gives the same; a result that is rounded on its way out is that of floats, rounded."""
    x, w, bias, _, factors, _, settings = whole_case(name, away=away)
    grid = factors, 2.5, 127, away
    given = x if x.ndim == 4 else (steps(x, 2.5, 127, away) + 128).astype(np.uint8)
    with engine(isa, threads):
        ready = native.integer_conv_prepare(given, w, *settings, native.integer_conv_kind(given, w, *settings))
        y = plain(native.integer_conv(x, w, bias, *settings, 1, ready, None, *grid), len(w))
        np.testing.assert_array_equal(plain(native.integer_conv(given, w, bias, *settings, 1, ready, None, *grid), len(w)), y)
        for other in (False, True):
            found = native.integer_conv(given, w, bias, *settings, 1, ready, None, *grid, 1.7, 100, other)
            assert found.dtype == np.uint8
            np.testing.assert_array_equal(plain(found, len(w)), steps(y, 1.7, 100, other) + 128)


@every_engine
def test_largest_sums(isa, threads):
    """No product or sum of two saturates."""
    x, w = np.full((1, 40, 3, 3), 1.0, np.float32), np.full((17, 40, 3, 3), -128, np.int8)
    w[1::2] = 127
    x[:, ::3] = -2.0
    sums = conv(np.clip(np.rint(x * 127.0), -128, 127), w.astype(float), np.zeros(17), np.zeros((1, 17, 1, 1)), (1, 1),
                ((0, 0), (0, 0)), (1, 1), 1)[0]
    with engine(isa, threads):
        y = native.integer_conv(blocks(x), w, None, 1, 0, 1, 1, 0, None, None, np.ones(17, np.float32), 1.0, 127, False)
    np.testing.assert_array_equal(plain(y, 17), sums)


@every_engine
@pytest.mark.parametrize("name", ["one by one", "stem", "depthwise"])
def test_nan_is_declined(isa, threads, name):
    x, w, bias, _, factors, _, settings = whole_case(name)
    x.flat[5] = np.nan
    with engine(isa, threads):
        assert native.integer_conv(x, w, bias, *settings, 0, None, None, factors, 2.5, 127, False) is NotImplemented


def test_wrong_arguments():
    x, w, bias, _, factors, _, settings = whole_case("one by one")
    for scale, limit in ((0.0, 127), (float("nan"), 127), (1.0, 0), (1.0, 128)):
        with pytest.raises(ValueError, match="scale"):
            native.integer_conv(x, w, bias, *settings, 0, None, None, factors, scale, limit, False)
    with pytest.raises(ValueError, match="factors"):
        native.integer_conv(x, w, bias, *settings, 0, None, None, factors[1:], 1.0, 127, False)
    with pytest.raises(TypeError, match="'w'"):
        native.integer_conv(x, w.astype(np.float32), bias, *settings, 0, None, None, factors, 1.0, 127, False)


def test_memory_runs_out():
    x, w, bias, _, factors, exact, settings = whole_case("one by one")
    native.fail_allocation(0)
    with pytest.raises(MemoryError):
        native.integer_conv(x, w, bias, *settings, 0, None, None, factors, 2.5, 127, False)
    close(native.integer_conv(x, w, bias, *settings, 0, None, None, factors, 2.5, 127, False), exact)


# ---- products ----
PRODUCTS = [(1, 1, 1), (1, 784, 10), (3, 5, 7), (7, 33, 17), (12, 64, 32), (13, 130, 31), (50, 3, 65), (97, 257, 48),
            (200, 768, 50)]
LINES = pytest.mark.parametrize("rows,inner,columns", PRODUCTS)


def product_case(rows, inner, columns, scale=2.5, limit=127, away=False):
    """x, whole weights, factors, a bias and the exact product."""
    rng = np.random.default_rng(rows * 7 + inner)
    x = rng.standard_normal((rows, inner)).astype(np.float32) * 1.5
    x.flat[:2] = [-np.inf, 1e20][:x.size]
    w = rng.integers(-128, 128, (columns, inner)).astype(np.int8)
    factors, bias = (rng.random(columns) * 1e-4 + 1e-5).astype(np.float32), rng.standard_normal(columns).astype(np.float32)
    exact = (steps(x, scale, limit, away).astype(int) @ w.T.astype(int)) * factors.astype(float) + bias.astype(float)
    return x, w, factors, bias, exact


def near(y, expected, bias):
    """Whole sums are exact: only their worth, the bias and the sum of both are rounded."""
    assert y.shape == expected.shape and np.abs(y - expected).max() <= 5e-7 * (np.abs(expected).max() + np.abs(bias).max())


@every_engine
@LINES
@pytest.mark.parametrize("away", [False, True])
def test_product(isa, threads, rows, inner, columns, away):
    x, w, factors, bias, exact = product_case(rows, inner, columns, away=away)
    with engine(isa, threads):
        ready = native.integer_linear_prepare(w)
        for packed in (ready, None):
            for act, rule in enumerate(ACTIVATIONS):
                y = native.integer_linear(guarded(x), guarded(w), guarded(bias), act, packed, guarded(factors), 2.5, 127, away)
                near(y, rule(exact), bias)
        y = native.integer_linear(x, w, None, 0, ready, factors, 2.5, 127, away)
        near(y, exact - bias, bias)
    with engine("base"):  # weights packed for another instruction set are packed anew
        y = native.integer_linear(x, w, bias, 0, ready, factors, 2.5, 127, away)
        near(y, exact, bias)


@every_engine
@LINES
def test_product_of_bytes(isa, threads, rows, inner, columns):
    x, w, factors, bias, _ = product_case(rows, inner, columns)
    given = (steps(x, 2.5, 127, False) + 128).astype(np.uint8)
    with engine(isa, threads):
        ready = native.integer_linear_prepare(w)
        y = native.integer_linear(x, w, bias, 1, ready, factors, 2.5, 127, False)
        np.testing.assert_array_equal(native.integer_linear(guarded(given), w, bias, 1, ready, factors, 2.5, 127, False), y)
        for away in (False, True):
            found = native.integer_linear(given, w, bias, 1, ready, factors, 2.5, 127, False, 1.7, 100, away)
            np.testing.assert_array_equal(found, (steps(y, 1.7, 100, away) + 128).astype(np.uint8))


@every_engine
def test_longest_product(isa, threads):
    """The largest sums that fit 32 bits, of either sign."""
    x, w = np.full((2, 131071), -2.0, np.float32), np.full((18, 131071), -128, np.int8)
    x[1], w[1::2] = 1.0, 127
    sums = np.clip(np.rint(x * 127.0), -128, 127).astype(int) @ w.T.astype(int)
    with engine(isa, threads):
        y = native.integer_linear(x, w, None, 0, None, np.ones(18, np.float32), 1.0, 127, False)
    np.testing.assert_array_equal(y, sums.astype(np.float32))
    with pytest.raises(ValueError, match="131071"):
        native.integer_linear_prepare(np.zeros((2, 131072), np.int8))


@every_engine
@pytest.mark.parametrize("where", [0, 32, -1])
def test_nan_in_a_product_is_declined(isa, threads, where):
    x, w, factors, bias, _ = product_case(7, 33, 17)
    x.flat[where] = np.nan
    with engine(isa, threads):
        assert native.integer_linear(x, w, bias, 0, None, factors, 2.5, 127, False) is NotImplemented


def test_wrong_products():
    x, w, factors, bias, exact = product_case(7, 33, 17)
    for arrays, name in (((x[:, 1:].copy(), w, bias), "'x'"), ((x, w, bias[1:]), "'bias'"), ((x, w[:0], bias), "'w'")):
        with pytest.raises(ValueError, match=name):
            native.integer_linear(*arrays, 0, None, factors, 2.5, 127, False)
    with pytest.raises(ValueError, match="'act'"):
        native.integer_linear(x, w, bias, 9, None, factors, 2.5, 127, False)
    with pytest.raises(TypeError, match="'x'"):
        native.integer_linear(x.astype(float), w, bias, 0, None, factors, 2.5, 127, False)
    assert native.integer_linear(x[:0], w, bias, 0, None, factors, 2.5, 127, False).shape == (0, 17)
    native.fail_allocation(0)
    with pytest.raises(MemoryError):
        native.integer_linear(x, w, bias, 0, None, factors, 2.5, 127, False)
    assert np.abs(native.integer_linear(x, w, bias, 0, None, factors, 2.5, 127, False) - exact).max() < 1e-5


@every_engine
@pytest.mark.parametrize("kind", ["largest", "lowest", "just so", "one more", "small", "some", "zero"])
def test_no_sum_of_bytes_is_too_large(isa, threads, kind):
    """Steps that are not negative may be summed in 16 bits: as many at a time as the weights allow, also where panels differ."""
    rng = np.random.default_rng(3)
    inner, columns = 64, 49
    w = {"largest": lambda: np.full((columns, inner), 127), "lowest": lambda: np.full((columns, inner), -128),
         "just so": lambda: np.resize([127, 127, 0, 0, 2, 2, 0, 0], (columns, inner)),
         "one more": lambda: np.resize([127, 127, 0, 0, 3, 2, 0, 0], (columns, inner)),
         "small": lambda: rng.integers(-20, 21, (columns, inner)), "zero": lambda: np.zeros((columns, inner)),
         "some": lambda: np.where(np.arange(columns)[:, None] // 16 % 2, rng.integers(-128, 128, (columns, inner)),
                                  rng.integers(-9, 10, (columns, inner)))}[kind]().astype(np.int8)
    x = np.where(rng.random((25, inner)) < 0.9, 9.0, 0.0).astype(np.float32)
    x[0], x[1] = 9.0, rng.random(inner)
    factors = np.ones(columns, np.float32)
    for low in (0.0, -0.3):  # a single negative step, and all is different
        x[13, 5] = low
        sums = np.clip(np.rint(x * 127.0), -128, 127).astype(int) @ w.T.astype(int)
        image = blocks(np.ascontiguousarray(x.T.reshape(1, inner, 5, 5)))
        with engine(isa, threads):
            np.testing.assert_array_equal(native.integer_linear(x, w, None, 0, None, factors, 1.0, 127, False), sums)
            y = native.integer_conv(image, w[:, :, None, None].copy(), None, 1, 0, 1, 1, 0, None, None, factors, 1.0, 127, False)
            np.testing.assert_array_equal(plain(y, columns)[0].reshape(columns, 25).T, sums)
            square = np.repeat(np.repeat(w[:, :, None, None], 3, 2), 3, 3)
            padded = native.integer_conv(image, square, None, 1, 1, 1, 1, 0, None, None, factors, 1.0, 127, False)
        around = np.pad(sums.T.reshape(columns, 5, 5), ((0, 0), (1, 1), (1, 1)))
        exact = sum(around[:, i:i + 5, j:j + 5] for i in range(3) for j in range(3))
        np.testing.assert_array_equal(plain(padded, columns)[0], exact)
