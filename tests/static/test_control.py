"""Branches, loops and tensor arrays: values and gradients equal eager ones, also after a trip through a file."""

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.static.array import array_length, array_read, array_write, create_array, tensor_array_to_tensor


def array(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype("float32")


def counter():
    return paddle.full([1], 0, "int64")


def branch(x, w):
    return static.nn.cond(paddle.sum(x) > 0, lambda: paddle.matmul(x, w), lambda: x * 3)


def passed_through(x, w):
    y = paddle.exp(x)
    return static.nn.cond(paddle.sum(x) > 0, lambda: y, lambda: y * paddle.sum(w)) * y


def nested_result(x, w):
    r = static.nn.cond(paddle.sum(x) > 0, lambda: {"a": [x, w]}, lambda: {"a": [x * x, w * 2]})
    return paddle.matmul(r["a"][0], r["a"][1])


def loop(x, w):
    return static.nn.while_loop(lambda i, x: i < 4, lambda i, x: [i + 1, paddle.tanh(paddle.matmul(x, w)) + x],
                                [counter(), x])[1]


def swapping(x, w):
    _, p, q = static.nn.while_loop(lambda i, p, q: i < 3, lambda i, p, q: [i + 1, q, p * 1.5],
                                   [counter(), x, paddle.matmul(x, w)])
    return p * q


def never(x, w):
    return static.nn.while_loop(lambda i, x: i < 0, lambda i, x: [i + 1, paddle.matmul(x, w)], [counter(), x])[1]


def branch_in_loop(x, w):
    def body(i, x):
        inner = lambda: static.nn.cond(paddle.mean(x) > 0, lambda: x * x, lambda: x * 0.5)  # noqa: E731
        return [i + 1, static.nn.cond(i % 2 == 0, lambda: paddle.matmul(x, w), inner)]
    return static.nn.while_loop(lambda i, x: i < 5, body, [counter(), x])[1]


def loop_in_loop(x, w):
    def body(i, x):
        return [i + 1, loop(x, w) * 0.5]
    return static.nn.while_loop(lambda i, x: i < 2, body, [counter(), x])[1]


def through_array(x, w):
    def body(i, arr):
        j = i + 1
        return [j, array_write(paddle.matmul(array_read(arr, i), w) * 0.5, j, arr)]
    first = array_write(x, counter(), create_array("float32"))
    _, arr = static.nn.while_loop(lambda i, arr: i < 3, body, [counter(), first])
    return tensor_array_to_tensor(arr, axis=0)[0]


def stacked_array(x, w):
    arr = create_array("float32", [x, paddle.matmul(x, w)])
    return tensor_array_to_tensor(arr, axis=1, use_stack=True)[0]


def chosen(x, w):
    return static.nn.switch_case(paddle.full([1], 2, "int64"), {1: lambda: x, 2: lambda: x * paddle.sum(w), 3: lambda: x - 1})


def first_that_holds(x, w):
    return static.nn.case([(paddle.sum(x) > 1e6, lambda: x), (paddle.sum(w) > -1e6, lambda: paddle.matmul(x, w))], lambda: x)


FUNCTIONS = [branch, passed_through, nested_result, loop, swapping, never, branch_in_loop, loop_in_loop, through_array,
             stacked_array, chosen, first_that_holds]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_static_equals_eager(function, sign):
    x, w = array(3, 4) * sign * 0.3 + sign * 0.2, array(4, 4, seed=1) * 0.5
    paddle.enable_static()
    main = static.Program()
    with static.program_guard(main):
        xs = [static.data("x", [None, 4]), static.data("w", [4, 4])]
        for v in xs:
            v.stop_gradient = False
        out = function(*xs)
        gradients = static.gradients(paddle.sum(out * out), xs)
    fetches = [out.name, *[g.name for g in gradients if g is not None]]
    exe = static.Executor()
    got = exe.run(main, {"x": x, "w": w}, fetches)
    again = static.Program.parse_from_string(main.serialize_to_string())
    for a, b in zip(got, exe.run(again, {"x": x, "w": w}, fetches)):
        np.testing.assert_array_equal(a, b)
    paddle.disable_static()
    ts = [paddle.to_tensor(a, stop_gradient=False) for a in (x, w)]
    expected = function(*ts)
    eager = paddle.grad(paddle.sum(expected * expected), ts, allow_unused=True)
    np.testing.assert_allclose(got[0], expected.numpy(), rtol=1e-5, atol=1e-6)
    values = iter(got[1:])
    for g, e, like in zip(gradients, eager, (x, w)):
        value = next(values) if g is not None else np.zeros_like(like)
        np.testing.assert_allclose(value, np.zeros_like(like) if e is None else e.numpy(), rtol=1e-4, atol=1e-5)


def test_two_gradients_through_one_branch():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [3])
        x.stop_gradient = False
        y = static.nn.cond(paddle.sum(x) > 0, lambda: x * x, lambda: paddle.exp(x))
        one, = static.gradients(paddle.sum(y), x)
        two, = static.gradients(paddle.sum(y * y), x)
    a = np.abs(array(3))
    for v, (g1, g2) in {1: (2 * a, 4 * a ** 3), -1: (np.exp(-a), 2 * np.exp(-2 * a))}.items():
        got = static.Executor().run(main, {"x": a * v}, [one, two])
        np.testing.assert_allclose(got[0], g1, rtol=1e-5)
        np.testing.assert_allclose(got[1], g2 if v == -1 else g2, rtol=1e-5)


def test_parameters_inside_branches_are_trained(static_mode):
    x = static.data("x", [None, 4])
    layer = paddle.nn.Linear(4, 4)
    y = static.nn.cond(paddle.mean(x) > 0, lambda: layer(x), lambda: layer(x) * 2)
    loss = paddle.mean(y * y)
    paddle.optimizer.SGD(0.1).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    losses = [exe.run(feed={"x": array(8, 4)}, fetch_list=[loss])[0] for _ in range(20)]
    assert losses[-1] < losses[0] * 0.5


