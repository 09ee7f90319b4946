"""fluid.contrib.slim.graph: views of programs, with counts of Paddle 1.8, and a network that is pruned through them."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.contrib.slim.graph import GraphWrapper, SlimGraphExecutor
from paddle.fluid.contrib.slim.prune import StructurePruner

PLACE = fluid.CPUPlace()


def residual_net():
    """The network whose counts Paddle's own tests of 1.8 hold: 24 parameters, 13258 numbers, 354624 operations."""
    def conv_bn(x, size, bias):
        y = fluid.layers.conv2d(x, 16, size, padding=size // 2, bias_attr=bias)
        return fluid.layers.batch_norm(y)
    image = fluid.layers.data("image", [1, 8, 8])
    label = fluid.layers.data("label", [1], dtype="int64")
    hidden = image
    for _ in range(2):
        conv, short = conv_bn(hidden, 3, None), conv_bn(hidden, 1, False)
        hidden = fluid.layers.elementwise_add(conv, short, act="relu")
    out = fluid.layers.softmax(fluid.layers.fc(hidden, 10))
    return out, fluid.layers.mean(fluid.layers.cross_entropy(out, label))


@pytest.fixture
def graphs():
    """(graph, its scope), ready to run."""
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    startup.random_seed = main.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        out, loss = residual_net()
    with fluid.scope_guard(scope):
        fluid.Executor(PLACE).run(startup)
        yield GraphWrapper(main, {"image": "image", "label": "label"}, {"loss": loss.name, "out": out.name}), scope


def samples(seed=0):
    random = np.random.RandomState(seed)
    return [(random.randn(1, 8, 8).astype("float32"), np.array([n % 10])) for n in range(6)]


def test_counts(graphs):
    graph, _ = graphs
    assert len(graph.all_parameters()) == 24 and graph.numel_params() == 13258
    assert graph.flops() == 354624
    convolutions = [op for op in graph.ops() if op.type() == "conv2d"]
    assert graph.flops(only_conv=True) == sum(2 * 64 * np.prod(op.inputs("Filter")[0].shape()) for op in convolutions)


def test_neighbours(graphs):
    graph, _ = graphs
    first = graph.ops()[0]
    assert first.type() == "conv2d" and first.idx() == 0 and first.attr("groups") == 1
    weights, = graph.get_param_by_op(first)
    assert graph.is_parameter(weights) and graph.is_persistable(weights) and weights.shape() == (16, 1, 3, 3)
    assert weights.inputs() == [first] and weights.outputs() == [] and first.outputs("Output")[0].outputs() == [first]
    for op in graph.ops():
        assert all(op in graph.pre_ops(after) for after in graph.next_ops(op))
    with pytest.raises(ValueError, match="softmax reads no parameters"):
        graph.get_param_by_op(next(op for op in graph.ops() if op.type() == "softmax"))


@pytest.mark.parametrize("rate", ["a number", "a variable of the program"])
def test_a_training_graph_learns_and_leaves_the_first_alone(graphs, rate):
    graph, scope = graphs
    if rate != "a number":
        with fluid.program_guard(graph.program, fluid.Program()), fluid.unique_name.guard("rate"):
            given = fluid.layers.fill_constant([1], "float32", 0.1)
    size = len(graph.ops())
    optimizer = fluid.optimizer.Momentum(0.1 if rate == "a number" else given, 0.9)
    training = graph.get_optimize_graph(optimizer, PLACE, scope, no_grad_var_names=["image"])
    assert len(graph.ops()) == size and any(op.is_bwd_op() for op in training.ops())
    assert sum(op.is_opt_op() for op in training.ops()) == 16
    executor = SlimGraphExecutor(PLACE)
    training.compile()
    losses = [float(np.mean(executor.run(training, scope, samples())[0])) for _ in range(8)]
    assert losses[-1] < 0.5 * losses[0]
    assert GraphWrapper(graph.program, graph.in_nodes, {}).get_optimize_graph(optimizer, PLACE, scope) is None


def test_a_pruned_network_computes_what_zeros_in_its_place_give(graphs):
    """Filters of both branches of the first block go, with what belongs to them in batch_norm and in the block behind."""
    graph, scope = graphs
    pruner, params = StructurePruner({"*": 0}, {"*": "l1_norm"}), {p.name(): p for p in graph.all_parameters()}
    executor, lazy = SlimGraphExecutor(PLACE), graph.clone(for_test=True)

    def values(name):
        return np.array(scope.find_var(name).get_tensor())

    cut = pruner.cal_pruned_idx("conv2d_0.w_0", values("conv2d_0.w_0"), 0.25)
    by_axis = {f"batch_norm_{n}.{part}": 0 for n in (0, 1) for part in ("w_0", "b_0", "w_1", "w_2")}
    by_axis |= {"conv2d_0.w_0": 0, "conv2d_0.b_0": 0, "conv2d_1.w_0": 0, "conv2d_2.w_0": 1, "conv2d_3.w_0": 1}
    assert by_axis.keys() <= params.keys() and len(cut) == 4
    before = {name: values(name) for name in by_axis}

    def prune(lazily):
        for name, axis in by_axis.items():
            scope.find_var(name).get_tensor().set(pruner.prune_tensor(before[name], cut, axis, lazy=lazily), PLACE)

    prune(lazily=True)
    expected = executor.run(lazy, scope, samples())
    prune(lazily=False)
    smaller = graph.clone(for_test=True)
    smaller.update_param_shape(scope)
    smaller.infer_shape()
    np.testing.assert_allclose(executor.run(smaller, scope, samples())[1], expected[1], rtol=1e-5, atol=1e-6)
    assert smaller.var("conv2d_1.tmp_0").shape() == (-1, 12, 8, 8) and smaller.var("conv2d_3.tmp_0").shape() == (-1, 16, 8, 8)
    assert smaller.numel_params() == 13258 - sum(before[n].size // before[n].shape[a] * 4 for n, a in by_axis.items())
    assert smaller.flops() < graph.flops() == 354624


def test_groups_follow_pruned_filters():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        image = fluid.data("image", [1, 4, 8, 8], "float32")
        fluid.layers.conv2d(image, 4, 3, groups=4, use_cudnn=False)
        graph = GraphWrapper(fluid.default_main_program())
    conv = graph.ops()[0]
    assert conv.type() == "depthwise_conv2d"
    conv.inputs("Filter")[0].set_shape([3, 1, 3, 3])
    graph.update_groups_of_conv()
    assert conv.attr("groups") == 3


def test_a_merged_teacher_runs_and_is_not_trained(graphs):
    graph, scope = graphs
    teacher, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(teacher, startup), fluid.unique_name.guard("teacher_"):
        image = fluid.layers.data("image", [1, 8, 8])
        taught = fluid.layers.fc(image, 10, act="softmax")
    fluid.Executor(PLACE).run(startup)
    expected, = fluid.Executor(PLACE).run(teacher, {"image": np.stack([x for x, _ in samples()])}, [taught])
    graph.merge(GraphWrapper(teacher))
    assert len(graph.all_parameters()) == 24 and set(graph.teacher_persistables) == {p.name for p in teacher.all_parameters()}
    with fluid.program_guard(graph.program, fluid.Program()):
        near = fluid.layers.mean(fluid.layers.square(
            graph.var(graph.out_nodes["out"])._var - graph.var(taught.name)._var))
    graph.out_nodes["loss"], graph.out_nodes["taught"] = near.name, taught.name
    training, executor = graph.get_optimize_graph(fluid.optimizer.SGD(0.5), PLACE, scope), SlimGraphExecutor(PLACE)
    results = [executor.run(training, scope, samples()) for _ in range(5)]
    assert results[-1][0] < results[0][0]
    np.testing.assert_allclose(results[-1][2], expected, rtol=1e-6)


def test_sequences_of_a_merged_graph_keep_their_lengths():
    def sums(name):
        program = fluid.Program()
        with fluid.program_guard(program, fluid.Program()), fluid.unique_name.guard(name):
            return program, fluid.layers.sequence_pool(fluid.layers.data(name, [1], lod_level=1) * 2.0, "sum")
    (program, one), (other, two) = sums("a"), sums("b")
    graph = GraphWrapper(program, {"a": "a", "b": "b"}, {"one": one.name, "two": two.name})
    graph.merge(GraphWrapper(other))
    feed = {name: fluid.create_lod_tensor(np.ones((5, 1), "float32"), [lengths], PLACE) for name, lengths in
            (("a", [2, 3]), ("b", [1, 1, 3]))}
    found = fluid.Executor(PLACE).run(graph.program, feed, list(graph.out_nodes.values()))
    assert [values.ravel().tolist() for values in found] == [[4.0, 6.0], [2.0, 2.0, 6.0]]


def test_files(graphs, tmp_path):
    graph, scope = graphs
    executor, testing = SlimGraphExecutor(PLACE), graph.clone(for_test=True)
    expected = executor.run(testing, scope, samples())[1]
    testing.save_persistables(str(tmp_path / "values"), executor)
    testing.save_infer_model(str(tmp_path / "model"), executor, [["image"], [graph.out_nodes["out"]]])
    for param in graph.all_parameters():
        scope.find_var(param.name()).get_tensor().set(np.zeros(param.shape(), "float32"), PLACE)
    assert not np.allclose(executor.run(testing, scope, samples())[1], expected)
    testing.load_persistables(str(tmp_path / "values"), executor)
    np.testing.assert_array_equal(executor.run(testing, scope, samples())[1], expected)
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(
            str(tmp_path / "model"), executor.exe, "__model__.infer", "__params__")
        found, = executor.exe.run(program, {feeds[0]: np.stack([x for x, _ in samples()])}, fetches)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    with pytest.raises(ValueError, match="fed"):
        GraphWrapper(graph.program).save_model(str(tmp_path), executor)
