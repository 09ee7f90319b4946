"""What variables and their descriptions tell of themselves, and which changes in place they refuse."""

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.base.core import Graph
from paddle.base.framework import IrGraph
from paddle.serialization.program_desc import VarKind
from paddle.static.quantization import utils as quantization


@pytest.fixture
def x():
    paddle.enable_static()
    with static.program_guard(static.Program(), static.Program()):
        yield static.data("x", [2, 3])
    paddle.disable_static()


def test_a_description_changes_its_variable(x):
    desc = x.desc
    assert (desc.name(), desc.shape(), desc.type(), desc.lod_level()) == ("x", [2, 3], x.type, 0)
    assert desc.need_check_feed() and not desc.persistable()
    desc.set_persistable(True)
    desc.set_shape([4, 3])
    desc.set_dtype("float64")
    assert x.persistable and x.shape == (4, 3) and x.dtype == paddle.float64
    assert desc == x.desc and hash(desc) == hash(x.desc) and desc != "x"
    desc.set_type(VarKind.LOD_TENSOR_ARRAY)
    assert x.kind == int(VarKind.LOD_TENSOR_ARRAY) and str(x) == "persist var x : LOD_TENSOR_ARRAY)"
    assert "tensor_array {" in x.to_string()
    desc.set_type(VarKind.SELECTED_ROWS)
    assert "selected_rows {" in x.to_string()


def test_what_a_variable_is_before_it_runs(x):
    assert x.is_leaf and not (x + 1).is_leaf and x.contiguous() is x and x.is_contiguous()
    with pytest.warns(UserWarning, match="no place before a program runs"):
        assert x.place() is None


def test_what_cannot_stand_in_place_of_a_variable(x):
    parameter = static.create_parameter([2, 3], "float32")
    with pytest.raises(RuntimeError, match="is a persistable variable"):
        parameter.become(x, "own")
    y = x + 1
    with pytest.raises(TypeError, match="needs a Variable, got"):
        y.become(np.ones(3), "own")
    with pytest.raises(ValueError, match=r"the result's shape \[2, 1, 3\] is not the variable's own \[2, 3\]"):
        y.become(paddle.unsqueeze(x, 1), "own")


def test_places_of_names_in_operators(x):
    out = paddle.matmul(x, static.data("y", [3, 4]))
    op = out.op
    assert quantization._get_input_name_index(op, "y") == ("Y", 0) and quantization._get_input_name_index(op, "z") is None
    assert quantization._get_output_name_index(op, out.name) == ("Out", 0)
    with pytest.raises(TypeError, match="takes a node of a graph or an Operator"):
        quantization._get_input_name_index("matmul", "y")
    scope = static.Scope()
    with pytest.raises(TypeError, match="np_value must be an array"):
        quantization.set_variable_data(scope, None, "w", [1.0])
    scope.var("w").get_tensor().set(np.zeros(2, "float32"), paddle.CPUPlace())
    quantization.set_variable_data(scope, paddle.CPUPlace(), "w", np.array([1.0, 2.0], "float32"))
    quantization.set_variable_data(scope, paddle.CPUPlace(), "nothing of this name", np.zeros(1))
    assert quantization.load_variable_data(scope, "w").tolist() == [1.0, 2.0] and not scope.has("nothing of this name")


def test_a_bar_grows(capsys):
    with quantization.tqdm(4, "Sampling|{bar}", 8) as bar:
        bar.update()
        bar.update(3)
    assert "Sampling|==      | 1/4" in capsys.readouterr().err


def test_nodes_of_a_graph_and_their_links(x):
    paddle.nn.functional.relu(x)
    graph = IrGraph(Graph(static.default_main_program().desc))
    entry, = [node for node in graph.all_var_nodes() if node.name() == "x"]
    relu, = graph.all_op_nodes()
    assert entry == entry and entry != relu and len({entry, relu}) == 2
    assert entry.op() is None and relu.var() is None and entry.var() is not None and relu.op() is not None
    entry.set_shape([5, 3])
    assert entry.shape() == [5, 3]
    entry.remove_output_by_id(relu.id())
    relu.remove_input_by_id(entry.id())
    assert not entry.outputs and not relu.inputs
    relu.clear_outputs()
    relu.clear_inputs()
    assert not relu.outputs
    order = graph.create_control_dep_var()
    with pytest.raises(ValueError, match="stands for an order of operators"):
        order.shape()
    with pytest.raises(ValueError, match="no node 'none' among"):
        graph._find_node_by_name(graph.all_var_nodes(), "none")
    assert graph.create_op_node_from_desc(relu.op()).name() == "relu"
