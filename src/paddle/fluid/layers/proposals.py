"""fluid.layers: object detection in two steps, and RetinaNet: anchors, proposals, what they are trained with, and suppression."""

from ...core.context import context
from ...core.op import Symbolic
from ...core.rules import V2_0
from ...ops.detection import anchors as anchor_ops
from ...ops.detection import boxes as box_ops
from ...ops.detection import polygons, sampling, suppression
from ...ops.detection import proposals as proposal_ops
from ...static.program import lod
from ...tensor import functions as tensor
from ...utils import naming
from ...vision import ops
from ..state import fluid_call

__all__ = ["anchor_generator", "rpn_target_assign", "retinanet_target_assign", "sigmoid_focal_loss", "generate_proposals",
           "generate_proposal_labels", "generate_mask_labels", "distribute_fpn_proposals", "collect_fpn_proposals", "box_clip",
           "box_decoder_and_assign", "multiclass_nms", "locality_aware_nms", "matrix_nms", "retinanet_detection_output",
           "polygon_box_transform"]


def _floats(values):
    return [float(v) for v in (values if isinstance(values, (list, tuple)) else [values])]


@fluid_call
def anchor_generator(input, anchor_sizes=None, aspect_ratios=None, variance=(0.1, 0.1, 0.2, 0.2), stride=None, offset=0.5,
                     name=None):
    """Boxes in pixels around every cell, and their variances, [H, W, boxes, 4] twice (1.x; successor: none)."""
    if not isinstance(stride, (list, tuple)) or len(stride) != 2:
        raise ValueError(f"anchor_generator(): stride must be (width, height), got {stride!r}")
    return anchor_ops.anchor_generator(input, _floats(anchor_sizes), _floats(aspect_ratios), _floats(variance), _floats(stride),
                                       float(offset))


def _picked(predictions, width, index):
    """Rows of width ``width`` of what a network answered, at places that are constants."""
    return tensor.gather(predictions.reshape([-1, width]), index)


@fluid_call
def rpn_target_assign(bbox_pred, cls_logits, anchor_box, anchor_var, gt_boxes, is_crowd, im_info, rpn_batch_size_per_im=256,
                      rpn_straddle_thresh=0.0, rpn_fg_fraction=0.5, rpn_positive_overlap=0.7, rpn_negative_overlap=0.3,
                      use_random=True):
    """(scores, boxes) predicted for sampled anchors, then their labels, box targets and weights (1.x; successor: none)."""
    located, scored, targets, labels, weights, *_ = sampling.rpn_target_assign(
        anchor_box, gt_boxes, is_crowd, im_info, rpn_batch_size_per_im=int(rpn_batch_size_per_im),
        rpn_straddle_thresh=float(rpn_straddle_thresh), rpn_positive_overlap=float(rpn_positive_overlap),
        rpn_negative_overlap=float(rpn_negative_overlap), rpn_fg_fraction=float(rpn_fg_fraction), use_random=bool(use_random))
    return _picked(cls_logits, 1, scored), _picked(bbox_pred, 4, located), labels, targets, weights


@fluid_call
def retinanet_target_assign(bbox_pred, cls_logits, anchor_box, anchor_var, gt_boxes, gt_labels, is_crowd, im_info, num_classes=1,
                            positive_overlap=0.5, negative_overlap=0.4):
    """(scores, boxes) predicted for anchors, their labels, box targets, weights, and foreground numbers (1.x; successor: none)."""
    located, scored, targets, labels, weights, count, *_ = sampling.retinanet_target_assign(
        anchor_box, gt_boxes, gt_labels, is_crowd, im_info, positive_overlap=float(positive_overlap),
        negative_overlap=float(negative_overlap))
    return _picked(cls_logits, num_classes, scored), _picked(bbox_pred, 4, located), labels, targets, weights, count


