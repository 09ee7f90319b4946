"""paddle._C_ops and paddle._legacy_C_ops: the operators in the argument order of 2.6.2's C++ functions (values recorded there)."""

import numpy as np
import pytest

import paddle
from paddle import _C_ops, _legacy_C_ops
from paddle.base import c_ops
from paddle.static.program import registry


@pytest.fixture
def x():
    x = paddle.to_tensor(np.arange(6, dtype="float32").reshape(2, 3) - 2)
    x.stop_gradient = False
    return x


def test_arguments_come_by_position(x):
    np.testing.assert_allclose(_C_ops.softmax(x, -1)[0], [0.0900306, 0.2447285, 0.6652409], rtol=1e-5)
    assert _C_ops.argsort(x, -1, True)[1][0].tolist() == [2, 1, 0]
    assert _C_ops.sum(x, [0], None, False).tolist() == [-1.0, 1.0, 3.0]
    assert _C_ops.full([2], 3.0, paddle.float32, paddle.CPUPlace()).tolist() == [3.0, 3.0]
    assert _C_ops.cast(x, paddle.int32).dtype == paddle.int32
    image, filters = paddle.ones([1, 2, 5, 5]), paddle.ones([4, 2, 3, 3])
    assert _C_ops.conv2d(image, filters, [1, 1], [0, 0], "EXPLICIT", [1, 1], 1, "NCHW")[0, 0, 0].tolist() == [18.0] * 3


def test_gradients_flow(x):
    _C_ops.sum(_C_ops.multiply(x, x), [], None, False).backward()
    assert x.grad.tolist() == (2 * x).tolist()


def test_sizes_may_be_tensors(x):
    assert _C_ops.reshape(x, paddle.to_tensor([3, 2])).shape == [3, 2]


def test_the_form_with_an_underscore_changes_its_tensor():
    y = paddle.to_tensor([-1.0, 2.0])
    assert _C_ops.relu_(y) is y
    assert y.tolist() == [0.0, 2.0]


def test_legacy_functions_take_attributes_by_name(x):
    assert _legacy_C_ops.matmul_v2(x, x, "trans_x", False, "trans_y", True).tolist() == [[5.0, -4.0], [-4.0, 14.0]]
    normed = _legacy_C_ops.layer_norm(x, None, None, "epsilon", 1e-5, "begin_norm_axis", 1)[0]
    np.testing.assert_allclose(normed[0], [-1.2247356, 0.0, 1.2247356], rtol=1e-5)


def test_wrong_calls_say_what_is_wrong(x):
    with pytest.raises(AttributeError, match="no_such_op"):
        _C_ops.no_such_op  # noqa: B018
    with pytest.raises(TypeError, match="relu.*takes 1"):
        _C_ops.relu(x, 1, 2)
    with pytest.raises(ValueError, match="relu.*must be a Tensor"):
        _C_ops.relu([1.0])
    with pytest.raises(TypeError, match="at most 2 arguments"):
        _legacy_C_ops.matmul_v2(x, x, x)


@pytest.mark.parametrize("name", sorted(c_ops.table()["functions"]))
def test_every_function_has_its_operator(name):
    row = c_ops.table()["functions"][name]
    slots = {slot.name for slot in registry.find(row["type"]).file_outputs}
    assert callable(getattr(_C_ops, name))
    assert any(out.split("=")[1] in slots for out in row["out"]), f"none of {row['out']} is one of {slots}"


def test_outputs_of_several_tensors_come_as_a_list():
    """Paddle 2.6.2 gives the final states of ``rnn`` as a list, of one tensor for a plain recurrence too."""
    weights = [paddle.ones(shape) for shape in ([4, 3], [4, 4], [4], [4])]
    out, _, state = paddle._C_ops.rnn(paddle.ones([5, 2, 3]), [paddle.zeros([1, 2, 4])], weights, None, paddle.Tensor(), 0.0, False,
                                      3, 4, 1, "RNN_TANH", 0, False)
    assert out.shape == [5, 2, 4] and [one.shape for one in state] == [[1, 2, 4]]


def test_signatures_name_the_slots_that_operators_have():
    from paddle.base.framework import _dygraph_tracer
    slots = _dygraph_tracer()._get_kernel_signature("rnn", {}, {}, {})[0]
    assert slots == ["Input", "PreState", "WeightList", "SequenceLength"]
    assert _dygraph_tracer()._get_kernel_signature("tril_triu", {}, {}, {}) == (["X"], ["diagonal", "lower"], ["Out"])


