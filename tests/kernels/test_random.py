"""Random kernels: the twister's published words, and every kernel against the text that runs without it."""

import numpy as np
import pytest

import paddle
from paddle.core import twister
from paddle.kernels import use
from paddle.ops.random import draws

from .engine import both_floats, engine, every_engine, native


def state(seed=7):
    return twister.seeded_plainly(seed).copy()


def words(count, seed):
    out = np.empty(count, np.uint64)
    twister.next_words(state(seed), out)
    return out


def test_the_twisters_published_word():
    assert int(words(10_000, 5489)[-1]) == 9981545732273789042  # C++ standard, [rand.predef], mt19937_64


def test_the_state_of_a_seed_sequence():
    made = twister.seeded_by_sequence(3)  # as real Paddle prints it after paddle.seed(3)
    assert made[:3].tolist() == [8597922599604553149, 18297508576256792783, 4834010165033857661]
    assert made[-3:].tolist() == [14172139818867703866, 14541648718797447493, 312]


@every_engine
def test_words(isa, threads):
    with engine(isa, threads):
        mine, kept = state(5489), state(5489)
        for size in (1, 311, 312, 5, 1000):
            out, expected = np.empty(size, np.uint64), np.empty(size, np.uint64)
            native.random_words(mine, out)
            twister.next_words(kept, expected)
            np.testing.assert_array_equal(out, expected)
        np.testing.assert_array_equal(mine, kept)


def both(draw):
    """What a draw gives with and without kernels."""
    results = []
    for fast in (True, False):
        before = use(fast)
        try:
            results.append(draw(5))
        finally:
            use(before)
    return results


RATES = np.random.default_rng(0).uniform(0, 60, 3000)


@pytest.mark.parametrize("name,draw", [
    ("uniform", lambda seed: draws.uniform(seed, (5, 99), -0.3, 0.7, np.dtype(np.float32))),
    ("uniform64", lambda seed: draws.uniform(seed, (5, 99), -0.3, 0.7, np.dtype(np.float64))),
    ("half", lambda seed: draws.uniform(seed, (99,), 0.0, 1.0, np.dtype(np.float16))),
    ("normal", lambda seed: draws.normal(seed, (7, 99), 1.5, 2.0, np.dtype(np.float32))),
    ("normal64", lambda seed: draws.normal(seed, (7, 99), 1.5, 2.0, np.dtype(np.float64))),
    ("no normal", lambda seed: draws.normal(seed, (0, 3), 1.5, 2.0, np.dtype(np.float64))),
    ("kept", lambda seed: draws.kept(seed, (1001,), 0.3)),
    ("integers", lambda seed: draws.integers(seed, (1001,), -5, 2 ** 31)),
    ("wide", lambda seed: draws.integers(seed, (1001,), 0, 2 ** 62 + 2 ** 61 + 1)),
    ("permutation", lambda seed: draws.permutation(seed, 1001)),
    ("even permutation", lambda seed: draws.permutation(seed, 1000)),
    ("permutation of one", lambda seed: draws.permutation(seed, 1)),
    ("permutation of two", lambda seed: draws.permutation(seed, 2)),
    ("permutation of none", lambda seed: draws.permutation(seed, 0)),
    ("poisson", lambda seed: draws.poisson(seed, RATES)),
    ("gamma", lambda seed: draws.gamma(seed, (RATES / 20).astype(np.float32))),
    ("gamma64", lambda seed: draws.gamma(seed, RATES / 20)),
])
def test_kernels_and_their_references_give_the_same(name, draw):
    fast, slow = both(draw)
    assert fast.dtype == slow.dtype and fast.shape == slow.shape
    if fast.dtype == np.float32 and name in ("normal", "gamma"):  # logarithms of the C library are not NumPy's
        np.testing.assert_allclose(fast, slow, rtol=1e-5, atol=1e-6)
    elif name == "gamma64":
        np.testing.assert_allclose(fast, slow, rtol=1e-13)
    else:
        np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize("draw", [
    lambda: draws.normal(0, (1001,), 0.0, 1.0, np.dtype(np.float64)), lambda: draws.permutation(0, 100),
    lambda: draws.integers(0, (99,), 0, 2 ** 62 + 2 ** 61 + 1), lambda: draws.poisson(0, RATES),
])
def test_references_leave_the_generator_where_kernels_do(draw):
    after = []
    for fast in (True, False):
        before = use(fast)
        try:
            generator = paddle.seed(3)
            draw()
            after.append(generator.random())
        finally:
            use(before)
    assert after[0] == after[1]


