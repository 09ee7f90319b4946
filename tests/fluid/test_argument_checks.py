"""What functions of 1.8 refuse while a program is built, and what no other version refuses."""

import ast
import inspect
import textwrap

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid.dygraph import dygraph_to_static
from paddle.tensor import argument_checks

L = fluid.layers
ARRAY = np.ones([2, 4], "float32")


@pytest.fixture(autouse=True)
def fresh_program():
    yield from _program("1.8")


def _program(generation):
    before = paddle.get_generation()
    paddle.set_generation(generation)
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        yield
    paddle.set_generation(before)


def numbers(dtype="float32"):
    return fluid.data("x_" + dtype, [-1, 4], dtype)


@pytest.mark.parametrize("call", [
    lambda: L.fc(ARRAY, 3), lambda: L.fc([numbers(), ARRAY], 3), lambda: L.conv2d(ARRAY, 3, 3), lambda: L.relu(numbers("int64")),
    lambda: L.reduce_all(numbers()), lambda: L.concat([numbers(), ARRAY]), lambda: L.elementwise_add(numbers(), ARRAY),
    lambda: L.logical_and(numbers(), numbers()), lambda: L.tanh(ARRAY), lambda: L.embedding(numbers(), [3, 4]),
    lambda: L.increment([1, 2]), lambda: fluid.dygraph.Linear(4, 3)(ARRAY), lambda: L.eye(3.1), lambda: L.eye(3, batch_shape=[-1]),
    lambda: L.fill_constant([1], "complex64", 1), lambda: L.while_loop(lambda i: 1, lambda i: i, [numbers()]),
    lambda: L.while_loop(lambda i: i > 0, lambda i: i, numbers()), lambda: L.While(L.cast(numbers(), "bool")),
    lambda: fluid.gradients(L.relu(numbers()), "x"), lambda: fluid.gradients([L.relu(numbers())], [numbers()], no_grad_set="x"),
])
def test_refused(call):
    with pytest.raises(TypeError):
        call()


def test_allowed():
    x = numbers()
    assert L.concat([x, L.relu(x)]).shape[1] == 4 and L.fc([x, x], 3).shape == (-1, 3)
    with fluid.dygraph.guard():
        assert L.relu(ARRAY).shape == [2, 4]  # nothing is checked in a guard


def test_other_versions_check_nothing():
    for generation in ("1.5", "2.6"):
        program = _program(generation)
        next(program)
        assert list(L.tanh(ARRAY).shape) == [2, 4]
        assert list(program) == []


def test_the_table_names_our_functions_and_arguments():
    strange = {}
    for name, limits in argument_checks.table("1.8").items():
        function = getattr(L, name, None)
        if inspect.isfunction(function):
            known = set(inspect.signature(function).parameters)
            strange[name] = {a.removesuffix("[]") for a in limits} - known
    assert {name for name, lost in strange.items() if lost} <= {"logical_not", "sum"}


def test_values_of_scopes_and_descriptions():
    scope = fluid.core.Scope()
    tensor = fluid.core.LoDTensor([[1, 1]])
    tensor.set(ARRAY, fluid.CPUPlace())
    scope.var("array").get_lod_tensor_array().append(tensor)
    assert scope.find_var("array").get_lod_tensor_array()[0].recursive_sequence_lengths() == [[1, 1]]
    fluid.core.set_feed_variable(scope, tensor, "feed", 1)
    assert fluid.core.get_fetch_variable(scope, "feed", 1) is tensor
    parameter = L.create_parameter([2, 3], "float32", name="w")
    fluid.core._create_loaded_parameter([parameter], scope, None)
    assert np.array(scope.find_var("w").get_tensor()).shape == (2, 3)
    parameter.desc.set_shape([4, 3])
    assert parameter.shape == (4, 3) and not fluid.io.is_belong_to_optimizer(parameter)
    program = fluid.default_main_program()
    assert len(program.to_string(True, with_details=True)) > len(program.to_string(True))


def test_values_of_another_shape_are_refused(tmp_path):
    L.create_parameter([2, 3], "float32", name="w")
    exe, program = fluid.Executor(fluid.CPUPlace()), fluid.default_main_program()
    exe.run(fluid.default_startup_program())
    fluid.save(program, str(tmp_path / "model"))
    program.global_block().var("w").desc.set_shape([3, 3])
    with pytest.raises(RuntimeError, match="shape"):
        fluid.load(program, str(tmp_path / "model"), exe)


