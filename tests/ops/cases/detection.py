"""Proposals and losses of detection models; values of real Paddle are compared by tests/oracle."""

import numpy as np
from opcase import OpCase, bad, const, f

V = "paddle.vision.ops."
QUIET = {"noncontiguous": False, "unknown": False, "rejects_text": False}
GIVEN = const([[[0.3, 0.4, 0.2, 0.3], [0.7, 0.6, 0.4, 0.2]]]), const([[0, 1]], "int32")
YOLO = {"anchors": [10, 13, 16, 30], "anchor_mask": [0, 1], "class_num": 2, "ignore_thresh": 0.7, "downsample_ratio": 32}
CELL = const(np.zeros((1, 4, 1, 1))), const([[9.0, 8.0]]), const(np.reshape([1.0, 1.0, 5.0, 4.0], (1, 1, 1, 4)))


CASES = [
    OpCase(V + "yolo_loss", [f(1, 14, 3, 3), *GIVEN], **YOLO, grad=[0], noncontiguous=False, rejects_text=False, unknown=False,
           check=lambda out, *_: tuple(out.shape) == (1,) and out[0] > 0, errors=[
               bad(ValueError, f(1, 14, 3, 2), *GIVEN, **YOLO, match="as many rows as columns"),
               bad(ValueError, f(1, 13, 3, 3), *GIVEN, **YOLO, match="channels"),
               bad(ValueError, f(1, 14, 3, 3), GIVEN[0], const([[0]], "int32"), **YOLO, match="gt_label"),
               bad(ValueError, f(1, 14, 3, 3), *GIVEN, **{**YOLO, "anchor_mask": [0, 2]}, match="anchor_mask")]),
    OpCase(V + "yolo_loss", [const(np.zeros((1, 6, 1, 1))), const([[[0.5, 0.5, 0.25, 0.25]]]), const([[0]], "int32")],
           **{**YOLO, "anchors": [16, 16], "anchor_mask": [0], "class_num": 1}, use_label_smooth=False, grad=[0], **QUIET,
           ref=lambda *_, **__: np.array([np.log(2) * (4 * (2 - 1 / 16) + 2)])),  # undecided, and half the size
    OpCase(V + "generate_proposals", [const(np.full((1, 1, 1, 1), 0.5)), *CELL, const(np.ones((1, 1, 1, 4)))], grad=False, **QUIET,
           ref=lambda *_: [np.array([[1.0, 1.0, 5.0, 4.0]]), np.array([[0.5]])],
           errors=[bad(ValueError, const(np.full((1, 2, 1, 1), 0.5)), *CELL, const(np.ones((1, 1, 1, 4))), match="bbox_deltas")]),
    OpCase(V + "distribute_fpn_proposals", [const([[0.0, 0.0, 224.0, 224.0], [0.0, 0.0, 56.0, 56.0], [0.0, 0.0, 500.0, 500.0]])],
           min_level=3, max_level=5, refer_level=4, refer_scale=224, grad=False, **QUIET,
           ref=lambda b, **_: [b[1:2], b[:1], b[2:], np.array([[1], [0], [2]])],
           errors=[bad(ValueError, f(2, 3), min_level=2, max_level=5, refer_level=4, refer_scale=224, match="fpn_rois")]),
    OpCase("distribute_fpn_proposals", [const([[0.0, 0.0, 224.0, 224.0], [0.0, 0.0, 56.0, 56.0], [0.0, 0.0, 500.0, 500.0]]),
                                        const([1, 2], "int32")], min_level=3, max_level=5, grad=False, **QUIET,
           ref=lambda b, n, **_: [b[1:2], b[:1], b[2:], np.array([[1], [0], [2]]), *map(np.array, ([0, 1], [1, 0], [0, 1]))]),
    OpCase("multiclass_nms", [const([[[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9], [3.0, 3.0, 4.0, 4.0]]]),
                              const([[[0.5, 0.9, 0.1], [0.2, 0.0, 0.3]]])], score_threshold=0.15, nms_threshold=0.5,
           background_label=-1, keep_top_k=2, grad=False, **QUIET,
           ref=lambda b, s, **_: [np.array([[0, 0.9, *b[0, 1]], [1, 0.3, *b[0, 2]]]), np.array([[1], [2]]), np.array([2])],
           errors=[bad(ValueError, f(1, 2, 4), f(1, 2, 3), match="bboxes must be")]),
    OpCase(V + "matrix_nms", [const([[[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.0]]]), const([[[0.5, 0.9]]])], score_threshold=0.1,
           post_threshold=0.0, nms_top_k=-1, keep_top_k=-1, background_label=-1, grad=False, **QUIET,
           ref=lambda b, s, **_: [np.array([[0, 0.9, *b[0, 1]], [0, 0.25, *b[0, 0]]]), np.array([2])],
           errors=[bad(ValueError, f(1, 2, 4), f(1, 2, 3), score_threshold=0.1, post_threshold=0.0, nms_top_k=-1, keep_top_k=-1,
                       match="bboxes must be")]),
]
