"""Layers for images: padding, resizing, shuffling, windows as columns, undone pooling."""

import numbers

from ...core.docstrings import documented_like
from ...core.errors import check_type
from .. import functional as F
from ..functional import vision
from .function_layer import FunctionLayer
from .layers import Layer

__all__ = ["Pad1D", "Pad2D", "Pad3D", "ZeroPad2D", "Upsample", "UpsamplingNearest2D", "UpsamplingBilinear2D", "PixelShuffle",
           "PixelUnshuffle", "ChannelShuffle", "Unfold", "Fold", "MaxUnPool1D", "MaxUnPool2D", "MaxUnPool3D"]


class _Pad(Layer):
    axes = 0

    def __init__(self, padding, mode, value, data_format, name):
        super().__init__()
        if isinstance(padding, numbers.Integral):
            padding = [int(padding)] * (2 * self.axes)
        self._pad, self._mode, self._value, self._data_format, self._name = padding, mode, value, data_format, name

    def forward(self, x):
        return vision.pad(x, self._pad, mode=self._mode, value=self._value, data_format=self._data_format)

    def extra_repr(self):
        return (f"padding={self._pad}, mode={self._mode}, value={self._value}, data_format={self._data_format}"
                + (f", name={self._name}" if self._name else ""))


class Pad1D(_Pad):
    """Padding before and after [N, C, L]: an int or [left, right].

    Args:
        padding (int, list or Tensor): elements before and after each axis, the last axis first.
        mode (str): 'constant', 'reflect', 'replicate' or 'circular'.
        value (float): what is added in mode 'constant'.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
    Shape:
        [N, C, L] gives [N, C, left + L + right].
    Raises:
        ValueError: ``padding`` has another number of elements than x needs, or ``mode`` is unknown.

    >>> paddle.nn.Pad1D([1, 2])(paddle.ones([1, 1, 3])).shape
    [1, 1, 6]
    """

    axes = 1

    def __init__(self, padding, mode="constant", value=0.0, data_format="NCL", name=None):
        super().__init__(padding, mode, value, data_format, name)


@documented_like(Pad1D)
class Pad2D(_Pad):
    """Padding around [N, C, H, W]: an int or [left, right, top, bottom].

    Shape:
        [N, C, H, W] gives [N, C, top + H + bottom, left + W + right].

    >>> paddle.nn.Pad2D(1, mode="reflect")(paddle.ones([1, 1, 3, 3])).shape
    [1, 1, 5, 5]
    """

    axes = 2

    def __init__(self, padding, mode="constant", value=0.0, data_format="NCHW", name=None):
        super().__init__(padding, mode, value, data_format, name)


@documented_like(Pad1D)
class Pad3D(_Pad):
    """Padding around [N, C, D, H, W]: an int or [left, right, top, bottom, front, back].

    Shape:
        [N, C, D, H, W] gives [N, C, front + D + back, top + H + bottom, left + W + right].

    >>> paddle.nn.Pad3D(1)(paddle.ones([1, 1, 2, 3, 3])).shape
    [1, 1, 4, 5, 5]
    """

    axes = 3

    def __init__(self, padding, mode="constant", value=0.0, data_format="NCDHW", name=None):
        super().__init__(padding, mode, value, data_format, name)


@documented_like(Pad1D)
class ZeroPad2D(_Pad):
    """Zeros added around [N, C, H, W]: an int or [left, right, top, bottom].

    Shape:
        [N, C, H, W] gives [N, C, top + H + bottom, left + W + right].

    >>> paddle.nn.ZeroPad2D(1)(paddle.ones([1, 1, 3, 3])).shape
    [1, 1, 5, 5]
    """

    axes = 2

    def __init__(self, padding, data_format="NCHW", name=None):
        super().__init__(padding, "constant", 0.0, data_format, name)

    def extra_repr(self):
        return f"padding={self._pad}, data_format={self._data_format}" + (f", name={self._name}" if self._name else "")


