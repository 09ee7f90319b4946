"""Calls of operators of detection, as raw operators of a program: what record_detection.py records, and what the tests of fluid
and of the C library run."""

import json
import pathlib

import numpy as np

R = np.random.RandomState(7)
LENGTHS = [[2, 3]]


def floats(values):
    return np.asarray(values, "float32")


def random_boxes(count, size=60.0, seed=0):
    r = np.random.RandomState(seed)
    low = r.rand(count, 2) * size
    return floats(np.concatenate([low, low + 4 + r.rand(count, 2) * size * 0.6], 1))


def quads(count, seed):
    r = np.random.RandomState(seed)
    corners = np.array([[0, 0], [8, 1], [9, 9], [-1, 7]])
    return floats((r.rand(count, 1, 2) * 20 + corners + r.rand(count, 4, 2) * 3).reshape(count, 8))


def ids(*values):
    return np.array(values, "int32")[:, None]


TRUTH, ANCHORS = random_boxes(5, seed=3), random_boxes(40, seed=4)
INFO = floats([[100, 110, 1.0], [90, 100, 2.0]])
CROWD, CLASSES = ids(0, 0, 1, 0, 0), ids(1, 2, 1, 3, 2)
POINTS = floats([[10, 10], [40, 12], [38, 44], [8, 40], [50, 50], [80, 52], [66, 85], [5, 5], [20, 5], [20, 20], [30, 30], [60, 33],
                 [50, 70], [10, 60], [44, 61], [30, 80], [70, 70], [90, 75], [85, 95]])
DISTANCE = floats(R.rand(5, 12))
MATCHES = np.array([[0, -1, -1, 1, -1, -1, -1, -1], [-1, 2, -1, -1, -1, -1, -1, 0]], "int32")
BOXES, SCORES = np.stack([random_boxes(20, 30.0, 31), random_boxes(20, 30.0, 32)]), floats(R.rand(2, 3, 20))
QUADS = np.stack([quads(20, 1), quads(20, 2)])
SUPPRESSION = {"background_label": 0, "score_threshold": 0.2, "nms_top_k": 15, "nms_threshold": 0.3, "nms_eta": 0.9,
               "keep_top_k": 9,
               "normalized": False}
PICTURES, REGIONS = floats(R.rand(2, 8, 7, 9)), (floats([[0, 0, 40, 30], [10, 5, 60, 50], [5, 20, 30, 28]]), [[1, 2]])
SORTED = np.sort(R.rand(19, 2, 2), 1).reshape(19, 4)
LABELS = floats(np.concatenate([R.randint(1, 4, (7, 1)), R.randint(0, 2, (7, 1)), SORTED[:7]], 1))
FOUND = floats(np.concatenate([R.randint(1, 4, (12, 1)), R.rand(12, 1), SORTED[7:]], 1))
FOUND[:5, 2:], FOUND[:5, 0] = LABELS[:5, 2:] + floats(R.rand(5, 4) * 0.05), LABELS[:5, 0]

MATCHED = ["ColToRowMatchIndices", "ColToRowMatchDist"]
ASSIGNED = ["LocationIndex", "ScoreIndex", "TargetBBox", "TargetLabel", "BBoxInsideWeight"]
TRUTH_INPUTS = {"GtBoxes": (TRUTH, LENGTHS), "IsCrowd": (CROWD, LENGTHS), "ImInfo": INFO}
SPREAD = [0.1, 0.1, 0.2, 0.2]

