"""Training with few bits in a program, frozen afterwards: the numbers of real Paddle 2.6.2."""

import numpy as np
import pytest

import paddle
from paddle.base import core
from paddle.base.framework import IrGraph
from paddle.static import quantization

pytestmark = pytest.mark.usefixtures("static_mode")
OPERATORS = ["conv2d", "depthwise_conv2d", "mul", "matmul", "matmul_v2"]
X = np.random.RandomState(1).randn(5, 1, 8, 8).astype("float32")
rows = np.random.RandomState(1)
rows.randn(5, 1, 8, 8)
Y = rows.randint(0, 3, (5, 1))


def network():
    """(main, startup, test, logits, loss), with weights that NumPy draws."""
    main, startup, draw = paddle.static.Program(), paddle.static.Program(), np.random.RandomState(0)

    def given(*shape, factor):
        return paddle.ParamAttr(initializer=paddle.nn.initializer.Assign((draw.randn(*shape).astype("f4") * factor).astype("f4")))
    with paddle.static.program_guard(main, startup):
        x, y = paddle.static.data("x", [None, 1, 8, 8]), paddle.static.data("y", [None, 1], "int64")
        h = paddle.static.nn.conv2d(x, 4, 3, act="relu", param_attr=given(4, 1, 3, 3, factor=0.3))
        h = paddle.nn.functional.max_pool2d(h, 2)
        out = paddle.static.nn.fc(h, 3, weight_attr=given(36, 3, factor=0.2))
        loss = paddle.mean(paddle.nn.functional.softmax_with_cross_entropy(out, y))
        test = main.clone(for_test=True)
        paddle.optimizer.SGD(0.05).minimize(loss)
    return main, startup, test, out, loss


def rounding(program, for_test, weights, others, linear=False):
    """The graph of a program with everything rounded and measured."""
    graph, scope = IrGraph(core.Graph(program.desc), for_test=for_test), paddle.static.global_scope()
    version, place = "V2" if linear else "", paddle.CPUPlace()
    getattr(quantization, "QuantizationTransformPass" + version)(
        scope, place, activation_quantize_type=others, weight_quantize_type=weights, quantizable_op_type=OPERATORS).apply(graph)
    getattr(quantization, "AddQuantDequantPass" + version)(
        scope, place, quantizable_op_type=["pool2d", "elementwise_add"]).apply(graph)
    quantization.OutScaleForTrainingPass(scope, place).apply(graph)
    return graph


RECORDED = {  # losses of four steps, the first two rows of the result
    ("channel_wise_abs_max", "moving_average_abs_max", False): ([1.637733, 1.052692, 0.73848, 0.609019], None),
    ("abs_max", "moving_average_abs_max", False): (
        [1.636568, 1.051216, 0.742757, 0.60677], [[-0.52367, 1.58185, 1.1785], [-0.50048, 1.6878, 3.08759]]),
    ("abs_max", "abs_max", False): (
        [1.651222, 0.943703, 0.669102, 0.551345], [[-0.52131, 1.52651, 1.20009], [-0.48753, 1.61639, 3.14271]]),
    ("channel_wise_abs_max", "moving_average_abs_max", True): (
        [1.540302, 1.098393, 0.874813, 0.732835], [[-0.51494, 1.52555, 1.21734], [-0.58047, 1.73852, 2.13473]])}


