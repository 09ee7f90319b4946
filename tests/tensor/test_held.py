"""What a dynamic tensor holds, as Paddle's own packages reach for it: ``tensor.value().get_tensor()``."""

import numpy as np
import pytest

import paddle


def test_it_reads_like_a_tensor_of_programs():
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    held = x.value().get_tensor()
    assert held.shape() == [2, 3] and held._dtype() == paddle.float32 and held._place().is_cpu_place()
    np.testing.assert_array_equal(np.array(held), x.numpy())
    np.testing.assert_array_equal(paddle.to_tensor(held).numpy(), x.numpy())


def test_what_is_set_changes_the_tensor_and_its_shape():
    layer = paddle.nn.Linear(3, 4)
    layer.weight.value().get_tensor().set(np.ones([3, 2], "float32"), paddle.CPUPlace())
    layer.bias.get_tensor().set(np.zeros([2], "float32"), paddle.CPUPlace())
    out = layer(paddle.ones([1, 3]))
    assert out.tolist() == [[3.0, 3.0]]
    out.sum().backward()
    assert layer.weight.grad.shape == [3, 2]


def test_memory_is_shared_on_demand():
    whole, part = paddle.arange(6, dtype="float32"), paddle.zeros([2])
    part.get_tensor()._share_data_with(whole.get_tensor()._slice(2, 4))
    whole[2] = 9.0
    assert part.tolist() == [9.0, 3.0] and whole[2:4].get_tensor()._ptr() == part.get_tensor()._ptr()
    with pytest.raises(TypeError, match="_share_data_with"):
        part.get_tensor()._share_data_with(np.zeros(2))


def test_it_can_be_cleared_and_set_anew():
    x = paddle.ones([2])
    held = x.get_tensor()
    held._clear()
    assert not held._is_initialized() and x.size == 0
    held.set(np.full([3], 2.0, "float32"), paddle.CPUPlace())
    assert held._is_initialized() and x.tolist() == [2.0, 2.0, 2.0]
