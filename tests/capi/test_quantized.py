"""Quantized models in the C library give what Python gives: fake_quantize operators, and quantize_linear with dequantize_linear.

Both compute with whole numbers, by the same kernels and the same order of operations: results are equal to the bit."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from capi.library import PATH, Model

import paddle
from paddle import inference, nn, quantization, static
from paddle.inference import engines
from paddle.static import InputSpec
from paddle.static.quantization import PostTrainingQuantization

DRAW = np.random.RandomState(7)


def network():
    return nn.Sequential(nn.Conv2D(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3))


class Wide(nn.Layer):
    """Chains of convolutions: odd numbers of channels, depthwise, strided, dilated, with a residual; then linear layers."""

    def __init__(self):
        super().__init__()
        self.first, self.deep = nn.Conv2D(3, 21, 3, stride=2, padding=1), nn.Conv2D(21, 21, 3, padding=1, groups=21)
        self.point, self.far = nn.Conv2D(21, 40, 1), nn.Conv2D(40, 40, 3, padding=2, dilation=2)
        self.last, self.wide, self.end = nn.Conv2D(40, 17, 1), nn.Linear(17, 37), nn.Linear(37, 5)

    def forward(self, x):
        x = nn.functional.relu6(self.deep(nn.functional.relu(self.first(x))))
        x = self.point(x)
        x = nn.functional.relu(self.far(x) + x)
        x = nn.functional.hardswish(self.last(x)).mean([2, 3])
        return self.end(nn.functional.relu(self.wide(x)))


NETS = {"small": (network, (1, 8, 8)), "wide": (Wide, (3, 12, 9))}


def batches(name):
    return [np.random.RandomState(k).randn(size, *NETS[name][1]).astype("float32") * (1 + k) for k, size in enumerate((40, 1, 5))]


def network_of(name):
    paddle.seed(3)
    return NETS[name][0]()


def spec(name):
    return InputSpec([None, *NETS[name][1]], "float32", "x")


def trained(folder, name, way):
    net = network_of(name)
    task = quantization.ImperativeQuantAware(weight_quantize_type=way)
    task.quantize(net)
    for batch in batches(name):  # the scales follow what passes
        net(paddle.to_tensor(batch))
    net.eval()
    task.save_quantized_model(net, str(folder / "m"), [spec(name)])


def watched(folder, name):
    net = network_of(name)
    net.eval()
    config = quantization.PTQConfig(quantization.AbsmaxQuantizer(), quantization.PerChannelAbsmaxQuantizer())
    task = quantization.ImperativePTQ(config)
    seen = task.quantize(net)
    for batch in batches(name):
        seen(paddle.to_tensor(batch))
    task.save_quantized_model(seen, str(folder / "m"), [spec(name)])


def observed(folder, name):
    net = network_of(name)
    net.eval()
    config = quantization.QuantConfig(activation=None, weight=None)
    observer = quantization.observers.AbsmaxObserver
    config.add_type_config([nn.Conv2D, nn.Linear], activation=observer(), weight=observer())
    task = quantization.PTQ(config)
    seen = task.quantize(net)
    for batch in batches(name):
        seen(paddle.to_tensor(batch))
    paddle.jit.save(task.convert(seen), str(folder / "m"), input_spec=[spec(name)])


def calibrated(folder, name, onnx_format, weights):
    net = network_of(name)
    net.eval()
    paddle.jit.save(net, str(folder / "whole"), input_spec=[spec(name)])
    paddle.enable_static()
    try:
        with static.scope_guard(static.Scope()):
            task = PostTrainingQuantization(
                static.Executor(), str(folder), static.global_scope(), "whole.pdmodel", "whole.pdiparams",
                batch_generator=lambda: ([b] for b in batches(name)), algo="abs_max", onnx_format=onnx_format,
                weight_quantize_type=weights, quantizable_op_type=["conv2d", "depthwise_conv2d", "matmul_v2"])
            task.quantize()
            task.save_quantized_model(str(folder), "m.pdmodel", "m.pdiparams")
    finally:
        paddle.disable_static()


EACH = "channel_wise_abs_max"
WAYS = {
    "trained": (lambda *to: trained(*to, "abs_max"), "fake_quantize_dequantize_abs_max"),
    "trained, by channel": (lambda *to: trained(*to, EACH), "fake_quantize_dequantize_moving_average_abs_max"),
    "watched": (watched, "fake_channel_wise_quantize_dequantize_abs_max"),
    "observed": (observed, "quantize_linear"),
    "calibrated": (lambda *to: calibrated(*to, False, "abs_max"), "fake_dequantize_max_abs"),
    "calibrated, by channel": (lambda *to: calibrated(*to, False, EACH), "fake_channel_wise_dequantize_max_abs"),
    "calibrated, as ONNX has it": (lambda *to: calibrated(*to, True, EACH), "dequantize_linear"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """made(way, net): the folder of a quantized model."""
    known = {}

    def find(way, name):
        if (way, name) not in known:
            folder = known[way, name] = tmp_path_factory.mktemp("model")
            WAYS[way][0](folder, name)
            assert WAYS[way][1].encode() in (folder / "m.pdmodel").read_bytes()
        return known[way, name]
    return find


def in_python(folder):
    """Python's executor with all passes, those of whole numbers among them."""
    frozen, _ = engines.in_python().load(inference.Config(str(folder / "m.pdmodel"), str(folder / "m.pdiparams")))
    return frozen


def library(folder, optimize=True):
    return Model(folder / "m.pdmodel", folder / "m.pdiparams", optimize=optimize)