def test_numbers_given_to_a_loop_hold_the_last_values():
    i = L.fill_constant([1], "int64", 0)
    L.while_loop(lambda i: i < 3, lambda i: i + 1, [i])
    assert fluid.Executor(fluid.CPUPlace()).run(fetch_list=[i])[0] == 3


def test_gradients_of_sparse_tables():
    with fluid.dygraph.guard():
        table = fluid.dygraph.Embedding([6, 2], is_sparse=True)
        out = table(fluid.dygraph.to_variable(np.array([[1, 4], [4, 1]])))
        assert table.weight.gradient() is None
        L.reduce_sum(out).backward()
        values, rows = table.weight.gradient()
        assert rows.tolist() == [1, 4, 4, 1] and values.tolist() == [[1, 1]] * 4  # one row per lookup, as in 1.8
        table.clear_gradients()
        assert table.weight.gradient() is None


def test_leaves_are_incremented():
    with fluid.dygraph.guard():
        x = L.zeros([1], "int64")
        x.stop_gradient = False
        assert L.increment(x).numpy() == 1


def add_or_not(x, twice=True):
    if twice:
        x = x + x
    return x


def test_trees_become_functions():
    tree = ast.parse(textwrap.dedent(inspect.getsource(add_or_not)))
    made, text = dygraph_to_static.ast_to_func(tree, add_or_not)
    assert made(3) == 6 and made(3, False) == 3 and text.startswith("def add_or_not")
    with pytest.raises(TypeError, match="ast_root"):
        dygraph_to_static.ast_to_func("x = 1", add_or_not)
    node = dygraph_to_static.create_fill_constant_node("a", 1.0)
    assert "value=1.0" in dygraph_to_static.ast_to_source_code(node)
    assert dygraph_to_static.create_fill_constant_node("a", None) is None
    assert dygraph_to_static.convert_function_with_cache(add_or_not)(2) == 4
    data = dygraph_to_static.data_layer_not_check("d", (None, 3))
    assert fluid.Executor().run(feed={"d": ARRAY}, fetch_list=[data])[0].shape == (2, 4)


@pytest.mark.parametrize("make", [
    lambda **p: fluid.optimizer.Adamax(0.2, **p), lambda **p: fluid.optimizer.RMSProp(0.1, **p),
    lambda **p: fluid.optimizer.Adagrad(0.1, **p), lambda **p: fluid.optimizer.Adadelta(0.1, **p),
    lambda **p: fluid.optimizer.Adam(0.1, **p), lambda **p: fluid.optimizer.RMSProp(0.1, momentum=0.9, centered=True, **p)])
def test_updates_of_guards_and_programs_are_equal_to_the_last_bit(make):
    data = np.random.RandomState(0).rand(9, 8, 4).astype("float32")
    with fluid.dygraph.guard():
        fluid.default_startup_program().random_seed = 9
        layer = fluid.dygraph.Linear(4, 3)
        optimizer = make(parameter_list=layer.parameters())
        for x in data:
            loss = L.reduce_mean(L.square(layer(fluid.dygraph.to_variable(x))))
            loss.backward()
            optimizer.minimize(loss)
            layer.clear_gradients()
        dynamic = layer.weight.numpy()
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        fluid.default_startup_program().random_seed = 9
        layer = fluid.dygraph.Linear(4, 3)
        make().minimize(L.reduce_mean(L.square(layer(numbers()))))
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        for x in data:
            static, = exe.run(feed={"x_float32": x}, fetch_list=[layer.weight])
    np.testing.assert_array_equal(static, dynamic)


def test_the_rate_of_the_last_step():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(4, 3)
        decay = fluid.dygraph.PiecewiseDecay([2, 4], [0.2, 0.4, 0.6], 0)
        optimizer = fluid.optimizer.Adam(decay, parameter_list=layer.parameters())
        rates = [optimizer.current_step_lr()]
        for _ in range(5):
            optimizer.minimize(L.reduce_mean(layer(fluid.dygraph.to_variable(ARRAY))))
            rates.append(optimizer.current_step_lr())
    assert rates == [0.2, 0.2, 0.2, 0.4, 0.4, 0.6]
