"""Every pass does what it says, and changes no result."""

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle.core.context import process
from paddle.nn import functional as F
from paddle.static.ir import passes
from paddle.static.ir.graph import Graph
from paddle.static.ir.lower import lower
from paddle.static.ir.nodes.op import Constant
from paddle.static.schedule.plan import Plan

needs_kernels = pytest.mark.skipif(process.native is None, reason="these passes only choose fast kernels")


def array(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype("float32")


def types(graph):
    return [node.type for node in graph.nodes]


def built(function, feed):
    """(graph, its plan's results without passes) of a program."""
    main = static.Program()
    with static.program_guard(main):
        xs = [static.data(name, [None, *a.shape[1:]], a.dtype.name) for name, a in feed.items()]
        for x in xs:
            x.stop_gradient = x.dtype.name != "float32"
        outs = function(*xs)
    outs = list(outs) if isinstance(outs, (list, tuple)) else [outs]
    names = [o.name for o in outs]

    def run(graph):
        states = [main.captured[n]._data for n in graph.states]
        return Plan(graph)(list(feed.values()), states)[0]
    return lower(main, list(feed), names), run(lower(main, list(feed), names)), run


def check(graph, expected, run, tolerance=0):
    for a, b in zip(run(graph), expected):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def test_names_and_switches():
    assert passes.names() == list(passes.PASSES) and set(passes.FROZEN) < set(passes.names())
    strategy = static.BuildStrategy()
    strategy.disabled_passes = ("fuse_conv",)
    strategy.fuse_all_optimizer_ops = False
    assert strategy.skipped() == ("fuse_conv", "group_updates")
    assert static.CompiledProgram(static.Program(), strategy).skipped_passes() == ("fuse_conv", "group_updates")
    strategy.disabled_passes = ("fuse_cinv",)
    with pytest.raises(ValueError, match="no pass 'fuse_cinv'"):
        strategy.skipped()
    with pytest.raises(AttributeError, match="did you mean enable_inplace"):
        strategy.enable_inplce = True
    static.ExecutionStrategy().num_threads = 3
    paddle.set_flags({"FLAGS_static_disabled_passes": "constants, fuse_conv"})
    try:
        assert passes.disabled() == ("constants", "fuse_conv")
        paddle.set_flags({"FLAGS_static_disabled_passes": "all"})
        assert passes.disabled() == tuple(passes.names())
        paddle.set_flags({"FLAGS_static_disabled_passes": "nothing"})
        with pytest.raises(ValueError, match="no pass 'nothing'"):
            passes.disabled()
    finally:
        paddle.set_flags({"FLAGS_static_disabled_passes": ""})


def test_dead_code():
    feed = {"x": array(2, 3)}
    graph, expected, run = built(lambda x: [paddle.exp(x), paddle.sin(paddle.cos(x))][0], feed)
    assert types(graph) == ["exp", "cos", "sin"]
    passes.dead_code.run(graph)
    assert types(graph) == ["exp"]
    check(graph, expected, run)


def test_effects_are_not_dead(capsys):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2])
        static.Print(x, message="seen")
        y = paddle.exp(x)
    static.Executor().run(main, {"x": array(2)}, [y])
    assert "seen" in capsys.readouterr().out


def test_identity():
    def function(x):
        y = paddle.assign(paddle.exp(x))
        return paddle.sin(y * 1.0), paddle.assign(y), paddle.assign(y), paddle.assign(x)
    graph, expected, run = built(function, {"x": array(2, 3)})
    passes.identity.run(graph)
    assert types(graph) == ["exp", "sin", "assign", "assign"]  # results share no memory with each other or with inputs
    check(graph, expected, run)


def test_identity_takes_dropout_out_of_a_tested_network():
    def function(x):
        y = paddle.nn.functional.dropout(paddle.exp(x), 0.5, training=False)
        return paddle.sin(y), paddle.nn.functional.dropout(y, 0.5, training=False, mode="downscale_in_infer")
    graph, expected, run = built(function, {"x": array(2, 3)})
    before = types(graph).count("dropout")
    passes.identity.run(graph)
    assert types(graph).count("dropout") == before - 1
    check(graph, expected, run)


