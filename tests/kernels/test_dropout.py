"""Random kernels against a plain Philox4x32-10, whose own values are the published test vectors."""

import math

import numpy as np
import pytest

from .engine import both_floats, engine, every_engine, native

MASK, UNIFORM32, NORMAL32, UNIFORM64, NORMAL64 = range(5)  # streams under one key


def philox(counter, key):
    """Philox4x32-10 on a [4, n] array of counters (Salmon, Moraes, Dror, Shaw, 2011)."""
    c, (k0, k1) = [np.asarray(x, np.uint64) for x in counter], key
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(p1 >> half) ^ c[1] ^ np.uint64(k0), p1 & low, (p0 >> half) ^ c[3] ^ np.uint64(k1), p0 & low]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.array(c)


def words(stream, key, blocks, first=0):
    """The words of blocks first, first + 1, ... as rows of 64."""
    rows = []
    for block in range(first, first + blocks):
        lanes = np.arange(block * 16, block * 16 + 16)
        counter = [lanes & 0xFFFFFFFF, lanes >> 32, 0 * lanes, 0 * lanes + stream]
        rows.append(philox(counter, (key & 0xFFFFFFFF, key >> 32)).ravel())
    return np.array(rows)


@pytest.mark.parametrize("counter,key,expected", [
    ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0), "d16cfe09 94fdcceb 5001e420 24126ea1"),
])
def test_reference_gives_published_vectors(counter, key, expected):
    result = philox(np.array(counter).reshape(4, 1), key).ravel()
    assert " ".join(f"{x:08x}" for x in result) == expected


KEY = 0x123456789ABCDEF


@every_engine
def test_words_behind_masks_and_numbers(isa, threads):
    n = 64 * 3 + 5
    with engine(isa, threads):
        mask = np.empty(n, bool)
        native.random_mask(mask, 0.3, KEY, offset=128)
        expected = words(MASK, KEY, 4, first=2).ravel()[:n]
        np.testing.assert_array_equal(mask, expected >= np.uint64(0.3 * 2 ** 32))

        uniform = np.empty(n, np.float32)
        native.random_uniform(uniform, 0.0, 1.0, KEY)
        np.testing.assert_array_equal(uniform, (words(UNIFORM32, KEY, 4).ravel()[:n] >> np.uint64(8)) / 2.0 ** 24)

        uniform = np.empty(n, np.float64)
        native.random_uniform(uniform, 0.0, 1.0, KEY, offset=64)
        w = words(UNIFORM64, KEY, 7, first=2)
        pairs = ((w[:, :32] << np.uint64(32) | w[:, 32:]) >> np.uint64(11)).ravel()[:n]
        np.testing.assert_array_equal(uniform, pairs / 2.0 ** 53)

        normal = np.empty(n, np.float32)
        native.random_normal(normal, 1.0, 2.0, KEY)
        w = words(NORMAL32, KEY, 4)
        radius = np.sqrt(-2 * np.log(((w[:, :32] >> np.uint64(1)) + 0.5) / 2.0 ** 31))
        angle = 2 * np.pi * w[:, 32:] / 2.0 ** 32
        z = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], 1).ravel()[:n]
        np.testing.assert_allclose(normal, 1 + 2 * z, rtol=2e-6, atol=2e-6)

        normal = np.empty(n, np.float64)
        native.random_normal(normal, 0.0, 1.0, KEY)
        w = words(NORMAL64, KEY, 7)
        first, second = ((w[:, a:a + 16] << np.uint64(32) | w[:, a + 16:a + 32]) >> np.uint64(11) for a in (0, 32))
        radius, angle = np.sqrt(-2 * np.log((first + 0.5) / 2.0 ** 53)), 2 * np.pi * second / 2.0 ** 53
        z = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], 1).ravel()[:n]
        np.testing.assert_allclose(normal, z, rtol=1e-12, atol=1e-13)


@both_floats
def test_same_bytes_for_any_thread_count(dtype):
    results = set()
    for threads in (1, 2, 5):
        with engine(threads=threads):
            out = np.empty(100_003, dtype)
            native.random_normal(out, 0.0, 1.0, 5)
            y, mask = native.dropout(out, 0.5, 6)
            results.add(out.tobytes() + y.tobytes() + mask.tobytes())
    assert len(results) == 1


