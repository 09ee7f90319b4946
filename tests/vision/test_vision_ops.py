"""What the cases of tests/ops and the recordings of tests/oracle leave out of paddle.vision.ops."""

import pathlib

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.vision import ops


def test_two_boxes_in_one_cell_both_count():
    """Paddle 2.6.2 forgets the first box in the gradient (not in the loss); here finite differences agree."""
    rng = np.random.default_rng(0)
    boxes = paddle.to_tensor([[[0.3, 0.3, 0.30, 0.30], [0.4, 0.2, 0.32, 0.28]]], dtype="float64")
    labels = paddle.to_tensor([[0, 1]], dtype="int32")

    def loss(x):
        return ops.yolo_loss(x, boxes, labels, [16, 16], [0], 2, 0.7, 32).sum()

    x = paddle.to_tensor(rng.normal(size=(1, 7, 2, 2)), stop_gradient=False)
    gradient = paddle.grad(loss(x), x)[0].numpy()
    for place in [(0, 0, 0, 0), (0, 3, 0, 0), (0, 5, 0, 0), (0, 6, 0, 0), (0, 4, 1, 1)]:
        step = np.zeros(x.shape)
        step[place] = 1e-6
        slope = (loss(paddle.to_tensor(x.numpy() + step)) - loss(paddle.to_tensor(x.numpy() - step))).item() / 2e-6
        np.testing.assert_allclose(gradient[place], slope, rtol=1e-6)


def test_levels_go_back_into_order():
    rng = np.random.default_rng(1)
    corners = rng.uniform(0, 100, (30, 2))
    boxes = paddle.to_tensor(np.concatenate([corners, corners + rng.uniform(1, 600, (30, 2))], 1).astype("float32"))
    numbers = paddle.to_tensor([10, 0, 20], dtype="int32")
    levels, order, counts = ops.distribute_fpn_proposals(boxes, 2, 5, 4, 224, rois_num=numbers)
    np.testing.assert_array_equal(paddle.concat(levels).numpy()[order.numpy().reshape(-1)], boxes.numpy())
    assert order.dtype == paddle.int32 and [int(c.sum()) for c in counts] == [level.shape[0] for level in levels]
    np.testing.assert_array_equal(sum(c.numpy() for c in counts), [10, 0, 20])


def test_wanted_results_only():
    boxes, scores = paddle.to_tensor([[[0.0, 0.0, 2.0, 2.0]]]), paddle.to_tensor([[[0.9]]])
    rows, number, index = ops.matrix_nms(boxes, scores, 0.1, 0.0, -1, -1, background_label=-1, return_rois_num=False)
    assert number is None and index is None and rows.shape == [1, 6]
    rows, number, index = ops.matrix_nms(boxes, scores, 0.95, 0.0, -1, -1, return_index=True)
    assert (rows.shape, number.tolist(), index.shape) == ([0, 6], [0], [0, 1])
    one = paddle.ones([1, 1, 1, 1])
    assert ops.generate_proposals(one, paddle.zeros([1, 4, 1, 1]), paddle.to_tensor([[4.0, 4.0]]), paddle.zeros([1, 1, 1, 4]),
                                  paddle.ones([1, 1, 1, 4]))[2] is None


@pytest.mark.parametrize(("options", "kinds", "bias"), [
    ({}, ["Conv2D", "BatchNorm2D", "ReLU"], False),
    ({"norm_layer": None}, ["Conv2D", "ReLU"], True),
    ({"activation_layer": None, "bias": True}, ["Conv2D", "BatchNorm2D"], True),
    ({"norm_layer": nn.InstanceNorm2D, "activation_layer": nn.Hardswish}, ["Conv2D", "InstanceNorm2D", "Hardswish"], False),
])
def test_conv_norm_activation(options, kinds, bias):
    block = ops.ConvNormActivation(2, 4, 5, dilation=2, **options)
    assert [type(layer).__name__ for layer in block] == kinds
    assert (block[0].bias is not None) == bias
    assert block(paddle.ones([1, 2, 9, 9])).shape == [1, 4, 9, 9]


def test_jpeg_from_a_file(tmp_path):
    image = pytest.importorskip("PIL.Image")
    picture = np.full((6, 8, 3), [200, 30, 90], np.uint8)
    image.fromarray(picture).save(tmp_path / "a.jpg", quality=95)
    data = ops.read_file(str(tmp_path / "a.jpg"))
    assert data.dtype == paddle.uint8 and data.numpy().tobytes() == (tmp_path / "a.jpg").read_bytes()
    decoded = ops.decode_jpeg(data)
    assert decoded.dtype == paddle.uint8 and decoded.shape == [3, 6, 8]
    assert np.abs(decoded.numpy().transpose(1, 2, 0).astype(int) - picture).max() < 6
    assert ops.decode_jpeg(data, "gray").shape == [1, 6, 8]
    with pytest.raises(ValueError, match=r"decode_jpeg\(\): mode must be"):
        ops.decode_jpeg(data, "cmyk")
    with pytest.raises(ValueError, match=r"decode_jpeg\(\): x"):
        ops.decode_jpeg(paddle.to_tensor(np.frombuffer(b"not a picture", np.uint8)))