def test_common_subexpressions():
    def function(x):
        return paddle.exp(x) * 2 + paddle.exp(x) * 2, paddle.rand([2]) + paddle.rand([2])
    paddle.enable_static()
    main = static.Program()
    with static.program_guard(main):
        outs = function(static.data("x", [2]))
    graph = lower(main, ["x"], [o.name for o in outs])
    passes.common_subexpressions.run(graph)
    assert types(graph).count("exp") == 1 and types(graph).count("scale") == 1
    assert types(graph).count("uniform_random") == 2  # random numbers are never the same


def test_zeros_of_both_signs_are_no_common_subexpression(static_mode):
    graph, expected, run = built(lambda x: 1 / (x * 0.0) + 3 / (x * -0.0), {"x": array(2, 3)})
    passes.common_subexpressions.run(graph)
    assert types(graph).count("scale") == 2
    assert np.isnan(expected[0]).all() and np.isnan(run(graph)[0]).all()


def test_constants():
    def function(x):
        return x + (paddle.full([3], 2.0) * paddle.to_tensor([1.0, 2.0, 3.0])).exp()
    paddle.enable_static()
    graph, expected, run = built(function, {"x": array(2, 3)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "constants"})
    assert types(graph) == ["constant", "elementwise_add"]
    check(graph, expected, run)


def test_large_constants_are_not_kept():
    paddle.enable_static()
    graph, _, _ = built(lambda x: x + paddle.full([400, 400], 1.0)[:2, :3], {"x": array(2, 3)})
    passes.constants.run(graph)
    assert "fill_constant" in types(graph)


def test_constants_do_not_hide_errors():
    paddle.enable_static()
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2])
        y = static.nn.cond(paddle.sum(x) > 0, lambda: x, lambda: x / 0 + paddle.full([1], 1, "int64") // paddle.full(
            [1], 0, "int64").astype("float32"))
    assert static.Executor().run(main, {"x": np.ones(2, "float32")}, [y])[0].tolist() == [1, 1]


def conv_net(act, pool, bias=True, stride=1, padding=1, groups=1):
    layer = paddle.nn.Conv2D(4, 6 if groups == 1 else 4, 3, stride=stride, padding=padding, groups=groups,
                             bias_attr=None if bias else False)

    def forward(x):
        y = layer(x)
        y = F.relu(y) if act else y
        return F.max_pool2d(y, 2, 2) if pool else y
    return forward


NETWORKS = {"convolution": conv_net(True, True), "recurrent": lambda x: paddle.nn.LSTM(5, 3)(F.relu(x).mean(1))[0],
            "linear": lambda x: F.tanh(paddle.nn.Linear(5, 2)(paddle.transpose(x, [0, 2, 1, 3])))}


@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_what_does_not_concern_a_pass_stays_as_it_is(network, trained):
    def function(x):
        y = network(x)
        return [y, *static.gradients(paddle.sum(y * y), [x])] if trained else y
    feed = {"x": array(2, 4, 6, 5)}
    graph, expected, run = built(function, feed)
    passes.dead_code.run(graph)
    for name, concerns in passes.PASSES.items():
        concerned, before = concerns(graph), [(node, node.call, list(node.ins), list(node.outs)) for node in graph.nodes]
        if name not in passes.FROZEN or not concerned:  # those count on parameters that are constants
            getattr(passes, name).run(graph)
        after = [(node, node.call, node.ins, node.outs) for node in graph.nodes]
        assert concerned or after == before, f"{name} says that it has nothing to do in this graph, and changed it"
    check(graph, expected, run, 1e-5)


@needs_kernels
@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("act, pool, bias, options", [
    (True, True, True, {}), (True, True, False, {}), (True, False, True, {"stride": 2}), (False, False, True, {"padding": 0}),
    (True, True, True, {"groups": 4}), (False, True, True, {})])
def test_fuse_conv(act, pool, bias, options, trained):
    net = conv_net(act, pool, bias, **options)

    def function(x):
        y = net(x)
        if not trained:
            return y
        return [y, *static.gradients(paddle.sum(y * y), [x, *static.default_main_program().all_parameters()])]
    graph, expected, run = built(function, {"x": array(2, 4, 9, 9)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "fuse_conv"})
    kinds = types(graph)
    fused = "conv_relu_pool" if act and pool else "conv_bias_act"
    assert fused in kinds and not {"conv2d", "depthwise_conv2d", "relu", "conv2d_grad", "relu_grad"} & set(kinds)
    assert (fused + "_grad" in kinds) == trained
    check(graph, expected, run, 2e-5)