def test_attributes_may_be_tensors_and_lists_of_them():
    x = paddle.arange(12).reshape([3, 4])
    one, three = paddle.to_tensor([1]), paddle.to_tensor([3])
    for starts, ends in (([one], [three]), (one, three)):
        assert paddle._C_ops.slice(x, [1], starts, ends, [1], []).tolist() == [[1, 2], [5, 6], [9, 10]]


def test_functions_of_2_3_that_2_4_calls_legacy():
    x = paddle.ones([2, 3])
    assert paddle._C_ops.matmul_v2(x, x, "trans_x", False, "trans_y", True).tolist() == [[3, 3], [3, 3]]
    assert paddle._C_ops.elementwise_add(x, x, "axis", -1).tolist() == [[2] * 3] * 2
    with pytest.raises(AttributeError, match="no_such_function"):
        paddle._C_ops.no_such_function  # noqa: B018


def test_legacy_results_come_in_the_operators_order():
    """C++ has a table of optional slots, which says nothing about their order or about the slots that are always there."""
    x = paddle.to_tensor([3.0, 1.0, 3.0, 2.0])
    found = _legacy_C_ops.unique(x, "dtype", 3, "return_index", True, "return_inverse", True, "return_counts", True, "axis", [],
                                 "is_sorted", True)
    assert [part.tolist() for part in found] == [[1.0, 2.0, 3.0], [1, 3, 0], [2, 0, 2, 1], [1, 1, 2]]
    boxes = paddle.to_tensor([[[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 2.5], [5.0, 5.0, 7.0, 7.0]]])
    kept, places, number = _legacy_C_ops.multiclass_nms3(
        boxes, paddle.to_tensor([[[0.9, 0.8, 0.7]]]), None, "background_label", -1, "score_threshold", 0.1, "nms_top_k", 3,
        "nms_threshold", 0.3, "keep_top_k", 3, "nms_eta", 1.0, "normalized", True)
    assert kept.shape == [2, 6]
    assert places.flatten().tolist() == [0, 2]
    assert number.tolist() == [2]


def test_legacy_functions_leave_out_optional_results_that_c_has_no_place_for():
    scale, zero = paddle.to_tensor([1.0]), paddle.to_tensor([0.0])
    out = _legacy_C_ops.quantize_linear(paddle.to_tensor([[1.0, -2.0]]), scale, zero, "quant_axis", -1, "bit_length", 8)
    assert out.tolist() == [[127.0, -128.0]]


def test_legacy_results_are_written_into_the_tensors_that_are_passed_for_them():
    x = paddle.to_tensor([[0.5, -1.0], [2.0, 0.3]], stop_gradient=False)
    out, scale = paddle.zeros([2, 2]), paddle.zeros([2])
    found = _legacy_C_ops.fake_channel_wise_quantize_dequantize_abs_max(x, out, scale, "bit_length", 8, "quant_axis", 0)
    assert found[0] is out
    assert found[1] is scale
    np.testing.assert_allclose(out, [[0.503937, -1.0], [2.0, 0.2992126]], rtol=1e-6)
    assert scale.tolist() == [1.0, 2.0]
    out.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_legacy_updates_change_parameters_and_their_state():
    rate, p, velocity = paddle.to_tensor([0.1]), paddle.to_tensor([1.0, 1.0], stop_gradient=False), paddle.zeros([2])
    found = _legacy_C_ops.momentum(p, paddle.to_tensor([1.0, 2.0]), velocity, rate, None, p, velocity, None, "mu", 0.9)
    assert found[0] is p
    assert found[1] is velocity
    np.testing.assert_allclose(p, [0.9, 0.8], rtol=1e-6)
    assert velocity.tolist() == [1.0, 2.0]
    assert p.is_leaf
    assert not p.stop_gradient


def test_legacy_running_means_stay_constants():
    x = paddle.to_tensor(np.arange(16, dtype="float32").reshape(2, 2, 2, 2), stop_gradient=False)
    weight, bias = paddle.to_tensor([1.0, 2.0], stop_gradient=False), paddle.zeros([2])
    mean, variance = paddle.zeros([2]), paddle.ones([2])
    for _ in range(3):
        out = _legacy_C_ops.batch_norm(x, weight, bias, mean, variance, None, mean, variance, "momentum", 0.9, "epsilon", 1e-5)[0]
    np.testing.assert_allclose(mean, 0.271 * x.mean([0, 2, 3]).numpy(), rtol=1e-5)
    assert mean.is_leaf
    assert mean.stop_gradient
    (out * x).sum().backward()
    assert x.grad.shape == [2, 2, 2, 2]


