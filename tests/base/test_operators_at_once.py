"""Operators by type and slots on Tensors, as layers of one's own append them where no program is being built."""

import numpy as np
import pytest

import paddle
from paddle.base.layer_helper import LayerHelper

X = np.arange(6, dtype="float32").reshape(2, 3)


def test_lengths_travel_and_gradients_are_refused():
    helper, x = LayerHelper("pool"), paddle.to_tensor(X)
    out, places, rows = (helper.create_variable_for_type_inference("float32") for _ in range(3))
    x.set_recursive_sequence_lengths([[1, 1]])
    helper.append_op("sequence_pool", {"X": x}, {"Out": out, "MaxIndex": places}, {"pooltype": "SUM"})
    np.testing.assert_array_equal(out.numpy(), X)
    helper.append_op("sequence_reverse", {"X": x}, {"Y": rows})
    assert rows.recursive_sequence_lengths() == [[1, 1]]
    x.set_recursive_sequence_lengths([[2]])
    helper.append_op("sequence_reverse", {"X": x}, {"Y": rows})
    np.testing.assert_array_equal(rows.numpy(), X[::-1])
    x.stop_gradient = False
    with pytest.raises(NotImplementedError, match="sequence_pool of sequences records no gradients"):
        helper.append_op("sequence_pool", {"X": x}, {"Out": out}, {"pooltype": "SUM"})


@pytest.mark.parametrize("kind,inputs,error,text", [
    ("relu", {"X": [X]}, TypeError, "the input X of relu must be Tensors"),
    ("relu", {}, ValueError, "the input X of relu is missing"),
    ("relu", {"Z": [paddle.ones([1])]}, NotImplementedError, "the input Z of relu is not supported"),
    ("no_such", {}, NotImplementedError, "there is no operator 'no_such'")])
def test_operands_are_checked(kind, inputs, error, text):
    helper = LayerHelper("own")
    out = helper.create_variable_for_type_inference("float32")
    with pytest.raises(error, match=text):
        helper.append_op(kind, inputs, {"Out": out})


def test_a_tensor_gives_an_attribute():
    helper, out = LayerHelper("own"), paddle.zeros([0])
    helper.append_op("scale", {"X": paddle.to_tensor(X), "ScaleTensor": paddle.to_tensor([2.5])}, {"Out": out}, {"scale": 7.0})
    np.testing.assert_array_equal(out.numpy(), X * 2.5)