@needs_kernels
@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("channels", [(3, 32), (24, 32), (20, 50), (24, 16)])
def test_fuse_conv_leaves_pooling_out_where_other_ways_are_quicker(channels, trained):
    """Blocks of channels and Winograd's algorithm, in networks that are not trained."""
    net = paddle.nn.Sequential(paddle.nn.Conv2D(*channels, 3), paddle.nn.ReLU(), paddle.nn.MaxPool2D(2))

    def function(x):
        y = net(x)
        return [y, *static.gradients(paddle.sum(y * y), [x, *static.default_main_program().all_parameters()])] if trained else y
    graph, expected, run = built(function, {"x": array(2, channels[0], 8, 8)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "fuse_conv"})
    alone = channels in ((3, 32), (24, 32)) and not trained
    assert ("conv_relu_pool" in types(graph)) == (not alone) and ("pool2d" in types(graph)) == alone
    check(graph, expected, run, 1e-3)


@needs_kernels
@pytest.mark.parametrize("size", [1, 2, 4, 5, 7])
def test_fuse_conv_counts_windows_by_the_size_that_comes(size):
    layer, x = paddle.nn.Conv2D(3, 4, 2, stride=2), array(2, 3, size, size)
    main = static.Program()
    with static.program_guard(main):
        y = F.relu(layer(static.data("x", [None, 3, None, None])))
    wanted = F.relu(layer(paddle.to_tensor(x))).numpy()
    assert wanted.shape[2:] == (max(size // 2, 1),) * 2
    if size > 1:
        np.testing.assert_allclose(static.Executor().run(main, {"x": x}, [y])[0], wanted, rtol=1e-5, atol=1e-6)


@needs_kernels
@pytest.mark.parametrize("trained", [False, True])
def test_fuse_conv_takes_relu6_where_nothing_is_trained(trained):
    layer = paddle.nn.Conv2D(1, 2, 3)

    def function(x):
        y = F.relu6(layer(x))
        return [y, *static.gradients(paddle.sum(y * y), [x])] if trained else y
    graph, expected, run = built(function, {"x": array(1, 1, 6, 6)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "fuse_conv"})
    assert ("relu6" in types(graph)) == trained and "conv_bias_act" in types(graph)
    check(graph, expected, run, 1e-5)


@needs_kernels
@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("act", ["relu", "relu6", None])
def test_fuse_conv_takes_residuals_where_nothing_is_trained(act, trained):
    first, second = paddle.nn.Conv2D(3, 4, 3, padding=1), paddle.nn.Conv2D(3, 4, 1)

    def function(x):
        y = second(x) + first(x)
        y = getattr(F, act)(y) if act else y
        return [y, *static.gradients(paddle.sum(y * y), [x])] if trained else y
    graph, expected, run = built(function, {"x": array(2, 3, 6, 6)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "fuse_conv"})
    assert ("conv_add_act" in types(graph)) == (not trained)
    assert trained or types(graph) == ["conv_bias_act", "conv_add_act"]
    check(graph, expected, run, 2e-5)


@needs_kernels
@pytest.mark.parametrize("other", [lambda x: x[:, :, :1], lambda x: x[:, :1], lambda x: paddle.mean(x, [2, 3], keepdim=True)])
def test_fuse_conv_leaves_additions_that_broadcast(other):
    layer = paddle.nn.Conv2D(3, 3, 1)
    graph, expected, run = built(lambda x: layer(x) + other(x), {"x": array(2, 3, 6, 6)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "fuse_conv"})
    assert "conv_add_act" not in types(graph)
    check(graph, expected, run, 2e-5)


@needs_kernels
def test_fuse_conv_leaves_values_that_others_read():
    layer = paddle.nn.Conv2D(1, 2, 3)

    def function(x):
        y = layer(x)
        return F.relu(y), y
    graph, expected, run = built(function, {"x": array(1, 1, 6, 6)})
    passes.fuse_conv.run(graph)
    passes.dead_code.run(graph)
    assert "relu" in types(graph)
    check(graph, expected, run, 1e-5)


@needs_kernels
@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("act", [False, True])
@pytest.mark.parametrize("shape", [(3, 8), (2, 3, 8)])
def test_fuse_linear(shape, act, trained):
    layer = paddle.nn.Linear(8, 5)

    def function(x):
        y = F.relu(layer(x)) if act else layer(x)
        if not trained:
            return y
        return [y, *static.gradients(paddle.sum(y * y), [x, *static.default_main_program().all_parameters()])]
    graph, expected, run = built(function, {"x": array(*shape)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "fuse_linear"})
    kinds = set(types(graph))
    assert "linear_act" in kinds and ("linear_act_grad" in kinds) == trained
    assert not {"matmul_v2", "relu", "relu_grad", "matmul_v2_grad"} & kinds
    check(graph, expected, run, 1e-5)


@needs_kernels
@pytest.mark.parametrize("conv", [True, False])
def test_a_bias_that_is_computed_behind_the_product_has_its_gradient(conv):
    """Its gradient is passed on before the product's own gradient is computed."""
    def program(x, w, b):
        product = F.conv2d(x, w) if conv else paddle.matmul(x, w)
        bias = paddle.tanh(b)
        out = F.relu(product + (bias.reshape([1, -1, 1, 1]) if conv else bias))
        return [out, *static.gradients([out], [w, b])]

    feed = ({"x": array(2, 3, 5, 5), "w": array(4, 3, 2, 2, seed=1), "b": array(4, seed=2)} if conv
            else {"x": array(5, 3), "w": array(3, 4, seed=1), "b": array(4, seed=2)})
    main = static.Program()
    with static.program_guard(main):
        variables = [static.data(name, a.shape, "float32") for name, a in feed.items()]
        for variable in variables:
            variable.stop_gradient = False
        got = static.Executor().run(main, feed, program(*variables))
    with paddle.utils.unique_name.guard():
        paddle.disable_static()
        tensors = {name: paddle.to_tensor(a.astype("float64"), stop_gradient=False) for name, a in feed.items()}
        product = F.conv2d(tensors["x"], tensors["w"]) if conv else paddle.matmul(tensors["x"], tensors["w"])
        shape = [1, -1, 1, 1] if conv else [-1]
        out = F.relu(product + paddle.tanh(tensors["b"]).reshape(shape))
        expected = [out, *paddle.grad(out.sum(), [tensors["w"], tensors["b"]])]
        paddle.enable_static()
    for one, other in zip(got, expected):
        np.testing.assert_allclose(one, other.numpy(), rtol=1e-4, atol=1e-5)


def test_pool_index():
    def function(x):
        y = F.max_pool2d(x, 3, 2, padding=1)
        return [y, *static.gradients(paddle.sum(y * y), [x])]
    graph, expected, run = built(function, {"x": array(2, 3, 7, 7)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "pool_index"})
    assert "max_pool2d_with_index" in types(graph) and "pool2d_grad" not in types(graph)
    check(graph, expected, run)


@needs_kernels
@pytest.mark.parametrize("rows", [3, 400])  # below and above the size from which the kernel is used
def test_fuse_elementwise(rows):
    def function(x, y):
        z = paddle.tanh(x * y + 0.5) - F.sigmoid(y)
        w = F.gelu(z * 2) / (paddle.exp(x) + 1)
        return w, z, paddle.sum(w, axis=0)
    feed = {"x": array(rows, 32), "y": array(rows, 32, seed=1)}
    graph, expected, run = built(function, feed)
    before = len(graph.nodes)
    passes.fuse_elementwise.run(graph)
    assert types(graph) == ["chain", "reduce_sum"] and before > 9
    assert len(graph.nodes[0].outs) == 2
    check(graph, expected, run, 2e-6)


@needs_kernels
def test_fuse_elementwise_with_broadcasting():
    row = paddle.to_tensor(array(1, 64))

    def function(x, column):
        small = paddle.exp(column) * 2
        return paddle.tanh(x + row) * small + 1, small
    graph, expected, run = built(function, {"x": array(300, 64), "column": array(300, 1)})
    passes.apply(graph)
    assert "chain" in types(graph)
    check(graph, expected, run, 2e-6)


@needs_kernels
@pytest.mark.parametrize("pair", [lambda x, y, z: (x + y, x + 1.0), lambda x, y, z: (x * y + z * z, z * 2.0)])
def test_numbers_of_inputs_are_no_constants(pair):
    """x + y and x + 1.0: y is input number 1. In one chain they were one step."""
    def function(x, y, z):
        a, b = pair(x, y, z)
        return a * b, b - a
    graph, expected, run = built(function, {name: array(300, 32, seed=k) for k, name in enumerate("xyz")})
    passes.apply(graph)
    assert "chain" in types(graph)
    check(graph, expected, run, 1e-5)


@needs_kernels
def test_results_of_a_chain_that_are_the_same():
    """The same steps twice, and an input as it is: each result has memory of its own."""
    def function(x):
        a, b = paddle.tanh(x), paddle.tanh(x)
        return a + 1.0, b + 1.0, a * b, paddle.scale(x, 1.0)
    graph, expected, run = built(function, {"x": array(300, 32)})
    passes.fuse_elementwise.run(graph)
    assert types(graph).count("chain") == 1
    check(graph, expected, run, 1e-6)
    found = run(graph)
    assert not any(np.shares_memory(a, b) for k, a in enumerate(found) for b in found[:k])


@needs_kernels
def test_fuse_elementwise_in_backward():
    def function(x):
        y = paddle.tanh(F.sigmoid(x) * 2)
        return [y, *static.gradients(paddle.sum(y), [x])]
    graph, expected, run = built(function, {"x": array(200, 64)})
    passes.apply(graph)
    assert any("tanh_grad" in node.call.label() for node in graph.nodes if node.type == "chain")
    check(graph, expected, run, 2e-6)


class Small(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.c, self.n = paddle.nn.Conv2D(1, 4, 3, padding=1), paddle.nn.BatchNorm2D(4)
        self.d, self.f = paddle.nn.Conv2D(4, 6, 3), paddle.nn.Linear(54, 5)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c(x)), 2, 2)
        return self.f(paddle.flatten(F.max_pool2d(F.relu(self.d(self.n(x))), 2, 1, padding=0)[:, :, :3, :3], 1))


def train(disabled, optimizer=lambda: paddle.optimizer.Adam(0.01), steps=4):
    paddle.set_flags({"FLAGS_static_disabled_passes": disabled})
    paddle.enable_static()
    paddle.seed(5)
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup), paddle.utils.unique_name.guard():
            x, y = static.data("x", [None, 1, 14, 14]), static.data("y", [None, 1], "int64")
            loss = F.cross_entropy(Small()(x), y)
            optimizer().minimize(loss)
        scope, exe = static.Scope(), static.Executor()
        exe.run(startup, scope=scope)
        feed = {"x": array(8, 1, 14, 14), "y": np.arange(8).reshape(8, 1) % 5}
        losses = [exe.run(main, feed, [loss], scope=scope)[0].item() for _ in range(steps)]
        return losses, {n: v.copy() for n, v in scope.values.items()}, exe.plan(main, ["x", "y"], [loss])
    finally:
        paddle.set_flags({"FLAGS_static_disabled_passes": ""})
        paddle.disable_static()


