"""What optimizers are made with."""

import pytest

import paddle


def test_parameters_must_be_given_in_dynamic_mode():
    with pytest.raises(AttributeError, match=r"Adam\(\): parameters must be given in dynamic mode"):
        paddle.optimizer.Adam(0.1)
    paddle.fluid.optimizer.Adam(0.1)  # finds those of its guard


def test_a_step_without_any_gradient_warns_at_the_users_line():
    layer = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.Adam(0.1, parameters=layer.parameters())
    with pytest.warns(UserWarning, match=r"Adam\.step\(\): no parameter has a gradient") as told:
        optimizer.step()
    assert told[0].filename == __file__
    layer.weight.sum().backward()
    optimizer.step()  # one gradient is enough
