"""Arguments of Paddle 3 that 2.6 has not. Values of ``interpolate`` are Paddle 3.3.1's."""

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.nn.functional import further

PICTURE = (np.arange(36, dtype=np.float64) ** 1.3).reshape(1, 1, 6, 6)
SMOOTH = {
    ("bilinear", False): [8.69, 11.4287, 14.6037, 17.9213, 35.7107, 39.8587, 44.2444, 48.6077, 69.7701, 74.6498, 79.751, 84.7772],
    ("bilinear", True): [12.7633, 16.1759, 20.3683, 23.0225, 49.6655, 54.6831, 60.4058, 63.9009, 78.4625, 84.0942, 90.4663,
                         94.3363],
    ("bicubic", False): [5.9168, 8.5221, 11.8832, 15.1713, 34.8855, 39.1324, 43.9789, 48.4401, 72.6971, 77.7041, 83.3665, 88.5299],
    ("bicubic", True): [9.2857, 12.629, 16.8258, 19.784, 51.0182, 56.276, 62.2731, 66.3207, 84.0265, 89.9495, 96.6642, 101.1727],
}


@pytest.mark.parametrize("mode, corners", SMOOTH)
def test_resizing_without_aliasing(mode, corners):
    x = paddle.to_tensor(PICTURE, stop_gradient=False)
    out = further.interpolate(x, [3, 4], mode=mode, align_corners=corners, antialias=True)
    assert np.allclose(out.numpy().ravel(), SMOOTH[mode, corners], atol=6e-5)
    out.sum().backward()
    step = np.zeros_like(PICTURE)
    step[0, 0, 2, 3] = 1e-3
    further_on = further.interpolate(paddle.to_tensor(PICTURE + step), [3, 4], mode=mode, align_corners=corners, antialias=True)
    assert np.isclose(float((further_on - out).sum()) / 1e-3, float(x.grad[0, 0, 2, 3]), atol=1e-6)
    last = further.interpolate(x.transpose([0, 2, 3, 1]), scale_factor=0.5, mode=mode, data_format="NHWC", antialias=True)
    assert last.shape == [1, 3, 3, 1]
    with pytest.raises(ValueError, match="mode of antialias=True"):
        further.interpolate(x, [3, 4], mode="nearest", antialias=True)


def test_hooks_with_keywords_and_after_errors():
    class Adds(nn.Layer):
        def forward(self, x, y=0.0):
            if y == 3.0:
                raise ValueError("three")
            return x + y
    layer, seen = Adds(), []
    layer.register_forward_hook(lambda layer, inputs, keywords, out: seen.append((keywords, out is None)), with_kwargs=True,
                                always_call=True)
    layer(paddle.ones([1]), y=2.0)
    with pytest.raises(ValueError, match="three"):
        layer(paddle.ones([1]), y=3.0)
    assert seen == [({"y": 2.0}, False), ({"y": 3.0}, True)]


def test_a_layer_takes_the_given_tensors_themselves():
    layer = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1D(3))
    given = {key: paddle.full(value.shape, 2.0, "float64") for key, value in layer.state_dict().items()}
    names = [p.name for p in layer.parameters()]
    assert layer.load_state_dict(given, assign=True).missing_keys == []
    weight = layer[0].weight
    assert weight.dtype == paddle.float64 and isinstance(weight, paddle.core.tensor.Parameter) and not weight.stop_gradient
    given["0.weight"][0, 0] = 7.0
    assert float(weight[0, 0]) == 7.0 and layer[1]._mean.dtype == paddle.float64
    assert [p.name for p in layer.parameters()] == names
    with pytest.raises(ValueError, match=r"0.weight has shape \[2, 3\], the given value \[1\]"):
        layer.load_state_dict({**given, "0.weight": paddle.ones([1])}, assign=True)


def test_whole_numbers_from_a_generator_of_its_own():
    generator = paddle.core.random.Generator(3)
    paddle.seed(5)
    first = paddle.zeros([6]).random_(0, 100, generator=generator).tolist()
    assert paddle.zeros([6]).random_(0, 100).tolist() != first
    assert paddle.zeros([6]).random_(0, 100, generator=generator.manual_seed(3)).tolist() == first
    with pytest.raises(TypeError, match=r"random_\(\): generator must be"):
        paddle.zeros([2]).random_(generator=3)
