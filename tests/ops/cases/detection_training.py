"""What detection models of 1.x are trained and judged with; values of real Paddle are compared in tests/fluid."""

import numpy as np
from opcase import OpCase, bad, const, f

QUIET = {"noncontiguous": False, "unknown": False, "rejects_text": False, "static": False}
FIXED = {**QUIET, "grad": False}
LOD = [const([0, 2, 3], "int64")]
ONE = [const([0, 1], "int64")]
TRUTH = const([[0.0, 0.0, 9.0, 9.0], [20.0, 20.0, 29.0, 29.0], [0.0, 0.0, 9.0, 19.0]])
ANCHORS = const([[0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 9.0, 19.0], [30.0, 30.0, 39.0, 39.0], [-5.0, 0.0, 4.0, 9.0]])
FAR = const([[0.0, 0.0, 9.0, 9.0], *([30.0 + k, 30.0, 39.0 + k, 39.0] for k in range(9))])  # one anchor is near
PICTURE = const([[50.0, 50.0, 1.0]])
QUAD = const([[0.0, 0.0, 3.0, 0.0, 3.0, 3.0, 0.0, 3.0]])
SQUARE = const([[2.0, 2.0], [12.0, 2.0], [12.0, 12.0], [2.0, 12.0]])


def iou_ref(x, y, box_normalized):
    one = 0 if box_normalized else 1
    out = np.zeros((len(x), len(y)))
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            w, h = min(a[2], b[2]) - max(a[0], b[0]) + one, min(a[3], b[3]) - max(a[1], b[1]) + one
            common = max(w, 0) * max(h, 0)
            sides = [(c[2] - c[0] + one) * (c[3] - c[1] + one) for c in (a, b)]
            out[i, j] = common / (sum(sides) - common)
    return out


def anchor_ref(x, anchor_sizes, aspect_ratios, stride):
    boxes = np.zeros((x.shape[2], x.shape[3], len(anchor_sizes), 4))
    for i, j, k in np.ndindex(boxes.shape[:3]):
        cx, cy, half = 16 * j + 7.5, 16 * i + 7.5, (anchor_sizes[k] - 1) / 2
        boxes[i, j, k] = cx - half, cy - half, cx + half, cy + half
    return [boxes, np.broadcast_to([0.1, 0.1, 0.2, 0.2], boxes.shape)]


def focal_ref(x, label, count, gamma, alpha):
    p, out = 1 / (1 + np.exp(-x)), np.zeros_like(x)
    for i, j in np.ndindex(x.shape):
        if label[i, 0] == j + 1:
            out[i, j] = -alpha * (1 - p[i, j]) ** gamma * np.log(p[i, j]) / max(count[0], 1)
        elif label[i, 0] != -1:
            out[i, j] = -(1 - alpha) * p[i, j] ** gamma * np.log(1 - p[i, j]) / max(count[0], 1)
    return out


def hat_ref(x, rois, counts, pooled_height, pooled_width):
    """Means of the linear interpolation, by many samples of each part."""
    out = np.zeros((len(rois), x.shape[1], pooled_height, pooled_width))
    fine = 400
    for r, (x1, y1, x2, y2) in enumerate(rois):
        for i, j in np.ndindex(pooled_height, pooled_width):
            ys = y1 + (i + (np.arange(fine) + 0.5) / fine) * (y2 - y1) / pooled_height
            xs = x1 + (j + (np.arange(fine) + 0.5) / fine) * (x2 - x1) / pooled_width
            wy = np.maximum(0, 1 - abs(ys[:, None] - np.arange(x.shape[2]))).mean(0)
            wx = np.maximum(0, 1 - abs(xs[:, None] - np.arange(x.shape[3]))).mean(0)
            out[r, :, i, j] = np.einsum("h,chw,w->c", wy, x[0], wx)
    return out


def mask_ref(*_, **__):
    mask = np.zeros((7, 7))
    mask[1:6, 1:6] = 1  # 2 .. 12 of a box of 14 pixels, in cells of 2
    return [np.array([[0.0, 0.0, 14.0, 14.0]]), np.array([[1]]),
            np.concatenate([np.full(49, -1), mask.ravel()])[None], np.array([0, 1])]