def test_a_detection_model_of_real_paddle():
    """YOLO boxes, both suppressions and pyramid levels, as Paddle 2.6.2 exports and computes them (record_detection.py)."""
    data = pathlib.Path(__file__).parent / "data"
    recorded = np.load(data / "detection.npz")
    paddle.enable_static()
    try:
        executor = paddle.static.Executor()
        program, names, outputs = paddle.static.load_inference_model(str(data / "detection"), executor)
        found = executor.run(program, {name: recorded[name] for name in names}, outputs)
    finally:
        paddle.disable_static()
    for k, value in enumerate(found):
        np.testing.assert_allclose(value, recorded[f"out{k}"], rtol=1e-4, atol=1e-5)
    assert k == 10


def test_box_coder_takes_variances_that_a_program_is_fed():
    """They were left out in programs."""
    rng = np.random.default_rng(0)
    prior, variance, target = rng.random((3, 4), "float32"), rng.random((3, 4), "float32"), rng.random((2, 3, 4), "float32")
    wanted = paddle.vision.ops.box_coder(paddle.to_tensor(prior), paddle.to_tensor(variance), paddle.to_tensor(target),
                                         "decode_center_size", False)
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            given = [paddle.static.data(name, list(array.shape)) for name, array in
                     (("prior", prior), ("variance", variance), ("target", target))]
            made = paddle.vision.ops.box_coder(*given, "decode_center_size", False)
        found, = paddle.static.Executor().run(main, {"prior": prior, "variance": variance, "target": target}, [made])
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-6)


def kept_by_hand(boxes, scores, groups, threshold):
    """Greedy suppression, box by box, in float64."""
    def overlap(a, b):
        width, height = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
        inner = max(width, 0) * max(height, 0)
        return inner / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - inner)
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        if all(groups[i] != groups[j] or overlap(boxes[i], boxes[j]) <= threshold for j in kept):
            kept.append(i)
    return kept


@pytest.mark.parametrize("mode", ["eager", "program", "to_static"])
def test_boxes_of_several_categories_are_suppressed_in_programs_too(mode):
    draw = np.random.default_rng(3)
    corners = draw.uniform(0, 20, (40, 2))
    boxes = np.concatenate([corners, corners + draw.uniform(2, 12, (40, 2))], 1).astype("float32")
    scores, groups = draw.permutation(40).astype("float32"), draw.integers(0, 3, 40)
    wanted = kept_by_hand(boxes.astype("float64"), scores, groups, 0.2)[:10]

    def suppress(b, s, g):
        return paddle.vision.ops.nms(b, 0.2, s, g, [0, 1, 2, 7], 10)  # there is no box of category 7
    if mode == "program":
        paddle.enable_static()
        try:
            with paddle.static.program_guard(paddle.static.Program()):
                given = {"b": boxes, "s": scores, "g": groups}
                out = suppress(*[paddle.static.data(name, value.shape, value.dtype) for name, value in given.items()])
                found, = paddle.static.Executor().run(feed=given, fetch_list=[out])
        finally:
            paddle.disable_static()
    else:
        function = paddle.jit.to_static(suppress, full_graph=True) if mode == "to_static" else suppress
        found = function(*map(paddle.to_tensor, (boxes, scores, groups))).numpy()
    assert 5 < len(wanted) and found.tolist() == wanted


@pytest.mark.parametrize("levels", [(0, -1), (-1, 2), (4, 3), (0, 2), (2, 2), (2, 101)])
def test_levels_of_a_pyramid_are_checked_where_the_program_is_built(levels):
    with pytest.raises(AssertionError, match="positive"):
        ops.distribute_fpn_proposals(paddle.ones([2, 4]), *levels, 4, 224)
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()), pytest.raises(ValueError, match="in order"):
            ops.distribute_fpn_proposals(paddle.static.data("boxes", [2, 4]), *levels, 4, 224)
    finally:
        paddle.disable_static()


def test_offsets_of_zero_are_not_pulled_inwards_from_outside():
    """Where learning starts, with zeros, cells on a padding of 1 lie at exactly -1; recorded with Paddle 2.6.2, too: 0 there."""
    rng = np.random.default_rng(0)
    picture, weight, factor = rng.normal(size=(1, 1, 3, 4)), rng.normal(size=(1, 1, 3, 3)), rng.normal(size=(1, 1, 3, 4))
    offset = paddle.zeros([1, 18, 3, 4], "float64")
    offset.stop_gradient = False
    out = ops.deform_conv2d(paddle.to_tensor(picture), offset, paddle.to_tensor(weight), padding=1)
    (out * paddle.to_tensor(factor)).sum().backward()
    wide = np.pad(picture[0, 0], ((0, 3), (0, 3)))
    want = np.zeros((9, 2, 3, 4))
    for cell, row, column in np.ndindex(9, 3, 4):
        y, x = row + cell // 3 - 1, column + cell % 3 - 1
        if y > -1 and x > -1:
            slopes = [wide[y + 1, x] - wide[y, x], wide[y, x + 1] - wide[y, x]]
            want[cell, :, row, column] = np.multiply(slopes, weight[0, 0].flat[cell] * factor[0, 0, row, column])
    np.testing.assert_allclose(offset.grad.numpy(), want.reshape(1, 18, 3, 4), rtol=1e-10, atol=1e-12)
