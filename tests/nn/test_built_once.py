"""Layers that make their parameters before the first forward: ``_build_once`` is called with the inputs, once."""

import copy
import pickle

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.core import detection
from paddle.nn.initializer import Constant


class Lazy(nn.Layer):
    """Multiplies by a matrix of ones that is as high as the first input is wide."""

    calls = 0

    def _build_once(self, x, *others, **named):
        self.calls += 1
        self.given = [list(x.shape), others, named]
        self.weight = self.create_parameter([x.shape[-1], 2], default_initializer=Constant(1.0))

    def forward(self, x, *others, **named):
        return x @ self.weight


def test_parameters_are_made_before_the_first_forward():
    layer = Lazy()
    assert not layer._built and layer.parameters() == []
    out = layer(paddle.ones([3, 4]), 1, other=2)
    np.testing.assert_array_equal(out.numpy(), np.full((3, 2), 4.0, "float32"))
    assert layer._built and layer.given == [[3, 4], (1,), {"other": 2}]
    out.sum().backward()
    assert layer.weight.grad.shape == [4, 2] and list(layer.state_dict()) == ["weight"]
    layer(paddle.ones([5, 4]))
    assert layer.calls == 1 and not layer._forward_pre_hooks


@pytest.mark.parametrize("prepend", [False, True])
def test_it_gets_what_the_hooks_before_forward_made(prepend):
    layer = Lazy()
    layer.register_forward_pre_hook(lambda _, inputs: (inputs[0][:, :2],), prepend=prepend)
    assert layer(paddle.ones([3, 4])).shape == [3, 2] and layer.given[0] == [3, 2]
    assert len(layer._forward_pre_hooks) == 1


def test_one_that_failed_is_tried_again():
    class Failing(Lazy):
        def _build_once(self, x):
            if x.shape[-1] == 1:
                raise ValueError("too narrow")
            super()._build_once(x)

    layer = Failing()
    with pytest.raises(ValueError, match="too narrow"):
        layer(paddle.ones([3, 1]))
    assert layer(paddle.ones([3, 4])).shape == [3, 2] and layer.calls == 1


def test_a_layer_that_says_it_is_built_is_left_alone():
    layer = Lazy()
    layer.weight, layer._built = paddle.create_parameter([4, 2], "float32"), True
    layer(paddle.ones([3, 4]))
    assert layer.calls == 0


def test_copies_build_themselves():
    layer = Lazy()
    first, second = copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))
    for each in (first, second):
        assert each(paddle.ones([3, 4])).shape == [3, 2]
    assert layer.parameters() == [] and first.weight is not second.weight


def test_within_other_layers_and_static_programs():
    outer = nn.Sequential(Lazy(), nn.Linear(2, 1))
    assert outer(paddle.ones([3, 4])).shape == [3, 1] and len(outer.parameters()) == 3
    translated = paddle.jit.to_static(Lazy())
    np.testing.assert_array_equal(translated(paddle.ones([3, 4])).numpy(), np.full((3, 2), 4.0, "float32"))
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            out = Lazy()(paddle.static.data("x", [None, 4]))
        run = paddle.static.Executor()
        run.run(startup)
        got, = run.run(main, feed={"x": np.ones((3, 4), "float32")}, fetch_list=[out])
        np.testing.assert_array_equal(got, np.full((3, 2), 4.0))
    finally:
        paddle.disable_static()


def test_it_does_not_tell_of_an_old_version_with_a_layer_of_today():
    text = "import paddle\nfrom paddle.fluid import layers\nclass Net(paddle.{}.Layer):\n  def _build_once(self, x):\n    pass\n"
    assert not any("_build_once" in item.text for item in detection.of_text(text.format("nn")).evidence)
    assert any("_build_once" in item.text for item in detection.of_text(text.format("fluid.dygraph")).evidence)