def test_legacy_results_need_a_tensor():
    with pytest.raises(TypeError, match="at most 3 arguments"):
        _legacy_C_ops.fake_quantize_dequantize_abs_max(*[paddle.ones([2])] * 4)
    with pytest.raises(TypeError, match="written into a Tensor"):
        _legacy_C_ops.fake_quantize_dequantize_abs_max(paddle.ones([2]), 3.0, None, "bit_length", 8)


def test_legacy_functions_are_told_how_many_results_a_list_has(x):
    assert [part.tolist() for part in _legacy_C_ops.unbind(x, 2, "axis", 0)] == x.tolist()
    parts = [paddle.zeros([1]) for _ in range(3)]
    assert all(a is b for a, b in zip(_legacy_C_ops.split(x, parts, "num", 3, "axis", 1), parts))
    assert parts[1].tolist() == [[-1.0], [2.0]]
    boxes, number = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0], [0.0, 0.0, 60.0, 60.0]]), paddle.to_tensor([2], dtype="int32")
    rois, places, numbers = _legacy_C_ops.distribute_fpn_proposals(
        boxes, number, 3, 3, "min_level", 2, "max_level", 4, "refer_level", 3, "refer_scale", 20, "pixel_offset", False)
    assert [part.shape for part in rois] == [[1, 4], [0, 4], [1, 4]]
    assert places.tolist() == [[0], [1]]
    assert [part.tolist() for part in numbers] == [[1], [0], [1]]
    with pytest.raises(ValueError, match="there are 2 results, not 3"):
        _legacy_C_ops.unbind(x, 3, "axis", 0)


def test_legacy_functions_in_place(x):
    y = paddle.to_tensor([1.0, 2.0])
    assert _legacy_C_ops.scale_(y, "scale", 0.5) is y
    assert y.tolist() == [0.5, 1.0]
    assert y._inplace_version() == 1
    for reshape in (lambda z: paddle._C_ops.reshape_(z, [6]), lambda z: _legacy_C_ops.reshape2_(z, None, "shape", [6])[0]):
        z = paddle.ones([2, 3])
        assert reshape(z) is z
        assert z.shape == [6]
    with pytest.raises(AttributeError, match="no_such_"):
        _legacy_C_ops.no_such_  # noqa: B018


def test_functions_without_an_operator_of_their_own():
    x, place = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False), paddle.CPUPlace()
    out = _C_ops.linear(_C_ops.tril(x, 0), x, None)
    assert out.tolist() == [[1.0, 2.0], [15.0, 22.0]]
    out.sum().backward()
    assert x.grad.tolist() == [[7.0, 4.0], [7.0, 11.0]]
    made = [_C_ops.ones([2], paddle.float64, place), _C_ops.zeros_like(x, paddle.int32, place), _C_ops.empty_like(x, None, place)]
    assert [(t.dtype.name, t.shape) for t in made] == [("float64", [2]), ("int32", [2, 2]), ("float32", [2, 2])]
    assert _C_ops.full_with_tensor(paddle.to_tensor([2]), paddle.to_tensor(3.0), paddle.float32).tolist() == [3.0, 3.0]
    assert [t.tolist() for t in _C_ops.split_with_num(x, 2, 1)] == [[[1.0], [3.0]], [[2.0], [4.0]]]
    assert _C_ops.repeat_interleave_with_tensor_index(x, paddle.to_tensor([1, 2]), 0).shape == [3, 2]
    assert _C_ops.matrix_rank_tol(x, paddle.to_tensor(1.0), False, False).item() == 1
    assert _C_ops.view_shape(x.detach(), [4]).tolist() == [1.0, 2.0, 3.0, 4.0]
    assert _C_ops.gumbel_softmax(x, 1.0, True, -1).sum().item() == 2.0
    filled = paddle.ones([3])
    assert _C_ops.full_(filled, [2, 2], 5.0, paddle.float32, place) is filled and filled.tolist() == [[5.0, 5.0], [5.0, 5.0]]
    _C_ops.assign_out_(x.detach(), filled)
    assert _C_ops.triu_(filled, 0).tolist() == [[1.0, 2.0], [0.0, 4.0]]
