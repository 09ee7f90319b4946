"""Quantized models in the C library give what Python gives: fake_quantize operators, and quantize_linear with dequantize_linear."""

import numpy as np
import pytest
from capi.library import Model

import paddle
from paddle import quantization, static
from paddle.static import InputSpec
from paddle.static.quantization import PostTrainingQuantization

DRAW = np.random.RandomState(7)
BATCHES = [DRAW.randn(40, 1, 8, 8).astype("float32") * (1 + k) for k in range(3)]


def network():
    paddle.seed(3)
    return paddle.nn.Sequential(paddle.nn.Conv2D(1, 4, 3), paddle.nn.ReLU(), paddle.nn.Flatten(), paddle.nn.Linear(144, 3))


def trained(folder, way):
    net = network()
    task = quantization.ImperativeQuantAware(weight_quantize_type=way)
    task.quantize(net)
    for batch in BATCHES:  # the scales follow what passes
        net(paddle.to_tensor(batch))
    net.eval()
    task.save_quantized_model(net, str(folder / "m"), [InputSpec([None, 1, 8, 8])])


def watched(folder):
    net = network()
    net.eval()
    config = quantization.PTQConfig(quantization.AbsmaxQuantizer(), quantization.PerChannelAbsmaxQuantizer())
    task = quantization.ImperativePTQ(config)
    seen = task.quantize(net)
    for batch in BATCHES:
        seen(paddle.to_tensor(batch))
    task.save_quantized_model(seen, str(folder / "m"), [InputSpec([None, 1, 8, 8])])


def calibrated(folder, onnx_format, weights):
    net = network()
    net.eval()
    paddle.jit.save(net, str(folder / "whole"), input_spec=[InputSpec([None, 1, 8, 8], "float32", "x")])
    paddle.enable_static()
    try:
        with static.scope_guard(static.Scope()):
            task = PostTrainingQuantization(
                static.Executor(), str(folder), static.global_scope(), "whole.pdmodel", "whole.pdiparams",
                batch_generator=lambda: ([b] for b in BATCHES), algo="abs_max", onnx_format=onnx_format,
                weight_quantize_type=weights, quantizable_op_type=["conv2d", "matmul_v2"])
            task.quantize()
            task.save_quantized_model(str(folder), "m.pdmodel", "m.pdiparams")
    finally:
        paddle.disable_static()


EACH = "channel_wise_abs_max"
WAYS = {
    "trained": (lambda folder: trained(folder, "abs_max"), "fake_quantize_dequantize_abs_max"),
    "trained, by channel": (lambda folder: trained(folder, EACH), "fake_quantize_dequantize_moving_average_abs_max"),
    "watched": (watched, "fake_channel_wise_quantize_dequantize_abs_max"),
    "calibrated": (lambda folder: calibrated(folder, False, "abs_max"), "fake_dequantize_max_abs"),
    "calibrated, by channel": (lambda folder: calibrated(folder, False, EACH), "fake_channel_wise_dequantize_max_abs"),
    "calibrated, as ONNX has it": (lambda folder: calibrated(folder, True, EACH), "dequantize_linear"),
}


@pytest.mark.parametrize("way", WAYS)
def test_quantized_models(way, tmp_path):
    make, operator = WAYS[way]
    make(tmp_path)
    saved = paddle.jit.load(str(tmp_path / "m"))
    assert operator.encode() in (tmp_path / "m.pdmodel").read_bytes()
    for optimize in (True, False):
        model = Model(tmp_path / "m.pdmodel", tmp_path / "m.pdiparams", optimize=optimize)
        for batch in BATCHES:
            expected = saved(paddle.to_tensor(batch)).numpy()
            np.testing.assert_allclose(model(batch)[0], expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())
