"""Products of quantized models in predictors: those of whole numbers give what the operators say one by one."""


import numpy as np
import pytest

import paddle
from paddle import nn, quantization
from paddle.quantization import PTQ, QAT, QuantConfig
from paddle.quantization.observers import AbsmaxObserver
from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
from paddle.static import InputSpec

from .test_quantized import EACH, both, plans, quantize_program  # noqa: F401

SIZE = [5, 37]
DRAW = np.random.RandomState(4)
BATCHES = [DRAW.randn(*SIZE).astype("float32") for _ in range(3)]


def rested(*layers):
    net = nn.Sequential(*layers)
    net.eval()
    return net


def mlp():
    paddle.seed(6)
    return rested(nn.Linear(37, 50), nn.ReLU(), nn.Linear(50, 33, bias_attr=False), nn.ReLU6(), nn.Linear(33, 18), nn.GELU(),
                         nn.Linear(18, 7))


class Encoder(nn.Layer):
    """A Transformer's layer on rows of six tokens."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(37, 48)
        self.layer = nn.TransformerEncoderLayer(48, 4, 96, dropout=0.0, activation="gelu")
        self.last = nn.Linear(48, 9)

    def forward(self, x):
        tokens = self.layer(paddle.stack([self.first(x * (k + 1)) for k in range(6)], axis=1))
        return self.last(tokens[:, 0])


def saved(net, path):
    paddle.jit.save(net, path, input_spec=[InputSpec([None, SIZE[1]], "float32", "x")])


def calibrated(net, path):
    config = QuantConfig(activation=None, weight=None)
    config.add_type_config([nn.Linear], activation=AbsmaxObserver(), weight=AbsmaxObserver())
    task = PTQ(config)
    net = task.quantize(net)
    for batch in BATCHES:
        net(paddle.to_tensor(batch))
    saved(task.convert(net), path)


def trained(net, path):
    config = QuantConfig(activation=None, weight=None)
    quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    config.add_type_config([nn.Linear], activation=quanter, weight=quanter)
    task = QAT(config)
    net.train()
    net = task.quantize(net)
    for batch in BATCHES:
        net(paddle.to_tensor(batch))
    net.eval()
    saved(task.convert(net), path)


def imperative(net, path, weights):
    task = quantization.ImperativePTQ(quantization.PTQConfig(quantization.AbsmaxQuantizer(), weights))
    net = task.quantize(net)
    for batch in BATCHES:
        net(paddle.to_tensor(batch))
    task.save_quantized_model(net, path, [InputSpec([None, SIZE[1]], "float32", "x")])


def programs(net, path, onnx_format, weights):
    saved(net, path + "-float")
    quantize_program(path, BATCHES, onnx_format, weights, ["matmul_v2", "mul"])


WAYS = {
    "calibrated": calibrated,
    "trained": trained,
    "by tensor": lambda net, path: imperative(net, path, quantization.AbsmaxQuantizer()),
    "by channel": lambda net, path: imperative(net, path, quantization.PerChannelAbsmaxQuantizer()),
    "programs": lambda net, path: programs(net, path, False, "abs_max"),
    "programs, by channel": lambda net, path: programs(net, path, False, EACH),
    "programs, as ONNX has it": lambda net, path: programs(net, path, True, EACH),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("network", [mlp, Encoder])
def test_networks(network, way, tmp_path, plans):  # noqa: F811
    path = str(tmp_path / "m")
    net = network()
    net.eval()
    WAYS[way](net, path)
    fast, plain = both(path)
    assert plans[0].count("integer_linear") == (4 if network is mlp else 13), plans[0]
    assert "integer_linear" not in plans[1]
    for batch in BATCHES:
        y, expected = fast(batch), plain(batch)
        wrong = np.abs(y - expected) / np.abs(expected).max()
        # whole sums differ in the last bit of what they are worth: now and then that is a step more or less in the next layer
        assert wrong.max() < 0.03 and np.median(wrong) < 2e-3
    y, expected = fast(BATCHES[0][:1]), plain(BATCHES[0][:1])  # as many rows as one likes
    assert np.abs(y - expected).max() < 0.03 * np.abs(expected).max()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("act", [None, nn.ReLU, nn.ReLU6, nn.Hardswish])
def test_one_product_is_exact(act, way, tmp_path, plans):  # noqa: F811
    path = str(tmp_path / "m")
    paddle.seed(7)
    net = nn.Sequential(nn.Linear(37, 21), *([act()] if act else []))
    net.eval()
    WAYS[way](net, path)
    fast, plain = both(path)
    assert plans[0].count("integer_linear") == 1 and not {"relu", "relu6", "hard_swish", "elementwise_add"} & set(plans[0])
    y, expected = fast(BATCHES[1]), plain(BATCHES[1])
    assert np.abs(y - expected).max() <= 2e-6 * np.abs(expected).max()


def test_bytes_are_handed_on(tmp_path, plans):  # noqa: F811
    path = str(tmp_path / "m")
    paddle.seed(8)
    calibrated(rested(nn.Linear(37, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3)), path)
    fast, plain = both(path)
    assert [n for n in plans[0] if n not in ("constant", "feed", "fetch")] == ["integer_linear"] * 3
    y, expected = fast(BATCHES[0]), plain(BATCHES[0])
    assert np.abs(y - expected).max() < 0.02 * np.abs(expected).max()


@pytest.mark.parametrize("where", [0, 40])
def test_nan_is_handed_on(where, tmp_path):
    path = str(tmp_path / "m")
    calibrated(mlp(), path)
    fast, plain = both(path)
    x = BATCHES[0].copy()
    x.flat[where] = np.nan
    np.testing.assert_array_equal(np.isnan(fast(x)), np.isnan(plain(x)))
    assert np.isnan(fast(x)).any() and not np.isnan(fast(BATCHES[0])).any()
