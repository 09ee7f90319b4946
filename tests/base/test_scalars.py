"""Numbers as attributes, names of element types and of gradients: answers of Paddle 2.6.2."""

import numpy as np
import pytest

import paddle
from paddle.base import backward, core, data_feeder, framework
from paddle.base.dygraph.base import global_var


@pytest.mark.parametrize("number", [2 ** 63 - 1, -3, 1.5, True, 2 + 3j, np.float64(1.25), np.int32(4), np.bool_(True)])
def test_a_number_is_itself(number):
    scalar = framework.wrap_as_scalar(number)
    plain = number.item() if isinstance(number, np.generic) else number
    assert scalar == number and scalar.value() == plain and type(scalar.value()) is type(plain)
    assert framework.wrap_as_scalar(scalar) is scalar and scalar == core.Scalar(number) and hash(scalar) == hash(plain)


def test_lists_of_numbers():
    array = np.arange(6.0).reshape(2, 3)
    assert framework.extract_plain_list(framework.wrap_as_scalars(array)) == array.ravel().tolist()
    assert framework.extract_plain_list(framework.wrap_as_scalars([1, 2j])) == [1, 2j]
    with pytest.raises(TypeError, match="number"):
        framework.wrap_as_scalar("abc")
    with pytest.raises(OverflowError):
        core.Scalar(2 ** 63)


@pytest.mark.parametrize("name, wanted", [
    ("x@GRAD", "x"), ("x@GRAD@GRAD", "x"), ("x@GRAD@RENAME@1", "x"), ("x@GRAD_slice_0@GRAD", "x@GRAD_slice_0"), ("x", "x"),
    ("grad/grad/x@GRAD@RENAME@block0@1@GRAD", "x")])
def test_names_of_gradients(name, wanted):
    assert backward._strip_grad_suffix_(name) == wanted


def test_element_types_by_number_and_name():
    assert paddle.dtype(5) is paddle.float32 and paddle.dtype(22) is paddle.bfloat16 and paddle.dtype("int64") is paddle.int64
    assert data_feeder._PADDLE_DTYPE_2_NUMPY_DTYPE[paddle.bfloat16] == "uint16"
    assert data_feeder._NUMPY_DTYPE_2_PADDLE_DTYPE["complex64"] is paddle.complex64
    with pytest.raises(TypeError):
        paddle.dtype(99)


def test_the_mode_of_translation_is_read_only():
    seen = []

    @paddle.jit.to_static(full_graph=True)
    def f(x):
        seen.append(global_var._in_to_static_mode_)
        return x + 1
    f(paddle.ones([1]))
    assert True in seen and global_var._in_to_static_mode_ is False
    global_var._in_to_static_mode_ = False
    with pytest.raises(RuntimeError, match="to_static"):
        global_var._in_to_static_mode_ = True


def test_pinned_places_are_the_cpu():
    assert len(paddle.base.cuda_pinned_places(3)) == 3
