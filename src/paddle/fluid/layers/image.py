"""fluid.layers: pooling, resizing, padding, normalisation and other functions of images and volumes."""

import numpy as np

from ...core.op import Symbolic
from ...nn import functional as F
from ...nn import initializer as inits
from ...nn.functional import conv as convolutions
from ...nn.functional import vision
from ...ops.legacy import replaced
from ...ops.nn import pooling
from ...tensor import functions as tensor
from ...utils import naming
from ..state import fluid_call
from .common import activate
from .nn import helper_parameter

__all__ = ["conv3d", "conv3d_transpose", "pool3d", "adaptive_pool2d", "adaptive_pool3d", "group_norm", "instance_norm", "lrn",
           "image_resize", "interpolate", "resize_bilinear", "resize_linear", "resize_nearest", "resize_trilinear",
           "image_resize_short", "pad", "pad2d", "pad_constant_like", "crop", "crop_tensor", "space_to_depth", "shuffle_channel",
           "pixel_shuffle", "affine_channel", "grid_sampler", "affine_grid", "unfold", "temporal_shift"]


def _sizes(value, n):
    return list(value) if isinstance(value, (list, tuple)) else [value] * n


@fluid_call
def conv3d(input, num_filters, filter_size, stride=1, padding=0, dilation=1, groups=None, param_attr=None, bias_attr=None,
           use_cudnn=True, act=None, name=None, data_format="NCDHW"):
    """3-d convolution with weights of its own (1.x; successor: paddle.static.nn.conv3d)."""
    k, channels, groups = _sizes(filter_size, 3), input.shape[1 if data_format == "NCDHW" else 4], groups or 1
    with naming.owner("conv3d", name) as kind:
        init = inits.Normal(0.0, float(2.0 / (np.prod(k) * channels)) ** 0.5)
        w = helper_parameter(kind, param_attr, [num_filters, channels // groups, *k], input.dtype, default=init)
        b = helper_parameter(kind, bias_attr, [num_filters], input.dtype, is_bias=True)
        return activate(convolutions.conv3d(input, w, b, stride, padding, dilation, groups, data_format), act)


@fluid_call
def conv3d_transpose(input, num_filters, output_size=None, filter_size=None, padding=0, stride=1, dilation=1, groups=None,
                     param_attr=None, bias_attr=None, use_cudnn=True, act=None, name=None, data_format="NCDHW"):
    """3-d transposed convolution with weights of its own (1.x; successor: paddle.static.nn.conv3d_transpose)."""
    if filter_size is None:
        filter_size = convolutions.fitting_kernel("conv3d_transpose", 3, input, output_size, stride, padding, dilation, data_format)
    k, channels, groups = _sizes(filter_size, 3), input.shape[1 if data_format == "NCDHW" else 4], groups or 1
    with naming.owner("conv3d_transpose", name) as kind:
        w = helper_parameter(kind, param_attr, [channels, num_filters // groups, *k], input.dtype)
        b = helper_parameter(kind, bias_attr, [num_filters], input.dtype, is_bias=True)
        return activate(convolutions.conv3d_transpose(input, w, b, stride=stride, padding=padding, dilation=dilation, groups=groups,
                                           output_size=output_size, data_format=data_format), act)


@fluid_call
def pool3d(input, pool_size=-1, pool_type="max", pool_stride=1, pool_padding=0, global_pooling=False, use_cudnn=True,
           ceil_mode=False, name=None, exclusive=True, data_format="NCDHW"):
    """3-d pooling (1.x; successor: paddle.nn.functional.max_pool3d, avg_pool3d)."""
    if pool_type not in ("max", "avg"):
        raise ValueError(f"pool3d(): pool_type must be 'max' or 'avg', got {pool_type!r}")
    if global_pooling and isinstance(input, Symbolic):  # a program may be fed volumes of another size
        return pooling.pool3d(input, pooling_type=pool_type, global_pooling=True, data_format=data_format)
    if global_pooling:
        pool_size, pool_stride, pool_padding = list(input.shape[2:] if data_format == "NCDHW" else input.shape[1:4]), 1, 0
    if pool_type == "max":
        return F.max_pool3d(input, pool_size, pool_stride, pool_padding, ceil_mode=ceil_mode, data_format=data_format)
    return F.avg_pool3d(input, pool_size, pool_stride, pool_padding, ceil_mode=ceil_mode, exclusive=exclusive,
                        data_format=data_format)


def _adaptive(n, input, pool_size, pool_type, require_index):
    if pool_type not in ("max", "avg"):
        raise ValueError(f"adaptive_pool{n}d(): pool_type must be 'max' or 'avg', got {pool_type!r}")
    if pool_type == "avg":
        if require_index:
            raise ValueError(f"adaptive_pool{n}d(): require_index is for pool_type 'max'")
        return getattr(F, f"adaptive_avg_pool{n}d")(input, pool_size)
    return getattr(F, f"adaptive_max_pool{n}d")(input, pool_size, require_index)


@fluid_call
def adaptive_pool2d(input, pool_size, pool_type="max", require_index=False, name=None):
    """2-d pooling to a given size (1.x; successor: paddle.nn.functional.adaptive_avg_pool2d, adaptive_max_pool2d)."""
    return _adaptive(2, input, pool_size, pool_type, require_index)


@fluid_call
def adaptive_pool3d(input, pool_size, pool_type="max", require_index=False, name=None):
    """3-d pooling to a given size (1.x; successor: paddle.nn.functional.adaptive_avg_pool3d, adaptive_max_pool3d)."""
    return _adaptive(3, input, pool_size, pool_type, require_index)


@fluid_call
def group_norm(input, groups, epsilon=1e-5, param_attr=None, bias_attr=None, act=None, data_layout="NCHW", name=None):
    """Group norm, with scale and shift where an attribute asks for them (1.x; successor: paddle.static.nn.group_norm)."""
    with naming.owner("group_norm", name) as kind:
        n = [input.shape[1 if data_layout == "NCHW" else -1]]
        w = helper_parameter(kind, param_attr or False, n, input.dtype, default=inits.Constant(1.0))
        b = helper_parameter(kind, bias_attr or False, n, input.dtype, is_bias=True)
        return activate(F.group_norm(input, groups, epsilon, w, b, data_layout), act)


@fluid_call
def instance_norm(input, epsilon=1e-5, param_attr=None, bias_attr=None, name=None):
    """Instance norm with scale and shift of its own (1.x; successor: paddle.static.nn.instance_norm)."""
    with naming.owner("instance_norm", name) as kind:
        n = [input.shape[1]]
        w = helper_parameter(kind, param_attr, n, input.dtype, default=inits.Constant(1.0))
        b = helper_parameter(kind, bias_attr, n, input.dtype, is_bias=True)
        return F.instance_norm(input, weight=w, bias=b, eps=epsilon)


@fluid_call
def lrn(input, n=5, k=1.0, alpha=1e-4, beta=0.75, name=None, data_format="NCHW"):
    """Local response norm: x / (k + alpha * sum of squares of n channels)^beta (1.x; successor:
    paddle.nn.functional.local_response_norm, which divides the sum by n)."""
    return F.local_response_norm(input, n, alpha * n, beta, k, data_format)


@fluid_call
def image_resize(input, out_shape=None, scale=None, name=None, resample="BILINEAR", actual_shape=None, align_corners=True,
                 align_mode=1, data_format="NCHW"):
    """Resize images (1.x; successor: paddle.nn.functional.interpolate)."""
    mode = {"BILINEAR": "bilinear", "NEAREST": "nearest", "TRILINEAR": "trilinear", "LINEAR": "linear",
            "BICUBIC": "bicubic"}.get(str(resample).upper())
    if mode is None:
        raise ValueError(f"image_resize(): resample must be BILINEAR, NEAREST, TRILINEAR, LINEAR or BICUBIC, got {resample!r}")
    return _resize(input, out_shape if actual_shape is None else actual_shape, scale, mode, align_corners, align_mode,
                   data_format)


def _resize(input, out_shape, scale, mode, align_corners, align_mode, data_format):
    if mode == "nearest" and align_corners and (out_shape is not None or scale is not None):  # which 2.x refuses
        return vision.resized(input, out_shape, None if out_shape is not None else scale, mode, True, align_mode, data_format)
    return F.interpolate(input, out_shape, None if out_shape is not None else scale, mode, align_corners, align_mode,
                         data_format)


interpolate = image_resize  # its name in 1.8


@fluid_call
def resize_bilinear(input, out_shape=None, scale=None, name=None, actual_shape=None, align_corners=True, align_mode=1,
                    data_format="NCHW"):
    """Resize images bilinearly (1.x; successor: paddle.nn.functional.interpolate with mode='bilinear')."""
    return _resize(input, out_shape if actual_shape is None else actual_shape, scale, "bilinear", align_corners, align_mode,
                   data_format)


@fluid_call
def resize_linear(input, out_shape=None, scale=None, name=None, actual_shape=None, align_corners=True, align_mode=1,
                  data_format="NCW"):
    """Resize rows linearly (1.x; successor: paddle.nn.functional.interpolate with mode='linear')."""
    return _resize(input, out_shape if actual_shape is None else actual_shape, scale, "linear", align_corners, align_mode,
                   data_format)


@fluid_call
def resize_trilinear(input, out_shape=None, scale=None, name=None, actual_shape=None, align_corners=True, align_mode=1,
                     data_format="NCDHW"):
    """Resize volumes trilinearly (1.x; successor: paddle.nn.functional.interpolate with mode='trilinear')."""
    return _resize(input, out_shape if actual_shape is None else actual_shape, scale, "trilinear", align_corners, align_mode,
                   data_format)


@fluid_call
def resize_nearest(input, out_shape=None, scale=None, name=None, actual_shape=None, align_corners=True, data_format="NCHW"):
    """Resize images to the nearest elements (1.x; successor: paddle.nn.functional.interpolate with mode='nearest')."""
    return _resize(input, out_shape if actual_shape is None else actual_shape, scale, "nearest", align_corners, 1, data_format)


@fluid_call
def image_resize_short(input, out_short_len, resample="BILINEAR"):
    """Resize images so that the shorter side has a given length (1.x; successor: paddle.nn.functional.interpolate)."""
    h, w = input.shape[2:]
    short = min(h, w)
    return image_resize(input, [int(h * out_short_len / short + 0.5), int(w * out_short_len / short + 0.5)], resample=resample)


@fluid_call
def pad(x, paddings, pad_value=0.0, name=None):
    """Constants before and after every axis: [before0, after0, before1, after1, ...] (1.x; successor:
    paddle.nn.functional.pad)."""
    return vision.pad(x, list(paddings), mode="constant", value=pad_value)


@fluid_call
def pad2d(input, paddings=(0, 0, 0, 0), mode="constant", pad_value=0.0, data_format="NCHW", name=None):
    """Pad images by [top, bottom, left, right] (1.x; successor: paddle.nn.functional.pad)."""
    if mode not in ("constant", "reflect", "edge"):
        raise ValueError(f"pad2d(): mode must be 'constant', 'reflect' or 'edge', got {mode!r}")
    if hasattr(paddings, "shape"):
        paddings = tensor.concat([paddings[2:], paddings[:2]])
    else:
        paddings = [*paddings[2:], *paddings[:2]]
    return vision.pad(input, paddings, mode="replicate" if mode == "edge" else mode, value=pad_value, data_format=data_format)


@fluid_call
def pad_constant_like(x, y, pad_value=0.0, name=None):
    """y with constants after every axis, to the shape of x (1.x; successor: paddle.nn.functional.pad)."""
    return vision.pad(y, [v for a, b in zip(x.shape, y.shape) for v in (0, a - b)], mode="constant", value=pad_value)


@fluid_call
def crop_tensor(x, shape=None, offsets=None, name=None):
    """A box of x (1.x; successor: paddle.crop)."""
    return tensor.crop(x, shape, offsets)


@fluid_call
def crop(x, shape=None, offsets=None, name=None):
    """A box of x, of a given shape or that of another tensor (1.x; successor: paddle.crop)."""
    return tensor.crop(x, list(shape.shape) if hasattr(shape, "shape") else shape, offsets)


@fluid_call
def space_to_depth(x, blocksize, name=None):
    """Blocks of pixels as channels, [N, C, H, W] -> [N, C * b * b, H / b, W / b] (1.x; successor:
    paddle.nn.functional.pixel_unshuffle)."""
    n, c, h, w = x.shape
    b = int(blocksize)
    if h % b or w % b:
        raise ValueError(f"space_to_depth(): blocksize {b} must divide the image {h} x {w}")
    parts = x.reshape([n, c, h // b, b, w // b, b])
    return tensor.transpose(parts, [0, 3, 5, 1, 2, 4]).reshape([n, c * b * b, h // b, w // b])


@fluid_call
def shuffle_channel(x, group, name=None):
    """Channels of the groups in turn (1.x; successor: paddle.nn.functional.channel_shuffle)."""
    return F.channel_shuffle(x, group)


@fluid_call
def pixel_shuffle(x, upscale_factor):
    """Channels as blocks of pixels (1.x; successor: paddle.nn.functional.pixel_shuffle)."""
    return F.pixel_shuffle(x, upscale_factor)


@fluid_call
def affine_channel(x, scale=None, bias=None, data_layout="NCHW", name=None, act=None):
    """scale * x + bias for each channel (1.x; successor: compose it)."""
    return activate(replaced.affine_channel(x, scale, bias, data_layout), act)


@fluid_call
def grid_sampler(x, grid, name=None):
    """Images sampled bilinearly at the points of a grid (1.x; successor: paddle.nn.functional.grid_sample)."""
    return F.grid_sample(x, grid)


@fluid_call
def affine_grid(theta, out_shape, name=None):
    """The sampling grid of affine maps (1.x; successor: paddle.nn.functional.affine_grid)."""
    return F.affine_grid(theta, out_shape)


@fluid_call
def unfold(x, kernel_sizes, strides=1, paddings=0, dilations=1, name=None):
    """Windows of images as columns (1.x; successor: paddle.nn.functional.unfold)."""
    return F.unfold(x, kernel_sizes, strides, paddings, dilations)


@fluid_call
def temporal_shift(x, seg_num, shift_ratio=0.25, name=None, data_format="NCHW"):
    """Channels moved along time (1.x; successor: paddle.nn.functional.temporal_shift)."""
    return F.temporal_shift(x, seg_num, shift_ratio, data_format=data_format)
