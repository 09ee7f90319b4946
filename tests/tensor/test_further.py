"""Keywords that Paddle 3 added to functions of 2.6; expected values are those of Paddle 3.3.1, unless NumPy says them."""

import copy

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F

t = paddle.to_tensor
X, Y = [1.0, 2.0, 3.0, 4.0], [2.0, 2.0, 2.0, 2.0]
SQUARE = [[2.0, 1.0], [0.0, 4.0]]

CASES = {
    "add": (lambda: paddle.add(t(X), t(Y), alpha=2), [5.0, 6.0, 7.0, 8.0]),
    "add_": (lambda: t(X).add_(t(Y), alpha=3), [7.0, 8.0, 9.0, 10.0]),
    "subtract": (lambda: paddle.subtract(t(X), t(Y), alpha=2, out=paddle.empty([4])), [-3.0, -2.0, -1.0, 0.0]),
    "trunc": (lambda: paddle.divide(t([-3.0, 3.0]), t([2.0, 2.0]), rounding_mode="trunc"), [-1.0, 1.0]),
    "floor": (lambda: t([-3, 3]).divide_(t([2, 2]), rounding_mode="floor"), [-2, 1]),
    "weights": (lambda: paddle.histogram(t(X), 4, 0, 4, weight=t(Y)), [0.0, 2.0, 2.0, 4.0]),
    "density": (lambda: paddle.histogram(t(X), 4, 0, 4, density=True), [0.0, 0.25, 0.25, 0.5]),
    "lower median": (lambda: paddle.median(t(X), 0, mode="min")[1], 1),
    "lower median of all": (lambda: paddle.median(t(X), mode="min"), 2.0),
    "decimals": (lambda: paddle.round(t([1.234]), decimals=2), [1.23]),
    "side": (lambda: paddle.searchsorted(t(X), t([2.0]), side="right"), [2]),
    "sorter": (lambda: paddle.searchsorted(t([3.0, 1.0, 2.0]), t([2.0]), sorter=t([1, 2, 0])), [1]),
    "correction": (lambda: paddle.var(t(X), correction=0), 1.25),
    "rank": (lambda: paddle.linalg.matrix_rank(t([[1.0, 0.0], [0.0, 1e-3]]), atol=1e-2), 1),
    "right solve": (lambda: paddle.linalg.solve(t(SQUARE), t([[1.0, 2.0], [3.0, 4.0]]), left=False) @ t(SQUARE),
                    [[1.0, 2.0], [3.0, 4.0]]),
    "mean": (lambda: paddle.mean(t([1, 2]), dtype="float32"), 1.5),
    "stable": (lambda: paddle.argsort(t([2.0, 1.0, 2.0]), stable=True), [1, 0, 2]),
    "sorted": (lambda: paddle.unique(t([2, 1, 2]), sorted=False), [1, 2]),
    "probability": (lambda: paddle.bernoulli(paddle.zeros([3]), p=1.0), [1.0, 1.0, 1.0]),
    "repeats": (lambda: paddle.repeat_interleave(t([1, 2]), 2, output_size=4), [1, 1, 2, 2]),
    "ids first": (lambda: paddle.index_select(paddle.arange(6).reshape([2, 3]), 1, t([0, 2])), [[0, 2], [3, 5]]),
    "gather": (lambda: paddle.gather(paddle.arange(6).reshape([2, 3]), 1, t([[0], [2]])), [[0], [5]]),
    "index_add": (lambda: paddle.index_add(paddle.zeros([3]), 0, t([1]), t([2.0]), alpha=3), [0.0, 6.0, 0.0]),
    "log target": (lambda: F.kl_div(t([0.1]), t([0.2]), log_target=True), 0.12214028),
    "not Huber's": (lambda: F.smooth_l1_loss(t([3.0]), t([1.0]), delta=2.0, is_huber=False), 1.0),
    "last axis first": (lambda: F.pad(t([[1.0, 2.0]]), [1, 0, 0, 1], pad_from_left_axis=False), [[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]),
    "last axis only": (lambda: F.pad(t([[1.0, 2.0]]), [1, 1]), [[0.0, 1.0, 2.0, 0.0]]),
    "impossible labels": (lambda: F.ctc_loss(paddle.zeros([1, 1, 2]), t([[1, 1]]), t([1]), t([2]), reduction="sum",
                                             zero_infinity=True), 0.0),
}


@pytest.mark.parametrize("case", CASES)
def test_value(case):
    compute, want = CASES[case]
    np.testing.assert_allclose(compute().numpy(), want, rtol=1e-6)


@pytest.mark.parametrize("axis, keepdim, shape", [(None, False, []), (1, False, [2]), (None, True, [1, 1]), (0, True, [1, 3])])
@pytest.mark.parametrize("q", [[0.5], (0.5,), 0.5])
def test_one_quantile_is_no_axis(q, axis, keepdim, shape):
    """Also where it is in a list, in Paddle 2.6.2 and 3.3.1."""
    x = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    for function in (paddle.quantile, paddle.nanquantile):
        assert function(x, q, axis=axis, keepdim=keepdim).shape == shape
    assert paddle.quantile(x, [0.5, 0.25], axis=axis, keepdim=keepdim).shape == [2, *shape]


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_between_elements(interpolation):
    x = np.array([4.0, 1.0, 3.0, 2.0, 7.0, 5.0])
    for q in (0.0, 0.1, 0.3, 0.5, 0.77, 1.0):
        got = paddle.quantile(t(x), q, interpolation=interpolation)
        np.testing.assert_allclose(got.item(), np.quantile(x, q, method=interpolation))
    assert paddle.nanquantile(t([1.0, np.nan, 2.0]), 0.5, interpolation="lower").item() == 1.0


def test_embedding_limits_rows_and_counts_them():
    w = t([[3.0, 4.0], [1.0, 0.0], [9.0, 9.0]], stop_gradient=False)
    F.embedding(t([0, 0, 1]), w, max_norm=1.0, scale_grad_by_freq=True).sum().backward()
    np.testing.assert_allclose(w.numpy(), [[0.6, 0.8], [1.0, 0.0], [9.0, 9.0]], atol=1e-6)
    assert w.grad.tolist() == [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]


def test_inplace_and_layers():
    x = t([-1.0, 1.0])
    assert F.silu(x, inplace=True) is x and abs(x[1].item() - 0.7310586) < 1e-6
    y = paddle.ones([4])
    paddle.nn.Dropout(1.0, inplace=True)(y)
    assert y.tolist() == [0.0] * 4
    assert paddle.nn.Conv2D(1, 2, 3, bias=False).bias is None
    assert paddle.nn.LayerNorm(3, elementwise_affine=False).weight is None and paddle.nn.LayerNorm(3, bias=False).bias is None
    assert paddle.nn.TransformerEncoderLayer(4, 2, 4, layer_norm_eps=0.5).norm2._epsilon == 0.5
    frozen = paddle.nn.Embedding(2, 2, _weight=paddle.ones([2, 2]), _freeze=True)
    assert frozen.weight.stop_gradient and frozen.weight.tolist() == [[1.0, 1.0]] * 2


def test_hooks_in_front_and_with_keywords():
    class Twice(paddle.nn.Layer):
        def forward(self, x, times=2):
            return x * times

    layer, seen = Twice(), []
    layer.register_forward_pre_hook(lambda layer, inputs: seen.append("second"))
    layer.register_forward_pre_hook(lambda layer, inputs, keywords: (inputs, {"times": 5}), prepend=True, with_kwargs=True)
    layer.register_forward_post_hook(lambda layer, inputs, keywords, out: seen.append(keywords), with_kwargs=True, always_call=True)
    assert layer(t([1.0]), times=3).tolist() == [5.0] and seen == ["second", {"times": 5}]
    with pytest.raises(TypeError):
        layer("text", 1, 2)
    assert len(seen) == 4  # the last hook saw the failure too


def test_layers_and_members_under_every_name():
    shared = paddle.nn.Linear(1, 1)
    both = paddle.nn.Sequential(shared, shared)
    assert [n for n, _ in both.named_parameters(remove_duplicate=False)] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert [n for n, _ in both.named_sublayers(remove_duplicate=False)] == ["0", "1"]
    assert len(list(both.named_parameters())) == 2


def test_errors():
    with pytest.raises(TypeError, match="alpha must be an int"):
        paddle.add(t([1]), t([1]), alpha=0.5)
    with pytest.raises(ValueError, match="output_size"):
        paddle.repeat_interleave(t([1, 2]), 2, output_size=3)
    with pytest.raises(ValueError, match="exclude"):
        paddle.searchsorted(t(X), t([2.0]), right=True, side="left")
    with pytest.raises(ValueError, match="interpolation"):
        paddle.quantile(t(X), 0.5, interpolation="cubic")


def test_a_deep_copy_has_no_gradient_and_a_name_of_its_own():
    layer = paddle.nn.Linear(2, 2)
    layer(paddle.ones([1, 2])).sum().backward()
    other = copy.deepcopy(layer)
    assert other.weight.grad is None and layer.weight.grad is not None
    assert other.weight.name.startswith(layer.weight.name + "_deepcopy_") and other.bias.name != other.weight.name
    assert other.weight.numpy().tolist() == layer.weight.numpy().tolist()


def test_values_for_a_mask_that_names_nothing():
    x, value = paddle.ones([4, 3]), paddle.ones([2, 1])
    x.stop_gradient = value.stop_gradient = False
    for accumulate in (False, True):
        out = paddle.index_put(x, (paddle.zeros([4, 3], "bool"),), value, accumulate)
        by_x, by_value = paddle.grad(out, [x, value])
        assert out.tolist() == by_x.tolist() == [[1.0] * 3] * 4 and by_value.tolist() == [[0.0], [0.0]]


def test_upsampling_to_one_size():
    assert paddle.nn.UpsamplingNearest2D(4)(paddle.ones([1, 1, 2, 2])).shape == [1, 1, 4, 4]
    assert str(paddle.nn.UpsamplingBilinear2D(4)) == "UpsamplingBilinear2D(size=[4, 4], data_format=NCHW)"
