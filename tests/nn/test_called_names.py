"""Errors name the function that was called and the shapes it was given, not what it is made of."""

import re

import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn


def ones(*shape):
    return paddle.ones(list(shape))


@pytest.mark.parametrize("call, told", [
    (lambda: F.conv1d(ones(1, 3, 4), ones(2, 2, 3)), "conv1d(): x [1, 3, 4] has 3 channels, weight [2, 2, 3]"),
    (lambda: F.conv1d(ones(1, 4, 3), ones(2, 2, 3), data_format="NLC"), "conv1d(): x [1, 4, 3] has 3 channels"),
    (lambda: F.avg_pool2d(ones(1, 1, 2, 2), 5, stride=1), "avg_pool2d(): the window [5, 5]"),
    (lambda: F.avg_pool1d(ones(1, 1, 2), 5, stride=1), "avg_pool1d(): the window"),
    (lambda: F.adaptive_avg_pool3d(ones(1, 1, 2, 2, 2), 0), "adaptive_avg_pool3d(): output_size"),
    (lambda: F.pad(ones(1, 1, 2, 2), [5, 5, 5, 5], mode="reflect"), "pad(): mode 'reflect' can pad axis 3"),
    (lambda: nn.TransformerEncoderLayer(4, 2, 8, activation="hat"), "TransformerEncoderLayer(): activation must name a function"),
    (lambda: paddle.create_parameter([1], "float32", default_initializer=1), "create_parameter(): initializer must be an"),
    (lambda: paddle.where("a"), "where(): condition must be a Tensor"),
    (lambda: F.hsigmoid_loss(ones(2, 3, 4), paddle.zeros([2, 1], "int64"), 5, ones(4, 4)), "hsigmoid_loss(): input must have two"),
    (lambda: F.rrelu(ones(2), "a"), "rrelu(): lower must be a number"),
])
def test_error_names_what_was_called(call, told):
    with pytest.raises((TypeError, ValueError), match=re.escape(told)):
        call()


@pytest.mark.parametrize("input, label", [([2, 3], [1]), ([2, 3, 4], [2, 3]), ([2, 3, 4, 5], [2, 4, 1])])
def test_nll_loss_refuses_labels_of_other_rows(input, label):
    """They were broadcast: a mean over labels that nobody gave."""
    with pytest.raises(ValueError, match="nll_loss"):
        F.nll_loss(paddle.ones(input), paddle.zeros(label, "int64"))


def test_nll_loss_of_an_unknown_batch():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [None, 3])
            y = paddle.static.data("y", [4], "int64")
            assert F.nll_loss(x, y, reduction="none").shape in ((4,), (-1,))
    finally:
        paddle.disable_static()
