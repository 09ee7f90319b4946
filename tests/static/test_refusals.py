"""What static programs refuse, and how they say so; small functions of graphs, specs and data files beside it."""

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.static import io as static_io
from paddle.static import nn, slots
from paddle.static.feeds import _as_lodtensor
from paddle.static.graph import Graph, IrGraph


@pytest.fixture
def main():
    """A program being built, in static mode."""
    program = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(program, static.Program()):
            yield program
    finally:
        paddle.disable_static()


def refused(kind, text, call, *args, **kwargs):
    with pytest.raises(kind, match=text):
        call(*args, **kwargs)


# ---- programs and variables -------------------------------------------------------------------------------------------------
def test_blocks_and_programs(main):
    block = main.global_block()
    refused(ValueError, "shape and dtype of 'w' must be given", block.create_parameter, name="w", shape=None, dtype="float32")
    refused(ValueError, "must be known and not negative", block.create_parameter, name="w", shape=[-1], dtype="float32")
    refused(ValueError, "has no variable 'nothing'", block.var, "nothing")
    refused(ValueError, "no variable 'nothing' in block 0", block._var_recursive, "nothing")
    refused(ValueError, r"Program\.random_seed must be an int", setattr, main, "random_seed", "a")
    refused(TypeError, "mode must be a string", main.state_dict, 5)
    refused(TypeError, "scope must be a Scope", main.state_dict, "all", 5)
    refused(ValueError, "mode must be 'all', 'param' or 'opt'", main.state_dict, "some")


def test_variables(main):
    x, unknown = static.data("x", [2, 3], "float32"), static.data("u", [-1, 3], "float32")
    assert x.ndim == 2 and x.grad_name == "x@GRAD" and len(x) == 2 and x.T.shape == (3, 2)
    assert [row.shape for row in x] == [(3,), (3,)]
    refused(TypeError, r"len\(\): the first size of u", len, unknown)
    refused(TypeError, "iteration over u", lambda: list(unknown))


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "rand", "randn", "standard_normal", "uniform"])
def test_sizes_and_types_of_what_is_made(main, name):
    make = getattr(paddle, name)
    for shape in (10, np.array([2, 3]), static.data(f"{name}_sizes", [2], "float32")):
        refused(TypeError, "shape must be", make, shape)
    if name in ("zeros", "ones"):
        assert make([2], dtype="int8").dtype == paddle.int8
    else:
        refused(TypeError, "dtype must be", make, [2], dtype="int8")
    assert make([2, 3], dtype="float64").shape == (2, 3)
    with static.program_guard(static.Program()):
        paddle.disable_static()
        assert make(3).shape == [3]  # dynamic code may say one number
        paddle.enable_static()


def test_sizes_and_types_of_other_functions(main):
    x = static.data("sized", [2, 3], "float32")
    for call in (lambda: paddle.reshape(x, 6), lambda: paddle.tile(x, 2), lambda: paddle.expand(x, 3),
                 lambda: paddle.broadcast_to(x, 3), lambda: paddle.full(10, 1.0), lambda: paddle.randint(1, 2, 10)):
        refused(TypeError, "must be a", call)
    for call in (lambda: paddle.eye(3, dtype="int8"), lambda: paddle.arange(0, 5, dtype="uint8"),
                 lambda: paddle.linspace(0, 1, 2, dtype="int8"), lambda: paddle.full_like(x, 1.0, dtype="uint8")):
        refused(TypeError, "dtype must be of one of the types", call)


def test_numbers_that_a_run_knows(main):
    x, n = static.data("pixels", [2, 2], "float32"), static.data("number", [1], "float32")
    whole, image = paddle.nn.functional.pad(x, [1, 0, 0, 1], value=n), x.reshape([1, 1, 2, 2]).astype("int64")
    outs = [whole, paddle.nn.functional.pad(image, [1, 0, 0, 0], value=n), paddle.uniform([1000], min=n, max=n + 2)]
    feed = {"pixels": np.arange(4, dtype="float32").reshape(2, 2), "number": np.array([7.0], "float32")}
    got = static.Executor().run(main, feed=feed, fetch_list=outs)
    np.testing.assert_array_equal(got[0], np.pad(feed["pixels"], [[1, 0], [0, 1]], constant_values=7.0))
    np.testing.assert_array_equal(got[1][0, 0], np.pad(feed["pixels"], [[0, 0], [1, 0]], constant_values=7.0))
    assert 7.0 <= got[2].min() < 7.1 and 8.9 < got[2].max() < 9.0
    feed["number"][0] = np.inf  # spoils nothing of x
    assert np.isfinite(static.Executor().run(main, feed=feed, fetch_list=[whole])[0]).sum() == 4


