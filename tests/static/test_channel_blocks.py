"""Channels in blocks through chains of convolutions: which nodes stay in them, and that no result changes."""

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle.core.context import process
from paddle.nn import functional as F
from paddle.static.ir.nodes.op import Constant
from paddle.static.schedule.frozen import Frozen

pytestmark = pytest.mark.skipif(process.native is None, reason="the pass only chooses fast kernels")


def frozen(net, shape, skip=()):
    net.eval()
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", shape, "float32")
        outs = net(x)
    outs = outs if isinstance(outs, (list, tuple)) else [outs]
    return Frozen(main, ["x"], [o.name for o in outs], {n: t.numpy() for n, t in main.captured.items()}, skip)


def kinds(plan):
    return [node.type for node in plan.graph.nodes if not isinstance(node.call, Constant)]


def unit(i, o, k=3, s=1, g=1, act=nn.ReLU):
    return nn.Sequential(nn.Conv2D(i, o, k, s, k // 2, groups=g, bias_attr=False), nn.BatchNorm2D(o), *([act()] if act else []))


class Gate(nn.Layer):
    """One factor for each channel, from the mean of all pixels."""

    def __init__(self, c):
        super().__init__()
        self.down, self.up = nn.Conv2D(c, 8, 1), nn.Conv2D(8, c, 1)

    def forward(self, x):
        return x * F.hardsigmoid(self.up(F.relu(self.down(F.adaptive_avg_pool2d(x, 1)))))


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.stem, self.wide, self.deep = unit(3, 20, 3, 2, act=nn.Hardswish), unit(20, 48, 1), unit(48, 48, 5, 1, 48, nn.ReLU6)
        self.gate, self.back, self.square, self.two = Gate(48), unit(48, 20, 1, act=None), unit(20, 32), unit(32, 16, 3, 2)
        self.last = nn.Linear(32, 5)

    def forward(self, x):
        x = F.max_pool2d(self.stem(x), 3, 2, 1)
        x = F.leaky_relu(x + self.back(self.gate(self.deep(self.wide(x)))))
        x = self.two(self.square(x))
        x = paddle.concat([x, F.avg_pool2d(x, 3, 1, 1, exclusive=False)], 1)
        return self.last(paddle.flatten(F.adaptive_avg_pool2d(x, 1), 1))


@pytest.mark.parametrize("size", [(64, 48), (None, None)])
def test_a_network_stays_in_blocks(size):
    paddle.seed(3)
    net = Net()
    x = np.random.RandomState(0).randn(2, 3, 64, 48).astype("float32")
    plan = frozen(net, [None, 3, *size])
    found = kinds(plan)
    assert found.count("to_blocks") == 0 and found.count("from_blocks") == 1
    assert found.index("from_blocks") > max(k for k, name in enumerate(found) if name.startswith("blocked_") or name == "concat")
    assert "blocked_scale" in found and "hard_swish" not in found and "pool2d" not in found
    expected = net(paddle.to_tensor(x)).numpy()
    for _ in range(3):  # step by step, noted, and by the routine
        np.testing.assert_allclose(plan([x])[0], expected, rtol=2e-5, atol=2e-5)
    assert "blocked_conv" not in kinds(frozen(net, [None, 3, *size], ("channel_blocks",)))


def test_other_sizes_of_images():
    net = Net()
    plan = frozen(net, [None, 3, None, None])
    for shape in [(1, 3, 40, 40), (1, 3, 40, 56), (2, 3, 19, 23), (1, 3, 40, 40)] * 2:
        x = np.random.RandomState(0).randn(*shape).astype("float32")
        np.testing.assert_allclose(plan([x])[0], net(paddle.to_tensor(x)).numpy(), rtol=2e-5, atol=2e-5)


def test_values_that_others_read_are_brought_back():
    first, second, third, last = unit(3, 16), unit(16, 24), unit(24, 24), unit(24, 24)

    class Several(nn.Layer):
        def forward(self, x):
            a = first(x)
            b = second(a)
            c = last(third(b))
            return b, paddle.mean(c, [2, 3]), c
    for layer in (first, second, third, last):
        layer.eval()
    plan, net = frozen(Several(), [None, 3, 9, 11]), Several()
    assert kinds(plan).count("from_blocks") == 2 and kinds(plan).count("blocked_conv") == 4
    x = np.random.RandomState(0).randn(2, 3, 9, 11).astype("float32")
    for got, expected in zip(plan([x]), net(paddle.to_tensor(x))):
        np.testing.assert_allclose(got, expected.numpy(), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("layers", [
    [unit(32, 32)],  # one convolution between two ends
    [unit(32, 32, g=4), unit(32, 32, g=4), unit(32, 32, g=4)],  # groups
    [nn.Conv2D(32, 32, 3, data_format="NHWC")],
], ids=["alone", "groups", "channels last"])
def test_what_does_not_pay_stays_as_it_is(layers):
    plan = frozen(nn.Sequential(*layers), [None, 32, 12, 32])
    assert not any("block" in name for name in kinds(plan))


def test_additions_that_broadcast():
    first, second, last = unit(3, 16), unit(16, 16, act=None), unit(16, 16)

    class Added(nn.Layer):
        def forward(self, x):
            x = first(x)
            return last(F.relu(second(F.adaptive_avg_pool2d(x, 1)) + x)).mean([2, 3])
    for layer in (first, second, last):
        layer.eval()
    plan, net = frozen(Added(), [None, 3, None, None]), Added()
    x = np.random.RandomState(0).randn(2, 3, 10, 11).astype("float32")
    for _ in range(3):
        np.testing.assert_allclose(plan([x])[0], net(paddle.to_tensor(x)).numpy(), rtol=2e-5, atol=2e-5)
    assert "blocked_conv" in kinds(plan)
