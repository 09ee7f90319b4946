"""Kinds of arguments that real Paddle 2.6.2 refuses."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F


def test_einsum_asserts():
    x = paddle.ones([2, 2])
    for equation, given in (("ij", ()), ("i->j->k", (x,)), ("i_", (x,)), ("i", (x,)), ("i,j,k", (x, x))):
        with pytest.raises(AssertionError, match="einsum"):
            paddle.einsum(equation, *given)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "bool"])
def test_frac_of_narrow_integers(kind):
    with pytest.raises(TypeError, match="frac"):
        paddle.frac(paddle.to_tensor(np.ones([2], kind)))


def test_cosine_embedding_loss_of_integers():
    whole = paddle.ones([2, 3], "int64")
    with pytest.raises(ValueError, match="floating"):
        F.cosine_embedding_loss(whole, whole, paddle.ones([2], "int64"))


def test_where_in_place_of_numbers():
    for x, y in ((1, 2), (None, None)):
        with pytest.raises(ValueError, match="where_"):
            paddle.where_(paddle.to_tensor([True]), x, y)


def test_sizes_of_a_parameter_of_a_program():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()), pytest.raises(TypeError, match="shape"):
            paddle.create_parameter(1, "float32")
    finally:
        paddle.disable_static()


def test_values_of_what_are_no_selected_rows():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            for x in (np.ones([2, 3], np.float32), paddle.static.data("x", [2, 3])):
                with pytest.raises(TypeError, match="selected rows"):
                    paddle.nn.clip.get_tensor_from_selected_rows(x)
    finally:
        paddle.disable_static()


def test_a_place_outside_is_both_errors():
    for kind in (ValueError, IndexError):
        with pytest.raises(kind, match="outside"):
            paddle.ones([3]).item(18)


def test_one_number_of_any_kind_is_an_index():
    assert [1, 2, 3][paddle.to_tensor(2.7)] == 3
    assert [*range(paddle.to_tensor([2.0], "bfloat16"))] == [0, 1]
    with pytest.raises(TypeError, match="one-element"):
        [1, 2, 3][paddle.to_tensor([1, 2])]
