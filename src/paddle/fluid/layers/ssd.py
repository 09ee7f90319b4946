"""fluid.layers: single shot detection: heads over several feature maps, matching with the truth, the loss, detections, their
precision."""

from ...ops.detection import anchors as anchor_ops
from ...ops.detection import average_precision, matching, suppression
from ...ops.detection.regions import box_coder as code_boxes
from ...static.program import lod
from ...tensor import functions as tensor
from ..state import fluid_call
from . import detection, nn
from .loss import smooth_l1

__all__ = ["density_prior_box", "multi_box_head", "bipartite_match", "target_assign", "ssd_loss", "detection_output",
           "detection_map"]


def _listed(values, count, argument):
    if not isinstance(values, (list, tuple)) or len(values) != count:
        raise ValueError(f"multi_box_head(): {argument} must be a list of {count} values, one for each input, got {values!r}")
    return values


@fluid_call
def density_prior_box(input, image, densities=None, fixed_sizes=None, fixed_ratios=None, variance=(0.1, 0.1, 0.2, 0.2), clip=False,
                      steps=(0.0, 0.0), offset=0.5, flatten_to_2d=False, name=None):
    """Boxes of fixed sizes, each several times per cell, and their variances (1.x; successor: paddle.vision.ops.prior_box)."""
    return anchor_ops.density_prior_box(
        input, image, [int(v) for v in densities], [float(v) for v in fixed_sizes], [float(v) for v in fixed_ratios],
        [float(v) for v in variance], bool(clip), float(steps[0]), float(steps[1]), float(offset), bool(flatten_to_2d))


def _sizes(base_size, min_ratio, max_ratio, count):
    """Least and largest sizes of boxes for each input, evenly from ``min_ratio`` to ``max_ratio`` percent of the picture."""
    step = (max_ratio - min_ratio) // (count - 2)
    ratios = range(min_ratio, max_ratio + 1, step)
    return ([base_size * 0.1, *(base_size * r / 100.0 for r in ratios)],
            [base_size * 0.2, *(base_size * (r + step) / 100.0 for r in ratios)])


