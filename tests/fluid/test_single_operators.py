"""fluid.op.Operator: single operators over the values of a scope; parameters made in a block with attributes one by one."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.op import Operator


def test_an_operator_over_a_scope():
    scope, place = fluid.core.Scope(), fluid.CPUPlace()
    for name in ("a", "b"):
        scope.var(name).get_tensor().set(np.full([2, 3], 2, "float32"), place)
    scope.var("c")
    made = Operator("elementwise_add", X="a", Y="b", Out="c", axis=-1)
    made.run(scope, place)
    assert np.array(scope.find_var("c").get_tensor()).tolist() == [[4] * 3] * 2
    assert made.type() == "elementwise_add" and made.inputs("X") == ["a"] and made.outputs("Out") == ["c"]
    Operator("sum", X=["a", "b", "c"], Out="c").run(scope, place)
    assert np.array(scope.find_var("c").get_tensor()).tolist() == [[8] * 3] * 2
    with pytest.raises(ValueError, match="no operator"):
        Operator("no_such_operator", X="a")


def test_parameters_with_attributes_of_their_own():
    block = fluid.Program().global_block()
    decay = fluid.regularizer.L1DecayRegularizer(0.5)
    made = block.create_parameter(dtype="float32", shape=[5, 10], lod_level=0, name="w", optimize_attr={"learning_rate": 1.1},
                                  regularizer=decay, trainable=False)
    assert made.optimize_attr == {"learning_rate": 1.1} and made.regularizer is decay and made.stop_gradient


def test_parts_of_programs():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.layers.data("x", [3])
        doubled = x * 2
        fluid.layers.fc(doubled, 4)
        part = fluid.default_main_program()._prune_with_input(["x"], [doubled])
        assert [op.type for op in part.global_block().ops] == ["scale"]
        assert [op.type for op in fluid.default_main_program()._prune(doubled).global_block().ops] == ["scale"]
        assert Operator.get_op_outputs("sum") == [("Out", False)] and Operator.get_op_input_names("sum") == ["X"]


@pytest.mark.parametrize("make", [fluid.layers.LSTMCell, fluid.layers.GRUCell])
def test_cells_over_sequences_shorter_than_their_tensor(make):
    """Behind its end a sequence's state is kept, and the cell runs on; parameters are those of the cell's unit."""
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        x, length = fluid.data("x", [None, None, 2]), fluid.data("length", [None], "int64")
        out, _ = fluid.layers.rnn(make(3), x, sequence_length=length)
        kind = make.__name__
        name = f"{kind}/Basic{kind[:-4]}Unit_0.w_0"
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        assert fluid.global_scope().find_var(name) is not None
        got, = exe.run(feed={"x": np.ones([2, 5, 2], "float32"), "length": np.array([3, 2])}, fetch_list=[out])
        assert got.shape == (2, 5, 3) and (got[0, 1:4] != got[0, :3]).all()
        assert (got[0, 4] == got[0, 3]).all() and (got[1, 3:] == got[1, 2]).all()
