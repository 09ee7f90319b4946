"""Pooling layers."""

from ...core.addresses import lookup as _lookup
from ...core.docstrings import documented_like
from ..functional.conv import Padding, Sizes
from .function_layer import FunctionLayer

__all__ = ["MaxPool1D", "MaxPool2D", "MaxPool3D", "AvgPool1D", "AvgPool2D", "AvgPool3D", "AdaptiveAvgPool1D",
           "AdaptiveAvgPool2D", "AdaptiveAvgPool3D", "AdaptiveMaxPool1D", "AdaptiveMaxPool2D", "AdaptiveMaxPool3D"]


class _Pool(FunctionLayer):
    shown = ("kernel_size", "stride", "padding")

    def extra_repr(self):
        settings = self._given()
        return ", ".join(f"{k}={settings[k]}" for k in self.shown)


class _Pool1D(_Pool):
    """Those whose forward has another name for its argument in Paddle."""

    def forward(self, input):
        return self._call(input)


class MaxPool1D(_Pool1D, function="max_pool1d"):
    """Largest element of each window of [N, C, L].

    Args:
        kernel_size (int or tuple): size of the window.
        stride (int, tuple or None): stride of the window; None means ``kernel_size``.
        padding (int, tuple or str): padding on each side, 'SAME' or 'VALID'.
        return_mask (bool): return the index of each largest element too.
        ceil_mode (bool): keep an incomplete last window.

    >>> paddle.nn.MaxPool1D(2)(paddle.ones([1, 1, 4])).shape
    [1, 1, 2]
    """

    def __init__(self, kernel_size, stride: Sizes | None = None, padding: Padding = 0, return_mask=False, ceil_mode=False,
                 name=None):
        super().__init__(name, kernel_size=kernel_size, stride=stride, padding=padding, return_mask=return_mask,
                         ceil_mode=ceil_mode)


class MaxPool2D(_Pool, function="max_pool2d", renamed={"kernel_size": "ksize"}):
    """Largest element of each window of [N, C, H, W].

    Args:
        kernel_size (int or tuple): size of the window.
        stride (int, tuple or None): steps of the window; None takes ``kernel_size``.
        padding (int, tuple or str): rows and columns around the image, 'SAME' or 'VALID'.
        ceil_mode (bool): keep an incomplete last window.
        return_mask (bool): return (result, index of each largest element) too.
        data_format (str): 'NCHW' or 'NHWC'.
    Shape:
        n becomes floor((n + 2 * padding - kernel_size) / stride) + 1 (rounded up with ``ceil_mode``).
    Raises:
        ValueError: x has another number of axes, or the window goes beyond the padded x by a stride or more.
        TypeError: the input is not a Tensor, or a size is not an int.

    >>> paddle.nn.MaxPool2D(2)(paddle.ones([1, 1, 4, 4])).shape
    [1, 1, 2, 2]
    """

    def __init__(self, kernel_size, stride: Sizes | None = None, padding: Padding = 0, return_mask=False, ceil_mode=False,
                 data_format="NCHW", name=None):
        super().__init__(name, kernel_size=kernel_size, stride=stride, padding=padding, return_mask=return_mask,
                         ceil_mode=ceil_mode, data_format=data_format)


@documented_like(MaxPool1D)
class MaxPool3D(MaxPool2D, function="max_pool3d"):
    """Largest element of each window of [N, C, D, H, W].

    Args:
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.MaxPool3D(2)(paddle.ones([1, 1, 4, 4, 4])).shape
    [1, 1, 2, 2, 2]
    """

    def __init__(self, kernel_size, stride: Sizes | None = None, padding: Padding = 0, return_mask=False, ceil_mode=False,
                 data_format="NCDHW", name=None):
        super().__init__(kernel_size, stride, padding, return_mask, ceil_mode, data_format, name)


@documented_like(MaxPool1D)
class AvgPool1D(_Pool, function="avg_pool1d"):
    """Mean of each window of [N, C, L].

    Args:
        exclusive (bool): exclude padding from the count.

    >>> paddle.nn.AvgPool1D(2)(paddle.ones([1, 1, 4])).shape
    [1, 1, 2]
    """

    def __init__(self, kernel_size, stride: Sizes | None = None, padding: Padding = 0, exclusive=True, ceil_mode=False, name=None):
        super().__init__(name, kernel_size=kernel_size, stride=stride, padding=padding, exclusive=exclusive, ceil_mode=ceil_mode)


