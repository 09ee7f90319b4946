"""What turning static mode on and off does besides: name counters, and seeds of programs in dynamic code, as 2.6.2 has it."""

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.context import changed


def name():
    return paddle.nn.Linear(2, 2).weight.name


def test_names_begin_anew_with_each_dynamic_mode():
    with changed(names=None):  # no guard of the test's own
        paddle.enable_static()
        first = name()
        paddle.disable_static()
        assert [name(), name()] == ["linear_0.w_0", "linear_1.w_0"]
        paddle.enable_static()
        second = name()  # programs count on
        paddle.disable_static()
        assert name() == "linear_0.w_0" and int(second[7:-4]) == int(first[7:-4]) + 1


@pytest.fixture
def seeded():
    paddle.framework.random._manual_program_seed(90)
    yield
    paddle.framework.random._manual_program_seed(0)


def test_initializers_and_dropout_take_the_seed_of_programs(seeded):
    recorded = [0.7096592, 0.8496808, 0.11920011, 0.79865396]  # Paddle 2.6.2, seed 90
    for _ in range(2):
        np.testing.assert_allclose(paddle.nn.Linear(2, 2).weight.numpy().ravel(), recorded, rtol=1e-6)
    masks = [paddle.nn.functional.dropout(paddle.ones([40]), 0.5).numpy() for _ in range(2)]
    assert (masks[0] == masks[1]).all() and masks[0][:6].tolist() == [2] * 6
    assert (paddle.rand([4]).numpy() != paddle.rand([4]).numpy()).any()


def test_the_rate_of_an_optimizer_that_trains_nothing():
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        optimizer = paddle.optimizer.Adam(0.25)
        with pytest.warns(UserWarning, match="no trainable"):
            optimizer.minimize(paddle.mean(paddle.static.data("x", [2])))
        exe, rate = paddle.static.Executor(), optimizer._global_learning_rate()
        exe.run(paddle.static.default_startup_program())
        assert exe.run(feed={"x": np.ones(2, "float32")}, fetch_list=[rate])[0] == 0.25
    paddle.disable_static()


def test_programs_record_no_gradients():
    assert paddle.is_grad_enabled()
    with changed(static_mode=True):
        assert not paddle.is_grad_enabled()


def test_tensors_are_variables_in_dynamic_mode():
    tensor, parameter = paddle.to_tensor(1.0), paddle.create_parameter([1], "float32")
    Variable, Parameter = paddle.static.Variable, paddle.base.framework.Parameter
    assert [isinstance(x, Variable) for x in (tensor, parameter, 1)] == [True, True, False]
    assert [isinstance(x, Parameter) for x in (tensor, parameter, 1)] == [False, True, False]
    assert issubclass(paddle.Tensor, Variable) and not issubclass(int, Variable)
    paddle.enable_static()
    try:
        x = paddle.static.data("x", [2])
        assert isinstance(x, Variable) and not isinstance(tensor, Variable) and not isinstance(parameter, Parameter)
    finally:
        paddle.disable_static()
    assert isinstance(x, Variable)


def test_programs_made_later_take_the_seed(seeded):
    """A startup program of one's own gives the weights that dynamic code has: all of one seed, as in Paddle 2.6.2."""
    paddle.framework.random._manual_program_seed(1)
    layer, startup, scope = paddle.nn.Linear(2, 3), static.Program(), static.Scope()
    paddle.enable_static()
    try:
        with static.scope_guard(scope), static.program_guard(static.Program(), startup):
            names = [paddle.nn.Linear(2, 3).weight.name, paddle.nn.Linear(3, 2).weight.name]
            static.Executor().run(startup)
            weights = [np.array(scope.find_var(name).get_tensor()).ravel()[:2] for name in names]
    finally:
        paddle.disable_static()
    for weight in (*weights, layer.weight.numpy().ravel()[:2]):
        np.testing.assert_allclose(weight, [-0.8021361, -0.7965923], rtol=1e-6)  # recorded from Paddle 2.6.2


def test_create_global_var_is_a_tensor_in_dynamic_mode():
    made = paddle.static.create_global_var([2], 0.5, "float64", persistable=True, name="half")
    assert (made.tolist(), made.dtype, made.name) == ([0.5, 0.5], paddle.float64, "half")
    assert made.stop_gradient and made.persistable
