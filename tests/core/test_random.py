"""The generator: one stream for all threads, states, trials; building programs leaves it alone."""

import threading

import numpy as np
import pytest

import paddle
from paddle import kernels
from paddle.core import random, twister
from paddle.ops.random import draws


def words_after(seed, count):
    words = np.empty(count, np.uint64)
    twister.next_words(twister.seeded_by_sequence(seed).copy(), words)
    return words


@pytest.mark.parametrize("fast", [True, False])
def test_threads_share_one_stream_and_get_no_word_twice(fast):
    before = kernels.use(fast)
    try:
        paddle.seed(7)
        found = []

        def draw():
            for size in (1, 50, 313) * 20:
                found.extend(draws.integers(0, (size,), 0, 2 ** 31).tolist())

        threads = [threading.Thread(target=draw) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        kernels.use(before)
    expected = words_after(7, len(found)) // np.uint64((2 ** 64 - 1) // 2 ** 31)
    assert sorted(found) == sorted(expected.tolist())


def test_seeds_and_states():
    generator = paddle.seed(5)
    assert generator is random.default_generator() and generator.initial_seed() == 5
    assert generator.random() == int(words_after(5, 1)[0])
    for given, number in ((False, 0), (3.7, 3), ("5", 5), (paddle.to_tensor(4), 4)):  # what int() takes, as in Paddle
        assert paddle.seed(given).initial_seed() == number
    with pytest.raises(TypeError, match="must be an int"):
        paddle.seed(None)
    state = paddle.get_rng_state()
    first = paddle.randn([401]).numpy()
    paddle.set_rng_state(state)
    np.testing.assert_array_equal(paddle.randn([401]).numpy(), first)
    other = random.Generator()
    assert other.manual_seed(5) is other and other.random() == int(words_after(5, 1)[0])
    assert other.seed() == other.initial_seed()


def test_trials_leave_the_generator_alone():
    generator = paddle.seed(5)
    with random.trial():
        assert random.default_generator() is not generator
        paddle.rand([3])
    assert generator.random() == int(words_after(5, 1)[0])


def build():
    x = paddle.static.data("x", [-1, 3])
    y = paddle.nn.functional.dropout(paddle.static.nn.fc(x, 4)) + paddle.rand([4]) + paddle.randperm(4).astype("float32")
    return paddle.multinomial(paddle.exp(y), 2), paddle.bernoulli(x * 0), paddle.nn.functional.rrelu(y)


def test_building_a_program_draws_nothing():
    generator = paddle.seed(5)
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            build()
    finally:
        paddle.disable_static()
    assert generator.random() == int(words_after(5, 1)[0])


def test_translated_functions_draw_what_eager_ones_do():
    def noisy(x):
        x = paddle.nn.functional.dropout(x, 0.4) + paddle.rand([20])
        paddle.randn([3])
        return paddle.nn.functional.rrelu(x - 1) + paddle.poisson(paddle.full([20], 3.0))

    x, translated, results = paddle.ones([20]), paddle.jit.to_static(noisy), []
    for function in (noisy, translated, translated, translated, translated):
        paddle.seed(8)
        results.append((function(x).numpy(), random.default_generator().random()))
    for values, after in results[1:]:
        np.testing.assert_array_equal(values, results[0][0])
        assert after == results[0][1]
