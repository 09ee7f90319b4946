"""Methods of layers and tensors without a public name that packages written for Paddle call."""

import numpy as np
import pytest

import paddle
from paddle import nn


def test_to_as_packages_replace_it():
    net = nn.Sequential(nn.Linear(1, 1))
    net._to_impl(dtype="float64", include_sublayers=False)
    assert net[0].weight.dtype == paddle.float32
    assert net._to_impl(device=None, dtype="float64", blocking=None, include_sublayers=True, floating_only=True) is net
    assert net[0].weight.dtype == paddle.float64


def test_parameters_and_buffers_without_hooks():
    net = nn.Sequential(nn.Linear(1, 2), nn.BatchNorm1D(2))
    net.register_state_dict_hook(lambda state: state.clear())
    assert list(net._obtain_parameters_buffers()) == ["0.weight", "0.bias", "1.weight", "1.bias", "1._mean", "1._variance"]
    assert net._obtain_parameters_buffers()["0.weight"] is net[0].weight


def test_checks_of_norms():
    nn.BatchNorm2D(2)._check_data_format("NHWC")
    with pytest.raises(ValueError, match="data_format"):
        nn.BatchNorm2D(2)._check_data_format("CNHW")
    nn.InstanceNorm2D(2)._check_input_dim(paddle.ones([1, 2, 3, 3]))
    with pytest.raises(ValueError, match="4 dimensions"):
        nn.InstanceNorm2D(2)._check_input_dim(paddle.ones([1, 2, 3]))


def test_gradients_are_set():
    p = paddle.create_parameter([2], "float32")
    p._set_grad_ivar(paddle.to_tensor([5.0, 6.0]))
    before = p.numpy()
    paddle.optimizer.SGD(1.0, parameters=[p]).step()
    np.testing.assert_allclose(p.numpy(), before - [5.0, 6.0], rtol=1e-6)
    p._copy_gradient_from(paddle.to_tensor([1.0, 2.0]))
    assert p.grad.tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="_copy_gradient_from"):
        p._copy_gradient_from([1.0])


def test_copies_to_a_place():
    x = paddle.ones([2])
    x.stop_gradient = False
    copy = (x * 2)._copy_to(paddle.CPUPlace(), True)
    copy[0] = 9.0
    assert copy.stop_gradient and copy.is_leaf and x.tolist() == [1.0, 1.0]


def test_squares_of_gradients():
    x = np.array([[3.0, 4.0]], "float16")
    norm = nn.clip._squared_l2_norm(paddle.to_tensor(x))
    assert norm.dtype == paddle.float32 and float(norm) == 25.0


def test_pictures(tmp_path):
    from PIL import Image

    from paddle.vision.datasets.folder import pil_loader
    from paddle.vision.transforms.transforms import _get_image_size
    Image.new("L", (5, 4)).save(tmp_path / "a.png")
    picture = pil_loader(tmp_path / "a.png")
    assert picture.mode == "RGB" and _get_image_size(picture) == (5, 4)
    assert tuple(_get_image_size(np.zeros([4, 5, 3], "uint8"))) == (5, 4) == tuple(_get_image_size(paddle.zeros([3, 4, 5])))
