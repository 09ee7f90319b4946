"""Names of 2.6's bytecode translator over to_static, and the names of a function's frame in translated code."""

import os

import pytest

import paddle
from paddle.jit import sot
from paddle.jit.api import StaticFunction
from paddle.jit.sot import psdb, symbolic_translate
from paddle.jit.sot.utils import cost_model_guard, strict_mode_guard, with_control_flow_guard


def with_tail(x, tail):
    if x.sum() > 0:
        tail.append(x * 2)
    return tail[-1] + len(tail)


@pytest.mark.filterwarnings("ignore:to_static")
def test_translates_and_keeps_side_effects():
    x = paddle.to_tensor([1.0, 2.0])
    eager, translated = [x], [x]
    assert symbolic_translate(with_tail)(x, translated).tolist() == with_tail(x, eager).tolist()
    assert [t.tolist() for t in translated] == [t.tolist() for t in eager]


def test_without_training_there_are_no_gradients():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    assert symbolic_translate(lambda x: x * 2, training=False)(x).stop_gradient
    assert not symbolic_translate(lambda x: x * 2)(x).stop_gradient


def test_what_a_function_asks():
    seen = []

    @psdb.check_no_breakgraph
    def function(x):
        seen.append(psdb.in_sot())
        psdb.breakgraph()
        psdb.fallback()
        psdb.assert_true(True)
        return x + 1

    assert sot.symbolic_translate(function)(paddle.to_tensor([1.0])).tolist() == [2.0]
    assert seen[0] is True and psdb.in_sot() is False
    with pytest.raises(AssertionError):
        psdb.assert_true(False)


@pytest.mark.parametrize(("guard", "name"), [(strict_mode_guard, "STRICT_MODE"), (cost_model_guard, "COST_MODEL"),
                                             (with_control_flow_guard, "SOT_WITH_CONTROL_FLOW")])
def test_guards_set_the_environment_for_a_block(guard, name):
    @guard(True)
    def inside():
        return os.environ[name]
    assert inside() == "true"


def names_of_the_frame(x, y):
    if x is None:
        z = y
    return x + len(locals()) + 10 * len(vars()), sorted(locals()), dir()


def names_in_a_branch(x, y):
    z = x
    if y.sum() > 0:
        z = x + len(locals())
    return z


@pytest.mark.parametrize("function", [names_of_the_frame, names_in_a_branch])
def test_locals_are_those_of_the_function(function):
    x, y = paddle.to_tensor([2.0]), paddle.to_tensor([3.0])
    static = paddle.jit.to_static(function)
    if function is names_in_a_branch:
        with pytest.warns(UserWarning, match="runs eagerly"):
            result = static(x, y)
        assert result.tolist() == function(x, y).tolist() == [5.0]
        return
    (value, *names), (expected, *wanted) = static(x, y), function(x, y)
    assert value.tolist() == expected.tolist() and names == wanted == [["x", "y"], ["x", "y"]]


def test_rollback_of_a_method_that_is_decorated_in_its_class():
    class Net(paddle.nn.Layer):
        @paddle.jit.to_static
        def double(self, x):
            return x * 2

    net, other = Net(), Net()
    assert net.double(paddle.ones([2])).tolist() == [2.0, 2.0]
    net.double.rollback()
    assert not isinstance(net.double, StaticFunction) and isinstance(other.double, StaticFunction)
    assert net.double(paddle.ones([2])).tolist() == [2.0, 2.0]
