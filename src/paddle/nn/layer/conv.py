"""Convolution layers."""

import math

from ...core import place as places
from ...core.docstrings import documented_like
from ...core.errors import WrongKindError
from ...core.generation import construction
from .. import functional as F
from ..functional import conv as functions
from ..functional import vision
from ..functional.conv import Padding, Sizes
from ..initializer import Normal
from .layers import Layer

__all__ = ["Conv1D", "Conv2D", "Conv3D", "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"]

_MODES = {"zeros": None, "reflect": "reflect", "replicate": "replicate", "circular": "circular"}


class _ConvNd(Layer):
    """What all convolution layers share: geometry, parameters, text."""

    dims, transposed, formats = 2, False, ("NCHW", "NHWC")

    def _build(self, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, padding_mode, output_padding,
               weight_attr, bias_attr, data_format, dtype=None):
        who, n = type(self).__name__, self.dims
        if data_format not in self.formats:
            raise ValueError(f"{who}(): data_format must be one of {self.formats}, got {data_format!r}")
        if padding_mode not in _MODES:
            raise ValueError(f"{who}(): padding_mode must be one of {list(_MODES)}, got {padding_mode!r}")
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ValueError(f"{who}(): groups {groups} must divide in_channels {in_channels} and out_channels {out_channels}")
        self._in_channels, self._out_channels, self._groups = in_channels, out_channels, groups
        self._kernel_size = functions.sizes(kernel_size, n, who, "kernel_size")
        self._stride, self._dilation = functions.sizes(stride, n, who, "stride"), functions.sizes(dilation, n, who, "dilation")
        self._padding, self._padding_mode, self._data_format = padding, padding_mode, data_format
        self.output_padding = output_padding
        shape = [in_channels, out_channels // groups] if self.transposed else [out_channels, in_channels // groups]
        default = None
        if not self.transposed:
            default = Normal(0.0, math.sqrt(2.0 / (math.prod(self._kernel_size) * in_channels)))
        self._param_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = self.create_parameter(shape + self._kernel_size, weight_attr, dtype, default_initializer=default)
        self.bias = self.create_parameter([out_channels], bias_attr, dtype, is_bias=True)
        if padding_mode != "zeros":
            pads, algorithm = F.conv.padding_arg(padding, n, data_format, who)
            if algorithm != "EXPLICIT":
                raise WrongKindError(f"{who}(): padding_mode {padding_mode!r} needs padding given in numbers, got {padding!r}")
            pairs = [(p, p) for p in pads] if len(pads) == n else list(zip(pads[::2], pads[1::2]))
            self._pad = [v for pair in reversed(pairs) for v in pair]  # F.pad counts from the last axis

    def _padded(self, x):
        """x, padded by other means than zeros if the layer says so, and the padding left to do."""
        if self._padding_mode == "zeros":
            return x, self._padding
        return vision.pad(x, self._pad, mode=self._padding_mode, data_format=self._data_format), 0

    def extra_repr(self):
        text = f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
        if self._stride != [1] * self.dims:
            text += f", stride={self._stride}"
        if self._padding != 0:
            text += f", padding={self._padding}"
        if self._padding_mode != "zeros":
            text += f", padding_mode={self._padding_mode}"
        if self.output_padding != 0:
            text += f", output_padding={self.output_padding}"
        if self._dilation != [1] * self.dims:
            text += f", dilation={self._dilation}"
        if self._groups != 1:
            text += f", groups={self._groups}"
        return text + f", data_format={self._data_format}"


class _Conv(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride: Sizes = 1, padding: Padding = 0, dilation: Sizes = 1,
                 groups=1, padding_mode="zeros", weight_attr=None, bias_attr=None, data_format=None, *, bias=True, device=None,
                 dtype=None):
        super().__init__(dtype=dtype or "float32")
        if device is not None:
            places.convert(device, type(self).__name__)
        bias_attr = bias_attr if bias else False
        self._build(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, padding_mode, 0, weight_attr,
                    bias_attr, data_format or self.formats[0], dtype)

    def forward(self, x):
        x, padding = self._padded(x)
        function = getattr(functions, f"conv{self.dims}d")
        return function(x, self.weight, self.bias, self._stride, padding, self._dilation, self._groups, self._data_format)


class _ConvTranspose(_ConvNd):
    transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride: Sizes = 1, padding: Padding = 0, output_padding: Sizes = 0,
                 dilation: Sizes = 1, groups=1, weight_attr=None, bias_attr=None, data_format=None):
        super().__init__()
        self._build(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, "zeros", output_padding,
                    weight_attr, bias_attr, data_format or self.formats[0])

    def forward(self, x, output_size=None):
        return getattr(functions, f"conv{self.dims}d_transpose")(
            x, self.weight, self.bias, stride=self._stride, padding=self._padding, dilation=self._dilation,
            output_padding=self.output_padding if output_size is None else 0, groups=self._groups, output_size=output_size,
            data_format=self._data_format)


