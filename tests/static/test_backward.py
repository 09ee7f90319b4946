"""append_backward and gradients, against eager gradients and finite differences."""

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.ops.nn import norm


def array(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype("float32")


def test_append_backward_returns_parameters_and_names_gradients(static_mode):
    x = static.data("x", [None, 4])
    frozen = paddle.nn.Linear(4, 4, weight_attr=paddle.ParamAttr(trainable=False), bias_attr=False)
    layer = paddle.nn.Linear(4, 2)
    loss = paddle.mean(layer(frozen(x)))
    pairs = static.append_backward(loss)
    assert [(p.name, g.name) for p, g in pairs] == [(n, n + "@GRAD") for n in ("linear_1.w_0", "linear_1.b_0")]
    block = static.default_main_program().global_block()
    assert block.has_var(loss.name + "@GRAD") and not block.has_var("x@GRAD") and not block.has_var("linear_0.w_0@GRAD")
    assert pairs[0][1].shape == (4, 2)


def test_several_uses_add_up():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 3])
        x.stop_gradient = False
        loss = paddle.sum(x * x + paddle.exp(x) * x)
        static.append_backward(loss)
    a = array(2, 3)
    got, = static.Executor().run(main, {"x": a}, ["x@GRAD"])
    np.testing.assert_allclose(got, 2 * a + np.exp(a) * (1 + a), rtol=1e-5)
    assert any("x@GRAD@RENAME@block0@0" in op.output_arg_names for op in main.global_block().ops)


def test_no_grad_set_and_stop_gradient_block():
    def gradient_of_x(**kwargs):
        main = static.Program()
        with static.program_guard(main):
            x = static.data("x", [3])
            x.stop_gradient = False
            y, z = paddle.exp(x), x * 2
            if kwargs.pop("detach", False):
                y = y.detach()
            if kwargs.pop("stop", False):
                y.stop_gradient = True
            names = {y.name} if kwargs.pop("block", False) else None
            g, = static.gradients(paddle.sum(y * z), x, no_grad_set=names)
        return static.Executor().run(main, {"x": a}, [g])[0]
    a = array(3)
    np.testing.assert_allclose(gradient_of_x(), np.exp(a) * 2 * (1 + a), rtol=1e-5)
    for way in ("detach", "stop", "block"):
        np.testing.assert_allclose(gradient_of_x(**{way: True}), np.exp(a) * 2, rtol=1e-5)


def test_gradients_of_intermediates_with_given_output_gradients():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2, 3])
        x.stop_gradient = False
        y = paddle.sin(x)
        z = y * y
        seed = static.data("seed", [2, 3])
        gy, gx = static.gradients([z], [y, x], target_gradients=[seed])
        unrelated = static.gradients(z, static.data("other", [1]))
    assert unrelated == [None]
    a, s = array(2, 3), array(2, 3, seed=1)
    got_y, got_x = static.Executor().run(main, {"x": a, "seed": s}, [gy, gx])
    np.testing.assert_allclose(got_y, 2 * np.sin(a) * s, rtol=1e-5)
    np.testing.assert_allclose(got_x, 2 * np.sin(a) * np.cos(a) * s, rtol=1e-5)


def function(x, w):
    y = paddle.tanh(x) * 2 + x * x
    return paddle.mean(paddle.matmul(y, w) ** 2)


def test_gradients_of_gradients_equal_eager_ones():
    a, w = array(2, 3), array(3, 4, seed=1)
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 3])
        x.stop_gradient = False
        levels = [function(x, paddle.to_tensor(w))]
        for _ in range(3):
            levels.append(static.gradients(levels[-1], x)[0])
    got = static.Executor().run(main, {"x": a}, levels)
    again = static.Program.parse_from_string(main.serialize_to_string())
    loaded = static.Executor().run(again, {"x": a}, [v.name for v in levels])
    t = paddle.to_tensor(a, stop_gradient=False)
    eager = [function(t, paddle.to_tensor(w))]
    for _ in range(3):
        eager += paddle.grad(eager[-1], t, create_graph=True)
    for g, l, e in zip(got, loaded, eager):
        np.testing.assert_allclose(g, e.numpy(), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(g, l)


def test_values_overwritten_later_are_kept_for_gradients():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [3])
        x.stop_gradient = False
        y = paddle.exp(x)
        z = paddle.sum(y * y)
        paddle.assign(y * 100, y)  # writes the variable that the gradient of y * y reads
        g, = static.gradients(z, x)
    a = array(3)
    got, = static.Executor().run(main, {"x": a}, [g])
    np.testing.assert_allclose(got, 2 * np.exp(2 * a), rtol=1e-5)


def test_wrong_arguments(static_mode):
    x = static.data("x", [2, 3])
    with pytest.raises(ValueError, match="one element"):
        static.append_backward(x)
    with pytest.raises(TypeError, match="loss must be a Variable"):
        static.append_backward(3)
    with pytest.raises(ValueError, match="no operator reads or writes"):
        static.append_backward(paddle.mean(x), checkpoints=["no such"])
    with pytest.raises(ValueError, match="2 targets but 1"):
        static.gradients([x, x], x, [x])


