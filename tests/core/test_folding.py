"""Tracebacks of user errors are short: the program's lines and the one that complains."""

import sys
import traceback

import numpy as np
import pytest

import paddle
from paddle import nn


def user_layer():
    class Own(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(3, 4), nn.ReLU())

        def forward(self, x):
            return self.inner(x)
    Own()(paddle.ones([2, 9]))


def fit():
    rows = paddle.io.TensorDataset([np.ones((4, 3), "float32"), np.ones((4, 1), "float32")])
    model = paddle.Model(nn.Linear(4, 1))
    model.prepare(paddle.optimizer.SGD(parameters=model.parameters()), nn.MSELoss())
    model.fit(rows, verbose=0)


def static():
    with paddle.static.program_guard(paddle.static.Program()):
        paddle.enable_static()
        try:
            paddle.matmul(paddle.static.data("x", [None, 3]), paddle.static.data("y", [9, 2]))
        finally:
            paddle.disable_static()


CALLS = {
    "user_layer": user_layer,
    "fit": fit,
    "static": static,
    "add": lambda: paddle.add(paddle.ones([2]), paddle.ones([3])),
    "operator": lambda: paddle.ones([2]) + paddle.ones([3]),
    "concat": lambda: paddle.concat([paddle.ones([2, 3]), paddle.ones([3, 2])]),
    "conv2d": lambda: nn.functional.conv2d(paddle.ones([1, 3, 4, 4]), paddle.ones([2, 2, 3, 3])),
    "index": lambda: paddle.ones([2, 3])["a"],
    "sum": lambda: paddle.sum(paddle.ones([2]), axis=4),
    "sample": lambda: paddle.distribution.Categorical(paddle.to_tensor([float("nan"), 1.0])).sample([2]),
    "resnet": lambda: paddle.vision.models.resnet18()(paddle.ones([1, 1, 32, 32])),
}


def lines_of(call):
    """The lines that a terminal shows after the frame of the test."""
    with pytest.raises((ValueError, IndexError)) as caught:
        call()
    error = caught.value
    error.__traceback__ = error.__traceback__.tb_next
    return "".join(traceback.format_exception(error)).splitlines()


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_traceback_has_at_most_fifteen_lines(call):
    lines = lines_of(call)
    assert len(lines) <= 15, "\n".join(lines)
    assert __file__ in lines[1]


def test_an_error_that_names_its_function_shows_no_line_of_the_package_inside_it():
    lines = lines_of(CALLS["resnet"])
    assert any(line.startswith("ValueError: conv2d(): ") for line in lines)
    assert sum("site-packages" in line or "src/paddle" in line for line in lines) <= (sys.version_info < (3, 11))


def test_an_accident_shows_where_it_happened():
    class Hooked(nn.Layer):
        def forward(self, x):
            return x

    layer = Hooked()
    layer.register_forward_post_hook(lambda layer, inputs, output: {}["key"])
    with pytest.raises(KeyError) as caught:
        layer(paddle.ones([1]))
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "<lambda>"


def test_frames_of_the_program_between_stay():
    assert sum("in forward" in line and __file__ in line for line in lines_of(user_layer)) == 1


def test_the_flag_brings_all_frames_back():
    paddle.set_flags({"FLAGS_call_stack_level": 2})
    try:
        assert len(lines_of(user_layer)) > 25
    finally:
        paddle.set_flags({"FLAGS_call_stack_level": 1})


def test_errors_that_may_be_defects_keep_their_frames():
    class Broken(nn.Layer):
        def forward(self, x):
            raise AttributeError("no such thing")
    with pytest.raises(AttributeError) as caught:
        Broken()(paddle.ones([1]))
    assert any("layers.py" in frame.filename for frame in traceback.extract_tb(caught.value.__traceback__))
