"""What code written against Paddle's insides takes from paddle.base: messages, protos, descriptions, operators in a scope."""

import numpy as np
import pytest

import paddle
from paddle import base
from paddle.base import core, framework
from paddle.base.layer_helper import LayerHelper
from paddle.base.proto import framework_pb2 as pb


@pytest.fixture
def static():
    paddle.enable_static()
    yield
    paddle.disable_static()


def message(kind, inputs, outputs, **ints):
    desc = pb.OpDesc(type=kind)
    for slots, table in ((desc.inputs, inputs), (desc.outputs, outputs)):
        for slot, names in table.items():
            slots.add(parameter=slot, arguments=names)
    for name, value in ints.items():
        desc.attrs.add(name=name, type=pb.INTS if isinstance(value, list) else pb.INT,
                       **({"ints": value} if isinstance(value, list) else {"i": value}))
    return desc


# ---- messages ----
def test_messages_have_the_bytes_of_protobuf():
    var = pb.VarDesc(name="x")
    var.type.type = pb.VarType.LOD_TENSOR
    var.type.lod_tensor.tensor.data_type = pb.VarType.FP32
    var.type.lod_tensor.tensor.dims.extend([-1, 2])
    # written by Google's library with Paddle 2.6.2's framework_pb2
    assert var.SerializeToString().hex() == "0a0178121508071a110a0f080510ffffffffffffffffff011002"
    assert pb.VarDesc.FromString(var.SerializeToString()) == var
    assert not var.type.HasField("selected_rows") and var.type.HasField("lod_tensor")


def test_reading_a_field_does_not_set_it():
    var = pb.VarDesc(name="x")
    assert list(var.type.lod_tensor.tensor.dims) == [] and not var.HasField("type")
    assert pb.BlockDesc().forward_block_idx == -1
    with pytest.raises(ValueError, match="required field"):
        var.SerializeToString()
    with pytest.raises(AttributeError, match="CopyFrom"):
        var.type = pb.VarType()


def test_messages_copy_and_merge():
    a, b = message("relu", {"X": ["a"]}, {"Out": ["b"]}), pb.OpDesc()
    b.CopyFrom(a)
    b.inputs[0].arguments[0] = "c"
    assert a.inputs[0].arguments == ["a"] and b.inputs[0].arguments == ["c"] and len(b.inputs) == 1
    b.MergeFrom(a)
    assert [slot.arguments[0] for slot in b.inputs] == ["c", "a"]


# ---- protos ----
def test_protos_tell_slots_and_attributes():
    proto = framework.OpProtoHolder.instance().get_op_proto("reshape2")
    assert [(s.name, s.duplicable, s.dispensable) for s in proto.inputs] == [
        ("X", False, False), ("Shape", False, True), ("ShapeTensor", True, True)]
    assert [(s.name, s.intermediate) for s in proto.outputs] == [("Out", False), ("XShape", True)]
    assert framework.canonicalize_attrs({"shape": np.array([2, 3]), "op_role": True}, proto) == {"shape": [2, 3], "op_role": 1}
    with pytest.raises(ValueError, match="no_such_op"):
        framework.OpProtoHolder.instance().get_op_proto("no_such_op")
    assert {p.type for p in framework.get_all_op_protos()} >= {"softmax", "conv2d", "adam"}
    assert core.get_op_extra_attrs("pool2d") == {"is_test": False} | core.get_op_extra_attrs("pool2d")


def test_kernel_signature_names_the_tensor_that_stands_for_an_attribute():
    tracer, x = framework._dygraph_tracer(), paddle.ones([2])
    assert tracer._get_kernel_signature("reshape2", {"X": [x]}, {}, {}) == (["X"], ["shape"], ["Out"])
    assert tracer._get_kernel_signature("reshape2", {"X": [x], "Shape": [x]}, {}, {}) == (["X"], ["Shape"], ["Out"])
    with pytest.raises(RuntimeError, match="flatten2"):
        tracer._get_kernel_signature("flatten2", {}, {}, {})