CASES = [
    *[OpCase("iou_similarity", [TRUTH, ANCHORS], box_normalized=kind, ref=iou_ref, grad=False, noncontiguous=False, rejects_text=False,
             errors=[bad(ValueError, f(2, 3), f(2, 4), box_normalized=kind, match="x must be")]) for kind in (True, False)],
    OpCase("bipartite_match", [const([[0.9, 0.2, 0.6], [0.8, 0.7, 0.0], [0.1, 0.3, 0.4]]), LOD], match_type="per_prediction",
           dist_threshold=0.35, **FIXED,
           ref=lambda d, lod, **_: [np.array([[0, 1, 0], [-1, -1, 0]]), np.array([[0.9, 0.7, 0.6], [0, 0, 0.4]])],
           errors=[bad(ValueError, f(3, 2), LOD, match_type="nearest", match="match_type")]),
    OpCase("target_assign", [f(3, 2, 2), const([[1, -1], [-1, 0]], "int32"), const([[0]], "int32"), LOD, [const([0, 0, 1], "int64")]],
           mismatch_value=7, **FIXED, dtypes=("float32",), ref=lambda x, *_, **__: [np.array([[x[1, 0], [7, 7]], [[7, 7], x[2, 1]]]),
                                                             np.array([[[1], [0]], [[1], [1]]])],
           errors=[bad(ValueError, f(3, 2, 2), const([[2, -1], [-1, 0]], "int32"), None, LOD, match="beyond the end")]),
    OpCase("mine_hard_examples", [const([[0.1, 0.9, 0.5, 0.7]]), None, const([[0, -1, -1, -1]], "int32"),
                                  const([[0.9, 0.8, 0.1, 0.2]])], neg_pos_ratio=1.0, **FIXED,
           ref=lambda *_, **__: [np.array([[3]]), np.array([[0, -1, -1, -1]]), np.array([0, 1])]),
    OpCase("anchor_generator", [f(1, 2, 2, 3)], anchor_sizes=[16.0, 32.0], aspect_ratios=[1.0], stride=[16.0, 16.0], grad=False,
           ref=anchor_ref, noncontiguous=False, rejects_text=False,
           errors=[bad(ValueError, f(2, 3), anchor_sizes=[1.0], aspect_ratios=[1.0], match="input must be")]),
    OpCase("density_prior_box", [f(1, 2, 1, 1), f(1, 3, 8, 8)], densities=[2], fixed_sizes=[4.0], fixed_ratios=[1.0], grad=False,
           noncontiguous=False, rejects_text=False, flatten_to_2d=True,
           ref=lambda *_, **__: [np.array([[x, y, x + 4, y + 4] for y in (0, 4) for x in (0, 4)]) / 8,
                                 np.broadcast_to([0.1, 0.1, 0.2, 0.2], (4, 4))]),
    OpCase("rpn_target_assign", [ANCHORS, const([[0.0, 0.0, 9.0, 9.0]]), const([[0]], "int32"), PICTURE, ONE, ONE],
           rpn_batch_size_per_im=4, rpn_fg_fraction=0.5, use_random=False, **FIXED,
           ref=lambda *_, **__: [np.array([0]), np.array([0, 2]), np.zeros((1, 4)), np.array([[1], [0]]), np.ones((1, 4)),
                                 np.array([0, 1]), np.array([0, 2])],
           errors=[bad(ValueError, ANCHORS, TRUTH, const([[0]], "int32"), PICTURE, LOD, ONE, match="as many pictures")]),
    OpCase("rpn_target_assign", [FAR, const([[0.0, 0.0, 9.0, 9.0]]), const([[0]], "int32"),
                                 PICTURE, ONE, ONE], rpn_batch_size_per_im=4, **FIXED,
           check=lambda out, *_: len(set(out[1].tolist())) == 4 and out[3].ravel().tolist() == [1, 0, 0, 0]),
    OpCase("generate_proposal_labels", [FAR, const([[2]], "int32"), const([[0]], "int32"),
                                        const([[0.0, 0.0, 9.0, 9.0]]), PICTURE, None, [const([0, 10], "int64")], ONE, ONE, ONE],
           batch_size_per_im=3, fg_fraction=0.4, class_nums=3, **FIXED,
           check=lambda out, *_: sorted(out[1].ravel().tolist()) == [0, 0, 2] and out[0].shape[0] == 3),
    OpCase("retinanet_target_assign", [ANCHORS, const([[0.0, 0.0, 9.0, 9.0]]), const([[5]], "int32"), const([[0]], "int32"), PICTURE, ONE,
                                       ONE], **FIXED,
           ref=lambda a, *_, **__: [np.array([0, 1]), np.array([0, 1, 2, 3]), np.array([[0, 0, 0, 0], [0, -0.25, 0, np.log(0.5)]]),
                                    np.array([[5], [5], [0], [0]]), np.ones((2, 4)), np.array([[3]]), np.array([0, 2]),
                                    np.array([0, 4]), np.array([0, 1])]),
    OpCase("generate_proposal_labels", [ANCHORS, const([[2]], "int32"), const([[0]], "int32"), const([[0.0, 0.0, 9.0, 9.0]]), PICTURE,
                                        None, [const([0, 4], "int64")], ONE, ONE, ONE], batch_size_per_im=3, fg_fraction=0.4,
           fg_thresh=0.9, bg_thresh_hi=0.4, class_nums=3, use_random=False, **FIXED,
           ref=lambda a, *_, **__: [a[[0, 2, 3]], np.array([[2], [0], [0]]), np.zeros((3, 12)),
                                    *[np.repeat([[0, 0, 1], [0] * 3, [0] * 3], 4, 1)] * 2, np.array([1, 0, 1 / 3]), np.array([0, 3])],
           errors=[bad(ValueError, ANCHORS, const([[2]], "int32"), const([[0]], "int32"), TRUTH, PICTURE, None,
                       [const([0, 4], "int64")], ONE, ONE, LOD, match="as many pictures")]),
    OpCase("generate_mask_labels", [PICTURE, const([[1]], "int32"), const([[0]], "int32"), SQUARE, const([[0.0, 0.0, 4.0, 4.0],
                                    [0.0, 0.0, 14.0, 14.0]]), const([[0], [1]], "int32"), ONE, ONE,
                                    [*ONE, *ONE, const([0, 4], "int64")], [const([0, 2], "int64")]], num_classes=2, resolution=7,
           **FIXED, ref=mask_ref,
           errors=[bad(ValueError, PICTURE, const([[1]], "int32"), const([[0]], "int32"), SQUARE, TRUTH, const([[0]], "int32"), ONE, ONE,
                       ONE, ONE, match="3 levels")]),
    OpCase("packed_focal_loss", [f(4, 3), const([[1], [0], [-1], [3]], "int32"), const([2], "int32")], gamma=2.0, alpha=0.25,
           ref=focal_ref, rejects_text=False, unknown=False,
           errors=[bad(ValueError, f(4, 3), const([1, 0, 2, 3], "int32"), const([2], "int32"), match="label", named=False)]),
    OpCase("prroi_pool", [f(1, 2, 5, 6), const([[0.3, 0.4, 3.6, 3.1], [1.2, 0.1, 4.4, 2.7]]), const([2], "int64")], pooled_height=2,
           pooled_width=2, tol=1e-4, **QUIET, check=lambda out, *arrays: np.allclose(out, hat_ref(*arrays, 2, 2), atol=1e-4),
           errors=[bad(ValueError, f(1, 2, 5, 6), f(2, 4), const([3], "int64"), match="batch_roi_nums")]),
    OpCase("deformable_psroi_pooling", [f(1, 4, 5, 6), const([[0.0, 0.0, 3.0, 3.0]]), f(1, 2, 2, 2, low=0.1, high=0.4), ONE],
           output_dim=1, group_size=(2, 2), pooled_height=2, pooled_width=2, part_size=(2, 2), sample_per_part=2, tol=1e-4, grad=[0, 2],
           **QUIET, check=lambda out, *_: [tuple(o.shape) for o in out] == [(1, 1, 2, 2)] * 2,
           errors=[bad(ValueError, f(1, 3, 5, 6), TRUTH, f(1, 2, 2, 2), [const([0, 3], "int64")], group_size=(2, 2), match="channels", named=False)]),
    OpCase("roi_perspective_transform", [f(1, 2, 5, 6), QUAD, ONE], transformed_height=4, transformed_width=4, grad=[0], **QUIET, tol=1e-4,
           check=lambda out, x, *_: np.allclose(out[0], x[:, :, :4, :4], atol=1e-4) and out[1].all(),
           errors=[bad(ValueError, f(1, 2, 5, 6), f(1, 4), ONE, match="rois must be")]),
    OpCase("detection_map", [const([[1.0, 0.9, 0.1, 0.1, 0.5, 0.5], [1.0, 0.8, 0.6, 0.6, 0.9, 0.9], [1.0, 0.7, 0.1, 0.5, 0.4, 0.9]]),
                             const([[1.0, 0.1, 0.1, 0.5, 0.5], [1.0, 0.1, 0.5, 0.4, 0.9], [2.0, 0.0, 0.0, 0.1, 0.1]]), None, None, None,
                             None, [const([0, 3], "int64")], [const([0, 3], "int64")]], class_num=3, **FIXED,
           ref=lambda *_, **__: [np.array([[0], [2], [1]]), np.array([[0.9, 1], [0.8, 0], [0.7, 1]]),
                                 np.array([[0.9, 0], [0.8, 1], [0.7, 0]]), np.array([(0.5 + 0.5 * 2 / 3) / 2]), np.array([0, 0, 3, 3]),
                                 np.array([0, 0, 3, 3])],
           errors=[bad(ValueError, f(2, 5), f(2, 5), None, None, None, None, ONE, ONE, match="detect_res")]),
]
