"""Mixed precision: which ops are cast, scaled losses, statistics."""

import importlib
import logging

import numpy as np
import pytest

import paddle
from paddle.amp.auto_cast import Caster


def run(level, expression, **lists):
    """The type of a result under the hook itself, with NumPy's float16 (auto_cast uses bfloat16 only)."""
    x = paddle.rand([3, 3])
    with Caster("float16", level, **lists):
        return expression(x).dtype.name


@pytest.mark.parametrize("level, expression, expected", [
    ("O1", lambda x: x @ x, "float16"), ("O1", lambda x: x + x, "float32"),
    ("O1", lambda x: paddle.nn.functional.softmax(x @ x), "float32"), ("O1", lambda x: (x @ x) + x, "float32"),
    ("O1", lambda x: paddle.nn.functional.relu(x @ x), "float16"), ("O2", lambda x: x + x, "float16"),
    ("OD", lambda x: paddle.nn.functional.relu(x @ x), "float32"), ("OD", lambda x: x @ x, "float16"),
    ("O2", lambda x: paddle.exp(x), "float16"), ("O2", lambda x: x.mean(), "float16"),
    ("O2", lambda x: paddle.nn.functional.interpolate(x[None, None], scale_factor=2), "float32"),
    ("O2", lambda x: paddle.nn.functional.layer_norm(x, x.shape[-1:]), "float16")])
def test_which_ops_run_short(level, expression, expected):
    assert run(level, expression) == expected


def test_custom_lists():
    assert run("O1", lambda x: paddle.exp(x), white=["exp"]) == "float16"
    assert run("O1", lambda x: x @ x, black=["matmul_v2"]) == "float32"


def test_gradients_come_back_in_the_parameters_type():
    w = paddle.rand([3, 3])
    w.stop_gradient = False
    with Caster("float16", "O1"):
        loss = (paddle.ones([2, 3]) @ w).mean()
    loss.backward()
    assert w.grad.dtype == paddle.float32
    np.testing.assert_allclose(w.grad.numpy(), np.full((3, 3), 1 / 3), rtol=2e-3)


def test_float16_on_a_cpu_runs_in_float32_and_says_so(caplog):
    module = importlib.import_module("paddle.amp.auto_cast")
    module._say_once.cache_clear()
    x = paddle.ones([2, 2])
    with caplog.at_level(logging.WARNING, "paddle.amp"), paddle.amp.auto_cast():
        assert (x @ x).dtype == paddle.float32
    assert "float32 is used" in caplog.text
    with pytest.raises(ValueError, match="both custom lists"):
        paddle.amp.auto_cast(custom_white_list=["exp"], custom_black_list=["exp"])


def test_bfloat16_where_ml_dtypes_is_installed():
    pytest.importorskip("ml_dtypes", reason="bfloat16 needs the extra ml-dtypes")
    x = paddle.ones([2, 2])
    with paddle.amp.auto_cast(dtype="bfloat16"):
        assert (x @ x).dtype == paddle.bfloat16


def scaled(factor, scaler):
    p = paddle.nn.Linear(1, 1, paddle.nn.initializer.Constant(1.0), False).weight
    sgd = paddle.optimizer.SGD(0.5, parameters=[p])
    scaler.scale((p * factor).sum()).backward()
    scaler.step(sgd)
    scaler.update()
    return float(p)


def test_scaling_changes_nothing_but_overflow_skips_and_shrinks():
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0, incr_every_n_steps=2)
    assert scaled(1.0, scaler) == 0.5
    assert scaled(float("inf"), scaler) == 1.0 and scaler.get_init_loss_scaling() == 4.0
    scaled(1.0, scaler)
    scaled(1.0, scaler)
    assert scaler.get_init_loss_scaling() == 8.0
    other = paddle.amp.GradScaler()
    other.load_state_dict(scaler.state_dict())
    assert other.get_init_loss_scaling() == 8.0


def test_minimize_hands_its_arguments_to_the_optimizer():
    first, second = (paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
                     for _ in range(2))
    sgd = paddle.optimizer.SGD(0.5, parameters=[first, second])
    for scaler in (paddle.amp.GradScaler(init_loss_scaling=4.0), paddle.amp.GradScaler(enable=False)):
        scaled_loss = scaler.scale((first + second).sum())
        scaled_loss.backward()
        _, pairs = scaler.minimize(sgd, scaled_loss, parameters=[first])
        assert [p.name for p, _ in pairs] == [first.name]
        sgd.clear_grad()
    assert float(first) == 0.0 and float(second) == 1.0
    scaler = paddle.amp.GradScaler(init_loss_scaling=4.0)
    loss = scaler.scale((first * float("inf")).sum())
    loss.backward()
    assert scaler.minimize(sgd, loss) is None and float(first) == 0.0 and scaler.get_init_loss_scaling() == 2.0


def test_unscaling_twice_is_refused():
    scaler = paddle.amp.GradScaler()
    p = paddle.to_tensor([1.0], stop_gradient=False)
    sgd = paddle.optimizer.SGD(0.5, parameters=[p])
    scaler.scale(p.sum()).backward()
    scaler.unscale_(sgd)
    assert float(p.grad) == 1.0
    with pytest.raises(RuntimeError, match="already"):
        scaler.unscale_(sgd)


def test_statistics_and_checks(capsys):
    with paddle.amp.debugging.collect_operator_stats():
        paddle.exp(paddle.ones([2]))
    assert "exp" in capsys.readouterr().out
    with pytest.raises(RuntimeError, match="1 NaN"):
        paddle.amp.debugging.check_numerics(paddle.to_tensor([float("nan")]), "op", "x")


@pytest.mark.parametrize("level, short", [("O1", "float32"), ("O2", "bfloat16")])
def test_functions_that_write_into_a_tensor_take_mixed_types(level, short):
    x, index, updates = paddle.zeros([4, 2]), paddle.to_tensor([1, 2]), paddle.full([2, 2], 1.5).astype("bfloat16")
    expected = np.zeros((4, 2), "float32")
    expected[1:3] = 1.5
    with paddle.amp.auto_cast(level=level, dtype="bfloat16"):
        results = [paddle.scatter(x, index, updates), paddle.scatter_nd_add(x, index.unsqueeze(1), updates),
                   paddle.index_add(x, index, 0, updates)]
    assert [r.dtype.name for r in results] == ["float32", short, short]  # scatter is on the black list of O2
    for result in results:
        np.testing.assert_array_equal(result.astype("float32").numpy(), expected)
    with pytest.raises(TypeError, match="one dtype"):
        paddle.scatter(x, index, updates)
    with paddle.amp.auto_cast(level=level, dtype="bfloat16"), pytest.raises(TypeError, match="one dtype"):
        paddle.scatter(x.astype("float64"), index, updates)