@fluid_call
def sigmoid_focal_loss(x, label, fg_num, gamma=2.0, alpha=0.25):
    """Focal loss of logits [rows, classes] against labels from 1 on, 0 background (1.x; successor:
    paddle.nn.functional.sigmoid_focal_loss)."""
    return box_ops.packed_focal_loss(x, label, fg_num, float(gamma), float(alpha))


@fluid_call
def generate_proposals(scores, bbox_deltas, im_info, anchors, variances, pre_nms_top_n=6000, post_nms_top_n=1000, nms_thresh=0.5,
                       min_size=0.1, eta=1.0, name=None, return_rois_num=False):
    """Packed (boxes, scores) of a region proposal network, with ``return_rois_num`` also where each picture's end (from 2.0 on: how
    many each has) (1.x; successor: paddle.vision.ops.generate_proposals)."""
    boxes, found, counts, *_ = box_ops.packed_proposals(scores, bbox_deltas, im_info, anchors, variances, int(pre_nms_top_n),
                                                        int(post_nms_top_n), float(nms_thresh), float(min_size), float(eta))
    if not return_rois_num:
        return boxes, found
    return boxes, found, tensor.cumsum(counts.astype("int64"), 0) if context.rules.number < V2_0.number else counts


@fluid_call
def generate_proposal_labels(rpn_rois, gt_classes, is_crowd, gt_boxes, im_info, batch_size_per_im=256, fg_fraction=0.25,
                             fg_thresh=0.25,
                             bg_thresh_hi=0.5, bg_thresh_lo=0.0, bbox_reg_weights=(0.1, 0.1, 0.2, 0.2), class_nums=None,
                             use_random=True, is_cls_agnostic=False, is_cascade_rcnn=False, max_overlap=None,
                             return_max_overlap=False):
    """Proposals sampled for training: boxes, classes, box targets and two weights of these (1.x; successor: none)."""
    rois, labels, targets, inside, outside, best, *_ = sampling.generate_proposal_labels(
        rpn_rois, gt_classes, is_crowd, gt_boxes, im_info, max_overlap, batch_size_per_im=int(batch_size_per_im),
        fg_fraction=float(fg_fraction), fg_thresh=float(fg_thresh), bg_thresh_hi=float(bg_thresh_hi),
        bg_thresh_lo=float(bg_thresh_lo),
        bbox_reg_weights=_floats(bbox_reg_weights), class_nums=int(class_nums), use_random=bool(use_random),
        is_cascade_rcnn=bool(is_cascade_rcnn), is_cls_agnostic=bool(is_cls_agnostic))
    return (rois, labels, targets, inside, outside, *([best] if return_max_overlap else []))


@fluid_call
def generate_mask_labels(im_info, gt_classes, is_crowd, gt_segms, rois, labels_int32, num_classes, resolution):
    """(boxes, their places among the proposals, masks) of foreground proposals (1.x; successor: none)."""
    return tuple(polygons.generate_mask_labels(im_info, gt_classes, is_crowd, gt_segms, rois, labels_int32,
                                               num_classes=int(num_classes),
                                               resolution=int(resolution))[:3])


@fluid_call
def distribute_fpn_proposals(fpn_rois, min_level, max_level, refer_level, refer_scale, rois_num=None, name=None):
    """(boxes of each level of a pyramid, places that bring them back into order), with ``rois_num`` also each level's counts
    (1.x; successor: paddle.vision.ops.distribute_fpn_proposals)."""
    ends = None if rois_num is not None else lod.need(fpn_rois, "distribute_fpn_proposals", "fpn_rois")[-1]
    counts = rois_num if ends is None else (ends[1:] - ends[:-1]).astype("int32")
    boxes, order, numbers = ops.distribute_fpn_proposals(fpn_rois, min_level, max_level, refer_level, refer_scale, True, counts)
    if rois_num is not None:
        return boxes, order, numbers
    for level, found in zip(boxes, numbers):
        lod.give(level, [tensor.concat([tensor.zeros([1], "int64"), tensor.cumsum(found.astype("int64"), 0)])])
    return boxes, order