@both_floats
def test_statistics(dtype):
    x, mine = np.empty(200_000, dtype), state()
    native.random_uniform(mine, x, -2.0, 3.0)
    assert -2 <= x.min() < -1.999 and 2.999 < x.max() < 3 and abs(x.mean() - 0.5) < 0.02
    native.random_normal(mine, x, 1.0, 2.0)
    z = (x - 1) / 2
    assert abs(z.mean()) < 0.02 and abs(z.var() - 1) < 0.02 and abs((z ** 4).mean() - 3) < 0.1
    assert abs(np.corrcoef(z[:-1], z[1:])[0, 1]) < 0.02
    alpha = np.full(200_000, 2.5, dtype)
    native.random_gamma(mine, x, alpha)
    assert abs(x.mean() - 2.5) < 0.02 and abs(x.var() - 2.5) < 0.08
    counts = np.empty(100_000)
    for rate in (0.0, 3.0, 11.9, 12.0, 50.0):
        native.random_poisson(mine, counts, np.full(100_000, rate))
        assert abs(counts.mean() - rate) < 0.1 and abs(counts.var() - rate) <= 0.05 * rate


F32, I64 = np.ones(10, np.float32), np.ones(10, np.int64)


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.random_words(state(), I64), TypeError, "'out'"),
    (lambda: native.random_uniform(state(), F32[::2], 0.0, 1.0), ValueError, "contiguous"),
    (lambda: native.random_normal(state(), [1.0], 0.0, 1.0), TypeError, "'out'"),
    (lambda: native.random_normal(state(), F32, "a", 1.0), TypeError, "'mean'"),
    (lambda: native.random_integers(state(), I64, 0, 0), ValueError, "'count'"),
    (lambda: native.random_integers(state(), F32, 0, 5), TypeError, "'out'"),
    (lambda: native.random_permutation(state(), F32), TypeError, "'out'"),
    (lambda: native.random_poisson(state(), np.ones(2), np.array([1.0, np.nan])), ValueError, "'rates'"),
    (lambda: native.random_poisson(state(), np.ones(2), np.ones(3)), ValueError, "'rates'"),
    (lambda: native.random_gamma(state(), F32, np.full(10, np.inf, np.float32)), ValueError, "'alpha'"),
])
def test_bad_arguments_raise(call, error, text):
    with pytest.raises(error, match=text):
        call()


@every_engine
@both_floats
@pytest.mark.parametrize("rows,columns,count", [(1, 1, 3), (3, 2, 5), (19, 100, 7), (300, 33, 4), (2, 5000, 50), (0, 4, 3)])
def test_places_by_weight(isa, threads, dtype, rows, columns, count):
    rng = np.random.default_rng(5)
    weights = rng.random((rows, columns)).astype(dtype) * (rng.random((rows, columns)) < 0.7)
    weights[:, rng.integers(columns)] = 1
    numbers = rng.random((rows, count)).astype(dtype)
    ends = np.cumsum(weights, 1, dtype=dtype)
    ends /= ends[:, -1:].copy()
    ends[:, -1] = 1
    numbers[:, 0] = ends[:, columns // 2] % 1  # on an end
    with engine(isa, threads):
        found = native.draw_places(weights.astype(dtype), numbers)
    expected = np.array([np.searchsorted(e, n) for e, n in zip(ends, numbers)], np.int64).reshape(rows, count)
    np.testing.assert_array_equal(found, expected)


def test_places_by_weight_errors():
    weights, numbers = np.ones((2, 3), "f"), np.zeros((2, 4), "f")
    for call, error, text in ((lambda: native.draw_places(weights, numbers[:1]), ValueError, "'numbers'"),
                              (lambda: native.draw_places(weights, numbers.astype("d")), TypeError, "'numbers'"),
                              (lambda: native.draw_places(weights.astype(int), numbers), TypeError, "'weights'"),
                              (lambda: native.draw_places(weights[:, :0].copy(), numbers), ValueError, "'weights'")):
        with pytest.raises(error, match=text):
            call()