class Upsample(Layer):
    """Resize images to ``size`` or by ``scale_factor`` (see nn.functional.interpolate).

    Args:
        size (int, list or None): sizes of the result; this or ``scale_factor`` is given.
        scale_factor (float, list or None): factor on the sizes, instead of ``size``.
        mode (str): 'nearest', 'linear', 'bilinear', 'trilinear', 'bicubic' or 'area', as in ``interpolate``.
        align_corners (bool): corners of both images lie on each other.
        align_mode (int): of linear modes without ``align_corners``: 0 takes pixels at their centres, 1 at their corners.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
        recompute_scale_factor (bool or None): as in ``nn.functional.interpolate`` of Paddle 3.
    Shape:
        [N, C, ...] gives [N, C, ...] of the new sizes.
    Raises:
        ValueError: not exactly one of the size and the factor is given, or ``mode`` does not fit the number of axes.

    >>> paddle.nn.Upsample(scale_factor=2)(paddle.ones([1, 1, 3, 3])).shape
    [1, 1, 6, 6]
    """

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=False, align_mode=0, data_format="NCHW",
                 name=None, *, recompute_scale_factor=None):
        super().__init__()
        self._further = {"recompute_scale_factor": True} if recompute_scale_factor else {}
        check_type(mode, str, "Upsample", "mode")
        self.size, self.scale_factor, self.mode = size, scale_factor, mode.lower()
        self.align_corners, self.align_mode, self.data_format, self.name = align_corners, align_mode, data_format, name

    def forward(self, x):
        return F.interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners, self.align_mode,
                             self.data_format, name=self.name, **self._further)

    def _shape(self):
        return f"scale_factor={self.scale_factor}" if self.scale_factor is not None else f"size={self.size}"

    def extra_repr(self):
        return (f"{self._shape()}, mode={self.mode}, align_corners={self.align_corners}, align_mode={self.align_mode}, "
                f"data_format={self.data_format}" + (f", name={self.name}" if self.name else ""))


@documented_like(Upsample)
class UpsamplingNearest2D(Upsample):
    """Resize [N, C, H, W] by copying the nearest cell.

    >>> paddle.nn.UpsamplingNearest2D(size=[4, 5])(paddle.ones([1, 1, 3, 3])).shape
    [1, 1, 4, 5]
    """

    def __init__(self, size=None, scale_factor=None, data_format="NCHW", name=None):
        super().__init__([size] * 2 if isinstance(size, int) else size, scale_factor, "nearest", False, 0, data_format, name)

    def extra_repr(self):
        return f"{self._shape()}, data_format={self.data_format}" + (f", name={self.name}" if self.name else "")


@documented_like(Upsample)
class UpsamplingBilinear2D(UpsamplingNearest2D):
    """Resize [N, C, H, W] linearly between neighbours, corners kept in place.

    >>> paddle.nn.UpsamplingBilinear2D(scale_factor=2)(paddle.ones([1, 1, 3, 3])).shape
    [1, 1, 6, 6]
    """

    def __init__(self, size=None, scale_factor=None, data_format="NCHW", name=None):
        super().__init__(size, scale_factor, data_format, name)
        self.mode, self.align_corners = "bilinear", True


class _Shuffle(FunctionLayer, prefix="_"):
    def __init__(self, amount, data_format, name):
        if not isinstance(amount, int):
            raise TypeError(f"{type(self).__name__}(): {self.argument} must be an int, got {amount!r}")
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError(f"{type(self).__name__}(): data_format must be NCHW or NHWC, got {data_format!r}")
        if amount <= 0:
            raise ValueError(f"{type(self).__name__}(): {self.argument} must be positive, got {amount}")
        super().__init__(name, **{self.argument: amount, "data_format": data_format})

    def extra_repr(self):
        text = f"{self.argument}={getattr(self, '_' + self.argument)}"
        if self._data_format != "NCHW":
            text += f", data_format={self._data_format}"
        return text + (f", name={self._name}" if self._name else "")


class PixelShuffle(_Shuffle, function="pixel_shuffle", argument="upscale_factor"):
    """Lay blocks of r * r channels out as r * r pixels.

    Args:
        upscale_factor (int): factor on height and width.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.PixelShuffle(2)(paddle.ones([1, 4, 2, 2])).shape
    [1, 1, 4, 4]
    """

    def __init__(self, upscale_factor, data_format="NCHW", name=None):
        super().__init__(upscale_factor, data_format, name)


class PixelUnshuffle(_Shuffle, function="pixel_unshuffle", argument="downscale_factor"):
    """Lay blocks of r * r pixels out as r * r channels.

    Args:
        downscale_factor (int): divisor of height and width.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.PixelUnshuffle(2)(paddle.ones([1, 1, 4, 4])).shape
    [1, 4, 2, 2]
    """

    def __init__(self, downscale_factor, data_format="NCHW", name=None):
        super().__init__(downscale_factor, data_format, name)


