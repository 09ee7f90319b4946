"""Operators of detection models: regions of features, deformable convolution, boxes."""

import numpy as np

from .. import nn
from ..core.tensor import Tensor, wrap
from ..nn.functional.conv import sizes
from ..ops import anchors as A
from ..ops import boxes as B
from ..ops import math as M
from ..tensor.convert import as_tensor

__all__ = ["box_coder", "deform_conv2d", "DeformConv2D", "read_file", "decode_jpeg", "roi_pool", "RoIPool", "psroi_pool",
           "PSRoIPool", "roi_align", "RoIAlign", "nms", "prior_box", "yolo_box"]


def _region(function, x, boxes, boxes_num, output_size):
    return (as_tensor(x, function), as_tensor(boxes, function, "boxes"), as_tensor(boxes_num, function, "boxes_num"),
            *sizes(output_size, 2, function, "output_size"))


def roi_align(x, boxes, boxes_num, output_size, spatial_scale=1.0, sampling_ratio=-1, aligned=True, name=None):
    """Features of boxes [x1, y1, x2, y2]: each a grid of ``output_size`` cells, the means of bilinear samples.

    Args:
        boxes_num: how many of the boxes belong to each picture of x [N, C, H, W].
        sampling_ratio: samples per cell and axis; as many as cells of x for -1.
        aligned: shift by half a cell, so that centres agree.

    >>> import paddle
    >>> x, box = paddle.ones([1, 3, 8, 8]), paddle.to_tensor([[1., 1., 5., 5.]])
    >>> paddle.vision.ops.roi_align(x, box, paddle.to_tensor([1], dtype="int32"), 2).shape
    [1, 3, 2, 2]
    """
    return B.roi_align(*_region("roi_align", x, boxes, boxes_num, output_size), float(spatial_scale), int(sampling_ratio),
                       bool(aligned))


def roi_pool(x, boxes, boxes_num, output_size, spatial_scale=1.0, name=None):
    """Features of boxes [x1, y1, x2, y2]: each a grid of ``output_size`` cells, their maxima.

    >>> import paddle
    >>> x, box = paddle.ones([1, 3, 8, 8]), paddle.to_tensor([[1., 1., 5., 5.]])
    >>> paddle.vision.ops.roi_pool(x, box, paddle.to_tensor([1], dtype="int32"), 2).shape
    [1, 3, 2, 2]
    """
    return B.roi_pool(*_region("roi_pool", x, boxes, boxes_num, output_size), float(spatial_scale))[0]