@pytest.mark.parametrize("kind", ["add", "sub", "mul", "div", "max"])
@pytest.mark.parametrize("shape, axis", [([3], 1), ([3, 4], 1), ([3, 1], 1), ([2], 0), ([4], -1)])
def test_elementwise_operators_with_an_axis(kind, shape, axis):
    main = static.Program()
    with static.program_guard(main):
        x, y = static.data("x", [2, 3, 4]), static.data("y", shape)
        x.stop_gradient = y.stop_gradient = False
        block = main.global_block()
        z = block.create_var(shape=[2, 3, 4], dtype="float32")
        block.append_op(f"elementwise_{kind}", {"X": x, "Y": y}, {"Out": z}, {"axis": axis})
        gradients = static.gradients(paddle.sum(z * z), [x, y])
    a, b = array(2, 3, 4), array(*shape, seed=1) + 3
    got = static.Executor().run(main, {"x": a, "y": b}, [z, *gradients])
    full = b.reshape([1] * axis + list(b.shape) + [1] * (3 - axis - b.ndim)) if axis >= 0 else b
    tx, ty = (paddle.to_tensor(v, stop_gradient=False) for v in (a, full))
    name = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "max": "maximum"}[kind]
    out = getattr(paddle, name)(tx, ty)
    (out * out).sum().backward()
    for g, e in zip(got, (out, tx.grad, ty.grad)):
        np.testing.assert_allclose(g, e.numpy().reshape(g.shape), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["layer_norm", "group_norm", "instance_norm"])
@pytest.mark.parametrize("batch", [2, -1])
def test_gradients_of_the_statistics_of_norms(kind, batch, static_mode):
    op = norm.layer_norm if kind == "layer_norm" else (
        lambda x: norm.group_norm(x, groups=2)) if kind == "group_norm" else norm.instance_norm
    values = np.random.RandomState(0).normal(size=(2, 4, 5)).astype(np.float32)
    rows = values.reshape({"layer_norm": (2, 20), "group_norm": (4, 10), "instance_norm": (8, 5)}[kind])
    with static.program_guard(static.Program()):
        x = static.data("x", [batch, 4, 5])
        x.stop_gradient = False
        _, mean, variance = op(x)
        by_mean, by_variance = static.gradients(mean, x), static.gradients(variance, x)
        found = static.Executor().run(feed={"x": values}, fetch_list=[*by_mean, *by_variance])
    assert np.allclose(found[0], 1 / rows.shape[1])
    assert np.allclose(found[1], (2 / rows.shape[1] * (rows - rows.mean(1, keepdims=True))).reshape(values.shape), atol=1e-6)


def test_gradients_of_third_order_have_what_the_second_ones_depend_on(static_mode):
    """The slope of a mean is the same everywhere: neither x nor the incoming gradient count any more, which are then None."""
    x, dy, ddx, seed = [paddle.static.data(name, shape, "float32") for name, shape in (
        ("x", [3, 4]), ("dy", []), ("ddx", [3, 4]), ("seed", []))]
    for variable in (x, dy, ddx):
        variable.stop_gradient = False
    dx = paddle.static.gradients(paddle.mean(x), x, [dy])
    none, second = paddle.static.gradients(dx, [x, dy], [ddx])
    third = paddle.static.gradients(second, [x, dy, ddx], [seed])
    assert none is None and third[:2] == [None, None]
    feed = {"x": np.ones((3, 4), "f"), "dy": np.float32(1), "ddx": np.ones((3, 4), "f"), "seed": np.float32(6)}
    np.testing.assert_allclose(paddle.static.Executor().run(feed=feed, fetch_list=[third[2]])[0], np.full((3, 4), .5))


def test_gradients_of_third_order_of_what_is_not_linear(static_mode):
    x = paddle.static.data("x", [2], "float32")
    x.stop_gradient = False
    y = x ** 4
    for _ in range(3):
        y, = paddle.static.gradients(y, x)
    found, = paddle.static.Executor().run(feed={"x": np.array([1, 2], "f")}, fetch_list=[y])
    np.testing.assert_allclose(found, [24, 48], rtol=1e-6)


def test_gradients_through_an_assignment_have_the_type_of_what_was_assigned(static_mode):
    """A float32 parameter that a float64 value was written into is float64 from there on, in composed gradients too."""
    weights = np.array([1 / 3, 2 / 3])
    with static.program_guard(static.Program(), static.Program()):
        w = static.data("w", [2], "float64")
        w.stop_gradient = False
        p = static.create_parameter([1], "float32")
        paddle.assign(w, p)
        assert (p.dtype, tuple(p.shape)) == (paddle.float64, (2,))
        slope, = static.gradients([p * p], [w])
        assert slope.dtype is paddle.float64
        exe = static.Executor()
        exe.run(static.default_startup_program())
        found, = exe.run(feed={"w": weights}, fetch_list=[slope])
    assert found.dtype == np.float64 and np.array_equal(found, 2 * weights)


def test_gradients_of_results_that_a_program_says_to_need_them(static_mode):
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data("x", [2, 3])
        middle, number = x * 2, paddle.full([], 3.0)
        middle.stop_gradient = number.stop_gradient = False
        loss = paddle.sum(static.nn.fc(middle, 1) * number)
        static.append_backward(loss)
    executor = static.Executor()
    executor.run(startup)
    a = array(2, 3)
    w, of_middle, of_number, out = executor.run(main, {"x": a}, ["fc_0.w_0", middle.grad_name, number.grad_name, loss])
    np.testing.assert_allclose(of_middle, np.tile(3 * w.T, (2, 1)), rtol=1e-5)
    np.testing.assert_allclose(of_number, out / 3, rtol=1e-5)
    assert of_number.shape == () and not main.global_block().has_var("x@GRAD")
