"""The last value that is taken and the first that is refused; branches that a small fault in the sources showed to be untested."""

import itertools

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import kernels
from paddle.ops.legacy.parts import spatial_pyramid_pool
from paddle.ops.nn.interpolate import linear_interp
from paddle.vision.ops import distribute_fpn_proposals


@pytest.mark.parametrize("shape, stride, offset, fits", [
    ([2, 3], [3, 1], 0, True), ([2, 3], [3, 1], 1, False), ([6], [1], 0, True), ([7], [1], 0, False), ([3], [2], 1, True),
    ([4], [2], 0, False), ([2], [5], 0, True), ([2], [6], 0, False), ([1], [100], 5, True), ([0], [1], 6, True),
    ([1], [1], 6, False), ([2, 2], [2, 3], 0, True), ([2, 2], [3, 3], 0, False), ([3, 2], [1, 3], 0, True),
    ([3, 2], [1, 4], 0, False),
])
def test_strided_windows(shape, stride, offset, fits):
    x = paddle.arange(6, dtype="float32")
    if not fits:
        with pytest.raises(ValueError, match="reach element"):
            paddle.as_strided(x, shape, stride, 4 * offset)  # in bytes
        return
    got = paddle.as_strided(x, shape, stride, 4 * offset).numpy()
    assert got.shape == tuple(shape)
    for place in itertools.product(*map(range, shape)):
        assert got[place] == offset + sum(i * s for i, s in zip(place, stride))


def test_columns_of_sparse_attention_end_before_the_width():
    q, offset = paddle.ones([1, 1, 2, 3]), paddle.to_tensor([[[0, 1, 2]]], dtype="int32")
    F.sparse_attention(q, q, q, offset, paddle.to_tensor([[[0, 1]]], dtype="int32"))
    for columns in ([0, 2], [-1, 0]):
        with pytest.raises(ValueError, match="columns"):
            F.sparse_attention(q, q, q, offset, paddle.to_tensor([[columns]], dtype="int32"))


def test_a_permutation_of_nothing():
    assert paddle.randperm(0).shape == [0]
    with pytest.raises(ValueError, match="negative"):
        paddle.randperm(-1)


@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_running_extremes_without_axes(name):
    x = paddle.to_tensor(2.5, stop_gradient=False)
    out, place = getattr(paddle, name)(x, 0)
    (out * 3).backward()
    assert (out.item(), place.item(), x.grad.item()) == (2.5, 0, 3.0)


def test_draws_without_return_are_those_of_paddle():
    """Rows of different weights, one of them with a 0; recorded from Paddle 2.6.2."""
    weights = paddle.to_tensor([[.1, .2, .3, .4, 0.], [.5, .1, .1, .2, .1]])
    for seed, drawn in ((3, [[2, 3, 0, 1], [0, 3, 4, 2]]), (5, [[3, 2, 1, 0], [0, 3, 4, 2]]), (11, [[1, 3, 2, 0], [0, 4, 2, 1]])):
        paddle.seed(seed)
        assert paddle.multinomial(weights, 4, False).tolist() == drawn
    paddle.seed(2)
    assert paddle.multinomial(paddle.to_tensor([.1, .2, .3, .4]), 8, True).tolist() == [3, 2, 2, 3, 2, 2, 0, 1]


def test_boxes_without_width_have_an_area_where_pixels_count():
    """A box from a pixel to itself is one pixel wide; one that ends before its start has no area."""
    boxes = paddle.to_tensor([[0.0, 0, 0, 300], [0, 0, -1, 300]])
    levels = distribute_fpn_proposals(boxes, 2, 5, 4, 4, pixel_offset=True)[0]
    assert [len(level) for level in levels] == [1, 0, 0, 1] and levels[3].tolist() == [[0, 0, 0, 300]]
    with pytest.raises(ValueError, match="min_level"):
        distribute_fpn_proposals(boxes, 5, 4, 4, 4)
    with pytest.raises(ValueError, match="min_level"):  # 2.6.2 wants two levels at least
        distribute_fpn_proposals(boxes, 4, 4, 4, 4)


@pytest.mark.parametrize("logits, label", [((4, 2), (2, 2)), ((4, 2, 3), (2,)), ((4, 2, 3), (3, 2))])
def test_shapes_of_ctc_are_checked_one_by_one(logits, label):
    lengths = paddle.to_tensor([1] * 2)
    with pytest.raises(ValueError, match="must be"):
        F.ctc_loss(paddle.ones(logits), paddle.ones(label, "int32"), lengths, lengths)


@pytest.mark.parametrize("mode", ["LSTM", "GRU", "SimpleRNN"])
@pytest.mark.parametrize("fast", [True, False])
def test_rows_past_their_length_keep_their_state(mode, fast):
    """A batch of sequences of different lengths gives what each of them gives alone, forward, backward and twice backward."""
    def outcome(x, lengths):
        out, state = net(x, sequence_length=lengths)
        state = state[0] if isinstance(state, tuple) else state
        first = paddle.grad([(out ** 2).sum() + (state ** 2).sum()], [x], create_graph=True)[0]
        second = paddle.grad([(first ** 2).sum()], [x])[0]
        return out.numpy(), state.numpy(), first.numpy(), second.numpy()
    paddle.seed(4)
    net = getattr(paddle.nn, mode)(3, 4)
    array = np.random.RandomState(0).uniform(-1, 1, (2, 5, 3)).astype("float32")
    before = kernels.enabled()
    kernels.use(fast)
    try:
        whole = outcome(paddle.to_tensor(array, stop_gradient=False), paddle.to_tensor([5, 3]))
        alone = outcome(paddle.to_tensor(array[1:, :3], stop_gradient=False), None)
    finally:
        kernels.use(before)
    np.testing.assert_allclose(whole[0][1, :3], alone[0][0], atol=1e-5)
    assert not whole[0][1, 3:].any() and not whole[2][1, 3:].any()
    np.testing.assert_allclose(whole[1][:, 1], alone[1][:, 0], atol=1e-5)
    np.testing.assert_allclose(whole[2][1, :3], alone[2][0], atol=1e-4)
    np.testing.assert_allclose(whole[3][1, :3], alone[3][0], atol=1e-3)


def test_a_pyramid_of_three_channels_in_a_program():
    """The shape rule: 1 + 4 + 16 parts of each channel."""
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            x = paddle.static.data("x", [2, 3, 8, 8], "float32")
            out = spatial_pyramid_pool(x, 3, "max")
            assert tuple(out.shape) == (2, 63)
        (got,) = paddle.static.Executor().run(main, feed={"x": np.ones((2, 3, 8, 8), "float32")}, fetch_list=[out])
        assert got.shape == (2, 63)
    finally:
        paddle.disable_static()


def test_a_size_and_a_scale_say_where_cells_lie():
    x = np.arange(10.0).reshape(1, 1, 10)
    out = linear_interp(x, np.array([5]), scale=[0.8], align_corners=False, align_mode=0)
    at = np.maximum((np.arange(5) + 0.5) / 0.8 - 0.5, 0)  # by the scale; the size alone would say 2 * (k + 0.5) - 0.5
    assert np.allclose(out, np.interp(at, np.arange(10), x[0, 0]))