@both_floats
def test_continuing_at_an_offset(dtype):
    whole, rest = np.empty(640, dtype), np.empty(320, dtype)
    for fill in (native.random_uniform, native.random_normal):
        fill(whole, 0.0, 1.0, 9)
        fill(rest, 0.0, 1.0, 9, offset=320)
        np.testing.assert_array_equal(whole[320:], rest)


@both_floats
def test_statistics(dtype):
    n = 200_000
    x = np.empty(n, dtype)
    native.random_uniform(x, -2.0, 3.0, 1)
    assert -2 <= x.min() < -1.999 and 2.999 < x.max() < 3 and abs(x.mean() - 0.5) < 0.02
    assert abs(np.histogram(x, 50, (-2, 3))[0] - n / 50).max() < 6 * math.sqrt(n / 50)
    native.random_normal(x, 1.0, 2.0, 2)
    z = (x - 1) / 2
    assert abs(z.mean()) < 0.02 and abs(z.var() - 1) < 0.02
    assert abs((z ** 3).mean()) < 0.05 and abs((z ** 4).mean() - 3) < 0.1
    assert abs((np.abs(z) < 1).mean() - 0.6827) < 0.01 and np.abs(z).max() > 4
    assert abs(np.corrcoef(z[:-1], z[1:])[0, 1]) < 0.02
    other = np.empty(n, dtype)
    native.random_normal(other, 1.0, 2.0, 3)
    assert abs(np.corrcoef(x, other)[0, 1]) < 0.02


@every_engine
@both_floats
@pytest.mark.parametrize("p", [0.0, 0.25, 1.0])
def test_dropout(isa, threads, dtype, p):
    with engine(isa, threads):
        for shape in [(0,), (1,), (3, 5, 7), (40_009,)]:
            x = np.random.default_rng(0).uniform(1, 2, shape).astype(dtype)
            for upscale in (True, False):
                y, mask = native.dropout(x, p, 77, upscale=upscale)
                assert mask.dtype == bool and mask.shape == shape
                factor = dtype(1 / (1 - p)) if upscale and p < 1 else dtype(1)
                np.testing.assert_array_equal(y, np.where(mask, x * factor, 0))
                np.testing.assert_array_equal(native.dropout_backward(x, mask, p, upscale), y)
                if x.size > 1000:
                    assert abs(mask.mean() - (1 - p)) < 0.02
                if p in (0.0, 1.0):
                    assert (mask == (p == 0)).all()
        expected, _ = native.dropout(x, p, 78)
        assert native.dropout(x, p, 78, out=x)[0] is x
        np.testing.assert_array_equal(x, expected)


X = np.ones(100, np.float32)


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.dropout(X, 1.5, 0), ValueError, "'p'"),
    (lambda: native.dropout(X, -0.1, 0), ValueError, "'p'"),
    (lambda: native.dropout(X, float("nan"), 0), ValueError, "'p'"),
    (lambda: native.dropout(X, 0.5, -1), ValueError, "'key'"),
    (lambda: native.dropout(X, 0.5, 2 ** 64), ValueError, "'key'"),
    (lambda: native.dropout(X, 0.5, 1.5), ValueError, "'key'"),
    (lambda: native.dropout(X, 0.5, 0, offset=3), ValueError, "'offset'"),
    (lambda: native.dropout(X, 0.5, 0, offset=-64), ValueError, "'offset'"),
    (lambda: native.dropout(X.astype(int), 0.5, 0), TypeError, "'x'"),
    (lambda: native.dropout(X[1:], 0.5, 0, out=X[:-1]), ValueError, "lie across"),
    (lambda: native.dropout_backward(X, np.ones(3, bool), 0.5), ValueError, "'mask'"),
    (lambda: native.dropout_backward(X, X, 0.5), TypeError, "'mask'"),
    (lambda: native.random_mask(X, 0.5, 0), TypeError, "'out'"),
    (lambda: native.random_uniform(X, 2.0, 1.0, 0), ValueError, "'low'"),
    (lambda: native.random_uniform(X[::2], 0.0, 1.0, 0), ValueError, "contiguous"),
    (lambda: native.random_normal([1.0], 0.0, 1.0, 0), TypeError, "'out'"),
])
def test_bad_arguments_raise(call, error, text):
    with pytest.raises(error, match=text):
        call()
