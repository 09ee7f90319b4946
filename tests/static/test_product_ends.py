"""Linear layers with what follows them, and layers of one input as one: the same values, and the graphs that stay as they are."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import static
from paddle.static.ir import passes
from paddle.static.schedule.frozen import Frozen

from .test_passes import array, built, check, needs_kernels, types

X = array(4, 5, 6)
PASSES = {"dead_code", "fuse_linear", "product_ends"}


def applied(function, tolerance=1e-5, **feed):
    graph, expected, run = built(function, feed)
    passes.apply(graph, skip=set(passes.names()) - PASSES)
    check(graph, expected, run, tolerance)
    return types(graph)


@needs_kernels
@pytest.mark.parametrize("approximate,name", [(False, "gelu"), (True, "gelu_tanh")])
def test_gelu(approximate, name):
    linear = paddle.nn.Linear(6, 37)
    graph, expected, run = built(lambda x: F.gelu(linear(x), approximate), {"x": X})
    passes.apply(graph, skip=set(passes.names()) - PASSES)
    assert types(graph) == ["linear_act"] and graph.nodes[0].call.values == [name]
    check(graph, expected, run, 1e-5)


@needs_kernels
def test_residual():
    linear = paddle.nn.Linear(6, 6)
    assert applied(lambda x: x + linear(x), x=X) == ["linear_add"]
    assert applied(lambda x: linear(x) + x, x=X) == ["linear_add"]


@needs_kernels
def test_a_residual_of_which_there_is_one_row():
    """Whether the first size, which is open, is that of the product shows when the program runs."""
    linear = paddle.nn.Linear(6, 6)
    assert applied(lambda x, r: linear(x) + r, x=X, r=array(1, 5, 6)) == ["linear_add"]


@needs_kernels
@pytest.mark.parametrize("function", [
    lambda x, linear: linear(x) + x[:, :1],
    lambda x, linear: (lambda y: y + y)(linear(x)),
    lambda x, linear: (lambda y: [F.gelu(y), y])(linear(x)),
], ids=["repeated", "itself", "asked for"])
def test_what_is_something_else(function):
    linear = paddle.nn.Linear(6, 6)
    kinds = applied(lambda x: function(x, linear), x=X)
    assert "linear_add" not in kinds and "linear_act" in kinds and ("gelu" in kinds) == ("elementwise_add" not in kinds)


@needs_kernels
def test_trained_layers_stay():
    linear = paddle.nn.Linear(6, 6)

    def function(x):
        y = F.gelu(linear(x)) + x
        return [y, *static.gradients(paddle.sum(y * y), [x, *static.default_main_program().all_parameters()])]
    kinds = applied(function, 1e-4, x=X)
    assert "gelu" in kinds and "linear_act_grad" in kinds


def attention(heads=2):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, None, 8])
        y = paddle.nn.TransformerEncoderLayer(8, heads, 12, dropout=0.0, activation="gelu")(x)
    return main, y.name, {name: t._data for name, t in main.captured.items()}


@needs_kernels
def test_layers_of_one_input():
    main, name, arrays = attention()
    plain = Frozen(main, ["x"], [name], arrays, skip=("merge_linear", "product_ends"))
    merged = Frozen(main, ["x"], [name], arrays)
    assert types(plain.graph).count("linear_act") == 6
    assert types(merged.graph).count("linear_act") == 2 and types(merged.graph).count("linear_add") == 2
    assert types(merged.graph).count("slice") == 3
    for shape in ((3, 5, 8), (1, 1, 8), (2, 40, 8)):
        for _ in range(3):  # interpreted, noted, and as a routine
            np.testing.assert_allclose(merged([array(*shape)])[0], plain([array(*shape)])[0], rtol=1e-5, atol=1e-5)


@needs_kernels
@pytest.mark.parametrize("function", [
    lambda x, a, b: [a(x), b(x)],                       # results that are asked for as arrays
    lambda x, a, b: a(x) * b(x),                        # and read from end to end
    lambda x, a, b: a(x).reshape([-1, 2, 3]) * F.relu(b(x)).reshape([-1, 2, 3]),
    lambda x, a, b: a(x).reshape([-1, 2, 3]) * b(x * 2).reshape([-1, 2, 3]),
], ids=["asked for", "dense", "another activation", "another input"])
def test_layers_that_stay_apart(function):
    a, b = paddle.nn.Linear(6, 6), paddle.nn.Linear(6, 6)
    main = static.Program()
    with static.program_guard(main):
        outs = function(static.data("x", [None, 6]), a, b)
    names = [o.name for o in (outs if isinstance(outs, list) else [outs])]
    frozen = Frozen(main, ["x"], names, {name: t._data for name, t in main.captured.items()})
    assert types(frozen.graph).count("linear_act") == 2
    expected = function(paddle.to_tensor(array(7, 6)), a, b)
    for got, want in zip(frozen([array(7, 6)]), expected if isinstance(expected, list) else [expected]):
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-5, atol=1e-5)