def test_runs(main):
    x = static.data("x", [2, 3], "float32")
    y, exe = x * 2, static.Executor()
    refused(TypeError, "scope must be a Scope", exe.run, main, feed={"x": np.ones((2, 3), "float32")}, fetch_list=[y], scope=5)
    refused(TypeError, "program must be a Program or CompiledProgram", exe.run, 5)
    refused(ValueError, "'x', which was not fed", exe.run, main, fetch_list=[y])
    refused(ValueError, "fed to 'x' is not a regular array", exe.run, main, feed={"x": [[1, 2], [3]]}, fetch_list=[y])
    refused(TypeError, r"scope_guard\(\): scope must be a Scope", lambda: static.scope_guard(5).__enter__())
    refused(RuntimeError, "variable 'nothing' has no value in this scope", static.Scope().get, "nothing")
    refused(ValueError, r"target_gradients for", static.gradients, y, [x], [paddle.ones([2])])


def test_values_to_be_fed():
    paddle.enable_static()
    try:
        assert np.asarray(_as_lodtensor([[1, 2]], paddle.CPUPlace(), "int64")).tolist() == [[1, 2]]
        refused(AssertionError, "dtype must be given", _as_lodtensor, [1], paddle.CPUPlace())
        refused(TypeError, "must be an array, a number or a list", _as_lodtensor, {}, paddle.CPUPlace(), "int64")
        for ragged in ([[1, 2], [3]], [None, "a"]):
            refused(TypeError, "must be a regular array of numbers", _as_lodtensor, ragged, paddle.CPUPlace(), "int64")
    finally:
        paddle.disable_static()


# ---- control flow -----------------------------------------------------------------------------------------------------------
def test_branches_and_loops(main):
    x = static.data("x", [1], "float32")
    positive, number = x > 0, static.data("n", [1], "int32")
    refused(TypeError, r"cond\(\): true_fn must be callable", nn.cond, positive, 5, lambda: x)
    refused(ValueError, "must return the same structure", nn.cond, positive, lambda: x, lambda: None)
    refused(ValueError, "must return the same structure", nn.cond, positive, lambda: [x, None], lambda: [None, x])
    assert nn.cond(positive, lambda: [x, None], lambda: [x, None])[1] is None
    assert nn.cond(positive, lambda: None, lambda: None) is None
    refused(TypeError, "must be a list of", nn.case, 5)
    refused(TypeError, r"case\(\): default must be callable", nn.case, [(positive, lambda: x)], 5)
    refused(TypeError, r"switch_case\(\): branch_fns must be a dict or list", nn.switch_case, number, 5)
    refused(TypeError, r"switch_case\(\): branch_index must be a tensor", nn.switch_case, 5, {0: lambda: x, 1: lambda: x})
    refused(ValueError, "at least one entry", nn.while_loop, lambda: positive, list, [])
    refused(ValueError, "body returned 2 values for 1 loop_vars", nn.while_loop, lambda v: v > 0, lambda v: [v, v], [x])
    refused(TypeError, "body returned int64 for a loop variable of float32", nn.while_loop, lambda v: v > 0,
            lambda v: v.astype("int64"), [x])
    refused(TypeError, r"create_array\(\): initialized_list must be a list", paddle.tensor.create_array, "float32", 5)
    refused(TypeError, r"array must be a tensor array", paddle.tensor.array_write, x, number, 5)


