"""A user's program, type-checked against the installed package and run.

The ignored lines hold errors on purpose: mypy runs with --warn-unused-ignores, so it must see every one of them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # Python 3.10 has no assert_type; it does nothing at run time
    from typing_extensions import assert_type
else:
    def assert_type(value, kind):
        return value

import paddle
import paddle.nn.functional as F

x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
assert_type(x, paddle.Tensor)
assert_type(x.shape, list[int])
assert_type(x.stop_gradient, bool)
assert_type(x @ x + 1.0, paddle.Tensor)
assert_type(paddle.reshape(x, [4]).exp().sum(), paddle.Tensor)
assert_type(paddle.split(x, 2), list[paddle.Tensor])
assert_type(F.relu(x), paddle.Tensor)


class Net(paddle.nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = paddle.nn.Linear(2, 2)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return F.softmax(self.fc(x))


net = Net()
optimizer = paddle.optimizer.Adam(learning_rate=0.1, parameters=net.parameters())
loss = net(x).mean()
loss.backward()
optimizer.step()
optimizer.clear_grad()

if TYPE_CHECKING:
    paddle.add(x)  # type: ignore[call-arg]
    paddle.no_such_name_at_all  # type: ignore[attr-defined]
    x.no_such_method()  # type: ignore[attr-defined]
    F.reluu(x)  # type: ignore[attr-defined]


def train(steps: int) -> float:
    """The rooms that are imported when first used: schedules, models, specs of inputs."""
    net = paddle.vision.models.LeNet(num_classes=10)
    schedule = paddle.optimizer.lr.LinearWarmup(paddle.optimizer.lr.CosineAnnealingDecay(0.1, T_max=10), 2, 0.0, 0.1)
    optimizer = paddle.optimizer.Momentum(schedule, 0.9, parameters=net.parameters(), weight_decay=1e-4)
    images, labels = paddle.randn([2, 1, 28, 28]), paddle.randint(0, 10, [2])
    total = 0.0
    for _ in range(steps):
        wide = F.pad(F.interpolate(images, size=[27, 26]), [0, 2, 0, 1])
        loss = F.cross_entropy(net(wide), labels, reduction="mean") + F.mse_loss(F.adaptive_avg_pool2d(wide, 1), images.mean())
        assert_type(loss, paddle.Tensor)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        total += float(loss)
    return total


stem = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3, stride=(1, 2), padding="SAME"), paddle.nn.MaxPool2D(2, padding=[0, 0]))
traced = paddle.jit.to_static(stem, input_spec=[paddle.static.InputSpec([None, 1, 28, 28], "float32", name="x")])
assert traced(paddle.ones([1, 1, 28, 28])).shape == [1, 2, 14, 7]
assert train(2) > 0.0