def test_training_with_and_without_passes():
    losses, values, plan = train("")
    plain_losses, plain_values, plain = train("all")
    assert len(plan.steps) < len(plain.steps) * (0.7 if process.native is not None else 1)
    np.testing.assert_allclose(losses, plain_losses, rtol=1e-5)
    assert set(values) == set(plain_values)
    for name, value in values.items():
        np.testing.assert_allclose(value, plain_values[name], rtol=1e-4, atol=2e-5, err_msg=name)
    for name in passes.names():
        np.testing.assert_allclose(train(name, steps=2)[0], plain_losses[:2], rtol=1e-5, err_msg=name)


@pytest.mark.parametrize("make", [
    lambda: paddle.optimizer.SGD(0.1), lambda: paddle.optimizer.Momentum(0.05, 0.9),
    lambda: paddle.optimizer.Momentum(0.05, 0.9, use_nesterov=True, weight_decay=0.1),
    lambda: paddle.optimizer.Adam(0.01, weight_decay=0.1), lambda: paddle.optimizer.AdamW(0.01, weight_decay=0.1)])
def test_group_updates(make):
    _, values, plan = train("", make, 3)
    _, expected, _ = train("group_updates", make, 3)
    if process.native is not None:
        assert sum(node.type.endswith("_group") for node in plan.nodes) == 1
    for name, value in values.items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-5, atol=1e-6, err_msg=name)