CASES = [  # (type, inputs {slot: array, (array, lengths) or a list of them}, output slots, attributes)
    *[("iou_similarity", {"X": (TRUTH, LENGTHS), "Y": ANCHORS}, ["Out"], {"box_normalized": kind}) for kind in (False, True)],
    ("bipartite_match", {"DistMat": (DISTANCE, LENGTHS)}, MATCHED, {"match_type": "bipartite", "dist_threshold": 0.5}),
    ("bipartite_match", {"DistMat": (DISTANCE, LENGTHS)}, MATCHED, {"match_type": "per_prediction", "dist_threshold": 0.4}),
    ("bipartite_match", {"DistMat": DISTANCE}, MATCHED, {"match_type": "per_prediction", "dist_threshold": 0.4}),
    *[("mine_hard_examples", {"ClsLoss": floats(R.rand(2, 8)), "LocLoss": floats(R.rand(2, 8)), "MatchIndices": MATCHES,
                              "MatchDist": floats(R.rand(2, 8) * 0.7)}, ["NegIndices", "UpdatedMatchIndices"],
       {"neg_pos_ratio": ratio, "neg_dist_threshold": ratio / 3, "sample_size": 4, "mining_type": kind})
      for kind, ratio in (("max_negative", 1.5), ("hard_example", 0.0))],
    ("anchor_generator", {"Input": floats(R.rand(1, 2, 2, 3))}, ["Anchors", "Variances"],
     {"anchor_sizes": [32.0, 64.0], "aspect_ratios": [0.5, 2.0], "variances": SPREAD, "stride": [16.0, 12.0], "offset": 0.5}),
    *[("density_prior_box", {"Input": floats(R.rand(1, 2, 2, 3)), "Image": floats(R.rand(1, 3, 31, 45))}, ["Boxes", "Variances"],
       {"densities": [2, 1], "fixed_sizes": [6.0, 12.0], "fixed_ratios": [1.0, 2.0], "variances": SPREAD, "clip": flat,
        "step_w": 0.0,
        "step_h": 0.0, "offset": 0.5, "flatten_to_2d": flat}) for flat in (False, True)],
    *[("rpn_target_assign", {"Anchor": ANCHORS, **TRUTH_INPUTS}, ASSIGNED,
       {"rpn_batch_size_per_im": most, "rpn_straddle_thresh": edge, "rpn_positive_overlap": 0.5, "rpn_negative_overlap": 0.3,
        "rpn_fg_fraction": 0.5, "use_random": False}) for edge, most in ((0.0, 8), (-1.0, 64))],
    ("retinanet_target_assign", {"Anchor": ANCHORS, "GtLabels": (CLASSES, LENGTHS), **TRUTH_INPUTS}, [*ASSIGNED,
                                                                                                      "ForegroundNumber"],
     {"positive_overlap": 0.5, "negative_overlap": 0.4}),
    ("generate_proposal_labels", {"RpnRois": (random_boxes(30, seed=12), [[14, 16]]), "GtClasses": (CLASSES, LENGTHS),
                                  **TRUTH_INPUTS},
     ["Rois", "LabelsInt32", "BboxTargets", "BboxInsideWeights", "BboxOutsideWeights", "MaxOverlapWithGT"],
     {"batch_size_per_im": 8, "fg_fraction": 0.25, "fg_thresh": 0.3, "bg_thresh_hi": 0.3, "bg_thresh_lo": 0.0,
      "bbox_reg_weights": SPREAD,
      "class_nums": 4, "use_random": False, "is_cascade_rcnn": False, "is_cls_agnostic": False}),
    ("generate_mask_labels", {"ImInfo": INFO, "GtClasses": (CLASSES, LENGTHS), "IsCrowd": (CROWD, LENGTHS),
                              "GtSegms": (POINTS, [[2, 3], [1, 2, 1, 1, 1], [4, 3, 3, 3, 3, 3]]),
                              "Rois": (random_boxes(8, seed=21), [[4, 4]]), "LabelsInt32": (ids(1, 0, 2, 3, 0, 1, 2, 0), [[4, 4]])},
     ["MaskRois", "RoiHasMaskInt32", "MaskInt32"], {"num_classes": 4, "resolution": 7}),
    ("generate_proposals", {"Scores": floats(R.rand(2, 3, 4, 5)), "BboxDeltas": floats(R.randn(2, 12, 4, 5) * 0.5), "ImInfo": INFO,
                            "Anchors": random_boxes(60, seed=9).reshape(4, 5, 3, 4), "Variances": floats(np.full((4, 5, 3, 4),
                                                                                                                 0.3))},
     ["RpnRois", "RpnRoiProbs"], {"pre_nms_topN": 100, "post_nms_topN": 10, "nms_thresh": 0.6, "min_size": 3.0, "eta": 0.9}),
    ("collect_fpn_proposals", {"MultiLevelRois": [(random_boxes(6, seed=1), [[2, 4]]), (random_boxes(5, seed=2), [[3, 2]])],
                               "MultiLevelScores": [(floats(R.rand(6, 1)), [[2, 4]]), (floats(R.rand(5, 1)), [[3, 2]])]},
     ["FpnRois"], {"post_nms_topN": 7}),
    ("box_clip", {"Input": (random_boxes(5, 150.0, 8), LENGTHS), "ImInfo": INFO}, ["Output"], {}),
    ("box_decoder_and_assign", {"PriorBox": TRUTH, "PriorBoxVar": floats(SPREAD), "TargetBox": floats(R.randn(5, 12)),
                                "BoxScore": floats(R.rand(5, 3))}, ["DecodeBox", "OutputAssignBox"], {"box_clip": 4.135}),
    ("polygon_box_transform", {"Input": floats(R.rand(2, 4, 2, 3))}, ["Output"], {}),
    ("multiclass_nms", {"BBoxes": BOXES, "Scores": SCORES}, ["Out"], SUPPRESSION),
    ("multiclass_nms", {"BBoxes": BOXES, "Scores": SCORES * floats(0.1)}, ["Out"], SUPPRESSION),
    ("multiclass_nms", {"BBoxes": QUADS, "Scores": SCORES}, ["Out"], SUPPRESSION),
    ("multiclass_nms2", {"BBoxes": BOXES, "Scores": SCORES}, ["Out", "Index"], SUPPRESSION),
    ("multiclass_nms2", {"BBoxes": (np.stack([random_boxes(20, 30.0, 40 + k) for k in range(3)], 1), [[8, 12]]),
                         "Scores": (floats(R.rand(20, 3)), [[8, 12]])}, ["Out", "Index"], SUPPRESSION),
    *[("locality_aware_nms", {"BBoxes": boxes, "Scores": SCORES[:, :1].copy()}, ["Out"], {**SUPPRESSION, "background_label": -1})
      for boxes in (QUADS, np.sort(BOXES, 1))],
    ("retinanet_detection_output", {"BBoxes": [floats(R.randn(2, 10, 4) * 0.2), floats(R.randn(2, 4, 4) * 0.2)],
                                    "Scores": [floats(R.rand(2, 10, 3)), floats(R.rand(2, 4, 3))],
                                    "Anchors": [random_boxes(10, 40.0, 5), random_boxes(4, 40.0, 6)], "ImInfo": INFO}, ["Out"],
     {"score_threshold": 0.3, "nms_top_k": 12, "nms_threshold": 0.3, "keep_top_k": 8, "nms_eta": 1.0}),
    *[("deformable_psroi_pooling", {"Input": PICTURES, "ROIs": REGIONS, "Trans": floats(R.randn(3, 4, 2, 2))}, ["Output",
                                                                                                                "TopCount"],
       {"no_trans": still, "spatial_scale": 0.125, "output_dim": 8 if still else 2, "group_size": [1, 1] if still else [2, 2],
        "pooled_height": 2, "pooled_width": 2, "part_size": [2, 2], "sample_per_part": 3, "trans_std": 0.1}) for still in (False,
                                                                                                                           True)],
    *[("detection_map", {"DetectRes": (FOUND, [[5, 7]]), "Label": (LABELS, [[4, 3]])},
       ["MAP", "AccumPosCount", "AccumTruePos", "AccumFalsePos"],
       {"overlap_threshold": 0.3, "evaluate_difficult": difficult, "ap_type": kind, "class_num": 4})
      for kind in ("integral", "11point") for difficult in (True, False)],
    *[("cvm", {"X": floats(R.rand(4, 5)), "CVM": floats(R.rand(4, 2))}, ["Y"], {"use_cvm": kind}) for kind in (True, False)],
    *[("hash", {"X": (R.randint(0, 1000, (4, width)).astype(kind), [[1, 3]])}, ["Out"], {"num_hash": 3, "mod_by": 10007})
      for width in (1, 3, 4, 9) for kind in ("int64", "int32")],
    *[("similarity_focus", {"X": floats(R.rand(2, 3, 4, 5))}, ["Out"], {"axis": axis, "indexes": [0, 2]}) for axis in (1, 2, 3)],
]


