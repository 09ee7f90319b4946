"""The descriptions of operators and blocks, as programs written for Paddle's C++ objects use them."""

import numpy as np
import pytest

import paddle
from paddle import static


@pytest.fixture
def program():
    paddle.enable_static()
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data("x", [2, 3], "float32")
        y = paddle.scale(x, 2.0)
        static.data("z", [3, 4], "float32")
        paddle.nn.functional.relu(y)
    yield main
    paddle.disable_static()


def test_an_operator_is_asked_and_changed(program):
    block = program.global_block()
    desc = block.ops[0].desc
    (out,) = desc.output("Out")
    assert (desc.type(), desc.input("X"), desc.input_arg_names(), desc.output_arg_names()) == ("scale", ["x"], ["x"], [out])
    assert "X" in desc.input_names() and desc.output_names() == ["Out"]
    assert desc.has_attr("scale") and desc.attr("scale") == 2.0 and "bias" in desc.attr_names()
    assert not desc.has_attr("nothing") and desc == block.ops[0].desc and hash(desc) == hash(block.ops[0].desc)
    desc._set_attr("scale", 3.0)
    assert block.ops[0].attr("scale") == 3.0
    desc.remove_attr("bias_after_scale")
    assert not desc.has_attr("bias_after_scale")
    desc._rename_input("x", "z")
    desc._rename_output(out, "other")
    assert (desc.input("X"), desc.output("Out")) == (["z"], ["other"])
    desc.set_input("X", ["x"])
    desc.set_output("Out", [out])
    assert (block.ops[0].input("X"), block.ops[0].output("Out")) == (["x"], [out])
    desc.check_attrs()
    assert desc.block().id == 0 and desc.block().op_size() == len(block.ops)


def test_operators_are_put_in_copied_and_removed(program):
    block = program.global_block()
    desc, count = block.desc, len(block.ops)
    first = desc._prepend_op()
    first.copy_from(block.ops[1].desc)
    assert [op.type for op in block.ops[:2]] == ["scale", "scale"] and first.attr("scale") == 2.0
    first.set_type("sqrt")
    assert desc.op(0).type() == "sqrt" and desc.op_size() == count + 1
    first.remove_input("X")
    first.remove_output("Out")
    assert first.input_arg_names() == first.output_arg_names() == []
    desc._remove_op(0, 1)
    assert desc.op_size() == count and desc.op(0).type() == "scale"
    with pytest.raises(ValueError, match="nobody"):
        last = desc.append_op()
        last.set_type("nobody")
        last.check_attrs()


def test_variables_of_a_block(program):
    desc = program.global_block().desc
    assert desc.has_var("x") and desc.has_var(b"z") and not desc.has_var("w")
    assert desc.find_var(b"w") is None and desc.find_var("x").shape() == [2, 3]
    made = desc.var("w")
    assert desc.has_var(b"w") and made.name() == "w"
    assert {"x", "z", "w"} <= {var.name() for var in desc.all_vars()}
    assert desc == program.global_block().desc and hash(desc) == hash(program.global_block().desc)


def test_shapes_and_types_follow_from_inputs(program):
    block = program.global_block()
    block.desc.var("made")
    op = block.desc.append_op()
    op.set_type("matmul_v2")
    op.set_input("X", ["x"])
    op.set_input("Y", ["z"])
    op.set_output("Out", ["made"])
    op._set_attr("trans_x", False)
    op._set_attr("trans_y", False)
    op.check_attrs()
    op.infer_var_type(block.desc)
    op.infer_shape(block.desc)
    made = block.desc.find_var("made")
    assert made.shape() == [2, 4] and made.dtype() == block.desc.find_var("x").dtype()
    assert b"matmul_v2" in op.serialize_to_string()


def test_the_gradients_of_an_operator_are_like_its_inputs(program):
    block = program.global_block()
    found, names = paddle.base.core.get_grad_op_desc(block.ops[-1].desc, set(), [])
    (source,) = block.ops[-1].input("X")
    assert [desc.type() for desc in found] == ["relu_grad"] and names[source + "@GRAD"] == source
    added = block.desc.append_op()
    added.copy_from(found[0])
    for name in (*added.input_arg_names(), *added.output_arg_names()):
        if not block.desc.has_var(name):
            block.desc.var(name)
    added.infer_var_type(block.desc)
    added.infer_shape(block.desc)
    assert block.desc.find_var(source + "@GRAD").shape() == [2, 3]
    assert paddle.base.core.get_grad_op_desc(block.ops[0].desc, {"x@GRAD"}, []) == ([], {})


def test_the_gradient_of_an_operator_whose_attribute_a_variable_gives(static_mode):
    x, factor = static.data("x", [2, 3]), static.data("factor", [1])
    block = x.block
    out = block.create_var(name="out", shape=[2, 3], dtype="float32")
    block.append_op("scale", {"X": x, "ScaleTensor": factor}, {"Out": out})
    (grad,), _ = paddle.base.core.get_grad_op_desc(block.ops[-1].desc, set(), [])
    for name in ("out@GRAD", "x@GRAD"):
        block.create_var(name=name, shape=[2, 3], dtype="float32")
    block.desc.append_op().copy_from(grad)
    found, = static.Executor().run(feed={"x": np.ones((2, 3), "float32"), "factor": np.array([2.5], "float32"), "out@GRAD": np.full(
        (2, 3), 2, "float32")}, fetch_list=["x@GRAD"])
    assert found.tolist() == [[5.0] * 3] * 2
