"""Optimizers that came with Paddle 3: twelve steps end where real 3.3.1's do."""

import numpy as np
import pytest

import paddle

ENDS = [("NAdam", {}, [0.282617, -0.64539, 1.588361]),
        ("NAdam", {"momentum_decay": 0.1, "epsilon": 0.001}, [0.284552, -0.646869, 1.589167]),
        ("RAdam", {"beta2": 0.9}, [0.339552, -0.509822, 0.781727]), ("RAdam", {}, [0.409455, -0.599445, 0.8908]),
        ("Rprop", {}, [0.398088, -0.682304, 0.83106]), ("ASGD", {"batch_num": 3}, [0.094333, -0.318353, 0.429317])]


@pytest.mark.parametrize("name, settings, end", ENDS)
def test_twelve_steps(name, settings, end):
    p = paddle.create_parameter([3], "float32")
    p.set_value(np.array([0.5, -1.0, 2.0], "float32"))
    optimizer = getattr(paddle.optimizer, name)(learning_rate=0.05, parameters=[p], **settings)
    for k in range(12):
        target = paddle.to_tensor(np.cos(np.arange(3) + k).astype("float32"))
        ((p - target) ** 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    np.testing.assert_allclose(p.numpy(), end, atol=3e-6)
