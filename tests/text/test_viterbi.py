import itertools

import numpy as np
import pytest

import paddle


def brute_force(potentials, transitions, bounded):
    """The best path by trying all of them."""
    best = None
    for path in itertools.product(range(potentials.shape[1]), repeat=len(potentials)):
        score = sum(potentials[t, tag] for t, tag in enumerate(path))
        score += sum(transitions[a, b] for a, b in itertools.pairwise(path))
        if bounded:
            score += transitions[-1, path[0]] + transitions[-2, path[-1]]
        best = max(best or (score, path), (score, path))
    return best


@pytest.mark.parametrize("bounded", [True, False])
def test_best_of_all_paths(bounded):
    rng = np.random.default_rng(3)
    potentials, transitions, lengths = rng.normal(size=(4, 4, 3)), rng.normal(size=(3, 3)), [4, 1, 3, 2]
    decoder = paddle.text.ViterbiDecoder(paddle.to_tensor(transitions), include_bos_eos_tag=bounded)
    scores, paths = decoder(paddle.to_tensor(potentials), paddle.to_tensor(lengths))
    assert (scores.dtype, paths.dtype, paths.shape) == (paddle.float64, paddle.int64, [4, 4])
    for k, length in enumerate(lengths):
        score, path = brute_force(potentials[k, :length], transitions, bounded)
        np.testing.assert_allclose(scores.numpy()[k], score, rtol=1e-12)
        assert paths.tolist()[k] == [*path, *[0] * (4 - length)]


def test_in_a_static_program():
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data("x", [2, 3, 3], "float32")
            out = paddle.text.viterbi_decode(x, paddle.static.data("t", [3, 3]), paddle.static.data("n", [2], "int64"), False)
        values = np.eye(3, dtype="float32")[None].repeat(2, 0)
        scores, paths = paddle.static.Executor().run(
            main, {"x": values, "t": np.zeros((3, 3), "float32"), "n": np.array([3, 2])}, list(out))
    finally:
        paddle.disable_static()
    assert scores.tolist() == [3, 2] and paths.tolist() == [[0, 1, 2], [0, 1, 0]]
