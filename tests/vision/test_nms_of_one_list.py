"""Suppression where the boxes of all pictures are one list with a box for each class, as two-stage detectors call it."""

import numpy as np
import pytest

import paddle

RECORDED = [  # settings, and what real Paddle 2.6.2 gives: how many each picture has, their places among all boxes
    ({}, [18, 0, 25], [0, 10, 15, 20, 1, 6, 11, 16, 21, 26, 2, 7, 17, 22, 8, 18, 23, 28, 35, 40, 45, 50, 60, 31, 36, 41,
        46, 51, 56, 32, 37, 42, 47, 52, 57, 62, 33, 38, 43, 48, 53, 58, 63]),
    ({"keep_top_k": 9}, [9, 0, 9], [0, 11, 16, 21, 26, 2, 7, 8, 23, 40, 50, 60, 31, 36, 42, 47, 62, 38]),
    ({"nms_top_k": 3, "normalized": False, "nms_threshold": 0.1}, [8, 0, 8], [0, 15, 20, 26, 7, 8, 23, 28, 40, 60, 31, 42,
        47, 62, 38, 43]),
    ({"background_label": -1, "nms_eta": 0.9, "nms_threshold": 0.7}, [28, 0, 34], [0, 5, 10, 15, 20, 25, 1, 6, 11, 16, 21,
        26, 2, 7, 17, 22, 27, 3, 8, 13, 18, 23, 28, 4, 14, 19, 24, 29, 30, 35, 40, 45, 50, 60, 31, 36, 41, 46, 51, 56,
        61, 32, 37, 42, 47, 52, 57, 62, 33, 38, 43, 48, 53, 58, 63, 34, 39, 44, 49, 54, 59, 64]),
]


def _given():
    draw = np.random.RandomState(3)
    corner = draw.rand(13, 5, 2) * 20
    boxes = np.concatenate([corner, corner + draw.rand(13, 5, 2) * 15 + 2], -1).astype("float32")
    return boxes, draw.rand(13, 5).astype("float32"), np.array([6, 0, 7], "int32")


def _found(boxes, scores, counts, **changed):
    settings = {"score_threshold": 0.05, "nms_top_k": -1, "keep_top_k": -1, "nms_threshold": 0.3, "normalized": True,
                "nms_eta": 1.0, "background_label": 4, **changed}
    return paddle._C_ops.multiclass_nms3(paddle.to_tensor(boxes), paddle.to_tensor(scores), paddle.to_tensor(counts),
                                         *settings.values())


@pytest.mark.parametrize("settings, counts, places", RECORDED)
def test_same_as_real_paddle(settings, counts, places):
    boxes, scores, given = _given()
    rows, index, found = _found(boxes, scores, given, **settings)
    assert found.tolist() == counts and index.flatten().tolist() == places
    kinds = np.array(places) % 5
    np.testing.assert_array_equal(rows.numpy(), np.column_stack([kinds, scores.reshape(-1)[places], boxes.reshape(-1, 4)[places]])
                                  .astype("float32"))


def test_counts_are_checked():
    boxes, scores, _ = _given()
    with pytest.raises(ValueError, match="rois_num add up to M"):
        _found(boxes, scores, np.array([6, 6], "int32"))
