"""Errors inside a network tell which layers they came through."""

import sys

import pytest

import paddle
from paddle import nn


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have notes from Python 3.11 on")
def test_a_traceback_ends_with_the_layers():
    net = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.ReLU(), nn.Linear(5, 2)))
    with pytest.raises(ValueError, match="inner sizes differ") as caught:
        net(paddle.ones([2, 3]))
    inner, middle, outer = caught.value.__notes__
    assert inner == (f"in layer {net[1][1].full_name()}, Linear(in_features=5, out_features=2, dtype=float32), "
                     "given Tensor(shape=[2, 4], dtype=float32)")
    assert net[1].full_name() in middle and net.full_name() in outer


class _WithoutNotes(ValueError):
    """An error as Python 3.10 has them."""

    @property
    def add_note(self):
        raise AttributeError("add_note")


def test_where_errors_have_no_notes_the_layers_stand_in_the_message():
    class Failing(nn.Layer):
        def forward(self, x):
            raise _WithoutNotes("forward(): it fails", 3)

    net = nn.Sequential(Failing())
    with pytest.raises(_WithoutNotes) as caught:
        net(paddle.ones([2]))
    assert caught.value.args == ("forward(): it fails", 3)  # its text is not its first argument

    class Plain(nn.Layer):
        def forward(self, x):
            raise _WithoutNotes("forward(): it fails")

    net = nn.Sequential(Plain())
    with pytest.raises(_WithoutNotes) as caught:
        net(paddle.ones([2]))
    first, inner, outer = str(caught.value).split("\n")
    assert first == "forward(): it fails" and inner.startswith(f"in layer {net[0].full_name()}, Plain(), given Tensor(shape=[2]")
    assert outer.startswith(f"in layer {net.full_name()}, Sequential(), given")


def test_triplets_have_one_shape():
    x, y = paddle.ones([2, 2]), paddle.ones([1, 2])
    for loss in (paddle.nn.functional.triplet_margin_loss, paddle.nn.functional.triplet_margin_with_distance_loss):
        with pytest.raises(ValueError, match="differ"):
            loss(x, y, y)


def test_conv1d_transpose_names_what_is_wrong():
    x, w = paddle.ones([1, 3, 5]), paddle.ones([3, 2, 3])
    with pytest.raises(ValueError, match="output_size must be an int"):
        paddle.nn.functional.conv1d_transpose(x, w, output_size="not_valid")
    with pytest.raises(TypeError, match="stride must be an int"):
        paddle.nn.functional.conv1d_transpose(x, w, stride="2")


def test_normalize_wants_an_axis_that_is_there():
    with pytest.raises(ValueError, match=r"normalize\(\): axis must be in \[-1, 0\]"):
        paddle.nn.functional.normalize(paddle.to_tensor([3.0, 4.0]))
    assert paddle.nn.functional.normalize(paddle.to_tensor([0.0, 4.0]), axis=0).tolist() == [0.0, 1.0]
