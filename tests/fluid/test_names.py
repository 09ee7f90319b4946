"""Every name of the older generations resolves and says its generation and successor."""

import importlib

import pytest

import paddle
import paddle.fluid as fluid
from paddle.imperative.names import NAMES

MODULES = ("initializer", "regularizer", "optimizer", "metrics", "nets", "profiler", "io", "average", "data_feeder", "lod_tensor",
           "reader", "param_attr", "input", "backward", "clip", "compiler", "dygraph_grad_clip", "install_check")


@pytest.mark.parametrize("module", MODULES)
def test_modules_have_what_they_promise(module):
    found = importlib.import_module("paddle.fluid." + module)
    assert found.__doc__
    for name in found.__all__:
        assert getattr(found, name).__doc__, name


def test_layers_name_their_successors():
    assert len(fluid.layers.__all__) > 300
    for name in fluid.layers.__all__:
        text = getattr(fluid.layers, name).__doc__ or ""
        assert "1.x; successor" in text, name


def test_dygraph_and_top_level():
    for name in [*fluid.dygraph.__all__, *fluid.dygraph._LAZY]:
        assert getattr(fluid.dygraph, name).__doc__, name
    for name in fluid._LAZY:
        assert getattr(fluid, name) is not None, name
    for name in dir(paddle.imperative):
        assert getattr(paddle.imperative, name) is not None or name.startswith("_"), name


def test_names_that_only_alpha_had():
    for module, names in NAMES.items():
        place = importlib.import_module(module)
        for name in names:
            assert "successor" in (getattr(place, name).__doc__ or ""), f"{module}.{name}"


def test_refused_optimizers_say_why():
    with pytest.raises(NotImplementedError, match="PipelineOptimizer.*inner optimizer"):
        fluid.optimizer.PipelineOptimizer(None)
    with pytest.raises(AttributeError, match="did you mean AdamOptimizer"):
        fluid.optimizer.AdamOptimiser  # noqa: B018
