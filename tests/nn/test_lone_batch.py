"""Batch norm in training of a batch with one element for each channel: what real Paddle 2.6.2 and 3.3.1 give on a CPU."""

import numpy as np
import pytest

import paddle
from paddle import nn

X, WEIGHTS = np.float32([1, -2, 5]), np.float32([1, 2, 3])


def _layer(dims, **kwargs):
    layer = {2: nn.BatchNorm1D, 3: nn.BatchNorm1D, 4: nn.BatchNorm2D, 5: nn.BatchNorm3D}[dims](3, **kwargs)
    layer.weight.set_value(np.float32([2, 3, 4]))
    layer.bias.set_value(np.float32([0.5, 0.6, 0.7]))
    return layer


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("shape", [[1, 3], [1, 3, 1], [1, 3, 1, 1], [1, 3, 1, 1, 1]])
def test_it_stays_as_it_is(shape, fast):
    paddle.set_flags({"FLAGS_use_fast_kernels": fast})
    try:
        layer, x = _layer(len(shape)), paddle.to_tensor(X.reshape(shape), stop_gradient=False)
        y = layer(x)
        (y * paddle.to_tensor(WEIGHTS.reshape(shape))).sum().backward()
    finally:
        paddle.set_flags({"FLAGS_use_fast_kernels": True})
    assert y.flatten().tolist() == X.tolist() and x.grad.flatten().tolist() == WEIGHTS.tolist()
    assert layer.weight.grad.tolist() == layer.bias.grad.tolist() == [0.0] * 3
    assert layer._mean.tolist() == [0.0] * 3 and layer._variance.tolist() == [1.0] * 3
    layer.eval()
    np.testing.assert_allclose(layer(x).numpy().ravel(), X / np.sqrt(1 + 1e-5) * [2, 3, 4] + [0.5, 0.6, 0.7], rtol=1e-6)


def test_channels_last_and_an_activation_behind():
    assert _layer(3, data_format="NLC")(paddle.to_tensor(X.reshape(1, 1, 3))).flatten().tolist() == X.tolist()
    net, x = nn.Sequential(_layer(4), nn.ReLU()), paddle.to_tensor(X.reshape(1, 3, 1, 1), stop_gradient=False)
    y = net(x)
    y.sum().backward()
    assert y.flatten().tolist() == [1.0, 0.0, 5.0] and x.grad.flatten().tolist() == [1.0, 0.0, 1.0]
    assert net[0]._mean.tolist() == [0.0] * 3


@pytest.mark.parametrize("shape", [[-1, 3, -1, -1], [1, 3, 1, 1], [-1, 3]])
def test_in_programs(shape):
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.static.scope_guard(paddle.static.Scope()):
            x = paddle.static.data("x", shape)
            x.stop_gradient = False
            layer = _layer_of_program(len(shape))
            y = layer(x)
            got = [y, *paddle.static.gradients([(y * y).sum()], [x, layer.weight]), layer._mean]
            exe = paddle.static.Executor()
            exe.run(startup)
            one = X.reshape(1, 3, *[1] * (len(shape) - 2))
            for _ in range(3):  # as interpreted, and as recorded
                y, dx, dw, mean = exe.run(main, {"x": one}, fetch_list=got)
                np.testing.assert_array_equal(y, one)
                np.testing.assert_array_equal(dx, 2 * one)
                assert not dw.any() and not mean.any()
            if shape[0] == -1:
                two = np.concatenate([one, one + 2])
                y, *_, mean = exe.run(main, {"x": two}, fetch_list=got)
                np.testing.assert_allclose(y, np.concatenate([one * 0 - 1, one * 0 + 1]), atol=1e-4)
                np.testing.assert_allclose(mean, 0.1 * (X + 1), rtol=1e-5)
    finally:
        paddle.disable_static()


def _layer_of_program(dims):
    return nn.BatchNorm1D(3) if dims == 2 else nn.BatchNorm2D(3)


def test_relu6_behind():
    x = paddle.to_tensor(np.float32([7, -2, 5]).reshape(1, 3, 1, 1), stop_gradient=False)
    y = nn.Sequential(_layer(4), nn.ReLU6())(x)
    y.sum().backward()
    assert (y.flatten().tolist(), x.grad.flatten().tolist()) == ([6.0, 0.0, 5.0], [0.0, 0.0, 1.0])
