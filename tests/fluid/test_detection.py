"""Detection in fluid's names: what paddle.vision.ops gives (its values are tested there), in guards and in programs."""

import numpy as np
import pytest

import paddle.fluid as fluid
import paddle.vision.ops as ops
from paddle.fluid import layers
from paddle.fluid.dygraph import to_variable

RNG = np.random.RandomState(0)
PICTURES = RNG.rand(2, 8, 6, 6).astype("float32")
ROIS = np.array([[0, 0, 3, 3], [1, 1, 5, 4], [0, 2, 4, 5]], "float32")
COUNTS = np.array([1, 2], "int32")


def test_regions_by_number_and_by_lengths():
    with fluid.dygraph.guard():
        x, rois, counts = to_variable(PICTURES), to_variable(ROIS), to_variable(COUNTS)
        want = [ops.roi_align(x, rois, counts, 2, aligned=False), ops.roi_pool(x, rois, counts, 2),
                ops.psroi_pool(x, rois, counts, 2)]
        got = [layers.roi_align(x, rois, 2, 2, rois_num=counts), layers.roi_pool(x, rois, 2, 2, rois_num=counts),
               layers.psroi_pool(x, rois, 2, 1.0, 2, 2, rois_num=counts)]
        for a, b in zip(want, got):
            np.testing.assert_array_equal(a.numpy(), b.numpy())
        with pytest.raises(ValueError, match="rois.*must have sequence lengths"):
            layers.roi_align(x, rois, 2, 2)
        with pytest.raises(ValueError, match="= 12 channels, got 8"):
            layers.psroi_pool(x, rois, 3, 1.0, 2, 2, rois_num=counts)
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x, rois = fluid.data("x", [None, 8, 6, 6]), layers.data("rois", [4], lod_level=1)
        outs = [layers.roi_align(x, rois, 2, 2), layers.roi_pool(x, rois, 2, 2), layers.psroi_pool(x, rois, 2, 1.0, 2, 2)]
        assert [o.shape for o in outs] == [(-1, 8, 2, 2), (-1, 8, 2, 2), (-1, 2, 2, 2)]
        packed = fluid.create_lod_tensor(ROIS, [COUNTS.tolist()], fluid.CPUPlace())
        ran = fluid.Executor(fluid.CPUPlace()).run(main, feed={"x": PICTURES, "rois": packed}, fetch_list=outs)
    for a, b in zip(want, ran):
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-6)


def test_boxes():
    with fluid.dygraph.guard():
        x, image = to_variable(PICTURES), to_variable(np.zeros([2, 3, 24, 24], "float32"))
        for a, b in zip(layers.prior_box(x, image, [4.0], [8.0], name="p"), ops.prior_box(x, image, [4.0], [8.0])):
            np.testing.assert_array_equal(a.numpy(), b.numpy())
        boxes = to_variable(ROIS + 1)
        variances = [0.1, 0.1, 0.2, 0.2]
        np.testing.assert_array_equal(layers.box_coder(boxes, variances, to_variable(ROIS), name="b").numpy(),
                                      ops.box_coder(boxes, variances, to_variable(ROIS)).numpy())
        head, size = to_variable(RNG.rand(1, 14, 2, 2).astype("float32")), to_variable(np.array([[64, 64]], "int32"))
        anchors = [10, 13, 16, 30]
        for a, b in zip(layers.yolo_box(head, size, anchors, 2, 0.01, 32), ops.yolo_box(head, size, anchors, 2, 0.01, 32)):
            np.testing.assert_array_equal(a.numpy(), b.numpy())
        truth, classes = to_variable(np.array([[[0.5, 0.5, 0.3, 0.4]]], "float32")), to_variable(np.zeros([1, 1], "int32"))
        settings = (anchors, [0, 1], 2, 0.7, 32)
        np.testing.assert_array_equal(layers.yolov3_loss(head, truth, classes, *settings).numpy(),
                                      ops.yolo_loss(head, truth, classes, *settings).numpy())


@pytest.mark.parametrize("normalized", [True, False])
def test_similarity_of_boxes(normalized):
    more = np.array([[0, 0, 3, 3], [10, 10, 12, 12]], "float32")
    with fluid.dygraph.guard():
        got = layers.iou_similarity(to_variable(ROIS), to_variable(more), normalized).numpy()
    pixel = 0 if normalized else 1
    for i, a in enumerate(ROIS):
        for j, b in enumerate(more):
            sides = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]) + pixel, 0)
            union = np.prod(a[2:] - a[:2] + pixel) + np.prod(b[2:] - b[:2] + pixel) - np.prod(sides)
            np.testing.assert_allclose(got[i, j], np.prod(sides) / union, rtol=1e-6)


def test_deformable_convolution():
    with fluid.dygraph.guard():
        x = to_variable(PICTURES)
        offset, mask = to_variable(np.zeros([2, 18, 4, 4], "float32")), to_variable(np.ones([2, 9, 4, 4], "float32"))
        attr = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1))
        y = layers.deformable_conv(x, offset, mask, 3, 3, param_attr=attr)
        plain = layers.conv2d(x, 3, 3, param_attr=attr)  # nothing is displaced
        np.testing.assert_allclose(y.numpy(), plain.numpy(), rtol=1e-4)
        fluid.layers.reduce_sum(y).backward()
        assert x.gradient().shape == PICTURES.shape
        with pytest.raises(ValueError, match="mask"):
            layers.deformable_conv(x, offset, None, 3, 3)


def test_lengths_of_results_that_are_taken_over_without_a_copy():
    """Large results become arrays as they are; how many rows each picture has must still be known."""
    n, at = 1000, np.arange(1000, dtype="float32") * 10
    boxes = np.stack([at, at, at + 5, at + 5], 1)
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.core.Scope()):
        out = fluid.layers.multiclass_nms(fluid.data("boxes", [2, n, 4]), fluid.data("scores", [2, 1, n]), score_threshold=0.1,
                                          nms_top_k=-1, keep_top_k=-1, background_label=-1)
        found, = fluid.Executor().run(feed={"boxes": np.stack([boxes, boxes]), "scores": np.full((2, 1, n), 0.5, "float32")},
                                      fetch_list=[out], return_numpy=False)
    assert np.array(found).shape == (2 * n, 6)
    assert found.recursive_sequence_lengths() == [[n, n]]
