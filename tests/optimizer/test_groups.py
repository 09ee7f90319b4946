"""Groups of parameters and 16-bit parameters, against the formulae in double precision; Paddle's own values: tests/oracle."""

import numpy as np
import pytest

import paddle
from paddle import nn, optimizer

START, SLOPE = [0.5, -1.0, 2.0], [0.3, -0.2, 0.1]


def parameter(dtype="float32"):
    return paddle.create_parameter([3], dtype, default_initializer=nn.initializer.Assign(np.array(START, dtype)))


def step(opt, *params, times=3):
    for number in range(times):
        for p in params:
            (p.astype("float32") * (number - 1.5) * paddle.to_tensor(SLOPE)).sum().backward()
        opt.step()
        opt.clear_grad()


@pytest.mark.parametrize("kind", ["Adam", "AdamW", "NAdam", "RAdam", "Lamb", "Adamax"])
def test_powers_of_a_group_start_from_its_own_betas(kind):
    first, second = parameter(), parameter()
    opt = getattr(optimizer, kind)(0.1, parameters=[{"params": first}, {"params": [second], "beta1": 0.5, "beta2": 0.7}])
    alone = parameter()
    single = getattr(optimizer, kind)(0.1, beta1=0.5, beta2=0.7, parameters=[alone])
    step(opt, first, second, times=6)
    step(single, alone, times=6)
    np.testing.assert_array_equal(second.numpy(), alone.numpy())
    assert np.abs(first.numpy() - second.numpy()).max() > 1e-3
    power = opt.state_dict().get(f"{second.name}_beta1_pow_acc_0")
    if power is not None:
        np.testing.assert_allclose(power.numpy(), [0.5 ** 7], rtol=1e-6)


def test_adam_group_follows_the_formula():
    p = parameter("float64")
    opt = optimizer.Adam(0.1, parameters=[{"params": [p], "beta1": 0.5, "beta2": 0.7, "learning_rate": 0.5}])
    for slope in (1.0, -2.0, 0.5):
        (p * slope * paddle.to_tensor(SLOPE, "float64")).sum().backward()
        opt.step()
        opt.clear_grad()
    expected, m, v = np.array(START), 0.0, 0.0
    for t, slope in enumerate((1.0, -2.0, 0.5), 1):
        g = slope * np.array(SLOPE)
        m, v = 0.5 * m + 0.5 * g, 0.7 * v + 0.3 * g * g
        expected = expected - 0.05 * m / (1 - 0.5 ** t) / (np.sqrt(v / (1 - 0.7 ** t)) + 1e-8)
    np.testing.assert_allclose(p.numpy(), expected, rtol=1e-12)
    assert {str(t.dtype) for t in opt.state_dict().values()} == {"paddle.float64"}


def test_static_programs_know_groups():
    def train(static):
        with paddle.utils.unique_name.guard():
            if static:
                paddle.enable_static()
            try:
                main, startup = paddle.static.Program(), paddle.static.Program()
                with paddle.static.program_guard(main, startup):
                    p, q = parameter(), parameter()
                    loss = ((p * p).sum() + (q * q).sum())
                    opt = optimizer.Adam(0.1, parameters=[{"params": [p]}, {"params": [q], "beta1": 0.5, "learning_rate": 0.3,
                                                                            "weight_decay": 0.2}])
                    if not static:
                        for _ in range(2):
                            ((p * p).sum() + (q * q).sum()).backward()
                            opt.step()
                            opt.clear_grad()
                        return p.numpy(), q.numpy()
                    opt.minimize(loss)
                exe = paddle.static.Executor()
                exe.run(startup)
                exe.run(main, fetch_list=[loss])
                return exe.run(main, fetch_list=[p, q])
            finally:
                paddle.disable_static()
    for eager, program in zip(train(False), train(True)):
        np.testing.assert_allclose(program, eager, rtol=1e-6)


@pytest.mark.parametrize("kind", ["SGD", "Momentum", "Adam", "AdamW", "Adamax", "Adagrad", "Adadelta", "RMSProp", "Lamb"])
def test_16_bit_parameters_keep_their_states_in_float32(kind):
    wide, narrow = parameter(), parameter("float16")
    made = getattr(optimizer, kind)
    step(made(learning_rate=0.1, parameters=[wide]), wide)
    opt = made(learning_rate=0.1, parameters=[narrow])
    step(opt, narrow)
    np.testing.assert_allclose(narrow.numpy(), wide.numpy(), atol=3e-3)
    assert narrow.dtype == paddle.float16
    assert all(t.dtype == paddle.float32 for t in opt.state_dict().values())


def test_a_group_is_checked_like_the_optimizer():
    p = parameter()
    with pytest.raises(ValueError, match=r"Adam\(\): beta1 must be in \[0, 1\), got 1.5"):
        optimizer.Adam(parameters=[{"params": [p], "beta1": 1.5}])
    with pytest.raises(TypeError, match=r"Adam\(\): epsilon must be a number, got"):
        optimizer.Adam(parameters=[{"params": [p], "epsilon": "small"}])
    with pytest.raises(TypeError, match="grad_clip"):
        optimizer.SGD(0.1, parameters=[{"params": [p], "grad_clip": 1.0}])
    with pytest.raises(TypeError, match=r"SGD\(\): learning_rate of a group"):
        optimizer.SGD(0.1, parameters=[{"params": [p], "learning_rate": "half"}])
    with pytest.raises(ValueError, match="dict with 'params'"):
        optimizer.SGD(0.1, parameters=[{"weight_decay": 0.1}])
    with pytest.raises(TypeError, match="must have an order"):
        optimizer.SGD(0.1, parameters=[{"params": {p}}])
    with pytest.raises(ValueError, match="more than one group"):
        optimizer.SGD(0.1, parameters=[{"params": [p]}])._add_param_group({"params": [p]})


def test_what_a_group_can_not_say_is_reported():
    with pytest.warns(UserWarning, match=r"SGD\(\): beta1, lr of a group of parameters has no meaning"):
        optimizer.SGD(0.1, parameters=[{"params": [parameter()], "lr": 0.5, "beta1": 0.5}])


def test_loaded_states_are_not_lost_before_the_first_step():
    p = parameter()
    opt = optimizer.Adam(0.1, parameters=[p])
    step(opt, p)
    state = {name: t.numpy() for name, t in opt.state_dict().items()}
    other = optimizer.Adam(0.1, parameters=[p])
    other.set_state_dict(state)
    again = other.state_dict()
    assert again.keys() == state.keys() and all((again[name].numpy() == state[name]).all() for name in state)
    step(other, p, times=1)
    assert other.state_dict().keys() == state.keys()


def test_states_of_no_parameter_are_named():
    p, q = parameter(), paddle.create_parameter([2], "float32")  # of another size: not p of a model built anew
    opt = optimizer.Adam(0.1, parameters=[p])
    step(opt, p)
    other = optimizer.Adam(0.1, parameters=[q])
    with pytest.warns(UserWarning, match=rf"4 of 4 states belong to no parameter.*{p.name}_moment1_0.*{q.name}"):
        other.set_state_dict(opt.state_dict())
    assert other.state_dict() == {}