@needs_kernels
def test_updates_are_in_place_unless_somebody_looks():
    paddle.enable_static()
    x = static.data("x", [None, 4])
    layer = paddle.nn.Linear(4, 2)
    view = layer.weight.reshape([8])  # the value before the update
    paddle.optimizer.SGD(0.1).minimize(paddle.mean(layer(x)))
    exe, scope, feed = static.Executor(), static.global_scope(), {"x": array(3, 4)}
    exe.run(static.default_startup_program())
    name = layer.weight.name
    where = id(scope.values[name])
    exe.run(feed=feed)
    assert id(scope.values[name]) == where
    before = scope.values[name].copy()
    seen, = exe.run(feed=feed, fetch_list=[view])
    np.testing.assert_array_equal(seen.reshape(4, 2), before)
    assert (scope.values[name] != before).any()
    held = scope.values[name]
    before = held.copy()
    exe.run(feed=feed)
    np.testing.assert_array_equal(held, before)
    assert scope.values[name] is not held


def test_plans_print_readably():
    graph, _, _ = built(lambda x: paddle.tanh(x * 2), {"x": array(2, 3)})
    text = repr(graph)
    assert text.splitlines()[0] == "graph(x; )" and "scale{scale=2}" in text and "return tanh_0.tmp_0" in text
    assert "constant" in Constant(np.ones(2)).label()