class Conv1D(_Conv):
    """1-d convolution of x [N, in_channels, L].

    Args:
        in_channels, out_channels (int): number of channels before and after.
        kernel_size, stride, dilation (int or tuple): an int or (length,).
        padding (int, tuple or str): of every axis, or before and after each; 'SAME' keeps the size (at stride 1), 'VALID' pads
            nothing.
        groups (int): channels are split into this many independent convolutions; both numbers of channels must be multiples of it.
        padding_mode (str): 'zeros', 'reflect', 'replicate' or 'circular'.
        weight_attr, bias_attr (ParamAttr, None or False): initialiser, name and settings of the parameters (None: the usual
            ones); ``bias_attr=False`` leaves the bias out.
        data_format (str or None): 'NCL' (None), or 'NLC' for channels last.
        bias (bool): False leaves the bias out (Paddle 3).
        device, dtype (str or None): device, and data type of the parameters (Paddle 3).
    Shape:
        Every axis of size n becomes floor((n + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1. The weight is
        [out_channels, in_channels / groups, kernel...], normal with deviation sqrt(2 / (in_channels * elements of the kernel)); the
        bias begins at 0.
    Raises:
        ValueError: x has another number of channels or axes, or ``groups`` does not divide the channels.

    >>> paddle.nn.Conv1D(3, 2, 3)(paddle.ones([1, 3, 5])).shape
    [1, 2, 3]
    """

    dims, formats = 1, ("NCL", "NLC")


_KEYWORDS = {"alpha_only": {"act", "filter_size", "num_channels", "num_filters", "param_attr", "use_cudnn"},
             "only_modern": {"in_channels", "kernel_size", "out_channels", "padding_mode", "weight_attr"}, "again": {"dtype"}}


@construction("paddle.imperative.layers.Conv2D", **_KEYWORDS)
@documented_like(Conv1D)
class Conv2D(_Conv):
    """2-d convolution of x [N, in_channels, H, W].

    Args:
        kernel_size, stride, dilation (int or tuple): an int or (h, w).
        data_format (str or None): 'NCHW' (None), or 'NHWC' for channels last.
        bias (bool): False leaves the bias out (Paddle 3).
        device, dtype (str or None): device, and data type of the parameters (Paddle 3).

    >>> paddle.nn.Conv2D(3, 2, 3)(paddle.ones([1, 3, 5, 5])).shape
    [1, 2, 3, 3]
    """


