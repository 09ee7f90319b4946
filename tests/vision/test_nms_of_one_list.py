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
    with pytest.raises(ValueError, match="offsets that rise"):
        _found(boxes, scores, np.array([6, 6], "int32"))


@pytest.mark.parametrize("settings, counts, places", [
    ((0.1, -1, -1, 0.1, False, 1.0, -1), [25, 22], [
        29, 15, 21, 1, 16, 23, 14, 6, 2, 17, 28, 1, 23, 6, 2, 18, 15, 11, 21, 25, 1, 14, 17, 19, 23, 46, 49, 42, 33, 48, 31, 50, 40,
        49, 45, 44, 30, 42, 50, 39, 35, 53, 50, 41, 31, 40, 52]),
    ((0.1, 20, 15, 0.3, True, 1.0, 0), [15, 15], [
        28, 1, 23, 25, 16, 6, 2, 11, 21, 25, 1, 28, 10, 26, 14, 49, 45, 44, 30, 54, 51, 39, 35, 53, 50, 41, 44, 57, 31, 43])])
def test_polygons_as_real_paddle(settings, counts, places):
    draw = np.random.RandomState(5)
    centre = draw.rand(2, 30, 1, 2) * 20
    angle = draw.rand(2, 30, 1) * 6.28 + np.array([0, 1.57, 3.14, 4.71])
    radius = draw.rand(2, 30, 1, 1) * 6 + 2
    boxes = (centre + radius * np.stack([np.cos(angle), np.sin(angle)], -1)).reshape(2, 30, 8).astype("float32")
    scores = draw.rand(2, 3, 30).astype("float32")
    rows, index, found = paddle._C_ops.multiclass_nms3(paddle.to_tensor(boxes), paddle.to_tensor(scores), None, *settings)
    assert found.tolist() == counts and index.flatten().tolist() == places
    np.testing.assert_array_equal(rows.numpy()[:, 2:], boxes.reshape(-1, 8)[places])
