"""Layers and functions that Paddle 3 added; the values were recorded from Paddle 3.3.1."""

import numpy as np
import pytest

import paddle

F, nn = paddle.nn.functional, paddle.nn
A = np.arange(32, dtype="float32").reshape(1, 2, 4, 4)
ROW = np.arange(1, 12, dtype="float32").reshape(1, 1, 1, 11)


def t(values):
    return paddle.to_tensor(np.array(values))


RECORDED = [
    (lambda: F.lp_pool1d(paddle.to_tensor([[[1., 2, 3, 4, 5]]]), 3, 2, ceil_mode=True), [[[2.0800838, 4.4979415, 5.0000005]]]),
    (lambda: F.lp_pool1d(paddle.to_tensor([[[-1., 2, 3, 4, 5]]]), 1, 2, stride=1, padding=1), [[[-1, 1, 5, 7, 9, 5]]]),
    (lambda: F.lp_pool2d(t(A), 2, 2)[0, 0], [[6.4807405, 9.8994951], [21.4009342, 25.3377190]]),
    (lambda: F.lp_pool2d(t(A), float("inf"), 2)[0, 1], [[21, 23], [29, 31]]),
    (lambda: F.multi_label_margin_loss(paddle.to_tensor([[1., 2.], [3., 4.]]), t([[0, -1], [1, -1]])), 0.5),
    (lambda: F.multi_label_margin_loss(paddle.to_tensor([[.1, .2, .4, .8]]), t([[3, 0, -1, 1]]), "none"), [0.85]),
    (lambda: F.swiglu(paddle.to_tensor([[1., 2.], [3., 4.]])), [[1.4621172], [11.4308901]]),
    (lambda: F.fractional_max_pool2d(t(ROW), [1, 7], random_u=0.1).flatten(), [1, 3, 4, 6, 7, 9, 11]),
    (lambda: F.fractional_max_pool2d(t(ROW), [1, 7], random_u=0.6).flatten(), [2, 3, 5, 7, 8, 10, 11]),
    (lambda: F.fractional_max_pool2d(t(ROW), [1, 7], kernel_size=[1, 2], random_u=0.3).flatten(), [2, 3, 5, 6, 8, 9, 11]),
    (lambda: F.fractional_max_pool2d(t(A), 3, kernel_size=2, random_u=.3, return_mask=True)[1][0, 1], [[5, 6, 7], [9, 10, 11],
                                                                                                      [13, 14, 15]]),
    (lambda: F.fractional_max_pool3d(t(A.reshape(1, 1, 2, 4, 4)), [1, 2, 2], random_u=.3).flatten(), [21, 23, 29, 31]),
    (lambda: nn.ConstantPad2D([1, 2, 0, 1], 5.)(paddle.ones([1, 1, 1, 1])), [[[[5, 1, 5, 5], [5, 5, 5, 5]]]]),
    (lambda: nn.CircularPad1D(1)(paddle.to_tensor([[[1., 2, 3]]])), [[[3, 1, 2, 3, 1]]]),
    (lambda: nn.ReplicationPad1d([1, 0])(paddle.to_tensor([[[1., 2, 3]]])), [[[1, 1, 2, 3]]]),
    (lambda: nn.ZeroPad1D([1, 2])(paddle.ones([1, 1, 2])), [[[0, 1, 1, 0, 0]]]),
]


@pytest.mark.parametrize("number", range(len(RECORDED)))
def test_value_recorded_from_paddle_3(number):
    function, wanted = RECORDED[number]
    np.testing.assert_allclose(function().numpy(), np.array(wanted), rtol=1e-6)


def test_same_draws_as_paddle_3():
    paddle.seed(1)
    out = F.feature_alpha_dropout(paddle.ones([3, 4, 2]), 0.5).numpy()
    assert (out[..., 0] > 0).astype(int).tolist() == [[0, 1, 1, 0], [0, 1, 1, 1], [1, 0, 0, 1]]
    np.testing.assert_allclose(np.unique(out), [-0.7791938, 1.6655989], rtol=1e-6)


def test_adaptive_softmax_is_a_distribution():
    paddle.seed(3)
    layer, x = nn.AdaptiveLogSoftmaxWithLoss(8, 6, [2, 4], div_value=2.0, head_bias=True), paddle.rand([5, 8])
    logs, label = layer.log_prob(x), paddle.to_tensor([0, 3, 5, 1, 2])
    np.testing.assert_allclose(logs.exp().sum(1).numpy(), np.ones(5), rtol=1e-5)
    out, loss = layer(x, label)
    np.testing.assert_allclose(out.numpy(), logs.numpy()[np.arange(5), label.numpy()], rtol=1e-5)
    np.testing.assert_allclose(float(loss), -out.numpy().mean(), rtol=1e-6)
    loss.backward()
    assert all(p.grad is not None for p in layer.parameters()) and len(layer.parameters()) == 6
    with pytest.raises(ValueError, match="labels"):
        layer(x, label + 3)


def test_names_of_pytorch_are_the_classes():
    assert (nn.Module, nn.Conv2d, nn.SiLU, nn.ModuleList) == (nn.Layer, nn.Conv2D, nn.Silu, nn.LayerList)
    made = nn.Parameter(paddle.ones([2]))
    layer = nn.Layer()
    layer.weight = made
    assert isinstance(made, nn.Parameter) and not isinstance(paddle.ones([2]), nn.Parameter)
    assert list(layer.state_dict()) == ["weight"]
    assert repr(nn.ReflectionPad2D(1)) == "ReflectionPad2D(padding=[1, 1, 1, 1], mode=reflect, value=0.0, data_format=NCHW)"
    assert repr(nn.LPPool1D(2, 2)) == "LPPool1D(norm_type=2.0, kernel_size=2, stride=None, padding=0)"


def test_rms_norm():
    x = np.array([[1.0, 2.0, 3.0]])
    got = F.rms_norm(paddle.to_tensor(x), [3], paddle.to_tensor([1.0, 2.0, 3.0], "float64"), 0.5).numpy()
    np.testing.assert_allclose(got, x / np.sqrt((x ** 2).mean() + 0.5) * [1, 2, 3])
