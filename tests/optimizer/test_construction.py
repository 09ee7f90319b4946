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


@pytest.mark.parametrize("make, expected", [  # of real Paddle 2.6.2
    (paddle.optimizer.Adam, [0.836537957, -1.785574198, 2.747334957]),
    (paddle.optimizer.AdamW, [0.833856344, -1.779973388, 2.738790274])])
def test_a_tensor_as_epsilon_or_beta_is_read_at_every_step(make, expected):
    weight = paddle.create_parameter([3], "float32", default_initializer=paddle.nn.initializer.Assign([1.0, -2.0, 3.0]))
    epsilon, beta = paddle.to_tensor(1e-8), paddle.to_tensor(0.9)
    optimizer = make(0.1, beta, 0.999, epsilon, parameters=[weight])
    for _ in range(3):
        (weight * weight).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        epsilon.set_value(paddle.to_tensor(10.0))
        beta.set_value(paddle.to_tensor(0.5))
    assert weight.tolist() == pytest.approx(expected, rel=1e-6)
    with pytest.raises(ValueError, match="epsilon must be at least 0"):
        make(0.1, epsilon=paddle.to_tensor(-1.0), parameters=[paddle.create_parameter([1], "float32")])
