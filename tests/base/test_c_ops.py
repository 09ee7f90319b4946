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
    with pytest.raises(TypeError, match="at most 2 tensors"):
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