# ---- operators in a scope ----
def test_an_operator_runs_in_a_scope():
    op = core.Operator.create(message("concat", {"X": ["a", "b"]}, {"Out": ["c"]}, axis=1).SerializeToString())
    scope = core.Scope()
    a, b = np.ones([2, 1], "float32"), np.zeros([2, 2], "float32")
    for name, value in (("a", a), ("b", b)):
        scope.var(name).get_tensor().set(value, core.CPUPlace())
    op.run(scope, core.CPUPlace())
    held = scope.find_var("c").get_tensor()
    np.testing.assert_array_equal(np.array(held), np.concatenate([a, b], 1))
    scope.find_var("a").get_tensor()._set_float_element(1, 7.)
    op.run(scope, core.CPUPlace())
    assert held._get_float_element(3) == 7. and held._dtype() == core.VarDesc.VarType.FP32
    with pytest.raises(NotImplementedError, match="no_such_op"):
        core.Operator.create(message("no_such_op", {}, {}).SerializeToString())


def test_an_operator_in_a_scope_reads_and_makes_sequence_lengths():
    op = core.Operator.create(message("sequence_softmax", {"X": ["x"]}, {"Out": ["y"]}).SerializeToString())
    scope = core.Scope()
    held = scope.var("x").get_tensor()
    held.set(np.zeros([5, 1], "float32"))
    held.set_recursive_sequence_lengths([[2, 3]])
    op.run(scope)
    out = scope.find_var("y").get_tensor()
    np.testing.assert_allclose(np.array(out)[:, 0], [.5, .5, 1 / 3, 1 / 3, 1 / 3], rtol=1e-6)
    assert out.recursive_sequence_lengths() == [[2, 3]]


# ---- descriptions ----
def test_append_op_gives_outputs_their_shapes(static):
    block = paddle.static.Program().global_block()
    x = block.create_var(name="x", shape=[2, 3], dtype="float32", lod_level=None)
    y, t = block.create_var(name="y", shape=None, dtype=None), block.create_var(name="t", dtype=None, type=7)
    op = block.append_op(type="transpose2", inputs={"X": x}, outputs={"Out": y, "XShape": t}, attrs={"axis": [1, 0]})
    assert y.shape == (3, 2) and y.dtype == paddle.float32 and t.shape == (0, 2, 3)
    x.shape = (4, 5)
    op.desc.infer_shape(block.desc)
    assert y.shape == (5, 4) and op.idx == 0
    assert op.desc.type() == "transpose2" and op.desc.output("Out") == ["y"] and block.desc.op_size() == 1
    assert block.create_var(name="b", shape=[1], dtype=np.uint16).dtype == paddle.bfloat16


def test_get_grad_op_desc_makes_the_operator_that_runs(static):
    program, feed = paddle.static.Program(), np.array([1., -2.], "float32")
    block = program.global_block()
    block.create_var(name="x", shape=[2], dtype="float32")
    block.create_var(name="y", shape=[2], dtype="float32")
    op = block.append_op(type="relu", inputs={"X": "x"}, outputs={"Out": "y"})
    (grad,), names = core.get_grad_op_desc(op.desc, set(), [])
    assert grad.type() == "relu_grad" and names == {"y@GRAD": "y", "x@GRAD": "x"}
    for name in names:
        block.create_var(name=name, shape=[2], dtype="float32")
    block.desc.append_op().copy_from(grad)
    out, = paddle.static.Executor().run(program, feed={"x": feed, "y@GRAD": np.full([2], 3., "float32")}, fetch_list=["x@GRAD"])
    np.testing.assert_array_equal(out, [3., 0.])
    assert core.get_grad_op_desc(op.desc, {"x@GRAD"}, []) == ([], {})


def test_append_op_runs_at_once_in_dynamic_mode():
    with base.dygraph.guard():
        block = base.default_main_program().global_block()
        x = paddle.to_tensor([[1., 2.]], stop_gradient=False)
        out = block.create_var(name="out", dtype="float32", stop_gradient=False)
        block.append_op(type="scale", inputs={"X": [x]}, outputs={"Out": [out]}, attrs={"scale": 3.})
        out.sum().backward()
        assert out.tolist() == [[3., 6.]] and x.grad.tolist() == [[3., 3.]] and out.name == "out"
        with pytest.raises(ValueError, match="X of scale is missing"):
            block.append_op(type="scale", inputs={}, outputs={"Out": [out]})


# ---- layers and modes ----
def layer(x, act=None):
    helper = LayerHelper("mine", input=x, act=act, bias_attr=None)
    w = helper.create_parameter(None, [3, 2], "float32", default_initializer=paddle.nn.initializer.Constant(2.))
    out = helper.create_variable_for_type_inference(helper.input_dtype())
    helper.append_op(type="matmul_v2", inputs={"X": [helper.input()], "Y": [w]}, outputs={"Out": [out]}, attrs={})
    return helper.append_activation(helper.append_bias_op(out))


