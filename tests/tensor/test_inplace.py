"""The public in-place functions: they change the tensor that they are given and return it."""

import pytest

import paddle
import paddle.nn.functional as F

ARGUMENTS = {"squeeze_": (), "unsqueeze_": (0,), "reshape_": ([4],), "flatten_": (), "add_": (1.0,), "pow_": (2.0,), "exp_": (),
             "cast_": ("float64",), "transpose_": ([1, 0],), "scale_": (2.0,), "cumsum_": (), "clip_": (0.0, 0.5)}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_functions_change_their_tensor(name):
    x = paddle.to_tensor([[0.25, 0.5], [0.75, 1.0]])
    other = getattr(paddle, name[:-1])(x, *ARGUMENTS[name])
    assert getattr(paddle, name)(x, *ARGUMENTS[name]) is x and x.inplace_version == 1
    assert x.tolist() == other.tolist() and x.shape == other.shape and x.dtype == other.dtype


def test_functionals_change_their_tensor():
    x = paddle.to_tensor([-1.0, 1.0])
    assert F.relu_(x) is x and x.tolist() == [0.0, 1.0]


def test_a_leaf_that_receives_gradients_is_refused_as_in_paddle():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(ValueError, match="leaf"):
        x.add_(1.0)


def test_an_error_of_backward_names_both_versions():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    y = x * 1
    z = y.pow(2.0)
    y.add_(1.0)
    with pytest.raises(RuntimeError, match="received tensor_version:1 != wrapper_version_snapshot:0"):
        z.backward()