def test_functions_of_users(main):
    x = static.data("x", [2], "float32")
    refused(TypeError, r"py_func\(\): x and out must be Variables", static.py_func, lambda v: v, 5, x)
    out = main.current_block().create_var(name="o", shape=[2], dtype="float32")
    refused(ValueError, "skip_vars_in_backward_input has", static.py_func, lambda v: v, x, out, lambda *v: v,
            [static.data("z", [1], "float32")])


# ---- files ------------------------------------------------------------------------------------------------------------------
def test_files_of_programs(main, tmp_path):
    static.data("x", [2, 3], "float32")
    weight = static.create_parameter([3, 4], "float32", name="weight")
    exe = static.Executor()
    exe.run(static.default_startup_program())
    refused(TypeError, "unknown argument 'colour'", static.save, main, str(tmp_path / "m"), colour=1)
    refused(ValueError, "must end with a file name", static.save, main, str(tmp_path) + "/")
    refused(ValueError, "there is no", static.load_program_state, str(tmp_path / "nothing"))
    static_io.save_params(exe, str(tmp_path / "apart"), main)
    apart = static.load_program_state(str(tmp_path / "apart"))
    static_io.save_params(exe, str(tmp_path / "joined"), main, filename="all")
    refused(ValueError, "combined file without names", static.load_program_state, str(tmp_path / "joined" / "all"))
    joined = static.load_program_state(str(tmp_path / "joined" / "all"), var_list=[weight])
    named = static.load_program_state(str(tmp_path / "apart"), var_list=[weight])
    for found in (apart, joined, named):
        np.testing.assert_array_equal(found["weight"], static.global_scope().get("weight"))
    refused(TypeError, r"vars must be Variables", static_io.save_vars, exe, str(tmp_path / "v"), main, vars=[5])


# ---- specs of inputs --------------------------------------------------------------------------------------------------------
def test_specs_of_inputs():
    spec = static.InputSpec([None, 4], "float32", "x")
    assert repr(spec) == "InputSpec(shape=(-1, 4), dtype=paddle.float32, name=x, stop_gradient=False)"
    assert hash(spec) == hash(static.InputSpec([-1, 4], "float32", "x")) and spec != static.InputSpec([-1, 4], "float32", "y")
    assert static.InputSpec([4]).batch([8]).shape == (8, 4) and static.InputSpec([8, 4]).unbatch().shape == (4,)
    assert static.InputSpec(3).shape == (3,)
    refused(ValueError, "batch_size must be one number", spec.batch, [1, 2])
    refused(TypeError, "batch_size must be an int", spec.batch, "a")
    refused(ValueError, "no size to take off", static.InputSpec([]).unbatch)
    refused(ValueError, "tensor must be a Tensor", static.InputSpec.from_tensor, 5)
    refused(TypeError, "must be a list of ints and None", static.InputSpec, ["a"])
    refused(ValueError, "sizes must not be negative", static.InputSpec, [-3])


# ---- graphs -----------------------------------------------------------------------------------------------------------------
def test_graphs_of_programs(main, tmp_path):
    x = static.data("x", [2, 3], "float32")
    paddle.exp(paddle.tanh(x))
    refused(TypeError, r"IrGraph\(\): graph must be a core\.Graph", IrGraph, 5)
    graph = IrGraph(Graph(main.desc))
    assert sorted(map(repr, graph.all_op_nodes())) == ["IrOpNode(exp)", "IrOpNode(tanh)"]
    assert not graph.has_circle() and graph.graph_num() == 1 and not graph.all_persistable_nodes()
    assert {node.name() for node in graph.clone().all_op_nodes()} == {"tanh", "exp"}
    assert len(graph.all_nodes()) == 5 and len({node.id() for node in graph.all_nodes()}) == 5
    before = graph.build_adjacency_list()
    late = next(node for node in before if node.name() == "exp")
    assert [node.name() for node in before[late]] == ["tanh"]
    other = graph.create_var_node("other", 7, [2, 3], paddle.float32)
    out = next(node for node in graph.all_var_nodes() if node.inputs and node.inputs[0].name() == "exp")
    graph.update_output_link(out, other, late)
    assert [node.name() for node in late.outputs] == ["other"]
    refused(NotImplementedError, "marked_nodes", graph.draw, str(tmp_path), "g", {1})
    graph.draw(str(tmp_path), "g", remove_ctr_var=True)
    assert (tmp_path / "g.svg").exists()
    refused(ValueError, "is no node of this graph", graph.link_to, IrGraph(Graph(main.desc)).all_nodes().pop(), late)


