"""Networks whose channels the C library keeps in blocks: the outputs of the eager network, whoever reads what lies between."""

import numpy as np
import pytest
from capi.library import Failed, Model

import paddle
from paddle import nn
from paddle.nn import functional as F
from paddle.static import InputSpec


def unit(i, o, k=3, s=1, g=1, act=nn.ReLU):
    return nn.Sequential(nn.Conv2D(i, o, k, s, k // 2, groups=g, bias_attr=False), nn.BatchNorm2D(o), *([act()] if act else []))


class Net(nn.Layer):
    """Every kind of operator that stays in blocks."""

    def __init__(self):
        super().__init__()
        self.stem, self.wide = unit(3, 20, 3, 2, act=nn.Hardswish), unit(20, 48, 1, act=nn.Swish)
        self.deep = unit(48, 48, 5, 1, 48, nn.ReLU6)
        self.down, self.up, self.back = nn.Conv2D(48, 8, 1), nn.Conv2D(8, 48, 1), unit(48, 20, 1, act=None)
        self.square, self.two = unit(20, 32), unit(32, 16, 3, 2)

    def forward(self, x):
        x = F.max_pool2d(self.stem(x), 3, 2, 1)
        y = self.deep(self.wide(x))
        y = y * F.hardsigmoid(self.up(F.relu(self.down(F.adaptive_avg_pool2d(y, 1)))))
        x = F.leaky_relu(x + self.back(y))
        between = self.square(x)
        x = self.two(between)
        x = paddle.concat([x, F.avg_pool2d(x, 3, 1, 1, exclusive=False)], 1)
        return paddle.flatten(F.adaptive_avg_pool2d(x, 1), 1), x, between


class Broadcast(nn.Layer):
    """A sum in which one image has a single pixel."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = unit(3, 16), unit(16, 16, act=None), unit(16, 16)

    def forward(self, x):
        x = self.first(x)
        return self.last(F.relu(self.second(F.adaptive_avg_pool2d(x, 1)) + x)).mean([2, 3])


class Grouped(nn.Layer):
    """Convolutions in groups, between others."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(unit(3, 32), unit(32, 32, 1), unit(32, 32, g=4), unit(32, 24, 1), unit(24, 24))

    def forward(self, x):
        return self.layers(x)


class Added(nn.Layer):
    """Convolutions, with a bias and without, to which parameters of several forms are added; some go into the bias, some can't."""

    def __init__(self):
        super().__init__()
        self.bare = nn.LayerList([nn.Conv2D(3, 6, 3, bias_attr=False) for _ in range(6)])
        self.biased = nn.LayerList([nn.Conv2D(3, 6, 3) for _ in range(4)])
        shapes = ([1, 6, 1, 1], [6, 1, 1], [1], [1, 1, 1, 1], [1, 6, 1, 1], [6, 1, 1], [1, 6, 1, 1], [6, 1, 1], [1], [1, 1, 1])
        self.added = nn.ParameterList([self.create_parameter(s, default_initializer=nn.initializer.Normal()) for s in shapes])

    def forward(self, x):
        return tuple(F.relu(conv(x) + p) for conv, p in zip([*self.bare, *self.biased], self.added))


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("size", [(64, 48), (None, None)])
@pytest.mark.parametrize("make", [Net, Broadcast, Grouped, Added])
def test_networks(tmp_path, make, size, optimize):
    paddle.seed(3)
    net = make()
    net.eval()
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[InputSpec([None, 3, *size], "float32")])
    model = Model(tmp_path / "net.pdmodel", tmp_path / "net.pdiparams", optimize=optimize)
    for shape in [(2, 3, 64, 48)] if size[0] else [(1, 3, 40, 40), (2, 3, 19, 23), (1, 3, 40, 40)]:
        x = np.random.RandomState(0).randn(*shape).astype("float32")
        expected = net(paddle.to_tensor(x))
        for got, one in zip(model(x), expected if isinstance(expected, tuple) else [expected], strict=True):
            assert got.shape == tuple(one.shape)
            np.testing.assert_allclose(got, one.numpy(), rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("make", [Net, Broadcast, Grouped])
def test_images_that_do_not_fit(tmp_path, make):
    """No images give no results; others are refused, with passes as without."""
    paddle.seed(1)
    net = make()
    net.eval()
    paddle.jit.save(net, str(tmp_path / "m"), input_spec=[InputSpec([None, 3, None, None], "float32")])
    models = [Model(tmp_path / "m.pdmodel", tmp_path / "m.pdiparams", optimize=optimize) for optimize in (True, False)]
    good = np.ones((1, 3, 16, 12), "float32")
    for passed, plain in zip(*(model(good[:0]) for model in models), strict=True):
        assert passed.shape == plain.shape and passed.shape[0] == 0
    for bad, words in ((good[:, :2], "2 input channels"), (np.ones((1, 4, 16, 12), "float32"), "4 input channels"),
                       (good[:, :0], "0 input channels"), (good[0], "does not lie in blocks|must have 4 axes, not 3"),
                       (good.astype("float64"), "Input is float64 and Filter float32")):
        for model in models:
            with pytest.raises(Failed, match=words):
                model(bad)
    for passed, plain in zip(*(model(good) for model in models), strict=True):
        np.testing.assert_allclose(passed, plain, rtol=1e-4, atol=1e-5)
