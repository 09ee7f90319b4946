"""Steps of learnt size. The first batch's values and gradients are Paddle 2.6.2's."""

import numpy as np
import pytest

import paddle
from paddle.nn.quant.lsq import FakeQuantActLSQPlus, FakeQuantWeightLSQPlus

RNG = np.random.RandomState(0)
ACTIVATION, WEIGHT = RNG.randn(2, 3, 4).astype("float32"), RNG.randn(4, 3, 2, 2).astype("float32") * np.float32(0.3)


def run(layer, array):
    """What a layer gives, and the gradient of its input; weights of the sum are cosines."""
    x = paddle.to_tensor(array, stop_gradient=False)
    out = layer(x)
    (out * paddle.to_tensor(np.cos(np.arange(array.size, dtype="float32")).reshape(array.shape))).sum().backward()
    return out.numpy().ravel(), x.grad.numpy().ravel()


@pytest.mark.parametrize("settings, out, grad, numbers", [
    ({}, [1.9213, 0.32334, 0.96252, 2.24089], [1.0, 0.5403, -0.41615, -0.98999],
     {"s": (0.31959, -0.03022), "beta": (0.00375, 0.0)}),
    ({"symmetric": True}, [1.91755, 0.31959, 0.95878, 2.23715], [1.0, 0.5403, -0.41615, 0.0], {"s": (0.31959, -0.56528)}),
])
def test_activations(settings, out, grad, numbers):
    layer = FakeQuantActLSQPlus(4, **settings)
    got = run(layer, ACTIVATION)
    np.testing.assert_allclose(got[0][:4], out, atol=1e-5)
    np.testing.assert_allclose(got[1][:4], grad, atol=1e-5)
    for name, expected in numbers.items():
        parameter = getattr(layer, name)
        np.testing.assert_allclose([float(parameter), float(parameter.grad)], expected, atol=1e-5)


def test_channels_of_a_convolution():
    layer = FakeQuantWeightLSQPlus(4, per_channel=True, channel_num=4)
    out, grad = run(layer, WEIGHT)
    np.testing.assert_allclose(out[:4], [0.53132, -0.45542, 0.0, -0.0759], atol=1e-5)
    np.testing.assert_allclose(grad[:4], [0.0, 0.5403, -0.41615, -0.98999], atol=1e-5)
    np.testing.assert_allclose(layer.s.numpy(), [0.0759, 0.07407, 0.04573, 0.05478], atol=1e-5)
    np.testing.assert_allclose(layer.s.grad.numpy(), [0.39295, 0.36833, -0.21857, 0.05907], atol=1e-5)


def test_columns_of_a_linear_layer_are_its_channels():
    weight = RNG.randn(5, 3).astype("float32")
    layer = FakeQuantWeightLSQPlus(4, per_channel=True, channel_num=3, quant_linear=True)
    out, step = run(layer, weight)[0].reshape(5, 3), layer.s.numpy()
    expected = np.clip(np.sign(weight) * np.floor(np.abs(weight / step) + 0.5), -8, 7) * step
    np.testing.assert_allclose(out, expected, atol=1e-6)


def test_a_start_over_several_batches_and_refusals():
    layer = FakeQuantActLSQPlus(2, batch_init=2)
    for last, size, offset in ((3.0, 1.0, 2.0), (6.0, 1.1, 2.02), (60.0, 1.1, 2.02)):
        layer(paddle.to_tensor([0.0, last]))
        np.testing.assert_allclose([float(layer.s), float(layer.beta)], [size, offset], rtol=1e-6)
    with pytest.raises(ValueError, match="channel_num"):
        FakeQuantWeightLSQPlus(4, per_channel=True)
    with pytest.raises(ValueError, match="reduce_type"):
        FakeQuantActLSQPlus(4, reduce_type="sum")
