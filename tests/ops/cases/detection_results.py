"""Boxes as detection models of 1.x give them, and operators of click-through models."""

import numpy as np
from opcase import OpCase, bad, const, distinct, f, pos

QUIET = {"noncontiguous": False, "unknown": False, "rejects_text": False, "static": False}
FIXED = {**QUIET, "grad": False}
LOD = [const([0, 2, 3], "int64")]
PICTURE = const([[50.0, 50.0, 1.0]])
BOXES = const([[[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9], [3.0, 3.0, 4.0, 4.0]]])
SCORES = const([[[0.5, 0.9, 0.1], [0.2, 0.0, 0.3]]])
DIAMOND = const([[[0.0, 0.0, 2.0, 0.0, 2.0, 2.0, 0.0, 2.0], [1.0, 0.0, 2.0, 1.0, 1.0, 2.0, 0.0, 1.0]]])
FOUND = {"score_threshold": 0.15, "nms_threshold": 0.5, "background_label": -1, "keep_top_k": 2}


def found_ref(b, s, **_):
    return np.array([[0, 0.9, *b[0, 1]], [1, 0.3, *b[0, 2]]])


CASES = [
    OpCase("packed_multiclass_nms", [BOXES, SCORES], name="multiclass_nms", **FOUND, **FIXED, ref=lambda *a, **k: [found_ref(*a), np.array([0, 2])],
           errors=[bad(ValueError, f(1, 2, 4), f(1, 2, 3), match="bboxes must be")]),
    OpCase("multiclass_nms2", [BOXES, SCORES], **FOUND, **FIXED,
           ref=lambda *a, **k: [found_ref(*a), np.array([[1], [2]]), np.array([0, 2])]),
    OpCase("packed_multiclass_nms", [DIAMOND, const([[[0.9, 0.8]]])], score_threshold=0.1, nms_threshold=0.49, background_label=-1,
           **FIXED, ref=lambda b, *_, **__: [np.array([[0, 0.9, *b[0, 0]]]), np.array([0, 1])]),  # the diamond is half the square
    OpCase("locality_aware_nms", [BOXES, const([[[0.5, 0.25, 0.1]]])], score_threshold=0.2, nms_threshold=0.5, **FIXED,
           ref=lambda b, *_, **__: [np.array([[0, 0.75, 0, 0, 2, (2 * 0.5 + 1.9 * 0.25) / 0.75]]), np.array([0, 1])],
           errors=[bad(ValueError, BOXES, SCORES, match="scores must be")]),
    OpCase("retinanet_detection_output", [[const(np.zeros((1, 2, 4)))], [const([[[0.2, 0.1], [0.6, 0.0]]])],
                                          [const([[1.0, 1.0, 5.0, 6.0], [2.0, 2.0, 70.0, 9.0]])], PICTURE], **FIXED,
           ref=lambda *_, **__: [np.array([[1, 0.6, 2, 2, 49, 9], [1, 0.2, 1, 1, 5, 6], [2, 0.1, 1, 1, 5, 6]]), np.array([0, 3])],
           errors=[bad(ValueError, [f(1, 2, 4)], [], [], PICTURE, match="as many levels")]),
    OpCase("packed_proposals", [const(np.full((1, 1, 1, 1), 0.5)), const(np.zeros((1, 4, 1, 1))), PICTURE,
                                const(np.reshape([1.0, 1.0, 5.0, 64.0], (1, 1, 1, 4))), const(np.ones((1, 1, 1, 4)))], **FIXED,
           ref=lambda *_: [np.array([[1.0, 1.0, 5.0, 49.0]]), np.array([[0.5]]), np.array([1]), np.array([0, 1])],
           errors=[bad(ValueError, f(1, 2, 1, 1), f(1, 4, 1, 1), PICTURE, f(1, 1, 1, 4), f(1, 1, 1, 4), match="bbox_deltas", named=False)]),
    OpCase("collect_fpn_proposals", [[f(3, 4), f(2, 4)], [const([[0.1], [0.9], [0.3]]), const([[0.5], [0.2]])],
                                     [*LOD, const([0, 1, 2], "int64")]], post_nms_top_n=3, **FIXED,
           ref=lambda rois, *_, **__: [np.stack([rois[0][1], rois[1][0], rois[0][2]]), np.array([0, 2, 3])],
           errors=[bad(ValueError, [f(3, 4)], [], [*LOD], match="multi_scores")]),
    OpCase("box_clip", [const([[-3.0, 4.0, 60.0, 20.0], [1.0, 2.0, 3.0, 99.0], [0.0, 0.0, 5.0, 5.0]]),
                        const([[50.0, 40.0, 1.0], [8.0, 8.0, 2.0]]), LOD], **FIXED,
           ref=lambda *_: np.array([[0, 4, 39, 20], [1, 2, 3, 49], [0, 0, 3, 3]]), errors=[bad(ValueError, f(3, 5), f(2, 3), LOD, match="end in")]),
    OpCase("box_decoder_and_assign", [const([[0.0, 0.0, 9.0, 19.0]]), const([0.1, 0.1, 0.2, 0.2]),
                                      const([[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 99.0]]), const([[0.7, 0.3]])], box_clip=np.log(2.0),
           **FIXED, ref=lambda *_, **__: [np.array([[1, 0, 10, 19, 0, -10, 9, 29]]), np.array([[0, -10, 9, 29]])],
           errors=[bad(ValueError, f(1, 4), f(4), f(1, 4), f(1, 2), match="target_box")]),
    OpCase("polygon_box_transform", [f(1, 2, 2, 3)], grad=False, small=False, rejects_text=False, unknown=False,
           ref=lambda x: np.stack([4 * np.arange(3) - x[0, 0], 4 * np.arange(2)[:, None] - x[0, 1]])[None],
           errors=[bad(ValueError, f(1, 3, 2, 2), match="even number")]),
    OpCase("cvm", [pos(3, 5), const(np.zeros((3, 2)))], use_cvm=False, grad=[0], rejects_text=False, unknown=False,
           ref=lambda x, c, use_cvm: x[:, 2:], errors=[bad(ValueError, f(3, 1), f(3, 2), match="input must be", named=False)]),
    OpCase("hash_ids", [const([[1], [2]], "int64")], num_hash=2, mod_by=1000000007, grad=False, rejects_text=False,
           ref=lambda *_, **__: np.array([[[166613233], [541365211]], [[572541396], [812147236]]]),  # of real Paddle
           errors=[bad(TypeError, f(2, 2), match="int32 or int64", named=False)]),
    OpCase("filter_by_instag", [f(3, 2), const([[1], [5], [2]], "int64"), const([2, 1], "int64"), None,
                                [const([0, 1, 2, 3], "int64")]], is_lod=False, grad=[0], **QUIET,
           check=lambda out, x, *_: np.allclose(out[0], x[[0, 2]]) and out[2].tolist() == [[0, 0, 1], [1, 2, 1]]),
    OpCase("filter_by_instag", [f(3, 2), const([[1], [5], [2]], "int64"), const([9], "int64"), None, [const([0, 1, 2, 3], "int64")]],
           is_lod=False, out_val_if_empty=4, grad=[0], **QUIET, check=lambda out, *_: np.allclose(out[0], np.full((1, 2), 4)) and out[1].tolist() == [[0]]),
    OpCase("similarity_focus", [distinct(1, 2, 2, 3)], axis=1, indexes=[0], grad=False, small=False, rejects_text=False, unknown=False,
           check=lambda out, x: (out[0, 0] == out[0, 1]).all() and out[0, 0].sum() == 2 and out[0, 0].ravel()[x[0, 0].argmax()] == 1,
           errors=[bad(ValueError, f(1, 2, 2, 3), axis=0, indexes=[0], match="axis 1, 2 or 3")]),
]