every_way = pytest.mark.parametrize("way", WAYS)
every_net = pytest.mark.parametrize("name", NETS)


@every_way
@every_net
def test_quantized_models(made, way, name):
    """Whole numbers or floats on the same grids: the same but for what rounds to the next step of a later layer."""
    folder = made(way, name)
    saved = paddle.jit.load(str(folder / "m"))
    for optimize in (True, False):
        model = library(folder, optimize)
        for batch in batches(name):
            expected = saved(paddle.to_tensor(batch)).numpy()
            tol = 1e-5 if name == "small" else 2e-2
            np.testing.assert_allclose(model(batch)[0], expected, rtol=tol, atol=tol * np.abs(expected).max())


@every_way
@every_net
def test_whole_numbers_are_those_of_python(made, way, name):
    folder = made(way, name)
    plan, model, floats = in_python(folder), library(folder), library(folder, optimize=False)
    assert "integer_" in str(plan.plan)
    differs = 0
    for batch in batches(name):
        found, = model(batch)
        np.testing.assert_array_equal(found, plan([batch])[0])
        differs += not np.array_equal(found, floats(batch)[0])
    assert differs  # floats are rounded elsewhere: it isn't they that ran


@every_way
def test_numbers_that_no_step_stands_for(made, way):
    """A NaN stays in the image that has it; infinity is the last step."""
    folder = made(way, "wide")
    batch = batches("wide")[2]
    batch[1, 0, 3, 3], batch[2, 1, 2, 2], batch[3, 2, 4, 4] = np.nan, np.inf, -np.inf
    found, plain = library(folder)(batch)[0], library(folder, optimize=False)(batch)[0]
    assert np.isnan(found[1]).all() and np.isfinite(found[[0, 2, 3, 4]]).all()
    np.testing.assert_allclose(found, plain, rtol=2e-2, atol=2e-2 * np.nanmax(np.abs(plain)))


@pytest.mark.parametrize("isa", ["base", "avx2", "avx512"])
def test_instruction_sets(made, isa):
    """Sums are exact, so that other registers change the last bit of a result at most, or a step of one."""
    script = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from capi.library import Model
for folder in sys.argv[2:]:
    files = [open(f"{folder}/m.{kind}", "rb").read() for kind in ("pdmodel", "pdiparams")]
    np.save(f"{folder}/found.npy", Model(*files)(np.load(f"{folder}/x.npy"))[0])
"""
    folders = [made(way, name) for way in ("observed", "calibrated, by channel", "calibrated, as ONNX has it") for name in NETS]
    for k, folder in enumerate(folders):
        np.save(folder / "x.npy", batches(list(NETS)[k % 2])[2])
    done = subprocess.run([sys.executable, "-c", script, os.path.dirname(os.path.dirname(__file__)), *map(str, folders)],
                          capture_output=True, text=True,
                          env={**os.environ, "PADDLE_NATIVE_ISA": isa, "PYTHONPATH": str(PATH.parents[2])})
    assert done.returncode == 0, done.stderr
    for folder in folders:
        expected = library(folder)(np.load(folder / "x.npy"))[0]
        np.testing.assert_allclose(np.load(folder / "found.npy"), expected, rtol=1e-2, atol=1e-2 * np.abs(expected).max())


def test_batch_norm_is_part_of_whole_weights(tmp_path):
    """Folded into convolutions: factors and bias change, the steps stay."""
    paddle.seed(5)
    parts = [[nn.Conv2D(i, o, 3, padding=1, bias_attr=False), nn.BatchNorm2D(o), nn.ReLU()]
             for i, o in ((3, 16), (16, 24), (24, 16), (16, 16))]
    net = nn.Sequential(*[layer for part in parts for layer in part])
    x = np.random.RandomState(0).randn(2, 3, 10, 10).astype("float32")
    net(paddle.to_tensor(x))
    net.eval()
    config = quantization.QuantConfig(activation=None, weight=None)
    observer = quantization.observers.AbsmaxObserver
    config.add_type_config(nn.Conv2D, activation=observer(), weight=observer())
    task = quantization.PTQ(config)
    seen = task.quantize(net)
    seen(paddle.to_tensor(x))
    paddle.jit.save(task.convert(seen), str(tmp_path / "m"), input_spec=[InputSpec([None, 3, 10, 10], "float32", "x")])
    found, plain = library(tmp_path)(x)[0], in_python(tmp_path)([x])[0]
    exact = net(paddle.to_tensor(x)).numpy()
    np.testing.assert_allclose(found, plain, rtol=1e-2, atol=1e-2 * np.abs(exact).max())
    np.testing.assert_allclose(found, exact, rtol=0.1, atol=0.05 * np.abs(exact).max())


@pytest.mark.parametrize("name", ["onnx_channel", "onnx_tensor", "older_channel", "older_tensor"])
def test_files_of_paddle(name):
    """Models that Paddle 2.6.2 has quantized and saved give what its predictor gave (tests/fixtures/make_quantized26.py)."""
    folder = pathlib.Path(__file__).parents[1] / "fixtures" / "paddle26_quantized"
    recorded = np.load(folder / "results.npz")
    files = folder / f"{name}.pdmodel", folder / f"{name}.pdiparams"
    frozen, _ = engines.in_python().load(inference.Config(*map(str, files)))
    assert "integer_conv" in str(frozen.plan) and "integer_linear" in str(frozen.plan)
    found, = Model(*files)(recorded["x"])
    np.testing.assert_array_equal(found, frozen([recorded["x"]])[0])
    np.testing.assert_allclose(found, recorded[name], rtol=1e-5, atol=1e-6)
