import numpy as np
import pytest

import paddle
from paddle.utils.dlpack import from_dlpack, to_dlpack


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
def test_shared_both_ways(dtype):
    x = paddle.to_tensor(np.arange(6).reshape(2, 3).astype(dtype))
    array = np.from_dlpack(to_dlpack(x))
    assert np.shares_memory(array, x._data)
    back = from_dlpack(array)
    assert back.shape == [2, 3] and back.stop_gradient
    assert np.shares_memory(back._data, x._data)


def test_arguments():
    with pytest.raises(TypeError, match="to_dlpack.*Tensor, got list"):
        to_dlpack([1])
    with pytest.raises(TypeError, match="from_dlpack.*__dlpack__, got list"):
        from_dlpack([1])


def test_lod_tensors_of_programs():
    source = paddle.base.create_lod_tensor(np.array([[1], [2], [3]]), [[1, 2]], paddle.CPUPlace())
    paddle.enable_static()
    try:
        shared = paddle.utils.dlpack.from_dlpack(paddle.utils.dlpack.to_dlpack(source))
    finally:
        paddle.disable_static()
    assert isinstance(shared, paddle.base.core.LoDTensor) and np.asarray(shared).tolist() == [[1], [2], [3]]