@pytest.mark.parametrize("ways", RECORDED, ids=str)
def test_training_and_freezing(ways):
    main, startup, test, out, loss = network()
    executor, scope, place = paddle.static.Executor(), paddle.static.global_scope(), paddle.CPUPlace()
    executor.run(startup)
    tested = rounding(test, True, *ways).to_program()
    trained = paddle.static.CompiledProgram(rounding(main, False, *ways).graph)
    losses = [float(executor.run(trained, {"x": X, "y": Y}, [loss.name])[0]) for _ in range(4)]
    np.testing.assert_allclose(losses, RECORDED[ways][0], rtol=1e-5)
    before = executor.run(tested, {"x": X, "y": Y}, [out.name])[0]
    if RECORDED[ways][1] is not None:
        np.testing.assert_allclose(before[:2], RECORDED[ways][1], atol=2e-5)
    graph = IrGraph(core.Graph(tested.desc), for_test=True)
    quantization.OutScaleForInferencePass(scope).apply(graph)
    if ways[2]:
        quantization.QuantWeightPass(scope, place).apply(graph)
    else:
        quantization.QuantizationFreezePass(scope, place, weight_quantize_type=ways[0]).apply(graph)
    frozen = graph.to_program()
    weights = scope.get(next(op for op in frozen.global_block().ops if op.type == "conv2d").input("Filter")[0]
                        if not ways[2] else main.all_parameters()[0].name)
    assert np.array_equal(weights, np.round(weights)) and 100 < np.abs(weights.astype(int)).max() <= 128
    np.testing.assert_allclose(executor.run(frozen, {"x": X, "y": Y}, [out.name])[0], before, rtol=1e-4, atol=1e-5)
    assert all(op.attr("out_threshold") > 0 for op in frozen.global_block().ops if op.type in ("conv2d", "relu", "mul"))


def test_frozen_weights_become_int8():
    main, startup, test, out, loss = network()
    executor, scope, place = paddle.static.Executor(), paddle.static.global_scope(), paddle.CPUPlace()
    executor.run(startup)
    graph = rounding(test, True, "abs_max", "abs_max")
    executor.run(graph.to_program(), {"x": X, "y": Y}, [out.name])
    quantization.QuantizationFreezePass(scope, place).apply(graph)
    quantization.ConvertToInt8Pass(scope, place).apply(graph)
    quantization.TransformForMobilePass().apply(graph)
    names = [op.input("Filter")[0] for op in graph.to_program().global_block().ops if op.type == "conv2d"]
    assert names[0].endswith(".int8") and scope.get(names[0]).dtype == np.int8
    assert {"quantize", "dequantize"} <= {node.name() for node in graph.all_op_nodes()}


def test_a_graph_gives_its_program_back():
    main, startup, test, out, loss = network()
    graph = IrGraph(core.Graph(main.desc))
    assert [op.type for op in graph.to_program().global_block().ops] == [op.type for op in main.global_block().ops]
    assert not graph.has_circle() and graph.graph_num() == 1
    assert {n.name() for n in graph.all_persistable_nodes()} >= {p.name for p in main.all_parameters()}


def test_values_of_a_name_keep_their_order():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [2])
        total = paddle.static.create_global_var([2], 0.0, "float32", persistable=True, name="total")
        twice = total * 2.0
        paddle.assign(total + x, total)
        thrice = total * 3.0
    graph = IrGraph(core.Graph(main.desc))
    for node in [n for n in graph.all_op_nodes() if n.name() == "scale"]:
        read = node.inputs[0]
        copy = graph.create_var_node(f"{read.name()}.copy{node.id()}", read.type(), read.shape(), read.dtype())
        graph.update_input_link(read, copy, node)
        made = graph.create_op_node("assign", {}, {"X": read}, {"Out": copy})
        graph.link_to(read, made)
        graph.link_to(made, copy)
    paddle.static.global_scope().set("total", np.array([1, 2], "float32"))
    one, two = paddle.static.Executor().run(graph.to_program(), {"x": np.ones(2, "float32")}, [twice.name, thrice.name])
    assert one.tolist() == [2, 4] and two.tolist() == [6, 9]


def test_circles_and_strangers_are_refused():
    main, *_ = network()
    graph, other = IrGraph(core.Graph(main.desc)), IrGraph(core.Graph(main.desc))
    first, second = graph.topology_sort()[:2]
    with pytest.raises(ValueError, match="no node of this graph"):
        graph.link_to(first, other.topology_sort()[0])
    graph.link_to(second.outputs[0], first)
    assert graph.has_circle()
    with pytest.raises(ValueError, match="circle"):
        graph.to_program()
    with pytest.raises(TypeError, match="Graph"):
        IrGraph(main)
    with pytest.raises(NotImplementedError, match="act_quantize_func"):
        quantization.QuantizationTransformPass(act_quantize_func=abs)
