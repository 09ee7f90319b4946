"""Dropout's kernels: masks are words of the twister compared with a bound, one word an element."""

import numpy as np
import pytest

from paddle.core import twister

from .engine import both_floats, engine, every_engine, native


def state(seed=7):
    return twister.seeded_plainly(seed).copy()


def numbers(count, seed=7):
    """What float numbers in [0, 1) the words are."""
    words = np.empty(count, np.uint64)
    twister.next_words(state(seed), words)
    return np.minimum(words.astype(np.float32) * np.float32(2.0 ** -64), np.float32(1 - 2.0 ** -24))


@every_engine
@pytest.mark.parametrize("p", [0.0, 1e-9, 0.1, 0.25, 0.5, 1 / 3, 0.9, 1 - 2.0 ** -24])
def test_masks_are_numbers_not_below_p(isa, threads, p):
    with engine(isa, threads):
        for size in (0, 1, 311, 312, 313, 40_009):
            mask = np.empty(size, bool)
            native.random_mask(state(), mask, p)
            np.testing.assert_array_equal(mask, numbers(size) >= np.float32(p))


def test_a_mask_with_p_1_draws_nothing():
    mine = state()
    mask = np.ones(5, bool)
    native.random_mask(mine, mask, 1.0)
    assert not mask.any()
    np.testing.assert_array_equal(mine, state())


def test_same_bytes_for_any_thread_count():
    x, results = np.random.default_rng(0).standard_normal(200_003), set()
    for threads in (1, 2, 5):
        with engine(threads=threads):
            y, mask = native.dropout(x, 0.5, state())
            results.add(y.tobytes() + mask.tobytes())
    assert len(results) == 1


@every_engine
@both_floats
@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_dropout(isa, threads, dtype, p):
    with engine(isa, threads):
        for shape in [(0,), (1,), (3, 5, 7), (40_009,)]:
            x = np.random.default_rng(0).uniform(1, 2, shape).astype(dtype)
            kept = numbers(x.size).reshape(shape) >= np.float32(p) if p < 1 else np.zeros(shape, bool)
            for upscale in (True, False):
                y, mask = native.dropout(x, p, state(), upscale=upscale)
                assert mask.dtype == bool
                np.testing.assert_array_equal(mask, kept)
                divisor = dtype(np.float32(1) - np.float32(p)) if upscale and p < 1 else dtype(1)
                np.testing.assert_array_equal(y, np.where(mask, x / divisor, 0))
                np.testing.assert_array_equal(native.dropout_backward(x, mask, p, upscale), y)
        expected, _ = native.dropout(x, p, state(78))
        assert native.dropout(x, p, state(78), out=x)[0] is x
        np.testing.assert_array_equal(x, expected)


X = np.ones(100, np.float32)
BEYOND = np.full(313, 313, np.uint64)


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.dropout(X, 1.5, state()), ValueError, "'p'"),
    (lambda: native.dropout(X, -0.1, state()), ValueError, "'p'"),
    (lambda: native.dropout(X, float("nan"), state()), ValueError, "'p'"),
    (lambda: native.dropout(X, 0.5, 5), TypeError, "'state'"),
    (lambda: native.dropout(X, 0.5, np.zeros(312, np.uint64)), ValueError, "'state'"),
    (lambda: native.dropout(X, 0.5, np.zeros(313)), TypeError, "'state'"),
    (lambda: native.dropout(X, 0.5, BEYOND), ValueError, "'state' has a position above 312"),
    (lambda: native.dropout(X, 0.5, twister.seeded_plainly(1)), ValueError, "writeable"),
    (lambda: native.dropout(X.astype(int), 0.5, state()), TypeError, "'x'"),
    (lambda: native.dropout(X[1:], 0.5, state(), out=X[:-1]), ValueError, "lie across"),
    (lambda: native.dropout_backward(X, np.ones(3, bool), 0.5), ValueError, "'mask'"),
    (lambda: native.dropout_backward(X, X, 0.5), TypeError, "'mask'"),
    (lambda: native.random_mask(state(), X, 0.5), TypeError, "'out'"),
])
def test_bad_arguments_raise(call, error, text):
    with pytest.raises(error, match=text):
        call()