def test_layer_helper_works_in_both_modes(static):
    main, startup, data = paddle.static.Program(), paddle.static.Program(), np.array([[1., -2., -3.]], "float32")
    with paddle.static.program_guard(main, startup):
        y = layer(paddle.static.data("x", [None, 3]), "relu")
    assert y.shape == (-1, 2) and [p.name for p in main.all_parameters()] == ["mine_0.w_0", "mine_0.b_0"]
    exe = paddle.static.Executor()
    exe.run(startup)
    np.testing.assert_array_equal(exe.run(main, feed={"x": data}, fetch_list=[y])[0], [[0., 0.]])
    paddle.disable_static()
    np.testing.assert_array_equal(layer(paddle.to_tensor(data)).numpy(), [[-8., -8.]])


def test_checks_are_made_in_static_mode_only(static):
    from paddle.base.data_feeder import check_variable_and_dtype, convert_dtype
    x = paddle.static.data("x", [2], "int32")
    check_variable_and_dtype(x, "x", ["int32"], "mine")
    with pytest.raises(TypeError, match="'x' in mine must be .*float32.*int32"):
        check_variable_and_dtype(x, "x", ["float32"], "mine")
    with pytest.raises(TypeError, match="'x' in mine must be Variable"):
        check_variable_and_dtype(3, "x", ["float32"], "mine")
    paddle.disable_static()
    check_variable_and_dtype(paddle.ones([1], "int64"), "x", ["float32"], "mine")
    assert convert_dtype(paddle.bfloat16) == "uint16" and convert_dtype("int8") == "int8"


def test_guards_and_flags():
    with framework._dygraph_guard(None):
        assert framework._dygraph_tracer() is None and not framework.in_dygraph_mode()
    assert framework.in_dygraph_mode() and core.globals()["FLAGS_check_nan_inf"] is False
    before = core.globals()["FLAGS_use_system_allocator"]
    core.globals()["FLAGS_use_system_allocator"] = not before
    assert paddle.get_flags("FLAGS_use_system_allocator") == {"FLAGS_use_system_allocator": not before}
    core.globals()["FLAGS_use_system_allocator"] = before
    core._set_prim_all_enabled(True)
    assert core._is_fwd_prim_enabled() and core._is_bwd_prim_enabled() and core._is_all_prim_enabled()
    core._set_prim_all_enabled(False)
    assert not core._is_all_prim_enabled() and not core._is_eager_prim_enabled()
    with pytest.raises(AssertionError, match="dynamic mode"), framework._dygraph_guard(None):
        framework.dygraph_only(lambda: 1)()


def test_gradients_of_programs_by_the_later_name():
    from paddle.autograd.ir_backward import grad
    with paddle.pir_utils.IrGuard(), paddle.static.program_guard(paddle.static.Program()):
        x = paddle.static.data("x", [2])
        x.stop_gradient = False
        dx, = grad([(x * x).sum()], [x])
        out, = paddle.static.Executor().run(paddle.pir.core.default_main_program(), feed={"x": np.array([1, 3], "float32")},
                                            fetch_list=[dx])
    assert out.tolist() == [2., 6.] and paddle.in_dynamic_mode()


def test_small_names_of_layers():
    from paddle.nn.layer.transformer import _convert_attention_mask, _convert_param_attr_to_list
    mask = _convert_attention_mask(paddle.to_tensor([True, False]), paddle.float32)
    assert mask.tolist() == [0., -1e9] and _convert_attention_mask(None, "float32") is None
    assert [a.name for a in _convert_param_attr_to_list(paddle.ParamAttr(name="w"), 2)] == ["w_0", "w_1"]
    assert _convert_param_attr_to_list(False, 2) == [False, False]
    with pytest.raises(AssertionError, match="2 items, got 1"):
        _convert_param_attr_to_list([None], 2)
    tensor = paddle.to_tensor([1., 2.])
    p = framework.EagerParamBase.from_tensor(tensor, name="mine", trainable=False)
    assert p.name == "mine" and p.stop_gradient and np.shares_memory(p._data, tensor._data)
    with paddle.utils.unique_name.guard():
        assert paddle.utils.unique_name.generate_with_ignorable_key("fc") == "dygraph_tmp_0"
