"""Operators of detection models: regions of features, deformable convolution, blocks; boxes are in ``detection``."""

import contextlib
import io

import numpy as np

from .. import nn
from ..core.addresses import lookup as _lookup
from ..core.errors import own_errors
from ..core.op import Symbolic
from ..core.tensor import wrap
from ..nn.functional.conv import sizes
from ..ops.detection import regions
from ..ops.math import arithmetic
from ..tensor.convert import as_tensor
from ..utils import naming
from .detection import box_coder, distribute_fpn_proposals, generate_proposals, matrix_nms, nms, prior_box, yolo_box, yolo_loss
from .image import pillow

__all__ = ["yolo_loss", "yolo_box", "prior_box", "box_coder", "deform_conv2d", "DeformConv2D", "distribute_fpn_proposals",
           "generate_proposals", "read_file", "decode_jpeg", "roi_pool", "RoIPool", "psroi_pool", "PSRoIPool", "roi_align",
           "RoIAlign", "nms", "matrix_nms"]


def _region(function, x, boxes, boxes_num, output_size):
    return (as_tensor(x, function), as_tensor(boxes, function, "boxes"), as_tensor(boxes_num, function, "boxes_num"),
            *sizes(output_size, 2, function, "output_size"))


@own_errors
def roi_align(x, boxes, boxes_num, output_size, spatial_scale=1.0, sampling_ratio=-1, aligned=True, name=None):
    """Features of boxes [x1, y1, x2, y2]: each a grid of ``output_size`` cells, the means of bilinear samples.

    Args:
        boxes_num: how many of the boxes belong to each image of x [N, C, H, W].
        sampling_ratio: samples per cell and axis; as many as cells of x for -1.
        aligned: shift by half a cell, so that centres agree.

    >>> x, box = paddle.ones([1, 3, 8, 8]), paddle.to_tensor([[1., 1., 5., 5.]])
    >>> paddle.vision.ops.roi_align(x, box, paddle.to_tensor([1], dtype="int32"), 2).shape
    [1, 3, 2, 2]
    """
    out = regions.roi_align(*_region("roi_align", x, boxes, boxes_num, output_size), float(spatial_scale), int(sampling_ratio),
                            bool(aligned))
    return naming.named(out, name)


def roi_pool(x, boxes, boxes_num, output_size, spatial_scale=1.0, name=None):
    """Features of boxes [x1, y1, x2, y2]: each a grid of ``output_size`` cells, their maxima.

    >>> x, box = paddle.ones([1, 3, 8, 8]), paddle.to_tensor([[1., 1., 5., 5.]])
    >>> paddle.vision.ops.roi_pool(x, box, paddle.to_tensor([1], dtype="int32"), 2).shape
    [1, 3, 2, 2]
    """
    return naming.named(regions.roi_pool(*_region("roi_pool", x, boxes, boxes_num, output_size), float(spatial_scale))[0], name)


