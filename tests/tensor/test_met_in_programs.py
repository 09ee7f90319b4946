"""Corners that programs of others came to. The numbers were recorded from Paddle 2.6.2."""

import numpy as np
import pytest

import paddle
from paddle.nn import functional as F


@pytest.mark.parametrize("eps, end", [(0.25, 0), (None, np.inf)])
def test_logit_has_no_slope_where_it_is_limited_or_has_no_value(eps, end):
    x = paddle.to_tensor([-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5], stop_gradient=False)
    paddle.logit(x, eps).sum().backward()
    np.testing.assert_allclose(x.grad, [0, end, 16 / 3, 4, 16 / 3, end, 0], rtol=1e-6)


def test_attention_of_which_nothing_is_kept():
    attention = paddle.nn.MultiHeadAttention(8, 2, dropout=1.0)
    x = paddle.rand([2, 4, 8])
    x.stop_gradient = False
    out = attention(x)
    assert not out.any()
    out.sum().backward()
    assert not x.grad.any()


def test_sizes_that_were_divided():
    x = paddle.rand([1, 1, 4, 4])
    assert F.interpolate(x, size=(6.0, 7.0)).shape == [1, 1, 6, 7]
    assert paddle.nn.UpsamplingBilinear2D(size=[10 / 1, 10.0])(x).shape == [1, 1, 10, 10]


def test_assign_into_a_leaf():
    x, out = (paddle.to_tensor([1.0, 2.0], stop_gradient=False) for _ in range(2))
    assert paddle.assign(x * 2, out) is out
    assert not out.is_leaf and not out.stop_gradient
    (out * 3).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0] and out.grad is None


def test_the_eps_of_spectral_norm_is_a_least_length():
    rng = np.random.RandomState(1)
    layer = paddle.nn.Conv2D(3, 4, 3)
    layer.weight.set_value(rng.randn(4, 3, 3, 3).astype("float32"))
    layer.bias.set_value(np.zeros(4, "float32"))
    layer = paddle.nn.utils.spectral_norm(layer, eps=0.1)
    for vector in (layer.weight_u, layer.weight_v):
        vector.set_value(rng.randn(*vector.shape).astype("float32"))
    y = layer(paddle.to_tensor(rng.randn(1, 3, 4, 4).astype("float32")))
    np.testing.assert_allclose(y.numpy().ravel()[:2], [0.7511815, -0.43762816], rtol=1e-5)
    np.testing.assert_allclose(layer.weight_u[:2], [-0.06921703, 0.21185624], rtol=1e-5)


def test_roi_align_of_many_boxes_at_once():
    """Of a picture that is a plane, the mean in a cell is the plane at the cell's middle; gradients count every cell once."""
    rng = np.random.RandomState(0)
    low = rng.uniform(2, 8, (50, 2))
    boxes = np.concatenate([low, low + rng.uniform(0.1, 6, (50, 2))], 1)
    across, down = np.meshgrid(np.arange(16.0), np.arange(18.0))
    x = paddle.to_tensor(np.stack([across, 3 * down + 1])[None].astype("float32"), stop_gradient=False)
    for aligned, shift, smallest in ((True, 0.5, 0.0), (False, 0.0, 1.0)):
        x.clear_grad()
        out = paddle.vision.ops.roi_align(x, paddle.to_tensor(boxes.astype("float32")), paddle.to_tensor([50], "int32"), [2, 3],
                                          aligned=aligned)
        size = np.maximum(boxes[:, 2:] - boxes[:, :2], smallest)
        xs = boxes[:, :1] - shift + size[:, :1] * (np.arange(3) + 0.5) / 3
        ys = boxes[:, 1:2] - shift + size[:, 1:] * (np.arange(2) + 0.5) / 2
        np.testing.assert_allclose(out[:, 0], np.broadcast_to(xs[:, None], (50, 2, 3)), rtol=1e-5)
        np.testing.assert_allclose(out[:, 1], np.broadcast_to(3 * ys[:, :, None] + 1, (50, 2, 3)), rtol=1e-5)
        out.sum().backward()
        np.testing.assert_allclose(x.grad.sum(), out.size, rtol=1e-5)


@pytest.mark.parametrize("function, weight", [(F.conv1d, [2, 3, 1]), (F.conv1d_transpose, [3, 2, 3]), (F.conv2d, [2, 3, 1, 1]),
                                              (F.conv2d_transpose, [3, 2, 1, 1]), (F.conv3d, [2, 3, 1, 1, 1])])
