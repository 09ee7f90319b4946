"""Calibration of a saved model: the numbers of real Paddle 2.6.2."""

import numpy as np
import pytest

import paddle
from paddle.static import quantization
from paddle.static.quantization.cal_kl_threshold import cal_kl_threshold

OPERATORS = ["conv2d", "depthwise_conv2d", "mul", "matmul_v2", "pool2d", "elementwise_add"]
DRAW = np.random.RandomState(5)
BATCHES = [DRAW.randn(6, 1, 8, 8).astype("float32") for _ in range(4)]

RECORDED = {  # the first two rows of the result; scales of conv2d, pool2d, relu, softmax
    ("KL", False): ([[0.47571, 0.51387, 0.01042], [0.00896, 0.98997, 0.00107]], [4.3534, 3.8945, 2.3437, 0.9781]),
    ("hist", False): ([[0.44888, 0.54065, 0.01047], [0.00702, 0.99226, 0.00072]], [4.4446, 4.2112, 4.2112, 0.9912]),
    ("avg", False): ([[0.44888, 0.54058, 0.01053], [0.00702, 0.99224, 0.00074]], [3.1682, 2.9693, 2.9693, 0.7911]),
    ("abs_max", False): ([[0.45601, 0.53353, 0.01046], [0.00701, 0.99227, 0.00072]], [4.4458, 4.2122, 4.2122, 0.9922]),
    ("mse", False): ([[0.44315, 0.54634, 0.01051], [0.00694, 0.99231, 0.00075]], [3.3071, 3.2057, 3.2057, 0.9222]),
    ("emd", False): ([[0.45736, 0.53195, 0.01069], [0.00718, 0.99208, 0.00074]], [3.8142, 4.128, 4.128, 0.9724]),
    ("ptf", False): ([[0.46102, 0.5281, 0.01088], [0.00701, 0.99226, 0.00073]], [4.4458, 4.2122, 4.2122, 0.9786]),
    ("avg", True): ([[0.46568, 0.52371, 0.01061], [0.05241, 0.94197, 0.00563]], []),
    ("mse", True): ([[0.4478, 0.54154, 0.01066], [0.01987, 0.97803, 0.0021]], [])}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The path of a saved network with weights that NumPy draws."""
    draw, main, startup = np.random.RandomState(0), paddle.static.Program(), paddle.static.Program()

    def given(*shape, factor):
        return paddle.ParamAttr(initializer=paddle.nn.initializer.Assign((draw.randn(*shape).astype("f4") * factor).astype("f4")))
    paddle.enable_static()
    folder = tmp_path_factory.mktemp("model")
    with paddle.static.scope_guard(paddle.static.Scope()):
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [None, 1, 8, 8])
            h = paddle.static.nn.conv2d(x, 4, 3, act="relu", param_attr=given(4, 1, 3, 3, factor=0.3))
            h = paddle.nn.functional.max_pool2d(h, 2)
            out = paddle.nn.functional.softmax(paddle.static.nn.fc(h + paddle.tanh(h), 3, weight_attr=given(36, 3, factor=0.2)))
        executor = paddle.static.Executor()
        executor.run(startup)
        paddle.static.save_inference_model(str(folder / "m"), [x], [out], executor, program=main)
    paddle.disable_static()
    return folder


@pytest.fixture(autouse=True)
def static_mode():
    paddle.enable_static()
    with paddle.static.scope_guard(paddle.static.Scope()):
        yield
    paddle.disable_static()


def calibration(model, **arguments):
    source = arguments if "sample_generator" in arguments else {"batch_generator": lambda: ([b] for b in BATCHES), **arguments}
    return quantization.PostTrainingQuantization(
        paddle.static.Executor(), str(model), paddle.static.global_scope(), "m.pdmodel", "m.pdiparams",
        quantizable_op_type=OPERATORS, **source)


@pytest.mark.parametrize("way", RECORDED, ids=str)
def test_recorded_calibrations(model, way, tmp_path):
    task = calibration(model, algo=way[0], onnx_format=way[1])
    program = task.quantize()
    out = paddle.static.Executor().run(program, {"x": BATCHES[0]}, task._fetch_list)[0]
    np.testing.assert_allclose(out[:2], RECORDED[way][0], atol=2e-5)
    scales = {op.type: op.attr("out_threshold") for op in program.global_block().ops if op.has_attr("out_threshold")}
    if not way[1]:
        np.testing.assert_allclose([scales[k] for k in ("conv2d", "pool2d", "relu", "softmax")], RECORDED[way][1], atol=1e-4)
    task.save_quantized_model(str(tmp_path), "small.pdmodel", "small.pdiparams")
    again, _, fetched = paddle.static.load_inference_model(str(tmp_path / "small"), paddle.static.Executor())
    np.testing.assert_allclose(paddle.static.Executor().run(again, {"x": BATCHES[0]}, fetched)[0], out, rtol=1e-5, atol=1e-7)


def test_samples_make_batches_and_ranges_are_noted(model):
    task = calibration(model, algo="min_max", sample_generator=lambda: ((row,) for b in BATCHES for row in b), batch_size=6)
    conv = next(op for op in task.quantize().global_block().ops if op.type == "conv2d")
    assert conv.attr("x.min") == pytest.approx(min(float(b.min()) for b in BATCHES))
    assert conv.attr("quantization_type") == "post_min_max"


def test_tensors_that_share_a_scale(model):
    task = calibration(model, algo="abs_max")
    scales = {"a": 2.0, "b": 3.0}
    task._same = [["a#*#2", "b", "absent"]]
    task._share(scales)
    assert scales == {"a": 2.0, "b": 4.0}


def test_kullback_leibler_by_plain_loops():
    counts, parts, best = np.random.RandomState(2).poisson(40 * np.exp(-np.arange(64) / 9)), 7, None
    for cut in range(31, 64):
        whole = counts[:cut].astype(float)
        if whole[-1] == 0:
            continue
        whole[-1] += counts[cut:].sum()
        edges, other = [k * (cut // parts) for k in range(parts)] + [cut], np.zeros(cut)
        for low, high in zip(edges, edges[1:]):
            filled = [k for k in range(low, high) if whole[k]]
            for k in filled:
                other[k] = counts[low:high].sum() / len(filled)
        p, q = whole / counts.sum(), other / other.sum()
        divergence = sum(a * np.log(a / b) for a, b in zip(p, q) if a)
        best = min(best or (divergence, cut), (divergence, cut))
    assert cal_kl_threshold(counts, 0.1, 4) == pytest.approx((best[1] + 0.5) * 0.1)


@pytest.mark.parametrize("way", ["abs_max", "channel_wise_abs_max"])
def test_weights_alone(model, way, tmp_path):
    task, executor = quantization.WeightQuantization(str(model), "m.pdmodel", "m.pdiparams"), paddle.static.Executor()
    task.quantize_weight_to_int(str(tmp_path), weight_quantize_type=way, generate_test_model=True)
    outs = []
    for path in (model / "m", tmp_path / "test_model" / "model"):
        program, _, fetched = paddle.static.load_inference_model(str(path), executor)
        outs.append(executor.run(program, {"x": BATCHES[0]}, fetched)[0])
    assert 0 < np.abs(outs[0] - outs[1]).max() < 0.02
    program, _, _ = paddle.static.load_inference_model(str(tmp_path / "quantized_model" / "model"), executor)
    conv = next(op for op in program.global_block().ops if op.type == "conv2d")
    weight, scales = paddle.static.global_scope().get(conv.input("Filter")[0]), conv.attr(conv.input("Filter")[0] + "_quant_scale")
    assert weight.dtype == np.int8 and np.abs(weight.astype(int)).max() == 127 and len(scales) == (1 if way == "abs_max" else 4)


def test_what_is_not_supported_is_named(model):
    for name, value in (("round_type", "adaround"), ("optimize_model", True)):
        with pytest.raises(NotImplementedError, match=name):
            calibration(model, **{name: value})
    with pytest.raises(ValueError, match="algo"):
        calibration(model, algo="guess")