def recorded():
    """(case, what real Paddle 2.6.2 gave for it: type, and shape, dtype, lengths and values of each output) for each case."""
    return zip(CASES, json.loads((pathlib.Path(__file__).parent / "recorded" / "detection.json").read_text()))


def data(name, given):
    """(variable, what is fed to it) for an array or (array, lengths)."""
    from paddle import fluid

    array, lengths = given if isinstance(given, tuple) else (given, None)
    var = fluid.layers.data(name, list(array.shape), append_batch_size=False, dtype=str(array.dtype), lod_level=len(lengths or ()))
    return var, fluid.create_lod_tensor(array, lengths, fluid.CPUPlace()) if lengths else array


def built(case):
    """({variable: what is fed to it}, fetched variables) of a case's operator in the program that is being built."""
    from paddle.core.attributes import from_file
    from paddle.core.op import OPS

    kind, inputs, outputs, attrs = case
    op, feed, given = OPS[kind], {}, []
    for slot in op.inputs:
        found = inputs.get(slot.name)
        several = found if isinstance(found, list) else [] if found is None else [found]
        pairs = [data(f"{slot.name}_{k}", one) for k, one in enumerate(several)]
        feed.update(pairs)
        given.append([var for var, _ in pairs] if slot.is_list and pairs else pairs[0][0] if pairs else None)
    made = op(*given, *from_file(op, attrs))
    by_slot = dict(zip((slot.name for slot in op.outputs), made if isinstance(made, (list, tuple)) else [made]))
    return feed, [by_slot[name] for name in outputs]