@documented_like(MaxPool2D)
class AvgPool2D(_Pool, function="avg_pool2d", renamed={"kernel_size": "ksize", "divisor_override": "divisor"}):
    """Mean of each window of [N, C, H, W].

    Args:
        exclusive (bool): exclude padding from the count.
        divisor_override (int or None): divide by this instead of the count.

    >>> paddle.nn.AvgPool2D(2)(paddle.ones([1, 1, 4, 4])).shape
    [1, 1, 2, 2]
    """

    def __init__(self, kernel_size, stride: Sizes | None = None, padding: Padding = 0, ceil_mode=False, exclusive=True,
                 divisor_override=None, data_format="NCHW", name=None):
        super().__init__(name, kernel_size=kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode, exclusive=exclusive,
                         divisor_override=divisor_override, data_format=data_format)


@documented_like(MaxPool3D)
class AvgPool3D(AvgPool2D, function="avg_pool3d"):
    """Mean of each window of [N, C, D, H, W].

    Args:
        exclusive (bool): exclude padding from the count.
        divisor_override (int or None): divide by this instead of the count.

    >>> paddle.nn.AvgPool3D(2)(paddle.ones([1, 1, 4, 4, 4])).shape
    [1, 1, 2, 2, 2]
    """

    def __init__(self, kernel_size, stride: Sizes | None = None, padding: Padding = 0, ceil_mode=False, exclusive=True,
                 divisor_override=None, data_format="NCDHW", name=None):
        super().__init__(kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format, name)


class AdaptiveAvgPool1D(_Pool1D, function="adaptive_avg_pool1d", shown=("output_size",)):
    """Means of ``output_size`` windows that cover [N, C, L].

    Args:
        output_size (int or tuple): sizes of the result; None keeps an axis.

    >>> paddle.nn.AdaptiveAvgPool1D(2)(paddle.ones([1, 1, 5])).shape
    [1, 1, 2]
    """

    def __init__(self, output_size, name=None):
        super().__init__(name, output_size=output_size)


class AdaptiveAvgPool2D(_Pool, function="adaptive_avg_pool2d", shown=("output_size",), prefix="_"):
    """Means of windows that cover [N, C, H, W], so that the result has a given size.

    Args:
        output_size (int, tuple): (h, w), an int for both; None keeps an axis.
        data_format (str): 'NCHW' or 'NHWC'.
    Shape:
        [N, C, H, W] gives [N, C, h, w]; window k of n goes from floor(k * n / h) to ceil((k + 1) * n / h).
    Raises:
        ValueError: x has another number of axes, or a size of the result is below 1.
        TypeError: the input is not a Tensor, or a size is not an int.

    >>> paddle.nn.AdaptiveAvgPool2D(2)(paddle.ones([1, 1, 5, 5])).shape
    [1, 1, 2, 2]
    """

    def __init__(self, output_size, data_format="NCHW", name=None):
        super().__init__(name, output_size=output_size, data_format=data_format)


class AdaptiveAvgPool3D(AdaptiveAvgPool2D, function="adaptive_avg_pool3d"):
    """Means of windows that cover [N, C, D, H, W].

    Args:
        output_size (int or tuple): sizes of the result; None keeps an axis.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.AdaptiveAvgPool3D(2)(paddle.ones([1, 1, 5, 5, 5])).shape
    [1, 1, 2, 2, 2]
    """

    def __init__(self, output_size, data_format="NCDHW", name=None):
        super().__init__(output_size, data_format, name)


class AdaptiveMaxPool1D(_Pool1D, function="adaptive_max_pool1d", shown=("output_size", "return_mask")):
    """Maxima of ``output_size`` windows that cover [N, C, L].

    Args:
        output_size (int or tuple): sizes of the result; None keeps an axis.
        return_mask (bool): return the index of each largest element too.

    >>> paddle.nn.AdaptiveMaxPool1D(2)(paddle.ones([1, 1, 5])).shape
    [1, 1, 2]
    """

    def __init__(self, output_size, return_mask=False, name=None):
        super().__init__(name, output_size=output_size, return_mask=return_mask)


@documented_like(AdaptiveMaxPool1D)
class AdaptiveMaxPool2D(AdaptiveMaxPool1D, function="adaptive_max_pool2d", prefix="_"):
    """Maxima of windows that cover [N, C, H, W].

    >>> paddle.nn.AdaptiveMaxPool2D(2)(paddle.ones([1, 1, 5, 5])).shape
    [1, 1, 2, 2]
    """

    def forward(self, x):
        return self._call(x)


@documented_like(AdaptiveMaxPool1D)
class AdaptiveMaxPool3D(AdaptiveMaxPool2D, function="adaptive_max_pool3d", prefix="_"):
    """Maxima of windows that cover [N, C, D, H, W].

    >>> paddle.nn.AdaptiveMaxPool3D(2)(paddle.ones([1, 1, 5, 5, 5])).shape
    [1, 1, 2, 2, 2]
    """


__getattr__ = _lookup(__name__)
