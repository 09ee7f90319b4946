"""Regions of pictures and boxes; values of real Paddle are compared by tests/oracle."""

import numpy as np
from opcase import OpCase, bad, const, distinct, f

import paddle

V = "paddle.vision.ops."
BOXES = [[0.2, 0.1, 3.1, 3.3], [1.0, 1.2, 4.4, 5.0]]
NUM = const([1, 1], "int32")
QUIET = {"noncontiguous": False, "static": False, "rejects_text": False}


def conv_ref(x, offset, weight):
    out = np.zeros((x.shape[0], weight.shape[0], 4, 4))
    for i, j in np.ndindex(4, 4):
        out[:, :, i, j] = np.tensordot(x[:, :, i:i + 3, j:j + 3], weight, ([1, 2, 3], [1, 2, 3]))
    return out


CASES = [
    OpCase(lambda x: paddle.vision.ops.roi_align(x, paddle.to_tensor(BOXES), paddle.to_tensor([1, 1], dtype="int32"), 2),
           [f(2, 3, 6, 6)], **QUIET,
           check=lambda out, x: tuple(out.shape) == (2, 3, 2, 2) and x.min() <= out.min() and out.max() <= x.max()),
    OpCase(V + "roi_align", [f(2, 3, 6, 6), const(BOXES), NUM], output_size=1, grad=[0], **QUIET,
           check=lambda out, x, b, n: tuple(out.shape) == (2, 3, 1, 1),
           errors=[bad(ValueError, f(2, 3, 6, 6), const(BOXES), const([1, 2], "int32"), output_size=2, match="boxes_num")]),
    OpCase(V + "roi_pool", [distinct(2, 3, 6, 6), const([[0.0, 0.0, 5.0, 5.0], [0.0, 0.0, 5.0, 5.0]], "float32"), NUM],
           output_size=2, grad=[0], **QUIET, ref=lambda x, b, n, output_size: x.reshape(2, 3, 2, 3, 2, 3).max((3, 5))),
    OpCase(V + "psroi_pool", [f(2, 4, 6, 6), const([[0.0, 0.0, 5.0, 5.0], [0.0, 0.0, 5.0, 5.0]], "float32"), NUM], output_size=2,
           grad=[0], **QUIET, ref=lambda x, b, n, output_size: np.stack([
               x[:, 2 * i + j, 3 * i:3 * i + 3, 3 * j:3 * j + 3].mean((1, 2)) for i in (0, 1) for j in (0, 1)], 1).reshape(2, 1, 2, 2)),
    OpCase(lambda x, o, w: paddle.vision.ops.deform_conv2d(x, o * 0, w), [f(1, 2, 6, 6), f(1, 18, 4, 4), f(3, 2, 3, 3)],
           ref=conv_ref, tol=1e-4, grad=[0, 2], **QUIET),
    OpCase(V + "deform_conv2d", [f(1, 2, 6, 6), f(1, 18, 4, 4, low=0.2, high=0.8), f(3, 2, 3, 3)], tol=1e-4, **QUIET,
           check=lambda out, x, o, w: tuple(out.shape) == (1, 3, 4, 4)),
    OpCase(V + "nms", [const([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9], [3.0, 3.0, 4.0, 4.0]])], iou_threshold=0.5, grad=False,
           ref=lambda b, iou_threshold: np.array([0, 2]), **QUIET),
    OpCase(V + "box_coder", [const([[0.0, 0.0, 2.0, 4.0]]), [0.5, 0.5, 0.5, 0.5], const([[1.0, 1.0, 3.0, 5.0]])], grad=False, **QUIET,
           ref=lambda p, v, t: np.array([[[1.0, 0.5, 0.0, 0.0]]])),
    OpCase(V + "prior_box", [f(1, 2, 2, 3), f(1, 3, 8, 12)], min_sizes=[4.0], grad=False, **QUIET,
           ref=lambda x, y, min_sizes: [np.array([[[[4 * j / 12, 4 * i / 8, (4 * j + 4) / 12, (4 * i + 4) / 8]] for j in range(3)]
                                                  for i in range(2)]), np.full((2, 3, 1, 4), 0.1) * [1, 1, 2, 2]]),
    OpCase(V + "yolo_box", [const(np.zeros((1, 7, 1, 1))), const([[64, 32]], "int32")], anchors=[16, 8], class_num=2,
           conf_thresh=0.1, downsample_ratio=32, grad=False, **QUIET,
           ref=lambda x, size, **_: [np.array([[[8.0, 24.0, 24.0, 40.0]]]), np.full((1, 1, 2), 0.25)]),
]
