"""Optimizers that people derive by overriding what Paddle calls for each parameter; expected values by NumPy."""

import numpy as np
import pytest

import paddle
from paddle.nn.initializer import Constant


class Slow(paddle.optimizer.SGD):
    """Vectors move at a quarter of the rate, as layer-wise rates of published packages are written."""

    def _append_optimize_op(self, block, param_and_grad):
        param = param_and_grad[0]
        before = param.optimize_attr["learning_rate"]
        if len(param.shape) == 1:
            param.optimize_attr["learning_rate"] *= 0.25
        result = super()._append_optimize_op(block, param_and_grad)
        param.optimize_attr["learning_rate"] = before
        return result


class SlowAdam(paddle.optimizer.AdamW):
    def _append_optimize_op(self, block, param_and_grad):
        param_and_grad[0].optimize_attr["learning_rate"] = 0.0
        return super()._append_optimize_op(block, param_and_grad)


class Heavy(paddle.optimizer.Optimizer):
    """Momentum written by the user, with an accumulator of its own."""

    def _create_accumulators(self, block, parameters):
        for param in parameters:
            self._add_accumulator("velocity", param)

    def _append_optimize_op(self, block, param_and_grad):
        param, grad = param_and_grad
        velocity = self._get_accumulator("velocity", param)
        paddle.assign(velocity * 0.9 + grad, velocity)
        param.set_value(param - self._create_param_lr(param_and_grad) * velocity)


def layer():
    return paddle.nn.Linear(2, 3, weight_attr=Constant(0.5), bias_attr=Constant(0.2))


def run(net, optimizer, steps):
    for _ in range(steps):
        net(paddle.ones([4, 2])).sum().backward()  # the gradient is 4 everywhere
        optimizer.step()
        optimizer.clear_grad()


def test_a_rate_changed_around_the_update():
    net = layer()
    run(net, Slow(0.1, net.parameters(), weight_decay=0.5), 3)
    w, b = 0.5, 0.2
    for _ in range(3):
        w, b = w - 0.1 * (4 + 0.5 * w), b - 0.025 * (4 + 0.5 * b)
    np.testing.assert_allclose(net.weight.numpy(), np.full((2, 3), w), rtol=1e-6)
    np.testing.assert_allclose(net.bias.numpy(), np.full(3, b), rtol=1e-6)


def test_a_rate_of_zero_keeps_the_parameters():
    net = layer()
    run(net, SlowAdam(0.1, parameters=net.parameters()), 2)
    assert net.weight.numpy().tolist() == [[0.5] * 3] * 2


def test_an_update_of_ones_own_with_accumulators(tmp_path):
    net = layer()
    optimizer = Heavy(0.01, net.parameters(), grad_clip=paddle.nn.ClipGradByValue(1.0))
    run(net, optimizer, 2)
    np.testing.assert_allclose(net.weight.numpy(), 0.5 - 0.01 * (1 + 1.9), rtol=1e-6)
    state = optimizer.state_dict()
    assert list(state) == [f"{p.name}_velocity_0" for p in net.parameters()] == optimizer.get_opti_var_name_list()
    again = Heavy(0.01, net.parameters(), grad_clip=paddle.nn.ClipGradByValue(1.0))
    again.set_state_dict(state)
    run(net, again, 1)
    np.testing.assert_allclose(net.weight.numpy(), 0.5 - 0.01 * (1 + 1.9 + 2.71), rtol=1e-6)
    with pytest.raises(KeyError, match="no accumulator 'other'"):
        again._get_accumulator("other", net.weight)


def test_gradients_of_rows_come_whole():
    table = paddle.nn.Embedding(4, 2, sparse=True, weight_attr=Constant(1.0))
    optimizer = Heavy(0.5, table.parameters())
    table(paddle.to_tensor([1, 1, 3])).sum().backward()
    optimizer.step()
    assert table.weight.numpy()[:, 0].tolist() == [1.0, 0.0, 1.0, 0.5]


def test_in_a_program():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            net = layer()
            loss = net(paddle.ones([4, 2])).sum()
            Slow(0.1).minimize(loss)
        executor = paddle.static.Executor()
        executor.run(startup)
        weight, bias = executor.run(main, fetch_list=[net.weight, net.bias])
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(weight, np.full((2, 3), 0.5 - 0.4), rtol=1e-6)
    np.testing.assert_allclose(bias, np.full(3, 0.2 - 0.1), rtol=1e-6)


class _Halves(paddle.nn.clip.ClipGradBase):
    """A clip that says for dynamic code alone what it does, as packages write them."""

    def _dygraph_clip(self, params_grads):
        return [(p, g * 0.5) for p, g in params_grads]


class _HalvesOfGlobal(paddle.nn.ClipGradByGlobalNorm):
    def _dygraph_clip(self, params_grads):
        return [(p, g * 0.5) for p, g in super()._dygraph_clip(params_grads)]


def _stepped(clip):
    p = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(0.0))
    optimizer = paddle.optimizer.SGD(1.0, parameters=[p], grad_clip=clip)
    (p * paddle.to_tensor([3.0, 4.0])).sum().backward()
    optimizer.step()
    return p.numpy()


