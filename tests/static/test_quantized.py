"""Quantized models in predictors: convolutions of whole numbers give what the operators say one by one."""

import os

import numpy as np
import pytest

import paddle
import paddle.static.ir.passes
from paddle import nn, quantization, static
from paddle.inference import engines
from paddle.quantization import PTQ, QuantConfig
from paddle.quantization.observers import AbsmaxObserver
from paddle.static import InputSpec
from paddle.static.quantization import PostTrainingQuantization
from paddle.static.schedule import frozen

SIZE = [2, 3, 20, 18]
DRAW = np.random.RandomState(3)
BATCHES = [DRAW.randn(*SIZE).astype("float32") for _ in range(3)]


class Block(nn.Layer):
    """Plain, depthwise and 1x1 convolutions with batch norms, and a residual."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2D(3, 20, 3, 2, 1, bias_attr=False), nn.BatchNorm2D(20), nn.ReLU())
        self.deep = nn.Sequential(nn.Conv2D(20, 20, 3, 1, 1, groups=20, bias_attr=False), nn.BatchNorm2D(20), nn.ReLU6())
        self.last, self.side = nn.Conv2D(20, 24, 1), nn.Conv2D(20, 24, 1, bias_attr=False)

    def forward(self, x):
        x = self.first(x)
        return nn.functional.relu(self.last(self.deep(x)) + self.side(x))


def trained(net):
    """Statistics of its own for every batch norm."""
    paddle.seed(5)
    net = net()
    for batch in BATCHES:
        net(paddle.to_tensor(batch))
    net.eval()
    return net


def calibrated(net, path, everywhere):
    observer = AbsmaxObserver()
    config = QuantConfig(activation=observer, weight=observer) if everywhere else QuantConfig(activation=None, weight=None)
    if not everywhere:
        config.add_type_config([nn.Conv2D], activation=observer, weight=observer)
    task = PTQ(config)
    net = task.quantize(net)
    for batch in BATCHES:
        net(paddle.to_tensor(batch))
    paddle.jit.save(task.convert(net), path, input_spec=[InputSpec(SIZE, "float32", "x")])


def imperative(net, path, weights):
    config = quantization.PTQConfig(quantization.AbsmaxQuantizer(), weights)
    task = quantization.ImperativePTQ(config)
    net = task.quantize(net)
    for batch in BATCHES:
        net(paddle.to_tensor(batch))
    task.save_quantized_model(net, path, [InputSpec(SIZE, "float32", "x")])


def programs(net, path, onnx_format, weights):
    paddle.jit.save(net, path + "-float", input_spec=[InputSpec(SIZE, "float32", "x")])
    quantize_program(path, BATCHES, onnx_format, weights, ["conv2d", "depthwise_conv2d"])


def quantize_program(path, batches, onnx_format, weights, kinds):
    """The program of ``path``-float, quantized by what batches show, as ``path``."""
    folder, name = os.path.split(path)
    paddle.enable_static()
    try:
        with static.scope_guard(static.Scope()):
            task = PostTrainingQuantization(
                static.Executor(), folder, static.global_scope(), name + "-float.pdmodel", name + "-float.pdiparams",
                batch_generator=lambda: ([b] for b in batches), algo="abs_max", onnx_format=onnx_format,
                weight_quantize_type=weights, quantizable_op_type=kinds)
            task.quantize()
            task.save_quantized_model(folder, name + ".pdmodel", name + ".pdiparams")
    finally:
        paddle.disable_static()


EACH = "channel_wise_abs_max"
WAYS = {
    "convolutions": lambda net, path: calibrated(net, path, False),
    "every layer": lambda net, path: calibrated(net, path, True),
    "by channel": lambda net, path: imperative(net, path, quantization.PerChannelAbsmaxQuantizer()),
    "programs": lambda net, path: programs(net, path, False, "abs_max"),
    "programs, by channel": lambda net, path: programs(net, path, False, EACH),
    "programs, as ONNX has it": lambda net, path: programs(net, path, True, EACH),
    "by tensor": lambda net, path: imperative(net, path, quantization.AbsmaxQuantizer()),
}


@pytest.fixture
def plans(monkeypatch):
    """The graphs of predictors that are made."""
    made, init = [], frozen.Frozen.__init__

    def noted(self, *args, **kwargs):
        init(self, *args, **kwargs)
        made.append([node.call.type for node in self.graph.nodes])
    monkeypatch.setattr(frozen.Frozen, "__init__", noted)
    return made


def in_python(path):
    """Python's executor; predictors have the C library's (tests/capi/test_quantized.py)."""
    made, _ = engines.in_python().load(paddle.inference.Config(path + ".pdmodel", path + ".pdiparams"))
    return lambda x: made([x])[0]


def predictor(path):
    made = paddle.inference.create_predictor(paddle.inference.Config(path + ".pdmodel", path + ".pdiparams"))
    assert "run by the C library" in repr(made)
    return lambda x: made.run([x])[0].numpy()


def both(path):
    """The model, and the operators as they stand in the file."""
    fast = in_python(path)
    paddle.set_flags({"FLAGS_static_disabled_passes": "all"})
    try:
        return fast, in_python(path)
    finally:
        paddle.set_flags({"FLAGS_static_disabled_passes": ""})


@pytest.mark.parametrize("way", WAYS)
def test_networks(way, tmp_path, plans):
    path = str(tmp_path / "m")
    WAYS[way](trained(Block), path)
    fast, plain = both(path)
    assert plans[0].count("integer_conv") == (0 if way == "every layer" else 4) and "integer_conv" not in plans[1]
    for batch in BATCHES:
        y, expected = fast(batch), plain(batch)
        wrong = np.abs(y - expected) / np.abs(expected).max()
        # whole sums differ in the last bit of what they are worth: now and then that is a step more or less in the next layer
        assert (wrong < 1e-6).mean() > 0.9 and wrong.max() < 0.03
        other = np.abs(predictor(path)(batch) - y) / np.abs(expected).max()
        assert (other < 1e-6).mean() > 0.9 and other.max() < 0.03


@pytest.mark.parametrize("groups", [1, 16])
def test_one_convolution_is_exact(groups, tmp_path, plans):
    path = str(tmp_path / "m")
    calibrated(trained(lambda: nn.Sequential(nn.Conv2D(3, 16, 1), nn.Conv2D(16, 32 if groups == 1 else 16, 3, 2, 1, groups=groups),
                                             nn.ReLU())), path, False)
    fast, plain = both(path)
    assert plans[0].count("integer_conv") == 2
    y, expected = fast(BATCHES[0]), plain(BATCHES[0])
    assert (np.abs(y - expected) < 1e-6 * np.abs(expected).max()).mean() > 0.98


@pytest.mark.parametrize("where", [0, 7])
def test_nan_is_handed_on(where, tmp_path):
    path = str(tmp_path / "m")
    calibrated(trained(Block), path, False)
    fast, plain = both(path)
    x = BATCHES[0].copy()
    x.flat[where] = np.nan
    np.testing.assert_array_equal(np.isnan(fast(x)), np.isnan(plain(x)))
    assert np.isnan(fast(x)).any() and not np.isnan(fast(BATCHES[0])).any()


@pytest.mark.parametrize("act", [nn.ReLU, nn.ReLU6, nn.Hardswish])
def test_nan_is_handed_on_through_activations(act, tmp_path, plans):
    path = str(tmp_path / "m")
    calibrated(trained(lambda: nn.Sequential(nn.Conv2D(3, 20, 3), act(), nn.Conv2D(20, 20, 3, groups=20), act())), path, False)
    fast, plain = both(path)
    assert plans[0].count("integer_conv") == 2
    x = BATCHES[0].copy()
    x[0, 0, 9, 9] = np.nan
    y, expected = fast(x), plain(x)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(expected))
    assert np.isnan(y).any() and np.nanmax(np.abs(y - expected)) < 0.03 * np.nanmax(np.abs(expected))