@construction("paddle.imperative.layers.Conv3D", **_KEYWORDS)
@documented_like(Conv1D)
class Conv3D(_Conv):
    """3-d convolution of x [N, in_channels, D, H, W].

    Args:
        kernel_size, stride, dilation (int or tuple): an int or (d, h, w).
        data_format (str or None): 'NCDHW' (None), or 'NDHWC' for channels last.
        bias (bool): False leaves the bias out (Paddle 3).
        device, dtype (str or None): device, and data type of the parameters (Paddle 3).

    >>> paddle.nn.Conv3D(3, 2, 3)(paddle.ones([1, 3, 5, 5, 5])).shape
    [1, 2, 3, 3, 3]
    """

    dims, formats = 3, ("NCDHW", "NDHWC")


class Conv1DTranspose(_ConvTranspose):
    """1-d transposed convolution of x [N, in_channels, L].

    Args:
        in_channels (int): number of channels of x.
        out_channels (int): number of channels of the result.
        kernel_size (int or tuple): size of the filter.
        stride (int or tuple): stride of the filter.
        padding (int, tuple or str): padding on each side, 'SAME' or 'VALID'.
        output_padding (int or tuple): added at the end of the result, below ``stride``.
        groups (int): channels are split into this many independent convolutions.
        dilation (int or tuple): distance between the elements of the filter.
        weight_attr (ParamAttr or None): initialiser, name and settings of the weight.
        bias_attr (ParamAttr, None or False): of the bias; False leaves it out.
        data_format (str or None): channels second (None), as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
    Shape:
        n becomes (n - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + 1 + output_padding; the weight is
        [in_channels, out_channels / groups, k].
    Raises:
        ValueError: x has another number of channels or axes, or ``groups`` does not divide the channels.

    >>> paddle.nn.Conv1DTranspose(3, 2, 3)(paddle.ones([1, 3, 5])).shape
    [1, 2, 7]
    """

    dims, formats = 1, ("NCL", "NLC")

    def __init__(self, in_channels, out_channels, kernel_size, stride: Sizes = 1, padding: Padding = 0, output_padding: Sizes = 0,
                 groups=1, dilation: Sizes = 1, weight_attr=None, bias_attr=None,
                 data_format=None):  # Paddle has these two the other way round here
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation, groups, weight_attr,
                         bias_attr, data_format)


@construction("paddle.imperative.layers.Conv2DTranspose", **_KEYWORDS)
class Conv2DTranspose(_ConvTranspose):
    """2-d transposed convolution of x [N, in_channels, H, W]: the gradient of a convolution, used to enlarge images.

    Args:
        in_channels, out_channels (int): number of channels before and after.
        kernel_size, stride, dilation (int or tuple): an int or (h, w).
        padding (int, tuple or str): what a convolution from the result to x would pad.
        output_padding (int or tuple): rows and columns added at the end, below ``stride``, where several sizes are possible.
        groups (int): channels are split into this many independent convolutions.
        weight_attr, bias_attr (ParamAttr, None or False): initialiser, name and settings of the parameters (None: the usual
            ones); ``bias_attr=False`` leaves the bias out.
        data_format (str or None): 'NCHW' (None), or 'NHWC' for channels last.
    Shape:
        n becomes (n - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + 1 + output_padding; the weight is
        [in_channels, out_channels / groups, h, w].
    Raises:
        ValueError: x has another number of channels or axes, or ``groups`` does not divide the channels.

    >>> paddle.nn.Conv2DTranspose(3, 2, 3)(paddle.ones([1, 3, 5, 5])).shape
    [1, 2, 7, 7]
    """


@construction("paddle.imperative.layers.Conv3DTranspose", **_KEYWORDS)
@documented_like(Conv1DTranspose)
class Conv3DTranspose(_ConvTranspose):
    """3-d transposed convolution of x [N, in_channels, D, H, W].

    Shape:
        n becomes (n - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + 1 + output_padding; the weight is
        [in_channels, out_channels / groups, d, h, w].

    >>> paddle.nn.Conv3DTranspose(3, 2, 3)(paddle.ones([1, 3, 5, 5, 5])).shape
    [1, 2, 7, 7, 7]
    """

    dims, formats = 3, ("NCDHW", "NDHWC")
