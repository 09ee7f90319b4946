"""Boxes of detection models: coded, proposed, suppressed, dealt out, and read off or held against a YOLO head."""

from ..core.errors import ArgumentError, own_errors
from ..ops.detection import anchors as anchors_ops
from ..ops.detection import proposals, regions
from ..ops.detection import yolo_loss as yolo_loss_ops
from ..tensor.convert import as_tensor, is_tensor_like
from ..tensor.joining import concat
from ..utils import naming

__all__ = ["box_coder", "distribute_fpn_proposals", "generate_proposals", "matrix_nms", "nms", "prior_box", "yolo_box",
           "yolo_loss"]


@own_errors
def nms(boxes, iou_threshold=0.3, scores=None, category_idxs=None, categories=None, top_k=None):
    """Indices of boxes that overlap no better one by more than ``iou_threshold``, best first.

    Args:
        scores: how good each box is; the given order for None.
        category_idxs, categories: boxes of different categories do not suppress each other.
        top_k: return at most so many.

    >>> boxes = paddle.to_tensor([[0., 0., 2., 2.], [0., 0., 2., 1.9], [3., 3., 4., 4.]])
    >>> paddle.vision.ops.nms(boxes, 0.5, paddle.to_tensor([0.5, 0.9, 0.1])).tolist()
    [1, 2]
    """
    boxes = as_tensor(boxes, "nms", "boxes")
    if scores is None:
        return regions.nms(boxes, float(iou_threshold))
    scores = as_tensor(scores, "nms", "scores")
    if category_idxs is None:
        order = scores.argsort(descending=True)
        kept = order.index_select(regions.nms(boxes.index_select(order), float(iou_threshold)))
        return kept if top_k is None else kept[:top_k]
    if categories is None:
        raise ValueError("nms(): category_idxs needs categories")
    if top_k is not None and top_k > scores.shape[0]:
        raise ValueError(f"nms(): top_k {top_k} exceeds the number of boxes {scores.shape[0]}")
    order = scores.argsort(descending=True)
    ranked, groups = boxes.index_select(order), as_tensor(category_idxs, "nms", "category_idxs").index_select(order)
    kept = []
    for category in categories:
        mine = (groups == int(category)).nonzero().flatten()
        kept.append(mine.index_select(regions.nms(ranked.index_select(mine), float(iou_threshold))))
    best = order.index_select(concat(kept).sort())
    return best if top_k is None else best[:top_k]


@own_errors
def box_coder(prior_box, prior_box_var, target_box, code_type="encode_center_size", box_normalized=True, axis=0, name=None):
    """Boxes as offsets from prior boxes ('encode_center_size'), or boxes from offsets ('decode_center_size').

    >>> box = paddle.to_tensor([[0., 0., 2., 2.]])
    >>> paddle.vision.ops.box_coder(box, [1., 1., 1., 1.], box).tolist()
    [[[0.0, 0.0, 0.0, 0.0]]]
    """
    prior, target = as_tensor(prior_box, "box_coder", "prior_box"), as_tensor(target_box, "box_coder", "target_box")
    variance = prior_box_var if is_tensor_like(prior_box_var) else None
    listed = [float(v) for v in prior_box_var] if isinstance(prior_box_var, (list, tuple)) else []
    return naming.named(regions.box_coder(prior, variance, target, code_type, bool(box_normalized), int(axis), listed), name)


@own_errors
def prior_box(input, image, min_sizes, max_sizes=None, aspect_ratios=(1.0,), variance=(0.1, 0.1, 0.2, 0.2), flip=False,
              clip=False, steps=(0.0, 0.0), offset=0.5, min_max_aspect_ratios_order=False, name=None):
    """(boxes, variances) of SSD: boxes of several sizes and shapes around every cell, [H, W, boxes, 4] each.

    >>> boxes, variances = paddle.vision.ops.prior_box(paddle.ones([1, 2, 3, 3]), paddle.ones([1, 3, 9, 9]), [4.0])
    >>> boxes.shape
    [3, 3, 1, 4]
    """
    def numbers(values):
        return [float(v) for v in (values if isinstance(values, (list, tuple)) else [values])]
    out = anchors_ops.prior_box(as_tensor(input, "prior_box", "input"), as_tensor(image, "prior_box", "image"), numbers(min_sizes),
                                numbers(max_sizes) if max_sizes else [], numbers(aspect_ratios), numbers(variance), bool(flip),
                                bool(clip), float(steps[0]), float(steps[1]), float(offset), bool(min_max_aspect_ratios_order))
    return naming.named(out, name)