def test_array_functions_eagerly():
    arr = create_array("float32")
    array_write(paddle.ones([2]), paddle.to_tensor([0]), arr)
    array_write(paddle.zeros([2]), paddle.to_tensor([1]), arr)
    assert array_length(arr) == 2 and array_read(arr, paddle.to_tensor([1])).tolist() == [0, 0]
    with pytest.raises(IndexError, match="array_write"):
        array_write(paddle.ones([2]), paddle.to_tensor([5]), arr)


def test_array_length_in_a_program(static_mode):
    arr = create_array("float32", [paddle.ones([2]), paddle.ones([2])])
    out, = static.Executor().run(fetch_list=[array_length(arr)])
    assert out.tolist() == [2]


def test_branches_of_different_types_give_the_wider_one(static_mode):
    x = static.data("x", [2])
    out = static.nn.cond(paddle.sum(x) > 0, lambda: x, lambda: x.astype("int32"))
    for value in (1.5, -1.5):
        found, = static.Executor().run(feed={"x": np.full([2], value, "float32")}, fetch_list=[out])
        assert found.dtype == np.float32 and found.tolist() == ([1.5] * 2 if value > 0 else [-1.0] * 2)


def test_increment_changes_the_variable_inside_while_blocks(static_mode):
    i, n = paddle.full([1], 0, "int64"), paddle.full([1], 10, "int64")
    going = paddle.less_than(i, n)
    with static.nn.control_flow.While(cond=going).block():
        i = paddle.increment(i)
        paddle.assign(paddle.less_than(i, n), going)
    found, = static.Executor().run(fetch_list=[i])
    assert found.tolist() == [10]


@pytest.mark.parametrize("build, match", [
    (lambda x: static.nn.cond(x > 0, lambda: x, lambda: x), "one element"),
    (lambda x: static.nn.cond(paddle.sum(x), lambda: x, lambda: x), "bool"),
    (lambda x: static.nn.cond(paddle.sum(x) > 0, lambda: x, lambda: [x, x]), "same structure"),
    (lambda x: static.nn.cond(paddle.sum(x) > 0, lambda: "text", lambda: x), "must return Variables"),
    (lambda x: static.nn.while_loop(lambda i: i < 1, lambda i: [i, i], [paddle.sum(x)]), "returned 2 values for 1"),
    (lambda x: static.nn.while_loop(3, 4, [x]), "callable"),
    (lambda x: static.nn.switch_case(paddle.sum(x), [lambda: x]), "int32"),
])
def test_wrong_arguments(static_mode, build, match):
    with pytest.raises((TypeError, ValueError), match=match):
        build(static.data("x", [2, 3]))


@pytest.mark.parametrize("pred", [None, [1], 1])
def test_what_is_no_condition_decides_nothing(pred):
    with pytest.raises(AssertionError, match=r"cond\(\): pred must be a bool tensor"):  # in dynamic code
        static.nn.cond(pred, lambda: 1, lambda: 2)
    paddle.enable_static()
    try:
        with pytest.raises(TypeError, match=r"cond\(\): pred must be a bool tensor"):
            static.nn.cond(pred, lambda: 1, lambda: 2)
        with pytest.raises(TypeError, match=r"cond\(\): name"):
            static.nn.cond(True, lambda: 1, lambda: 2, set())
    finally:
        paddle.disable_static()


def test_updates_inside_a_branch(static_mode):
    """Gradients are added up; every second run applies them."""
    x = static.data("x", [None, 4])
    layer = paddle.nn.Linear(4, 1, bias_attr=False)
    loss = paddle.mean(layer(x))
    (w, g), = static.append_backward(loss)
    total = static.create_global_var([4, 1], 0.0, "float32", persistable=True, name="total")
    count = static.create_global_var([1], 0.0, "float32", persistable=True, name="count")
    paddle.assign(total + g, total)
    paddle.assign(count + 1, count)

    def apply():
        paddle.optimizer.SGD(1.0).apply_gradients([(w, total)])
        paddle.assign(total * 0, total)
    static.nn.cond(paddle.sum(count) % 2 == 0, apply, None)
    exe, scope = static.Executor(), static.global_scope()
    exe.run(static.default_startup_program())
    seen = [scope.get(w.name).copy()]
    for _ in range(4):
        held = scope.get(w.name)
        before = held.copy()
        exe.run(feed={"x": np.ones([2, 4], "float32")})
        np.testing.assert_array_equal(held, before)
        seen.append(scope.get(w.name).copy())
    for k, steps in enumerate([0, 0, 2, 2, 4]):
        np.testing.assert_allclose(seen[k], seen[0] - steps, rtol=1e-5)


def test_gradients_flow_through_values_that_start_as_constants(static_mode):
    """What a turn stores in a loop variable reaches later turns, though its first value has no gradient."""
    x = static.data("x", [3])
    x.stop_gradient = False
    start = paddle.zeros([3])
    i, total, seen = static.nn.while_loop(lambda i, t, s: i < 3, lambda i, t, s: [i + 1, t + x, s + t * t],
                                          [paddle.zeros([1], "int64"), start, start])
    gradient, = static.gradients(paddle.sum(seen), [x])
    value = np.array([1.0, -2.0, 0.5], "float32")
    got = static.Executor().run(feed={"x": value}, fetch_list=[seen, gradient])
    np.testing.assert_allclose(got[0], 5 * value ** 2, rtol=1e-6)
    np.testing.assert_allclose(got[1], 10 * value, rtol=1e-6)
