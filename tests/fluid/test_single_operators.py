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