# ---- files of slots ---------------------------------------------------------------------------------------------------------
def test_settings_of_data_files(main):
    data = slots.InMemoryDataset()
    refused(TypeError, "batch_size must be an int", data.set_batch_size, "a")
    refused(ValueError, "batch_size must be at least 1", data.set_batch_size, 0)
    refused(TypeError, "filelist must be a list of names", data.set_filelist, 5)
    refused(TypeError, "must hold static Variables", data.set_use_var, [5])
    refused(ValueError, "slots hold float32 or int64", data.set_use_var, [static.data("b", [1], "bool")])
    refused(ValueError, "input_type must be 0 or 1", data.init, input_type=2)
    refused(ValueError, "batch_size must be 1", data.init, input_type=1, batch_size=4)
    refused(NotImplementedError, "lines hold slots", data.set_feed_type, "PaddleBoxDataFeed")
    refused(RuntimeError, r"set_fea_eval\(\) must be called first", data.slots_shuffle, ["nothing"])
    refused(NotImplementedError, "use InMemoryDataset", slots.QueueDataset().local_shuffle)
    refused(NotImplementedError, "use InMemoryDataset", slots.QueueDataset().global_shuffle)
    data.set_feed_type("MultiSlotDataFeed")
    data.update_settings(fs_name="hdfs://a", batch_size=3)
    data.set_use_var([static.data("words", [-1, 1], "int64"), static.data("dense", [-1, 2], "float32")])
    text = data.desc()
    assert 'name: "MultiSlotDataFeed"' in text and "batch_size: 3" in text and 'name: "dense"' in text and 'type: "float"' in text
    for name in ("set_queue_num", "set_fleet_send_batch_size"):
        getattr(data, name)(2)
        refused(ValueError, "must be at least 1", getattr(data, name), 0)


def test_groups_that_do_not_divide_the_output_channels(static_mode):
    with static.program_guard(static.Program()):
        x, weight = static.data("x", [-1, 4, -1, -1]), static.data("w", [3, 2, 3, 3])
        with pytest.raises(ValueError, match="does not divide the 3 output channels"):
            paddle.nn.functional.conv2d(x, weight, groups=2, padding="same")


def test_an_index_of_several_axes(static_mode):
    with static.program_guard(static.Program()):
        x, index = static.data("x", [3, 4]), static.data("index", [2, 2], "int64")
        with pytest.raises(ValueError, match="1-d"):
            paddle.index_select(x, index)
        with pytest.raises(AssertionError, match="3 or 4 dimensions"):
            paddle.nn.Softmax2D()(x)


@pytest.mark.parametrize("call", [
    lambda x: paddle.cumsum(x, 2), lambda x: paddle.cumprod(x, 2), lambda x: paddle.logcumsumexp(x, 2),
    lambda x: paddle.cummax(x, 2), lambda x: paddle.argsort(x, 2), lambda x: paddle.sort(x, -3),
    lambda x: paddle.nn.functional.softmax(x, 2), lambda x: paddle.flip(x, [0, 2]), lambda x: paddle.roll(x, 1, 2),
    lambda x: paddle.renorm(x, 2.0, 2, 1.0)])
def test_axes_that_are_not_there_are_refused_while_the_program_is_built(call):
    with paddle.static.program_guard(paddle.static.Program()), pytest.raises(ValueError, match="must be in"):
        call(paddle.static.data("x", [2, None]))


def test_what_every_operator_carries_and_the_size_of_a_scope(main):
    y = static.data("x", [2]) + 1
    assert y.op.desc.has_attr("op_device") and y.op.desc.attr("op_device") == "" and not y.op.desc.has_attr("nothing")
    scope = paddle.base.core.Scope()
    scope.var("a"), scope.new_scope().var("b")
    assert scope.size() == 1
