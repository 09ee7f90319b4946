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


def test_cosine_embedding_loss_of_labels_of_other_types():
    real = paddle.ones([2, 3])
    with pytest.raises(ValueError, match="label"):
        F.cosine_embedding_loss(real, real, paddle.ones([2], "int16"))


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


@pytest.mark.parametrize("kind", ["int32", "int64", "bool"])
def test_sgn_of_integers(kind):
    with pytest.raises(TypeError, match="sgn"):
        paddle.sgn(paddle.to_tensor(np.ones([2], kind)))


def test_slices_of_another_shape():
    for kind in (ValueError, RuntimeError):
        with pytest.raises(kind, match="select_scatter"):
            paddle.select_scatter(paddle.ones([2, 3, 4]), paddle.ones([2, 2]), 1, 1)


def test_triplets_need_a_margin():
    one = paddle.ones([1, 2])
    with pytest.raises(ValueError, match="margin"):
        F.triplet_margin_with_distance_loss(one, one, one, margin=-0.5)


def test_lod_tensors_hold_numbers():
    holder = paddle.base.core.Scope().var("x").get_tensor()
    with pytest.raises(ValueError, match="numbers"):
        holder.set(["1", "2"], paddle.CPUPlace())


def test_an_empty_lod_tensor_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not set"):
        paddle.save(paddle.base.core.LoDTensor(), str(tmp_path / "x"), use_binary_format=True)


def test_resizing_what_has_no_size_yet():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            picture = paddle.static.data("picture", [-1, -1, -1])
            with pytest.raises(NotImplementedError, match="known sizes"):
                paddle.vision.transforms.Resize(16)(picture)
            assert paddle.vision.transforms.Resize((16, 8))(picture).shape == (-1, 16, 8)
    finally:
        paddle.disable_static()


def test_copy_takes_the_shape_over():
    to = paddle.zeros([4, 3])
    to.copy_(paddle.ones([2]), True)
    assert to.tolist() == [1.0, 1.0]
    whole = paddle.zeros([2, 2])
    view = whole[0]
    with pytest.raises(ValueError, match="keeps its shape"):
        view.copy_(paddle.ones([3]))
    assert whole.shape == [2, 2]


def test_a_margin_loss_is_named_after_itself():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [2])
            for how in ("none", "mean", "sum"):
                assert "margin_ranking_loss" in F.margin_ranking_loss(x, x, x, reduction=how).name
    finally:
        paddle.disable_static()