def psroi_pool(x, boxes, boxes_num, output_size, spatial_scale=1.0, name=None):
    """Features of boxes where every cell of the grid has channels of its own: means.

    >>> x, box = paddle.ones([1, 8, 8, 8]), paddle.to_tensor([[1., 1., 5., 5.]])
    >>> paddle.vision.ops.psroi_pool(x, box, paddle.to_tensor([1], dtype="int32"), 2).shape
    [1, 2, 2, 2]
    """
    x, boxes, counts, height, width = _region("psroi_pool", x, boxes, boxes_num, output_size)
    if height < 1 or width < 1:
        raise ValueError(f"psroi_pool(): output_size must be positive, got {output_size!r}")
    if x.shape[1] % (height * width):
        raise ValueError(f"psroi_pool(): the channels of x {list(x.shape)} must be a multiple of {height} * {width}")
    out = regions.psroi_pool(x, boxes, counts, height, width, x.shape[1] // (height * width), float(spatial_scale))
    return naming.named(out, name)


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

    >>> paddle.vision.ops.RoIAlign(2)
    RoIAlign(output_size=2, spatial_scale=1.0)
    """

    function = "roi_align"

    def forward(self, x, boxes, boxes_num, aligned=True):
        return roi_align(x, boxes, boxes_num, self._output_size, self._spatial_scale, aligned=aligned)


class RoIPool(_Region):
    """roi_pool as a layer.

    >>> paddle.vision.ops.RoIPool(2)
    RoIPool(output_size=2, spatial_scale=1.0)
    """

    function = "roi_pool"


class PSRoIPool(_Region):
    """psroi_pool as a layer.

    >>> paddle.vision.ops.PSRoIPool(2)
    PSRoIPool(output_size=2, spatial_scale=1.0)
    """

    function = "psroi_pool"


@own_errors
def deform_conv2d(x, offset, weight, bias=None, stride=1, padding=0, dilation=1, deformable_groups=1, groups=1, mask=None,
                  name=None):
    """2-d convolution whose kernel cells are shifted by ``offset`` and, with ``mask``, weighed.

    >>> x, weight, offset = paddle.ones([1, 2, 5, 5]), paddle.ones([3, 2, 3, 3]), paddle.zeros([1, 18, 3, 3])
    >>> paddle.vision.ops.deform_conv2d(x, offset, weight).shape
    [1, 3, 3, 3]
    """
    who = "deform_conv2d"
    with naming.layer("deformable_conv", name) if isinstance(x, Symbolic) else contextlib.nullcontext():
        out = regions.deformable_conv(as_tensor(x, who), as_tensor(offset, who, "offset"), as_tensor(weight, who, "weight"),
                                      None if mask is None else as_tensor(mask, who, "mask"), sizes(stride, 2, who, "stride"),
                                      sizes(padding, 2, who, "padding"), sizes(dilation, 2, who, "dilation"), deformable_groups,
                                      groups)
        return out if bias is None else arithmetic.add(out, as_tensor(bias, who, "bias"), 1)


class DeformConv2D(nn.Layer):
    """deform_conv2d with weights of its own.

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


class ConvNormActivation(nn.Sequential):
    """A convolution, a norm and an activation in a row.

    Args:
        padding: None keeps the size of the image (for odd kernels and a stride of 1).
        norm_layer, activation_layer: called with the channels, and with nothing; None leaves the layer out.
        bias: whether the convolution has one; None: when there is no norm.

    >>> paddle.vision.ops.ConvNormActivation(3, 8)(paddle.ones([1, 3, 5, 5])).shape
    [1, 8, 5, 5]
    """

    def __init__(self, in_channels, out_channels, kernel_size=3, stride=1, padding=None, groups=1, norm_layer=nn.BatchNorm2D,
                 activation_layer=nn.ReLU, dilation=1, bias=None):
        if padding is None:
            padding = (kernel_size - 1) // 2 * dilation
        keep_bias = norm_layer is None if bias is None else bias
        layers = [nn.Conv2D(in_channels, out_channels, kernel_size, stride, padding, dilation, groups,
                            bias_attr=None if keep_bias else False)]
        layers += [norm_layer(out_channels)] if norm_layer is not None else []
        super().__init__(*layers, *([activation_layer()] if activation_layer is not None else []))


def read_file(filename, name=None):
    """The bytes of a file as a uint8 tensor.

    >>> paddle.vision.ops.read_file(__import__("os").devnull).shape
    [0]
    """
    with open(filename, "rb") as f:
        return naming.named(wrap(np.frombuffer(f.read(), np.uint8).copy()), name)


def decode_jpeg(x, mode="unchanged", name=None):
    """The image [C, H, W] in the bytes of a JPEG file (needs the package Pillow); mode 'unchanged', 'gray' or 'rgb'.

    >>> paddle.vision.ops.decode_jpeg.__name__
    'decode_jpeg'
    """
    modes = {"unchanged": None, "gray": "L", "rgb": "RGB"}
    if mode not in modes:
        raise ValueError(f"decode_jpeg(): mode must be one of {list(modes)}, got {mode!r}")
    try:
        picture = pillow().open(io.BytesIO(x.numpy().tobytes()), formats=("JPEG",))
        array = np.asarray(picture.convert(modes[mode]) if modes[mode] else picture)
    except OSError as error:
        raise ValueError(f"decode_jpeg(): x is not a whole JPEG file: {error}") from error
    return naming.named(wrap(np.ascontiguousarray(array[None] if array.ndim == 2 else array.transpose(2, 0, 1))), name)


__getattr__ = _lookup(__name__)