def test_derived_clips_say_what_they_do():
    np.testing.assert_allclose(_stepped(_Halves()), [-1.5, -2.0])
    np.testing.assert_allclose(_stepped(_HalvesOfGlobal(1.0)), [-0.3, -0.4], rtol=1e-6)


def test_a_clip_set_on_an_object_is_called():
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    before = clip._dygraph_clip
    clip._dygraph_clip = lambda pairs: [(p, g * 2.0) for p, g in before(pairs)]
    np.testing.assert_allclose(_stepped(clip), [-1.2, -1.6], rtol=1e-6)


def test_clips_of_programs_have_a_method_of_their_own():
    class Doubles(paddle.nn.clip.ClipGradBase):
        def _static_clip(self, params_grads):
            return [(p, g * 2.0) for p, g in params_grads]

    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.static.scope_guard(paddle.static.Scope()):
            p = paddle.static.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(0.0))
            paddle.optimizer.SGD(1.0, grad_clip=Doubles()).minimize((p * 3.0).sum())
            exe = paddle.static.Executor()
            exe.run(startup)
            exe.run(main)
            np.testing.assert_allclose(exe.run(main.clone(for_test=True), fetch_list=[p])[0], [-6.0, -6.0])
    finally:
        paddle.disable_static()


class Quotient(paddle.optimizer.Optimizer):
    """An update written with operators, which programs record too."""

    def _create_accumulators(self, block, parameters):
        for param in parameters:
            self._add_accumulator("total", param, fill_value=1.0, shape=[1])

    def _append_optimize_op(self, block, param_and_grad):
        param, grad = param_and_grad
        total = self._get_accumulator("total", param)
        paddle.assign(total + grad.sum(), total)
        paddle.assign(param - grad / total, param)


def in_a_program(make):
    """The parameter after two runs of a program whose gradient is 1, 2, 3; and the optimizer."""
    main, startup = paddle.static.Program(), paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, startup):
            w = paddle.create_parameter([3], "float32", name="w", default_initializer=Constant(1.0))
            loss = (w * paddle.to_tensor(np.array([1, 2, 3], np.float32))).sum()
            optimizer = make()
            optimizer.minimize(loss)
        exe = paddle.static.Executor()
        exe.run(startup)
        values = [exe.run(main, fetch_list=["w"])[0] for _ in range(2)]
    finally:
        paddle.disable_static()
    return values[-1], optimizer


def test_states_of_its_own_in_a_program():
    value, optimizer = in_a_program(lambda: Quotient(0.1))
    np.testing.assert_allclose(value, 1 - np.array([1, 2, 3]) * (1 / 7 + 1 / 13), rtol=1e-6)
    assert list(optimizer._accumulators["total"]) == ["w"]


def test_states_in_a_program_by_their_names():
    _, optimizer = in_a_program(lambda: paddle.optimizer.Adam(0.1))
    assert {name: [var.name for var in table.values()] for name, table in optimizer._accumulators.items()} == {
        "moment1": ["w_moment1_0"], "moment2": ["w_moment2_0"], "beta1_pow_acc": ["w_beta1_pow_acc_0"],
        "beta2_pow_acc": ["w_beta2_pow_acc_0"]}
    assert optimizer.get_opti_var_name_list() == ["w_moment1_0", "w_moment2_0", "w_beta1_pow_acc_0", "w_beta2_pow_acc_0"]
    assert not optimizer.state_dict()


class Fading(paddle.optimizer.Adam):
    """Written with operators of a program: moments of the base class, and an accumulator of its own."""

    def _create_accumulators(self, block, parameters):
        super()._create_accumulators(block, parameters)
        for param in parameters:
            self._add_accumulator("steps", param, fill_value=1.0, shape=[1])

    def _append_optimize_op(self, block, param_and_grad):
        param, grad = param_and_grad
        moment, steps = self._get_accumulator(self._moment1_acc_str, param), self._get_accumulator("steps", param)
        paddle.assign(moment * 0.5 + grad, moment)
        rate = self._create_param_lr(param_and_grad) / steps
        paddle.assign(param - rate * moment, param)
        paddle.assign(steps * 2.0, steps)


@pytest.fixture
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


def test_an_update_of_ones_own_in_a_program(static_mode):
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x = paddle.static.data("x", [4, 2])
        out = paddle.static.nn.fc(x, 3, weight_attr=Constant(0.5), bias_attr=Constant(0.2))
        optimizer = Fading(0.1)
        optimizer.minimize(out.sum())
        with pytest.raises(KeyError, match="no accumulator 'other' was made for fc_0.w_0"):
            optimizer._get_accumulator("other", main.global_block().var("fc_0.w_0"))
    executor = paddle.static.Executor()
    executor.run(startup)
    w, moment = 0.5, 0.0
    for step in range(3):
        got, steps = executor.run(main, {"x": np.ones((4, 2), "float32")}, ["fc_0.w_0", "fc_0.b_0_steps_0"])
        moment = moment * 0.5 + 4
        w -= 0.1 / 2 ** step * moment
        np.testing.assert_allclose(got, np.full((2, 3), w), rtol=1e-5)
        assert steps.tolist() == [2.0 ** (step + 1)]