def _some(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


@fluid_call
def multi_box_head(inputs, image, base_size, num_classes, aspect_ratios, min_ratio=None, max_ratio=None, min_sizes=None,
                   max_sizes=None,
                   steps=None, step_w=None, step_h=None, offset=0.5, variance=(0.1, 0.1, 0.2, 0.2), flip=True, clip=False,
                   kernel_size=1, pad=0, stride=1, name=None, min_max_aspect_ratios_order=False):
    """(places, scores, boxes, variances) of convolutions over several feature maps, [N, boxes, 4], [N, boxes, classes] and [boxes,
    4]
    twice (1.x; successor: compose it from paddle.nn.Conv2D and paddle.vision.ops.prior_box)."""
    if not isinstance(inputs, (list, tuple)):
        raise ValueError(f"multi_box_head(): inputs must be a list or tuple, got {type(inputs).__name__}")
    count = len(inputs)
    if min_sizes is None and max_sizes is None and count > 2:
        min_sizes, max_sizes = _sizes(base_size, min_ratio, max_ratio, count)
    _listed(min_sizes, count, "min_sizes")
    _listed(max_sizes, count, "max_sizes")
    for values, argument in ((aspect_ratios, "aspect_ratios"), (step_h, "step_h"), (step_w, "step_w"), (steps, "steps")):
        if values:
            _listed(values, count, argument)
    step_w, step_h = (steps, steps) if steps is not None else (step_w, step_h)
    places, scores, boxes, variances = [], [], [], []
    for k, x in enumerate(inputs):
        step = [step_w[k] if step_w else 0.0, step_h[k] if step_h else 0.0]
        box, spread = detection.prior_box(x, image, _some(min_sizes[k]), _some(max_sizes[k]),
                                          _some(aspect_ratios[k]) if aspect_ratios else [],
                                          variance, flip, clip, step, offset, None, min_max_aspect_ratios_order)
        boxes.append(box.reshape([-1, 4]) if count > 1 else box)
        variances.append(spread.reshape([-1, 4]) if count > 1 else spread)
        for found, width in ((places, 4), (scores, num_classes)):
            answer = nn.conv2d(x, box.shape[2] * width, kernel_size, padding=pad, stride=stride)
            found.append(nn.flatten(answer.transpose([0, 2, 3, 1]), axis=1))
    if count == 1:
        return places[0], scores[0], boxes[0], variances[0]
    return (tensor.concat(places, 1).reshape([0, -1, 4]), tensor.concat(scores, 1).reshape([0, -1, num_classes]),
            tensor.concat(boxes),
            tensor.concat(variances))


@fluid_call
def bipartite_match(dist_matrix, match_type=None, dist_threshold=None, name=None):
    """For each column the row it is matched with, one to one from the nearest on, and how near it is (1.x; successor: none)."""
    return matching.bipartite_match(dist_matrix, match_type="bipartite" if match_type is None else match_type,
                                    dist_threshold=0.5 if dist_threshold is None else float(dist_threshold))


@fluid_call
def target_assign(input, matched_indices, negative_indices=None, mismatch_value=None, name=None):
    """(targets, weights) of places that matches name (1.x; successor: paddle.gather)."""
    return matching.target_assign(input, matched_indices, negative_indices, mismatch_value=int(mismatch_value or 0))


@fluid_call
def ssd_loss(location, confidence, gt_box, gt_label, prior_box, prior_box_var=None, background_label=0, overlap_threshold=0.5,
             neg_pos_ratio=3.0, neg_overlap=0.5, loc_loss_weight=1.0, conf_loss_weight=1.0, match_type="per_prediction",
             mining_type="max_negative", normalize=True, sample_size=None):
    """The loss of each picture [N, 1]: classes and places of matched boxes, and classes of the hardest unmatched ones
    (1.x; successor: none)."""
    if mining_type != "max_negative":
        raise ValueError(f"ssd_loss(): mining_type must be 'max_negative', got {mining_type!r}")
    if len(confidence.shape) != 3 or len(location.shape) != 3:
        raise ValueError(f"ssd_loss(): location must be [N, boxes, 4] and confidence [N, boxes, classes], got "
                         f"{list(location.shape)} and {list(confidence.shape)}")
    boxes, classes = confidence.shape[1:]
    matches, distance = matching.bipartite_match(matching.iou_similarity(gt_box, prior_box), match_type=match_type,
                                                 dist_threshold=float(overlap_threshold))
    labels = lod.give(gt_label.reshape([-1, 1, 1]), lod.need(gt_label, "ssd_loss", "gt_label"))
    logits = confidence.reshape([-1, classes])

    def class_loss(targets):
        return nn.softmax_with_cross_entropy(logits, targets.reshape([-1, 1]).astype("int64"))
    wanted, _ = matching.target_assign(labels, matches, mismatch_value=int(background_label))
    first = class_loss(wanted).detach().reshape([-1, boxes])
    negatives, matches, *_ = matching.mine_hard_examples(first, None, matches, distance, neg_pos_ratio=float(neg_pos_ratio),
                                                         neg_dist_threshold=float(neg_overlap), mining_type=mining_type,
                                                         sample_size=int(sample_size or 0))
    variance = prior_box_var if hasattr(prior_box_var, "shape") else None
    coded = code_boxes(prior_box, variance, gt_box, "encode_center_size", True, 0,
                       [] if variance is not None or prior_box_var is None else [float(v) for v in prior_box_var])
    places, place_weight = matching.target_assign(coded, matches, mismatch_value=int(background_label))
    wanted, class_weight = matching.target_assign(labels, matches, negatives, mismatch_value=int(background_label))
    loss = class_loss(wanted) * class_weight.reshape([-1, 1]) * conf_loss_weight
    loss = loss + smooth_l1(location.reshape([-1, 4]), places.reshape([-1, 4])) * place_weight.reshape([-1, 1]) * loc_loss_weight
    loss = tensor.sum(loss.reshape([-1, boxes]), 1, keepdim=True)
    return loss / tensor.sum(place_weight) if normalize else loss


@fluid_call
def detection_output(loc, scores, prior_box, prior_box_var, background_label=0, nms_threshold=0.3, nms_top_k=400, keep_top_k=200,
                     score_threshold=0.01, nms_eta=1.0, return_index=False):
    """Packed rows [class, score, box] of the decoded boxes that no better one of their class overlaps (1.x; successor:
    paddle.vision.ops.nms)."""
    boxes = detection.box_coder(prior_box, prior_box_var, loc, "decode_center_size")
    chances = nn.softmax(scores).transpose([0, 2, 1])
    settings = {"score_threshold": float(score_threshold), "nms_top_k": int(nms_top_k), "keep_top_k": int(keep_top_k),
                "nms_threshold": float(nms_threshold), "nms_eta": float(nms_eta), "background_label": int(background_label)}
    if return_index:
        out, index, *_ = suppression.multiclass_nms2(boxes, chances, **settings)
        return out, index
    return suppression.packed_multiclass_nms(boxes, chances, **settings)[0]


@fluid_call
def detection_map(detect_res, label, class_num, background_label=0, overlap_threshold=0.3, evaluate_difficult=True, has_state=None,
                  input_states=None, out_states=None, ap_version="integral"):
    """Mean average precision of packed detections; states go in and out, so that batches add up (1.x; successor: none)."""
    found = average_precision.detection_map(
        detect_res, label, has_state, *(input_states or (None,) * 3), overlap_threshold=float(overlap_threshold),
        evaluate_difficult=bool(evaluate_difficult), ap_type=ap_version, class_num=int(class_num),
        background_label=int(background_label))
    for new, state in zip(found[:3], out_states or ()):
        tensor.assign(new, state)
    return found[3]