@fluid_call
def collect_fpn_proposals(multi_rois, multi_scores, min_level, max_level, post_nms_top_n, rois_num_per_level=None, name=None):
    """The best boxes of all levels, packed (1.x; successor: compose it)."""
    if rois_num_per_level is not None:
        raise NotImplementedError("collect_fpn_proposals(): rois_num_per_level is not supported: give packed boxes")
    count = max_level - min_level + 1
    return box_ops.collect_fpn_proposals(list(multi_rois[:count]), list(multi_scores[:count]),
                                         post_nms_top_n=int(post_nms_top_n))[0]


@fluid_call
def box_clip(input, im_info, name=None):
    """Packed boxes cut at the borders of their pictures (1.x; successor: paddle.clip)."""
    return box_ops.box_clip(input, im_info)


@fluid_call
def box_decoder_and_assign(prior_box, prior_box_var, target_box, box_score, box_clip, name=None):
    """(boxes decoded for every class, those of the best classes) (1.x; successor: paddle.vision.ops.box_coder)."""
    return box_ops.box_decoder_and_assign(prior_box, prior_box_var, target_box, box_score, float(box_clip))


@fluid_call
def polygon_box_transform(input, name=None):
    """Distances from cells of 4 pixels as places (1.x; successor: none)."""
    return box_ops.polygon_box_transform(input)


@fluid_call
def multiclass_nms(bboxes, scores, score_threshold, nms_top_k, keep_top_k, nms_threshold=0.3, normalized=True, nms_eta=1.0,
                   background_label=0, name=None):
    """Packed rows [class, score, box...] that no better box of their class overlaps (1.x; successor: paddle.vision.ops.nms)."""
    return naming.named(suppression.packed_multiclass_nms(
                      bboxes, scores, score_threshold=float(score_threshold), nms_top_k=int(nms_top_k), keep_top_k=int(keep_top_k),
                      nms_threshold=float(nms_threshold), normalized=bool(normalized), nms_eta=float(nms_eta),
                      background_label=int(background_label))[0], name)


@fluid_call
def locality_aware_nms(bboxes, scores, score_threshold, nms_top_k, keep_top_k, nms_threshold=0.3, normalized=True, nms_eta=1.0,
                       background_label=-1, name=None):
    """As multiclass_nms for one class, after overlapping neighbours were merged (1.x; successor: paddle.vision.ops.nms)."""
    return suppression.locality_aware_nms(bboxes, scores, float(score_threshold), int(nms_top_k), int(keep_top_k),
                                          float(nms_threshold),
                                          bool(normalized), float(nms_eta), int(background_label))[0]


@fluid_call
def matrix_nms(bboxes, scores, score_threshold, post_threshold, nms_top_k, keep_top_k, use_gaussian=False, gaussian_sigma=2.0,
               background_label=0, normalized=True, return_index=False, name=None):
    """Packed rows [class, score, box] whose score, decayed by overlaps, stays up; with their places (1.x; successor:
    paddle.vision.ops.matrix_nms)."""
    out, index, counts = proposal_ops.matrix_nms(
        bboxes, scores, float(score_threshold), int(nms_top_k), int(keep_top_k), float(post_threshold), bool(use_gaussian),
        float(gaussian_sigma), int(background_label), bool(normalized))
    if isinstance(out, Symbolic):
        ends = [tensor.concat([tensor.zeros([1], "int64"), tensor.cumsum(counts.astype("int64"), 0)])]
        out, index = lod.give(out, ends), lod.give(index, ends)
    return (out, index) if return_index else out


@fluid_call
def retinanet_detection_output(bboxes, scores, anchors, im_info, score_threshold=0.05, nms_top_k=1000, keep_top_k=100,
                               nms_threshold=0.3, nms_eta=1.0):
    """Packed rows [class, score, box] from the answers of all levels (1.x; successor: none)."""
    return suppression.retinanet_detection_output(list(bboxes), list(scores), list(anchors), im_info, float(score_threshold),
                                                  int(nms_top_k), float(nms_threshold), float(nms_eta), int(keep_top_k))[0]