@pytest.mark.parametrize("make", [lambda: paddle.nn.LSTM(4, 5, 2, direction="bidirect"), lambda: paddle.nn.GRU(4, 5),
                                  lambda: paddle.nn.SimpleRNN(4, 5)], ids=["lstm", "gru", "simple"])
def test_expand_rnn(make):
    layer = make()

    def function(x):
        y, _ = layer(x)
        return [y, *static.gradients(paddle.sum(y * y), [x, *static.default_main_program().all_parameters()])]
    graph, expected, run = built(function, {"x": array(2, 6, 4)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "expand_rnn", "transposes"})
    assert not {"rnn", "rnn_grad", "transpose2", "transpose2_grad"} & set(types(graph))
    assert any("sequence" in t for t in types(graph)) and any("sequence_grad" in t for t in types(graph))
    check(graph, expected, run, 1e-5)


@needs_kernels
def test_fold_linear():
    from paddle.static.schedule.frozen import Frozen
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 20])
        h = paddle.nn.Linear(16, 8)(F.relu(paddle.nn.Linear(20, 16)(x)))
        y = paddle.nn.Linear(3, 30)(paddle.nn.Linear(8, 3)(h))
    arrays = {name: t._data for name, t in main.captured.items()}
    plain = Frozen(main, ["x"], [y.name], arrays, skip=passes.FROZEN)
    folded = Frozen(main, ["x"], [y.name], arrays)
    assert types(plain.graph).count("linear_act") == 4
    assert types(folded.graph).count("linear_act") == 3  # 16 x 8 x 3; behind a relu, or with more work than before, none
    np.testing.assert_allclose(folded([array(5, 20)])[0], plain([array(5, 20)])[0], rtol=1e-5, atol=1e-6)


@needs_kernels
def test_chains_may_branch_but_wait_for_nobody():
    def tree(x):
        y = paddle.tanh(x)
        a, b, c = paddle.exp(y), F.sigmoid(y), y * x
        return [a, b, c]
    graph, expected, run = built(tree, {"x": array(8, 16)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "fuse_elementwise"})
    assert types(graph) == ["chain"] and len(graph.nodes[0].outs) == 3
    check(graph, expected, run, 1e-6)

    def crossed(x):
        y = paddle.tanh(x)
        return y + F.softmax(y)  # which needs y before the sum can run
    graph, expected, run = built(crossed, {"x": array(8, 16)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "fuse_elementwise"})
    assert types(graph) == ["tanh", "softmax", "elementwise_add"]
    check(graph, expected, run)


UNREAD = {
    "dropout": (lambda: paddle.nn.Dropout(0.5), [4, 6]), "layer_norm": (lambda: paddle.nn.LayerNorm(6), [4, 6]),
    "group_norm": (lambda: paddle.nn.GroupNorm(2, 4), [3, 4, 5, 5]),
    "instance_norm": (lambda: paddle.nn.InstanceNorm2D(4), [3, 4, 5, 5]),
    "batch_norm_train": (lambda: paddle.nn.BatchNorm2D(4), [3, 4, 5, 5]),
    "linear_act": (lambda: paddle.nn.Linear(6, 3), [4, 6]), "conv_bias_act": (lambda: paddle.nn.Conv2D(4, 2, 3), [3, 4, 5, 5]),
    "conv_relu_pool": (lambda: paddle.nn.Sequential(paddle.nn.Conv2D(4, 2, 2), paddle.nn.ReLU(), paddle.nn.MaxPool2D(2)),
                       [3, 4, 5, 5])}