@own_errors
def yolo_box(x, img_size, anchors, class_num, conf_thresh, downsample_ratio, clip_bbox=True, name=None, scale_x_y=1.0,
             iou_aware=False, iou_aware_factor=0.5):
    """(boxes [N, boxes, 4], scores [N, boxes, classes]) that the output x of a YOLOv3 head means.

    >>> size = paddle.to_tensor([[64, 64]], dtype="int32")
    >>> boxes, scores = paddle.vision.ops.yolo_box(paddle.ones([1, 14, 2, 2]), size, [10, 13, 16, 30], 2, 0.01, 32)
    >>> boxes.shape, scores.shape
    ([1, 8, 4], [1, 8, 2])
    """
    out = anchors_ops.yolo_box(as_tensor(x, "yolo_box"), as_tensor(img_size, "yolo_box", "img_size"), [int(a) for a in anchors],
                               int(class_num), float(conf_thresh), int(downsample_ratio), bool(clip_bbox), float(scale_x_y),
                               bool(iou_aware), float(iou_aware_factor))
    return naming.named(out, name)


@own_errors
def yolo_loss(x, gt_box, gt_label, anchors, anchor_mask, class_num, ignore_thresh, downsample_ratio, gt_score=None,
              use_label_smooth=True, name=None, scale_x_y=1.0):
    """The loss [N] of a YOLOv3 head: place and size of boxes, confidence, and class.

    Args:
        x: what the head says, [N, anchors in use * (5 + class_num), H, H].
        gt_box: given boxes [N, B, 4] as centre and size in parts of the image; those without a size are left out.
        gt_label: their classes [N, B].
        anchors: widths and heights of all anchors, in pixels, one after the other.
        anchor_mask: which of the anchors this head has.
        ignore_thresh: the confidence of cells whose box overlaps a given one by more than this is left out.
        downsample_ratio: pixels per cell.
        gt_score: how much each given box counts, [N, B].
        use_label_smooth: aim at a little less than 1 for the right class, and a little more than 0 for others.
        scale_x_y: how far centres may leave their cell.

    >>> box, label = paddle.to_tensor([[[0.5, 0.5, 0.2, 0.3]]]), paddle.to_tensor([[1]], dtype="int32")
    >>> paddle.vision.ops.yolo_loss(paddle.zeros([1, 14, 2, 2]), box, label, [10, 13, 16, 30], [0, 1], 2, 0.7, 32).shape
    [1]
    """
    who = "yolo_loss"
    out = yolo_loss_ops.yolo_loss(as_tensor(x, who), as_tensor(gt_box, who, "gt_box"), as_tensor(gt_label, who, "gt_label"),
                                  None if gt_score is None else as_tensor(gt_score, who, "gt_score"), [int(a) for a in anchors],
                                  [int(a) for a in anchor_mask], int(class_num), float(ignore_thresh), int(downsample_ratio),
                                  bool(use_label_smooth), float(scale_x_y))[0]
    return naming.named(out, name)


@own_errors
def generate_proposals(scores, bbox_deltas, img_size, anchors, variances, pre_nms_top_n=6000, post_nms_top_n=1000,
                       nms_thresh=0.5, min_size=0.1, eta=1.0, pixel_offset=False, return_rois_num=False, name=None):
    """(boxes [K, 4], scores [K, 1], boxes per image [N] or None): the best boxes of a region proposal network.

    Args:
        scores: how good each anchor is, [N, A, H, W].
        bbox_deltas: how anchors are moved and stretched, [N, 4 A, H, W].
        img_size: heights and widths of the images, [N, 2].
        anchors: [H, W, A, 4] as [x1, y1, x2, y2].
        variances: factors of the deltas, [H, W, A, 4].
        pre_nms_top_n, post_nms_top_n: how many an image may have before and after suppression.
        nms_thresh: boxes that overlap a better one by more are dropped.
        min_size: smaller boxes are dropped (below 1 it counts as 1).
        eta: below 1, the threshold shrinks by it with each box kept.
        pixel_offset: boxes include their last pixel.
        return_rois_num: whether the third result is wanted.

    >>> anchors = paddle.to_tensor([0., 0., 4., 4.]).reshape([1, 1, 1, 4])
    >>> boxes, scores, number = paddle.vision.ops.generate_proposals(paddle.ones([1, 1, 1, 1]), paddle.zeros([1, 4, 1, 1]),
    ...     paddle.to_tensor([[8., 8.]]), anchors, paddle.ones([1, 1, 1, 4]), return_rois_num=True)
    >>> boxes.tolist(), number.tolist()
    ([[0.0, 0.0, 4.0, 4.0]], [1])
    """
    who = "generate_proposals"
    boxes, found, number = proposals.generate_proposals(
        as_tensor(scores, who, "scores"), as_tensor(bbox_deltas, who, "bbox_deltas"), as_tensor(img_size, who, "img_size"),
        as_tensor(anchors, who, "anchors"), as_tensor(variances, who, "variances"), int(pre_nms_top_n), int(post_nms_top_n),
        float(nms_thresh), float(min_size), float(eta), bool(pixel_offset))
    return naming.named((boxes, found, number if return_rois_num else None), name)


