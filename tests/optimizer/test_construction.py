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


@pytest.mark.parametrize("make, option", [(paddle.optimizer.SGD, "learning_rate"), (paddle.optimizer.Momentum, "momentum"),
                                          (paddle.optimizer.RMSProp, "rho"), (paddle.optimizer.Adadelta, "epsilon")])
def test_none_for_a_number_is_a_value_error_as_in_paddle(make, option):
    with pytest.raises(ValueError, match=option + " must be a number"):
        make(**{"learning_rate": 0.1, "parameters": paddle.nn.Linear(2, 2).parameters(), option: None})


@pytest.mark.parametrize("make, names", [  # attributes of the classes of real Paddle 2.6.2
    ("Momentum", {"velocity": "velocity"}), ("Adagrad", {"moment": "moment"}),
    ("AdamW", {"beta1_pow": "beta1_pow_acc", "beta2_pow": "beta2_pow_acc", "moment1": "moment1", "moment2": "moment2"}),
    ("Adadelta", {"avg_squared_grad": "_avg_squared_grad", "avg_squared_update": "_avg_squared_update"}),
    ("Adamax", {"beta1_pow": "beta1_pow_acc", "inf_norm": "inf_norm", "moment": "moment"}),
    ("RMSProp", {"mean_grad": "mean_grad", "mean_square": "mean_square", "momentum": "momentum"}),
    ("Lamb", {"beta1_pow": "beta1_pow_acc", "beta2_pow": "beta2_pow_acc", "moment1": "moment1", "moment2": "moment2"})])
def test_names_of_states(make, names):
    kind = getattr(paddle.optimizer, make)
    assert {name: getattr(kind, f"_{name}_acc_str") for name in names} == names


def test_a_state_is_found_by_the_name_of_its_class():
    weight = paddle.create_parameter([2], "float32")
    optimizer = paddle.optimizer.Adam(0.1, parameters=[weight])
    (weight * paddle.to_tensor([1.0, 2.0])).sum().backward()
    optimizer.step()
    assert optimizer._get_accumulator(optimizer._moment1_acc_str, weight).tolist() == pytest.approx([0.1, 0.2])