def test_one_number_is_the_bias_of_all_channels(function, weight):
    x, bias = paddle.ones([2, 3, *[2] * (len(weight) - 2)]), paddle.to_tensor([0.5], stop_gradient=False)
    out = function(x, paddle.ones(weight), bias)
    np.testing.assert_array_equal(out, function(x, paddle.ones(weight)) + 0.5)
    out.mean().backward()
    np.testing.assert_allclose(bias.grad, [1.0], rtol=1e-6)


@pytest.mark.parametrize("kind", ["int32", "int64", "uint8"])
@pytest.mark.parametrize("bounds", [{}, {"min": 1}, {"max": 2}, {"min": 0, "max": float("inf")}, {"min": -1e30, "max": 1e30}],
                         ids=str)
def test_clip_of_integers_without_a_bound(kind, bounds):
    x = np.array([0, 1, 3, 100], kind)
    expected = np.clip(x.astype("float64"), bounds.get("min", -np.inf), bounds.get("max", np.inf)).astype(kind)
    traced = paddle.jit.to_static(lambda x: paddle.clip(x, **bounds))
    eager = paddle.clip(paddle.to_tensor(x), **bounds)
    if not any(isinstance(v, float) for v in bounds.values()):
        assert eager.dtype == paddle.to_tensor(x).dtype
    for out in (eager, traced(paddle.to_tensor(x))):
        np.testing.assert_array_equal(out.numpy(), expected)


def test_files_have_bounds_of_integers_that_their_type_holds():  # attributes of Paddle 2.6.2's programs
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            for kind in ("int32", "int64"):
                paddle.clip(paddle.static.data(kind, [2], kind))
        found = [[op.attr("min"), op.attr("max")] for op in main.global_block().ops]
    finally:
        paddle.disable_static()
    assert found == [[-2147483648.0, 2147483520.0], [-9223372036854775808.0, 9223371487098961920.0]]


def test_is_tensor_of_variables():
    """Functions that ask for a Tensor go the same way in programs and while they are translated."""
    seen = []

    @paddle.jit.to_static(full_graph=True)
    def twice(x):
        seen.append(paddle.is_tensor(x))
        return x * 2

    twice(paddle.ones([2]))
    with paddle.static.program_guard(paddle.static.Program()):
        paddle.enable_static()
        try:
            seen += [paddle.is_tensor(paddle.static.data("x", [2])), paddle.is_tensor(paddle.tensor.create_array("float32")),
                     paddle.is_tensor(3)]
        finally:
            paddle.disable_static()
    assert seen == [True, True, True, False]


@pytest.mark.parametrize("arguments, dtype, count", [((5.0,), None, 5), ((0, 1, 0.3), "float32", 4), ((0, 5, 1), "float64", 5),
                                                     ((3, 0), None, 0), ((5, 0, -2), "int32", 3)])
def test_arange_of_numbers_has_a_known_length_in_programs(arguments, dtype, count):
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main):
            out = paddle.arange(*arguments, dtype=dtype)
            assert out.shape == (count,)
            assert paddle.static.Executor().run(main, fetch_list=[out])[0].shape == (count,)
    finally:
        paddle.disable_static()


def test_einsum_puts_values_on_diagonals():
    x, y = paddle.to_tensor([1.0, 2.0], stop_gradient=False), paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert paddle.einsum("i->ii", x).tolist() == [[1, 0], [0, 2]]
    assert paddle.einsum("i,j->ii", x, x).tolist() == [[3, 0], [0, 6]]
    assert paddle.einsum("...i->...ii", y).tolist() == [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]
    assert paddle.einsum("i->iii", x).tolist() == [[[1, 0], [0, 0]], [[0, 0], [0, 2]]]
    (paddle.einsum("i->ii", x) * y).sum().backward()
    assert x.grad.tolist() == [1, 4]
    with pytest.raises(ValueError, match="names an axis twice or one that no operand has"):
        paddle.einsum("i->ikk", x)


def test_inplace_assign_to_a_leaf():
    x, a = paddle.ones([1]), paddle.to_tensor([3.])
    x.stop_gradient = a.stop_gradient = False
    x._inplace_assign(a * 2)
    x.mean().backward()
    assert x.tolist() == [6.] and not x.is_leaf and x.grad is None and a.grad.tolist() == [2.]  # as real Paddle has it
