"""paddle.nn.init: tensors filled in place as the initializers of the same names fill parameters."""

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.nn import init

SAME = {
    "uniform_": ((-1.0, 2.0), lambda: nn.initializer.Uniform(-1.0, 2.0)),
    "normal_": ((1.0, 2.0), lambda: nn.initializer.Normal(1.0, 2.0)),
    "trunc_normal_": ((0.0, 1.0, -1.0, 1.0), lambda: nn.initializer.TruncatedNormal(0.0, 1.0, -1.0, 1.0)),
    "xavier_uniform_": ((2.0,), lambda: nn.initializer.XavierUniform(gain=2.0)),
    "xavier_normal_": ((), lambda: nn.initializer.XavierNormal()),
    "kaiming_uniform_": ((0.5,), lambda: nn.initializer.KaimingUniform(negative_slope=0.5, nonlinearity="leaky_relu")),
    "kaiming_normal_": ((), lambda: nn.initializer.KaimingNormal(nonlinearity="leaky_relu")),
    "orthogonal_": ((3.0,), lambda: nn.initializer.Orthogonal(3.0)),
    "constant_": ((3.0,), lambda: nn.initializer.Constant(3.0)),
}


@pytest.mark.parametrize("name", SAME)
def test_same_as_the_initializer(name):
    arguments, make = SAME[name]
    paddle.seed(3)
    filled = paddle.zeros([6, 4])
    assert getattr(init, name)(filled, *arguments) is filled
    paddle.seed(3)
    np.testing.assert_array_equal(filled.numpy(), make()(paddle.zeros([6, 4])).numpy())


def test_fans_and_identity():
    assert init.eye_(paddle.ones([2, 3])).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert init._calculate_fan_in_and_fan_out(paddle.zeros([8, 4, 3, 3])) == (36, 72)
    paddle.seed(1)
    out = init.kaiming_normal_(paddle.zeros([400, 100]), mode="fan_out", nonlinearity="relu")
    assert abs(float(out.std()) - (2 / 100) ** 0.5) < 2e-3  # a weight is [inputs, outputs]
    with pytest.raises(ValueError, match=r"kaiming_normal_\(\): mode"):
        init.kaiming_normal_(paddle.zeros([2, 2]), mode="fan")
