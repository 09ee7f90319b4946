"""fluid.layers: object detection, as far as paddle.vision.ops has it."""

import numpy as np

from ...core.addresses import lookup as _lookup
from ...nn import initializer as inits
from ...ops.detection import matching, warped
from ...static.program import lod
from ...tensor import functions as tensor
from ...utils import naming
from ...vision import ops
from ..state import fluid_call
from .nn import helper_parameter

__all__ = ["prior_box", "box_coder", "yolo_box", "yolov3_loss", "iou_similarity", "deformable_conv", "roi_align", "roi_pool",
           "psroi_pool", "prroi_pool", "deformable_roi_pooling", "roi_perspective_transform"]


@fluid_call
def prior_box(input, image, min_sizes, max_sizes=None, aspect_ratios=(1.0,), variance=(0.1, 0.1, 0.2, 0.2), flip=False, clip=False,
              steps=(0.0, 0.0), offset=0.5, name=None, min_max_aspect_ratios_order=False):
    """Boxes to start from at every cell, and their variances (1.x; successor: paddle.vision.ops.prior_box)."""
    return ops.prior_box(input, image, min_sizes, max_sizes, aspect_ratios, variance, flip, clip, steps, offset,
                         min_max_aspect_ratios_order)


@fluid_call
def box_coder(prior_box, prior_box_var, target_box, code_type="encode_center_size", box_normalized=True, name=None, axis=0):
    """Boxes as differences from others, or back (1.x; successor: paddle.vision.ops.box_coder)."""
    return ops.box_coder(prior_box, prior_box_var, target_box, code_type, box_normalized, axis)


@fluid_call
def yolo_box(x, img_size, anchors, class_num, conf_thresh, downsample_ratio, clip_bbox=True, name=None, scale_x_y=1.0):
    """Boxes and scores from the output of a YOLOv3 network (1.x; successor: paddle.vision.ops.yolo_box)."""
    return ops.yolo_box(x, img_size, anchors, class_num, conf_thresh, downsample_ratio, clip_bbox, scale_x_y=scale_x_y)


@fluid_call
def yolov3_loss(x, gt_box, gt_label, anchors, anchor_mask, class_num, ignore_thresh, downsample_ratio, gt_score=None,
                use_label_smooth=True, name=None, scale_x_y=1.0):
    """YOLOv3's loss of each picture (1.x; successor: paddle.vision.ops.yolo_loss)."""
    return ops.yolo_loss(x, gt_box, gt_label, anchors, anchor_mask, class_num, ignore_thresh, downsample_ratio, gt_score,
                         use_label_smooth, scale_x_y=scale_x_y)


@fluid_call
def iou_similarity(x, y, box_normalized=True, name=None):
    """Intersection over union of each box of x with each of y, [N, M] (1.x; successor: compose it)."""
    return matching.iou_similarity(x, y, bool(box_normalized))


