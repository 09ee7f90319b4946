"""Sequence lengths (LoD) of dynamic tensors, and operators that run at once on them."""

import numpy as np
import pytest

import paddle


def test_lengths_are_kept_and_checked():
    x = paddle.ones([5, 2])
    held = x.value().get_tensor()
    assert held.recursive_sequence_lengths() == [] and held.lod() == []
    held.set_recursive_sequence_lengths([[2, 3]])
    assert x.lod() == [[0, 2, 5]] and held.has_valid_recursive_sequence_lengths()
    held.set_lod([[0, 1, 2], [0, 4, 5]])
    assert held.recursive_sequence_lengths() == [[1, 1], [4, 1]]
    with pytest.raises(ValueError, match="add up to 4"):
        held.set_recursive_sequence_lengths([[2, 2]])
    assert (x + 1).recursive_sequence_lengths() == []


def test_an_operator_of_sequences_runs_at_once():
    values = np.arange(10, dtype="float32").reshape(5, 2)
    x = paddle.to_tensor(values)
    x.set_recursive_sequence_lengths([[2, 3]])
    block = paddle.static.default_main_program().global_block()
    out, places = paddle.zeros([0]), paddle.zeros([0], "int32")
    block.append_op(type="sequence_pool", inputs={"X": x}, outputs={"Out": out, "MaxIndex": places}, attrs={"pooltype": "SUM"})
    np.testing.assert_array_equal(out.numpy(), np.stack([values[:2].sum(0), values[2:].sum(0)]))
    reversed_ = paddle.zeros([0])
    block.append_op(type="sequence_reverse", inputs={"X": x}, outputs={"Y": reversed_})
    np.testing.assert_array_equal(reversed_.numpy(), values[[1, 0, 4, 3, 2]])
    assert reversed_.recursive_sequence_lengths() == [[2, 3]]
    x.stop_gradient = False
    with pytest.raises(NotImplementedError, match="gradients"):
        block.append_op(type="sequence_reverse", inputs={"X": x}, outputs={"Y": reversed_})
