"""Branches that give tensors of different ranks: the number of dimensions is known only when the program runs."""

import numpy as np
import pytest

import paddle
from paddle.static import InputSpec

POINTS = ([[1.0, 2.0], [3.0, 4.0]], [[-1.0, -2.0], [-3.0, -4.0]], [[0.5, 1.0]], [[2.0, 2.0], [-3.0, 4.0], [-5.0, 6.0]])


def expression(x):
    return x[0] if x.shape[0] > 1 else x


def assigned(x):
    if x.sum() > 0:
        y = x.mean()
    else:
        y = x
    return y


def followed(x):
    y = paddle.tanh(assigned(x) * 2 + 1) / x.max()
    return y + y.mean(), y.sum(axis=-1), (y > 0).any(), y.reshape([-1])


def returned(x):
    if x.sum() > 5:
        return x
    if x.sum() > 0:
        return x[0]
    return x.unsqueeze(0)


def merged_again(x):
    y = assigned(x)
    if x.max() > 3:
        y = y * 3
    elif x.min() < -4:
        y = x[0]
    return {"y": y, "parts": [y + 1, y * x]}


def set_by_some(x):
    if x.sum() > 0:
        if x.mean() > 1:
            y = x
        else:
            y = x[0]
    else:
        return x
    return y


def number(x):
    total = 0
    if x.sum() > 0:
        total = total + x
    return total + x[0]


def read_by_a_loop(x):
    y = assigned(x)
    i = total = paddle.zeros([])
    while i < 3:
        total = total + y.sum() * i
        i = i + 1
    return total + y


def made_in_a_loop(x):
    i = total = paddle.zeros([])
    while i < 3:
        if x.sum() > i:
            y = x.mean()
        else:
            y = x
        total = total + y.sum()
        i = i + 1
    return total


def member(x):
    items = [x.mean()]
    if x.sum() > 0:
        items.append(x)
    else:
        items.append(x[0])
    return items[-1] * 2, items[0]


def member_of_a_growing_list(x):
    items = [x, x[0]]
    if x.max() > 1:
        items.append(x.mean())
    return items[-1] * 2


def functions(x):
    y = paddle.static.nn.cond(x.sum() > 0, lambda: x.mean(), lambda: x)
    return paddle.static.nn.cond(x.max() > 1, lambda: y + 1, lambda: y)


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for v in value for leaf in leaves(v)] if isinstance(value, (list, tuple)) else [value]


def run(function, point):
    x = paddle.to_tensor(point, stop_gradient=False)
    found = leaves(function(x))
    sum((v * v).sum() for v in found if not v.stop_gradient).backward()
    return [v.numpy() for v in found], x.grad.numpy()


CASES = [expression, assigned, followed, returned, merged_again, set_by_some, number, read_by_a_loop, made_in_a_loop, member,
         member_of_a_growing_list, functions]


@pytest.mark.parametrize("function", CASES)
def test_values_and_gradients_are_the_eager_ones(function):
    shapeless = paddle.jit.to_static(function, full_graph=True, input_spec=[InputSpec([None, 2], "float32", "x")])
    for static in (paddle.jit.to_static(function, full_graph=True), shapeless):
        for point in POINTS:
            (values, slope), (got, other_slope) = run(function, point), run(static, point)
            assert [v.shape for v in got] == [v.shape for v in values]
            for a, b in zip(got, values):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(other_slope, slope, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", [assigned, returned, read_by_a_loop])
def test_saved_and_inside_another_function(function, tmp_path):
    paddle.jit.save(paddle.jit.to_static(function, full_graph=True), str(tmp_path / "f"), [InputSpec([None, 2], "float32", "x")])
    loaded = paddle.jit.load(str(tmp_path / "f"))
    inside = paddle.jit.to_static(lambda x: loaded(x * 1), full_graph=True)
    for point in POINTS:
        wanted = function(paddle.to_tensor(point)).numpy()
        for other in (loaded, inside):
            got = other(paddle.to_tensor(point)).numpy()
            assert got.shape == wanted.shape
            np.testing.assert_allclose(got, wanted, rtol=1e-6)


def by_rank(x):
    y = assigned(x)
    return y * y.ndim


def by_size(x):
    return x * len(assigned(x).shape)


def changed_in_place(x):
    y = x * 1
    if x.sum() > 0:
        y.unsqueeze_(0)
    return y


def carried(x):
    y = assigned(x)
    while y.sum() > 0:
        y = y - 1
    return y


def of_functions(x):
    return paddle.static.nn.cond(x.sum() > 0, lambda: x.mean(), lambda: x).ndim


@pytest.mark.parametrize(("function", "text"), [
    (by_rank, r"the value of 'y' has a shape that depends.* shape \[\], the other .* shape \[2, 2\].*asks for its shape"),
    (by_size, "asks for its shape"), (of_functions, r"cond\(\).*asks for the shape"),
    (carried, r"changes in a loop from a float32 tensor of shape \[\] or \[2, 2\]"), (changed_in_place, "changed in place")])
def test_what_asks_for_the_shape_is_refused_or_runs_eagerly(function, text):
    x = paddle.to_tensor(POINTS[0])
    with pytest.raises(UnboundLocalError, match=text):
        paddle.jit.to_static(function, full_graph=True)(x)
    with pytest.warns(UserWarning, match="runs eagerly"):
        got = paddle.jit.to_static(function, full_graph=False)(x)
    np.testing.assert_allclose(got, function(paddle.to_tensor(POINTS[0])))


def test_an_operator_that_takes_none_of_the_shapes_says_so_at_once():
    def added(x):
        return assigned(x) @ paddle.ones([5, 5])
    with pytest.raises(ValueError, match="matmul"):
        paddle.jit.to_static(added, full_graph=True)(paddle.to_tensor(POINTS[0]))
    with pytest.raises(ValueError, match="matmul"):
        added(paddle.to_tensor(POINTS[0]))