def psroi_pool(x, boxes, boxes_num, output_size, spatial_scale=1.0, name=None):
    """Features of boxes where every cell of the grid has channels of its own: means.

    >>> import paddle
    >>> x, box = paddle.ones([1, 8, 8, 8]), paddle.to_tensor([[1., 1., 5., 5.]])
    >>> paddle.vision.ops.psroi_pool(x, box, paddle.to_tensor([1], dtype="int32"), 2).shape
    [1, 2, 2, 2]
    """
    x, boxes, counts, height, width = _region("psroi_pool", x, boxes, boxes_num, output_size)
    if x.shape[1] % (height * width):
        raise ValueError(f"psroi_pool(): the channels of x {list(x.shape)} must be a multiple of {height} * {width}")
    return B.psroi_pool(x, boxes, counts, height, width, x.shape[1] // (height * width), float(spatial_scale))


class _Region(nn.Layer):
    function = None

    def __init__(self, output_size, spatial_scale=1.0):
        super().__init__()
        self._output_size, self._spatial_scale = output_size, spatial_scale

    def forward(self, x, boxes, boxes_num):
        return globals()[self.function](x, boxes, boxes_num, self._output_size, self._spatial_scale)

    def extra_repr(self):
        return f"output_size={self._output_size}, spatial_scale={self._spatial_scale}"


class RoIAlign(_Region):
    """roi_align as a layer.

    >>> import paddle
    >>> paddle.vision.ops.RoIAlign(2)
    RoIAlign(output_size=2, spatial_scale=1.0)
    """

    function = "roi_align"

    def forward(self, x, boxes, boxes_num, aligned=True):
        return roi_align(x, boxes, boxes_num, self._output_size, self._spatial_scale, aligned=aligned)


class RoIPool(_Region):
    """roi_pool as a layer.

    >>> import paddle
    >>> paddle.vision.ops.RoIPool(2)
    RoIPool(output_size=2, spatial_scale=1.0)
    """

    function = "roi_pool"


class PSRoIPool(_Region):
    """psroi_pool as a layer.

    >>> import paddle
    >>> paddle.vision.ops.PSRoIPool(2)
    PSRoIPool(output_size=2, spatial_scale=1.0)
    """

    function = "psroi_pool"


def deform_conv2d(x, offset, weight, bias=None, stride=1, padding=0, dilation=1, deformable_groups=1, groups=1, mask=None,
                  name=None):
    """2-d convolution whose kernel cells are shifted by ``offset`` and, with ``mask``, weighed.

    >>> import paddle
    >>> x, weight, offset = paddle.ones([1, 2, 5, 5]), paddle.ones([3, 2, 3, 3]), paddle.zeros([1, 18, 3, 3])
    >>> paddle.vision.ops.deform_conv2d(x, offset, weight).shape
    [1, 3, 3, 3]
    """
    who = "deform_conv2d"
    out = B.deformable_conv(as_tensor(x, who), as_tensor(offset, who, "offset"), as_tensor(weight, who, "weight"),
                            None if mask is None else as_tensor(mask, who, "mask"), sizes(stride, 2, who, "stride"),
                            sizes(padding, 2, who, "padding"), sizes(dilation, 2, who, "dilation"), deformable_groups, groups)
    return out if bias is None else M.add(out, as_tensor(bias, who, "bias").reshape([1, -1, 1, 1]))


class DeformConv2D(nn.Layer):
    """deform_conv2d with weights of its own.

    >>> import paddle
    >>> layer = paddle.vision.ops.DeformConv2D(2, 3, 3)
    >>> layer(paddle.ones([1, 2, 5, 5]), paddle.zeros([1, 18, 3, 3])).shape
    [1, 3, 3, 3]
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, deformable_groups=1, groups=1,
                 weight_attr=None, bias_attr=None):
        super().__init__()
        kernel = sizes(kernel_size, 2, "DeformConv2D", "kernel_size")
        if in_channels % groups:
            raise ValueError(f"DeformConv2D(): groups {groups} must divide in_channels {in_channels}")
        self._stride, self._padding, self._dilation = stride, padding, dilation
        self._deformable_groups, self._groups = deformable_groups, groups
        spread = (2.0 / (kernel[0] * kernel[1] * in_channels)) ** 0.5
        self.weight = self.create_parameter([out_channels, in_channels // groups, *kernel], weight_attr,
                                            default_initializer=nn.initializer.Normal(0.0, spread))
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x, offset, mask=None):
        return deform_conv2d(x, offset, self.weight, self.bias, self._stride, self._padding, self._dilation,
                             self._deformable_groups, self._groups, mask)


def nms(boxes, iou_threshold=0.3, scores=None, category_idxs=None, categories=None, top_k=None):
    """Indices of boxes that overlap no better one by more than ``iou_threshold``, best first.

    Args:
        scores: how good each box is; the given order for None.
        category_idxs, categories: boxes of different categories do not suppress each other.
        top_k: return at most so many.

    >>> import paddle
    >>> boxes = paddle.to_tensor([[0., 0., 2., 2.], [0., 0., 2., 1.9], [3., 3., 4., 4.]])
    >>> paddle.vision.ops.nms(boxes, 0.5, paddle.to_tensor([0.5, 0.9, 0.1])).tolist()
    [1, 2]
    """
    boxes = as_tensor(boxes, "nms", "boxes")
    if scores is None:
        return B.nms(boxes, float(iou_threshold))
    scores = as_tensor(scores, "nms", "scores")
    if category_idxs is None:
        order = scores.argsort(descending=True)
        kept = order.index_select(B.nms(boxes.index_select(order), float(iou_threshold)))
        return kept if top_k is None else kept[:top_k]
    if categories is None:
        raise ValueError("nms(): category_idxs needs categories")
    if top_k is not None and top_k > scores.shape[0]:
        raise ValueError(f"nms(): top_k {top_k} exceeds the number of boxes {scores.shape[0]}")
    groups, values = np.asarray(category_idxs.numpy()), scores.numpy()
    found = []
    for category in categories:
        mine = np.flatnonzero(groups == category)
        order = mine[np.argsort(-values[mine], kind="stable")]
        if order.size:
            found.append(order[np.asarray(B.nms(boxes.numpy()[order], float(iou_threshold)))])
    kept = np.concatenate(found) if found else np.zeros(0, np.int64)
    kept = kept[np.argsort(-values[kept], kind="stable")]
    return wrap(kept[:top_k].astype(np.int64))


def box_coder(prior_box, prior_box_var, target_box, code_type="encode_center_size", box_normalized=True, axis=0, name=None):
    """Boxes as offsets from prior boxes ('encode_center_size'), or boxes from offsets ('decode_center_size').

    >>> import paddle
    >>> box = paddle.to_tensor([[0., 0., 2., 2.]])
    >>> paddle.vision.ops.box_coder(box, [1., 1., 1., 1.], box).tolist()
    [[[0.0, 0.0, 0.0, 0.0]]]
    """
    prior, target = as_tensor(prior_box, "box_coder", "prior_box"), as_tensor(target_box, "box_coder", "target_box")
    variance = prior_box_var if isinstance(prior_box_var, Tensor) else None
    listed = [float(v) for v in prior_box_var] if isinstance(prior_box_var, (list, tuple)) else []
    return B.box_coder(prior, variance, target, code_type, bool(box_normalized), int(axis), listed)


def prior_box(input, image, min_sizes, max_sizes=None, aspect_ratios=(1.0,), variance=(0.1, 0.1, 0.2, 0.2), flip=False,
              clip=False, steps=(0.0, 0.0), offset=0.5, min_max_aspect_ratios_order=False, name=None):
    """(boxes, variances) of SSD: boxes of several sizes and shapes around every cell, [H, W, boxes, 4] each.

    >>> import paddle
    >>> boxes, variances = paddle.vision.ops.prior_box(paddle.ones([1, 2, 3, 3]), paddle.ones([1, 3, 9, 9]), [4.0])
    >>> boxes.shape
    [3, 3, 1, 4]
    """
    def numbers(values):
        return [float(v) for v in (values if isinstance(values, (list, tuple)) else [values])]
    return A.prior_box(as_tensor(input, "prior_box", "input"), as_tensor(image, "prior_box", "image"), numbers(min_sizes),
                       numbers(max_sizes) if max_sizes else [], numbers(aspect_ratios), numbers(variance), bool(flip),
                       bool(clip), float(steps[0]), float(steps[1]), float(offset), bool(min_max_aspect_ratios_order))


def yolo_box(x, img_size, anchors, class_num, conf_thresh, downsample_ratio, clip_bbox=True, name=None, scale_x_y=1.0,
             iou_aware=False, iou_aware_factor=0.5):
    """(boxes [N, boxes, 4], scores [N, boxes, classes]) that the output x of a YOLOv3 head means.

    >>> import paddle
    >>> size = paddle.to_tensor([[64, 64]], dtype="int32")
    >>> boxes, scores = paddle.vision.ops.yolo_box(paddle.ones([1, 14, 2, 2]), size, [10, 13, 16, 30], 2, 0.01, 32)
    >>> boxes.shape, scores.shape
    ([1, 8, 4], [1, 8, 2])
    """
    return A.yolo_box(as_tensor(x, "yolo_box"), as_tensor(img_size, "yolo_box", "img_size"), [int(a) for a in anchors],
                      int(class_num), float(conf_thresh), int(downsample_ratio), bool(clip_bbox), float(scale_x_y),
                      bool(iou_aware), float(iou_aware_factor))


def read_file(filename, name=None):
    """The bytes of a file as a uint8 tensor.

    >>> import paddle
    >>> paddle.vision.ops.read_file(__import__("os").devnull).shape
    [0]
    """
    with open(filename, "rb") as f:
        return wrap(np.frombuffer(f.read(), np.uint8).copy())


def decode_jpeg(x, mode="unchanged", name=None):
    """The picture [C, H, W] in the bytes of a JPEG file (needs the package Pillow); mode 'unchanged', 'gray' or 'rgb'.

    >>> import paddle
    >>> paddle.vision.ops.decode_jpeg.__name__
    'decode_jpeg'
    """
    import io
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("decode_jpeg(): the package Pillow is not installed: pip install pillow") from None
    modes = {"unchanged": None, "gray": "L", "rgb": "RGB"}
    if mode not in modes:
        raise ValueError(f"decode_jpeg(): mode must be one of {list(modes)}, got {mode!r}")
    picture = Image.open(io.BytesIO(x.numpy().tobytes()))
    array = np.asarray(picture.convert(modes[mode]) if modes[mode] else picture)
    return wrap(np.ascontiguousarray(array[None] if array.ndim == 2 else array.transpose(2, 0, 1)))