@own_errors
def distribute_fpn_proposals(fpn_rois, min_level, max_level, refer_level, refer_scale, pixel_offset=False, rois_num=None,
                             name=None):
    """Deals boxes out to the levels of a feature pyramid by their size.

    Args:
        fpn_rois: boxes [R, 4].
        refer_level, refer_scale: the level of boxes with sides of that many pixels; each level doubles it.
        rois_num: how many of the boxes belong to each image.

    Returns:
        (boxes of each level, places [R, 1] that bring them back into the given order, boxes per image on each level or
        None without ``rois_num``).

    >>> boxes = paddle.to_tensor([[0., 0., 200., 300.], [0., 0., 20., 30.]])
    >>> levels, order, _ = paddle.vision.ops.distribute_fpn_proposals(boxes, 2, 5, 4, 224)
    >>> [level.shape[0] for level in levels], order.tolist()
    ([1, 0, 1, 0], [[1], [0]])
    """
    who = "distribute_fpn_proposals"
    if not 0 < min_level < max_level <= min_level + 98:
        raise ArgumentError(f"{who}(): min_level and max_level must be positive, in order and at most 98 apart, got {min_level} "
                            f"and {max_level}")
    boxes = as_tensor(fpn_rois, who, "fpn_rois")
    counts = None if rois_num is None else as_tensor(rois_num, who, "rois_num")
    found = proposals.distribute_fpn_proposals(boxes, counts, int(min_level), int(max_level), int(refer_level), int(refer_scale),
                                               bool(pixel_offset))
    levels = len(found) // 2
    return naming.named((list(found[:levels]), found[levels], None if rois_num is None else list(found[levels + 1:])), name)


@own_errors
def matrix_nms(bboxes, scores, score_threshold, post_threshold, nms_top_k, keep_top_k, use_gaussian=False,
               gaussian_sigma=2.0, background_label=0, normalized=True, return_index=False, return_rois_num=True, name=None):
    """Weighs boxes down by how much they overlap better ones of their class, and keeps those that stay up.

    Args:
        bboxes: [N, M, 4] as [x1, y1, x2, y2].
        scores: [N, classes, M].
        score_threshold, post_threshold: the least score before and after.
        nms_top_k, keep_top_k: the most boxes of a class before, and of an image after; -1 for all.
        use_gaussian, gaussian_sigma: decay by a Gaussian rather than linearly.
        background_label: a class to leave out; -1 for none.
        normalized: False when boxes include their last pixel.

    Returns:
        (rows [class, score, x1, y1, x2, y2], rows per image or None, places [K, 1] among all boxes or None).

    >>> boxes, scores = paddle.to_tensor([[[0., 0., 2., 2.], [0., 0., 2., 1.]]]), paddle.to_tensor([[[0.9, 0.8]]])
    >>> rows, number, _ = paddle.vision.ops.matrix_nms(boxes, scores, 0.1, 0.0, -1, -1, background_label=-1)
    >>> rows.tolist()[1][1], number.tolist()
    (0.4000000059604645, [2])
    """
    out, index, number = proposals.matrix_nms(
        as_tensor(bboxes, "matrix_nms", "bboxes"), as_tensor(scores, "matrix_nms", "scores"), float(score_threshold),
        int(nms_top_k), int(keep_top_k), float(post_threshold), bool(use_gaussian), float(gaussian_sigma),
        int(background_label), bool(normalized))
    return naming.named((out, number if return_rois_num else None, index if return_index else None), name)