@needs_kernels
@pytest.mark.parametrize("kind", UNREAD)
def test_unread_outputs(kind):
    make, shape = UNREAD[kind]
    layer = make()

    def function(x):
        y = layer(x)
        trained = [p for p in static.default_main_program().all_parameters() if p.trainable]
        return [y, *static.gradients(paddle.sum(y * y * y), [x, *trained])]
    paddle.seed(5)
    graph, _, run = built(function, {"x": array(*shape)})
    paddle.seed(5)
    expected = run(passes.apply(graph, skip=("unread_outputs",)))
    back = next(n for n in graph.nodes if n.type == kind + "_grad")
    assert back.ins[back.call.n_in] is not None
    passes.unread_outputs.run(graph)
    assert back.ins[back.call.n_in] is None
    paddle.seed(5)
    for a, b in zip(run(graph), expected):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_running_sums():
    def function(x):
        h = x
        for _ in range(4):
            h = paddle.tanh(h * x)
        return [h, *static.gradients(paddle.sum(h), [x])]
    graph, expected, run = built(function, {"x": array(2, 3)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "running_sums"})
    order = types(graph)
    assert order.count("sum") == 4 and order.index("sum") < len(order) - 4
    check(graph, expected, run, 1e-6)


def test_early_shapes():
    def function(x):
        y = paddle.exp(x)
        z = paddle.sum(y)
        return [z, *static.gradients(z * z, [x])]
    graph, expected, run = built(function, {"x": array(2, 3)})
    before = types(graph).index("shape_of")
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "early_shapes"})
    assert types(graph).index("shape_of") < before and types(graph)[types(graph).index("shape_of") - 1] == "exp"
    check(graph, expected, run)


def test_transposes():
    def function(x):
        turned = paddle.transpose(x, [2, 0, 1])
        back = paddle.transpose(turned, [1, 2, 0])
        return [paddle.exp(back), paddle.transpose(turned, [2, 0, 1]), *static.gradients(paddle.sum(back * back), [x])]
    graph, expected, run = built(function, {"x": array(2, 3, 4)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "transposes"})
    assert types(graph).count("transpose2") == 2 and "transpose2_grad" not in types(graph)
    check(graph, expected, run)


def test_expand_batch_norm():
    layer = paddle.nn.BatchNorm2D(3)

    def function(x):
        y = layer(x)
        trained = [p for p in static.default_main_program().all_parameters() if p.trainable]
        return [y, *static.gradients(paddle.sum(y * y * y), [x, *trained])]
    graph, expected, run = built(function, {"x": array(4, 3, 5, 5)})
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "identity", "expand_batch_norm"})
    assert {"batch_norm_train", "batch_norm_train_grad"} <= set(types(graph))
    assert not {"batch_norm", "batch_norm_grad"} & set(types(graph))
    check(graph, expected, run, 1e-4)


def test_recurrent_layers_with_dropout_are_trained(static_mode):
    x = static.data("x", [None, 6, 4])
    y, _ = paddle.nn.LSTM(4, 8, 2, dropout=0.3)(x)
    loss = paddle.mean((y - 0.5) ** 2)
    paddle.optimizer.Adam(0.02).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    losses = [exe.run(feed={"x": array(8, 6, 4)}, fetch_list=[loss])[0] for _ in range(30)]
    assert losses[-1] < losses[0] * 0.7


@pytest.mark.parametrize("layers", [lambda: (nn.Linear(4, 4), nn.ReLU()),
                                    lambda: (nn.Conv2D(4, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU()),
                                    lambda: (nn.Conv2D(4, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2D(3, 1, 1))],
                         ids=["linear", "conv and norm", "conv and pool"])
def test_a_deeper_network_is_searched_no_more_often(layers, monkeypatch):
    """Passes make their table of readers once, not once for each match: the time to compile is in proportion to the size."""
    searches = []
    uses, replace = Graph.uses, Graph.replace
    monkeypatch.setattr(Graph, "uses", lambda self: searches.append(len(self.nodes)) or uses(self))
    monkeypatch.setattr(Graph, "replace", lambda self, mapping: searches.append(len(self.nodes)) or replace(self, mapping))
    counts = []
    for depth in (3, 12):
        searches.clear()
        net = paddle.jit.to_static(nn.Sequential(*[layer for _ in range(depth) for layer in layers()]))
        net(paddle.ones([1, 4, 4, 4])).sum().backward()
        counts.append(len(searches))
    assert counts[0] == counts[1]
