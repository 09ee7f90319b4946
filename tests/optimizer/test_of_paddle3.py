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


def test_moments_of_16_bits():
    ends = []
    for short in (False, True):
        paddle.seed(1)
        layer = paddle.nn.Linear(4, 4)
        layer.to(dtype="bfloat16")
        optimizer = paddle.optimizer.AdamW(0.05, parameters=layer.parameters(), multi_precision=True, use_lowprecision_moment=short)
        for k in range(5):
            layer(paddle.full([2, 4], 1.0 + k, "bfloat16")).sum().backward()
            optimizer.step()
            optimizer.clear_grad()
        state = optimizer.state_dict()
        kinds = {name: t.dtype.name for name, t in state.items() if name != "master_weights"}
        assert {kind for name, kind in kinds.items() if "moment" in name} == {"bfloat16" if short else "float32"}
        assert {kind for name, kind in kinds.items() if "pow" in name} == {"float32"}
        ends.append(next(iter(state["master_weights"].values())).numpy())
    assert np.allclose(*ends, atol=2e-2) and not np.array_equal(*ends)