@fluid_call
def deformable_conv(input, offset, mask, num_filters, filter_size, stride=1, padding=0, dilation=1, groups=None,
                    deformable_groups=None, im2col_step=None, param_attr=None, bias_attr=None, modulated=True, name=None):
    """Convolution whose cells are read at learned places, with weights of its own (1.x; successor:
    paddle.vision.ops.deform_conv2d)."""
    if modulated != (mask is not None):
        raise ValueError("deformable_conv(): a mask is needed with modulated=True, and only then")
    size = list(filter_size) if isinstance(filter_size, (list, tuple)) else [filter_size] * 2
    with naming.owner("deformable_conv", name) as kind:
        channels, groups = input.shape[1], groups or 1
        spread = inits.Normal(0.0, (2.0 / (int(np.prod(size)) * channels)) ** 0.5)
        weight = helper_parameter(kind, param_attr, [num_filters, channels // groups, *size], input.dtype, default=spread)
        bias = helper_parameter(kind, bias_attr, [num_filters], input.dtype, is_bias=True)
        return ops.deform_conv2d(input, offset, weight, bias, stride, padding, dilation, deformable_groups or 1, groups, mask)


def _counts(rois, rois_num, function, rois_lod=None):
    """How many regions each picture has: given, or from offsets, or the lengths of packed regions."""
    if rois_num is not None:
        return rois_num
    ends = lod.need(rois, function, "rois")[-1] if rois_lod is None else rois_lod.reshape([-1])
    return tensor.cast(ends[1:] - ends[:-1], "int32")


@fluid_call
def roi_align(input, rois, pooled_height=1, pooled_width=1, spatial_scale=1.0, sampling_ratio=-1, name=None, rois_num=None,
              rois_lod=None):
    """Regions read between cells and brought to one size (1.x; successor: paddle.vision.ops.roi_align)."""
    return ops.roi_align(input, rois, _counts(rois, rois_num, "roi_align", rois_lod), (pooled_height, pooled_width), spatial_scale,
                         sampling_ratio, aligned=False)


@fluid_call
def roi_pool(input, rois, pooled_height=1, pooled_width=1, spatial_scale=1.0, rois_num=None, name=None, rois_lod=None):
    """The largest cells of regions brought to one size (1.x; successor: paddle.vision.ops.roi_pool)."""
    return ops.roi_pool(input, rois, _counts(rois, rois_num, "roi_pool", rois_lod), (pooled_height, pooled_width), spatial_scale)


@fluid_call
def psroi_pool(input, rois, output_channels, spatial_scale, pooled_height, pooled_width, name=None, rois_num=None):
    """Means of regions' parts, each part of channels of its own (1.x; successor: paddle.vision.ops.psroi_pool)."""
    if input.shape[1] != output_channels * pooled_height * pooled_width:
        raise ValueError(f"psroi_pool(): input must have output_channels * pooled_height * pooled_width = "
                         f"{output_channels * pooled_height * pooled_width} channels, got {input.shape[1]}")
    return ops.psroi_pool(input, rois, _counts(rois, rois_num, "psroi_pool"), (pooled_height, pooled_width), spatial_scale)


@fluid_call
def prroi_pool(input, rois, spatial_scale=1.0, pooled_height=1, pooled_width=1, batch_roi_nums=None, name=None):
    """Exact means over the parts of regions, between cells (1.x; successor: paddle.vision.ops.roi_align)."""
    return warped.prroi_pool(input, rois, batch_roi_nums, pooled_height=int(pooled_height), pooled_width=int(pooled_width),
                             spatial_scale=float(spatial_scale))


@fluid_call
def deformable_roi_pooling(input, rois, trans, no_trans=False, spatial_scale=1.0, group_size=(1, 1), pooled_height=1,
                           pooled_width=1,
                           part_size=None, sample_per_part=1, trans_std=0.1, position_sensitive=False, name=None):
    """Means of regions' parts, which are shifted by learned offsets (1.x; successor: none)."""
    outputs = input.shape[1] // (pooled_height * pooled_width) if position_sensitive else input.shape[1]
    group, part = ([size] * 2 if isinstance(size, int) else list(size) for size in (group_size, part_size or (pooled_height,
                                                                                                              pooled_width)))
    return warped.deformable_psroi_pooling(
        input, rois, trans, no_trans=bool(no_trans), spatial_scale=float(spatial_scale), output_dim=outputs, group_size=group,
        pooled_height=int(pooled_height), pooled_width=int(pooled_width), part_size=part, sample_per_part=int(sample_per_part),
        trans_std=float(trans_std))[1]


@fluid_call
def roi_perspective_transform(input, rois, transformed_height, transformed_width, spatial_scale=1.0, name=None):
    """Quadrangles seen straight on, which of their cells lie inside, and the matrices of the maps (1.x; successor: none)."""
    return tuple(warped.roi_perspective_transform(input, rois, transformed_height=int(transformed_height),
                                                  transformed_width=int(transformed_width), spatial_scale=float(spatial_scale)))


__getattr__ = _lookup(__name__)
