"""Every record of an operator that ONNX can express gives the same values, shapes and element types in ONNX Runtime."""

import pathlib
import sys

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import static
from paddle.nn.quant import quant_layers
from paddle.onnx.builder import CONVERTERS
from paddle.onnx.export import convert
from paddle.vision import ops

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "ops"))
import opcase  # noqa: E402 - the records of tests/ops, which is no package
from case_programs import saved  # noqa: E402

onnxruntime = pytest.importorskip("onnxruntime")
CASES = [case for case in opcase.load_cases() if opcase.applies(case, "static") and case.ref is not None]


OTHERWISE = {  # records that mean something else there, with the reason
    **dict.fromkeys(("batch_norm", "dropout"), "a saved model is one for inference"),
    **dict.fromkeys(("cond-6", "cond-7", "cond-8", "cond-9"), "ONNX Runtime drops the axes of empty results"),
    **dict.fromkeys(("conv2d-4", "conv2d-5", "conv3d", "unfold-3"), "ONNX Runtime refuses a window that goes beyond the end"),
    "einsum[...ij,...jk->...ik]": "ONNX Runtime does not broadcast under an ellipsis",
    "reshape-2": "a size of 0 stands for the size of that axis before",
}


def check(case):
    """Compare a case with ONNX Runtime; False if it can't be exported."""
    found = saved(case, set(CONVERTERS))
    if found is None:
        return False
    text, inputs, outputs = found
    try:
        model = convert(static.deserialize_program(text), {})
    except NotImplementedError as refused:
        assert str(refused).startswith("export(): "), case.id
        return False
    session = onnxruntime.InferenceSession(model.to_bytes(), providers=["CPUExecutionProvider"])
    feeds = {i.name: a for i, a in zip(session.get_inputs(), inputs, strict=True)}
    for one, other in zip(session.run(None, feeds), outputs, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype), (case.id, one.shape, one.dtype, other.shape, other.dtype)
        least = max(2e-6, case.tol * np.abs(other).max(initial=0))
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=least, err_msg=case.id)
    return True


def test_every_record_that_can_be_exported():
    same = [case.id for case in CASES if case.id not in OTHERWISE and check(case)]
    assert len(same) > 400, len(same)


def test_slices_that_go_backward_reach_the_first_element():
    """strided_slice's end of -1, which is past the first element there, is the last one in ONNX."""
    assert check(next(case for case in CASES if case.id == "getitem-4"))


def uniform(*shape, low=0.0, high=1.0):
    return np.random.RandomState(sum(shape)).uniform(low, high, shape).astype("float32")


BOXES = np.concatenate([uniform(5, 2, high=4), uniform(5, 2, low=5, high=9)], 1)
FUNCTIONS = {
    "bicubic": (lambda x: F.interpolate(x, [7, 9], mode="bicubic"), [uniform(1, 2, 5, 6)]),
    "bicubic corners": (lambda x: F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=True), [uniform(1, 2, 5, 6)]),
    "linear": (lambda x: F.interpolate(x, [7], mode="linear", data_format="NCW"), [uniform(1, 2, 5)]),
    "trilinear": (lambda x: F.interpolate(x, [5, 6, 7], mode="trilinear", data_format="NCDHW"), [uniform(1, 2, 3, 4, 5)]),
    "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x, 2, data_format="NHWC"), [uniform(2, 4, 6, 3)]),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2, 2, return_mask=True), [uniform(2, 3, 4, 6)]),
    "roi_align": (lambda x, boxes, n: ops.roi_align(x, boxes, n, 3, spatial_scale=0.5), [
        uniform(2, 3, 8, 8), BOXES, np.array([2, 3], "int32")]),
    "roi_align with samples": (lambda x, boxes, n: ops.roi_align(x, boxes, n, 2, sampling_ratio=2, aligned=False), [
        uniform(2, 3, 8, 8), BOXES, np.array([0, 5], "int32")]),
    "yolo_box": (lambda x, size: ops.yolo_box(x, size, [10, 13, 16, 30], 3, 0.3, 32, scale_x_y=1.05), [
        uniform(2, 16, 3, 5, low=-2, high=2), np.array([[90, 160], [64, 100]], "int32")]),
    "yolo_box with overlaps": (lambda x, size: ops.yolo_box(x, size, [10, 13, 16, 30], 3, 0.3, 32, False, iou_aware=True), [
        uniform(2, 18, 3, 5, low=-2, high=2), np.array([[90, 160], [64, 100]], "int32")]),
    "box_coder": (lambda prior, target: ops.box_coder(prior, [0.1, 0.1, 0.2, 0.2], target, "decode_center_size", False), [
        BOXES, uniform(3, 5, 4)]),
    "box_coder with variances": (lambda prior, var, target: ops.box_coder(prior, var, target, "decode_center_size", axis=1), [
        BOXES, uniform(5, 4), uniform(5, 3, 4)]),
    "prior_box": (lambda x, image: x.mean() + ops.prior_box(x, image, [4.0], [9.0], [2.0], flip=True, clip=True)[0], [
        uniform(1, 2, 3, 4), uniform(1, 3, 24, 32)]),
    "setitem": (lambda x, y: put(x, y), [uniform(3, 4, 5), uniform(2, 5)]),
}


def put(x, y):
    x = x * 1
    x[1, 1:3] = y
    x[:, -1] = 2.0
    return x


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_on_pictures_and_boxes(name):
    function, arrays = FUNCTIONS[name]
    main = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main, static.Program()):
            xs = [static.data(f"x{k}", list(a.shape), str(a.dtype)) for k, a in enumerate(arrays)]
            program = static.normalize_program(main, xs, opcase.flat(function(*xs)))
    finally:
        paddle.disable_static()
    model = convert(program, {n: t.numpy() for n, t in main.captured.items()})
    session = onnxruntime.InferenceSession(model.to_bytes(), providers=["CPUExecutionProvider"])
    got = session.run(None, {i.name: arrays[int(i.name[1:])] for i in session.get_inputs()})
    for one, other in zip(got, opcase.flat(function(*map(paddle.to_tensor, arrays))), strict=True):
        assert list(one.shape) == other.shape
        np.testing.assert_allclose(one, other.numpy(), rtol=1e-4, atol=2e-5)


def test_quantized_layers(tmp_path):
    paddle.seed(0)
    quanter = paddle.quantization.quanters.FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    training = paddle.quantization.QAT(paddle.quantization.QuantConfig(activation=quanter, weight=quanter))
    net = training.quantize(paddle.nn.Sequential(paddle.nn.Linear(6, 5), paddle.nn.ReLU(), paddle.nn.Linear(5, 3)))
    x = paddle.randn([4, 6])
    net(x)
    net.eval()
    net = training.convert(net)
    path = paddle.onnx.export(net, str(tmp_path / "net"), [static.InputSpec([None, 6], "float32", "x")])
    got, = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x.numpy()})
    np.testing.assert_allclose(got, net(x).numpy(), rtol=1e-4, atol=1e-5)


def test_weights_that_are_rounded_as_they_are(tmp_path):
    net = paddle.nn.Sequential(quant_layers.FakeQuantAbsMax(quant_on_weight=True),
                               quant_layers.FakeQuantChannelWiseAbsMax(channel_num=3, quant_on_weight=True))
    net.eval()
    x = paddle.to_tensor(uniform(3, 4, low=-1))
    path = paddle.onnx.export(net, str(tmp_path / "net"), [static.InputSpec([3, 4], "float32", "x")])
    got, = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x.numpy()})
    np.testing.assert_allclose(got, net(x).numpy(), rtol=1e-5, atol=1e-6)
