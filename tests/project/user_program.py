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
