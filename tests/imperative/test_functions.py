"""Functions of 2.0 alpha's paddle.*: their own arguments, defaults and results, which bear the names that calls give."""

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid

F = paddle.nn.functional
X = np.array([[3.0, -4.0, 5.0], [0.5, 2.0, -1.0]], "float32")


@pytest.fixture
def alpha():
    before = paddle.get_generation()
    paddle.set_generation("2.0-alpha")
    yield
    paddle.set_generation(before)


# by the signatures of tag v2.0.0-alpha0, where 2.x has the name with another meaning; computed with NumPy
MEANINGS = {
    "argsort": (lambda x: paddle.argsort(x, 1), (np.sort(X, 1), np.argsort(X, 1))),
    "argsort by keyword": (lambda x: paddle.argsort(input=x, axis=0), (np.sort(X, 0), np.argsort(X, 0))),
    "sort": (lambda x: paddle.sort(x, 1, True), (-np.sort(-X, 1), np.argsort(-X, 1))),
    "sort by keyword": (lambda x: paddle.sort(input=x, axis=0), (np.sort(X, 0), np.argsort(X, 0))),
    "sort of paddle.tensor": (lambda x: paddle.tensor.sort(input=x, axis=0), (np.sort(X, 0), np.argsort(X, 0))),
    "sum of paddle.tensor": (lambda x: paddle.tensor.sum(x, dim=1, keep_dim=True), X.sum(1, keepdims=True)),
    "argmin": (lambda x: paddle.argmin(x), X.argmin(0)),
    "argmax": (lambda x: paddle.argmax(x), X.argmax(-1)),
    "argmax by keyword": (lambda x: paddle.argmax(input=x, axis=0, keepdims=True), X.argmax(0)[None]),
    "cumsum": (lambda x: paddle.cumsum(x), X.cumsum(-1)),
    "cumsum backwards": (lambda x: paddle.cumsum(x, 1, False, True), X[:, ::-1].cumsum(1)[:, ::-1]),
    "cumsum exclusive": (lambda x: paddle.cumsum(x, axis=1, exclusive=True), X.cumsum(1) - X),
    "var": (lambda x: paddle.var(x, [1], True), X.var(1, ddof=1, keepdims=True)),
    "var of all": (lambda x: paddle.var(x), X.var(ddof=1).reshape(1)),
    "std": (lambda x: paddle.std(x, [0], False, False), X.std(0)),
    "std by keyword": (lambda x: paddle.std(input=x, axis=[0], keepdim=True), X.std(0, ddof=1, keepdims=True)),
    "expand_as": (lambda x: paddle.expand_as(x, paddle.concat([x, x], 0)), np.tile(X, (2, 1))),
    "gather_nd": (lambda x: paddle.gather_nd(input=x, index=fluid.layers.assign(np.array([[1, 2]], "int64"))), X[1:, 2]),
    "strided_slice": (lambda x: paddle.strided_slice(input=x, axes=[1], starts=[0], ends=[3], strides=[2]), X[:, ::2]),
    "scatter": (lambda x: paddle.scatter(input=x, index=fluid.layers.assign(np.array([1], "int64")), updates=x[0:1]), X[[0, 0]]),
    "diag": (lambda x: paddle.diag(diagonal=fluid.layers.assign(X[0])), np.diag(X[0])),
    "increment": (lambda x: paddle.increment(fluid.layers.assign(X[0, :1]), 2.0, False), X[0, :1] + 2),
    "leaky_relu": (lambda x: F.leaky_relu(x), np.where(X > 0, X, np.float32(0.02) * X)),
    "leaky_relu by keyword": (lambda x: F.leaky_relu(x, alpha=0.5), np.where(X > 0, X, X / 2)),
    "leaky_relu of 2.x": (lambda x: F.leaky_relu(x, negative_slope=0.5), np.where(X > 0, X, X / 2)),
    "relu6": (lambda x: F.relu6(x, threshold=4.0), np.clip(X, 0, 4)),
    "swish": (lambda x: F.swish(x, beta=2.0), X / (1 + np.exp(-2 * X))),
    "softshrink": (lambda x: F.softshrink(x, alpha=1.0), np.sign(X) * np.maximum(np.abs(X) - 1, 0)),
    "pad": (lambda x: F.pad(x, [0, 1, 2, 0], 7.0), np.pad(X, [(0, 1), (2, 0)], constant_values=7)),
    "pad by keyword": (lambda x: F.pad(x, paddings=[1, 0, 0, 0], pad_value=7.0), np.pad(X, [(1, 0), (0, 0)], constant_values=7)),
    "label_smooth": (lambda x: F.label_smooth(x, epsilon=0.1, dtype="float32"), 0.9 * X + np.float32(0.1 / 3)),
    "unique": (lambda x: paddle.unique(fluid.layers.assign(np.array([2, 3, 3, 1, 5, 3], "int32"))),
               (np.array([2, 3, 1, 5]), np.array([0, 1, 1, 2, 3, 1]))),
}


@pytest.mark.parametrize("call, expected", MEANINGS.values(), ids=MEANINGS)
@pytest.mark.parametrize("static", [False, True])
def test_functions_mean_what_alpha_meant(alpha, call, expected, static):
    expected = expected if isinstance(expected, tuple) else (expected,)
    if static:
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            made = call(fluid.layers.assign(X))
            found = fluid.Executor().run(fetch_list=list(made) if isinstance(made, (list, tuple)) else [made])
    else:
        with fluid.dygraph.guard():
            made = call(fluid.dygraph.to_variable(X))
            found = [part.numpy() for part in (made if isinstance(made, (list, tuple)) else [made])]
    assert [f.shape for f in found] == [e.shape for e in expected]
    for part, right in zip(found, expected):
        np.testing.assert_allclose(part, right, rtol=1e-5, atol=1e-6)


def test_comparisons_write_where_alpha_says(alpha):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x, there = fluid.layers.assign(X), fluid.layers.assign(X > 9)
        paddle.greater_than(x, x * 0, cond=there)
        assert (fluid.Executor().run(fetch_list=[there])[0] == (X > 0)).all()


@pytest.mark.parametrize("call", [
    lambda x: paddle.equal(x, x, name="given"), lambda x: paddle.sum(x, 0, name="given"), lambda x: paddle.max(x, name="given"),
    lambda x: paddle.min(x, 0, name="given"), lambda x: paddle.pow(x, 2, name="given"), lambda x: paddle.add(x, x, name="given"),
    lambda x: paddle.addmm(x, x, x, name="given"), lambda x: paddle.norm(x, name="given"),
    lambda x: paddle.clamp(x, 0, 1, name="given"),
    lambda x: paddle.elementwise_equal(x, x, name="given"), lambda x: paddle.elementwise_sum([x, x], name="given"),
    lambda x: paddle.addcmul(x, x, x, name="given")])
def test_results_bear_the_given_name(call):
    before = paddle.get_generation()
    paddle.set_generation("2.0-alpha")
    try:
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            out = call(fluid.layers.assign(np.array([[3.0, 4.0], [5.0, 6.0]], "float32")))
            assert "given" in out.name
    finally:
        paddle.set_generation(before)


def test_paddle_tensor_has_the_functions_of_paddle():
    from paddle.tensor import functions
    assert [n for n in functions.__all__ if getattr(paddle, n) is not getattr(paddle.tensor, n)] == []