class ChannelShuffle(_Shuffle, function="channel_shuffle", argument="groups"):
    """Interleave the channels of groups.

    Args:
        groups (int): groups of channels.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.ChannelShuffle(2)(paddle.ones([1, 4, 2, 2])).shape
    [1, 4, 2, 2]
    """

    def __init__(self, groups, data_format="NCHW", name=None):
        super().__init__(groups, data_format, name)


class Unfold(Layer):
    """Lay every window of [N, C, H, W] out as a column.

    Args:
        kernel_sizes (int or list): size of the window.
        dilations (int or list): distance between the elements of a window.
        paddings (int or list): padding on each side.
        strides (int or list): stride of the window.
    Shape:
        [N, C, H, W] gives [N, C kh kw, windows].
    Raises:
        ValueError: x has not 4 axes, or the window does not fit into the padded x.
        TypeError: the input is not a Tensor.

    >>> paddle.nn.Unfold(2)(paddle.ones([1, 2, 3, 3])).shape
    [1, 8, 4]
    """

    def __init__(self, kernel_sizes, dilations=1, paddings=0, strides=1, name=None):
        super().__init__()
        self.kernel_sizes, self.dilations, self.paddings, self.strides = kernel_sizes, dilations, paddings, strides
        self.name = name

    def forward(self, input):
        return F.unfold(input, self.kernel_sizes, self.strides, self.paddings, self.dilations, self.name)

    def extra_repr(self):
        return (f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, padding={self.paddings}, stride={self.strides}"
                + (f", name={self.name}" if self.name else ""))


@documented_like(Unfold)
class Fold(Unfold):
    """Add columns of windows up to images of ``output_sizes``.

    Args:
        output_sizes (int or list): height and width of the image.

    >>> paddle.nn.Fold([3, 3], 2)(paddle.ones([1, 8, 4])).shape
    [1, 2, 3, 3]
    """

    def __init__(self, output_sizes, kernel_sizes, dilations=1, paddings=0, strides=1, name=None):
        super().__init__(kernel_sizes, dilations, paddings, strides, name)
        self.output_sizes = output_sizes

    def forward(self, input):
        return F.fold(input, self.output_sizes, self.kernel_sizes, self.strides, self.paddings, self.dilations, self.name)


class _UnPool(FunctionLayer, renamed={"kernel_size": "ksize"}):
    def __init__(self, kernel_size, stride, padding, data_format, output_size, name):
        super().__init__(name, kernel_size=kernel_size, stride=stride, padding=padding, data_format=data_format,
                         output_size=output_size)

    def forward(self, x, indices):
        return self._call(x, indices)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class MaxUnPool1D(_UnPool, function="max_unpool1d"):
    """Put the maxima of max_pool1d back to their places.

    >>> y, where = paddle.nn.functional.max_pool1d(paddle.rand([1, 1, 4]), 2, return_mask=True)
    >>> paddle.nn.MaxUnPool1D(2)(y, where).shape
    [1, 1, 4]
    """

    def __init__(self, kernel_size, stride=None, padding=0, data_format="NCL", output_size=None, name=None):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)


class MaxUnPool2D(_UnPool, function="max_unpool2d"):
    """Put the maxima of max_pool2d back to their places.

    >>> y, where = paddle.nn.functional.max_pool2d(paddle.rand([1, 1, 4, 4]), 2, return_mask=True)
    >>> paddle.nn.MaxUnPool2D(2)(y, where).shape
    [1, 1, 4, 4]
    """

    def __init__(self, kernel_size, stride=None, padding=0, data_format="NCHW", output_size=None, name=None):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)


class MaxUnPool3D(_UnPool, function="max_unpool3d"):
    """Put the maxima of max_pool3d back to their places.

    >>> y, where = paddle.nn.functional.max_pool3d(paddle.rand([1, 1, 4, 4, 4]), 2, return_mask=True)
    >>> paddle.nn.MaxUnPool3D(2)(y, where).shape
    [1, 1, 4, 4, 4]
    """

    def __init__(self, kernel_size, stride=None, padding=0, data_format="NCDHW", output_size=None, name=None):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)
