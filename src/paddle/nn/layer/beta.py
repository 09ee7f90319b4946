"""Pooling layers as 2.0 beta had them: under other names, and by default averages count the padding."""

from . import pooling

__all__ = ["AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d"]


class AvgPool1d(pooling.AvgPool1D):
    """Averages of windows, in which padding counts unless told otherwise (2.0 beta; successor: paddle.nn.AvgPool1D, whose
    ``exclusive`` is the opposite of ``count_include_pad``).

    >>> float(paddle.nn.AvgPool1d(2, padding=1)(paddle.ones([1, 1, 2]))[0, 0, 0])
    0.5
    """

    def __init__(self, kernel_size, stride=None, padding=0, count_include_pad=True, ceil_mode=False, name=None):
        super().__init__(kernel_size, stride, padding, not count_include_pad, ceil_mode, name)


class AvgPool2d(pooling.AvgPool2D):
    """Averages of windows, in which padding counts unless told otherwise (2.0 beta; successor: paddle.nn.AvgPool2D, whose
    ``exclusive`` is the opposite of ``count_include_pad``).

    >>> float(paddle.nn.AvgPool2d(2, padding=1)(paddle.ones([1, 1, 2, 2]))[0, 0, 0, 0])
    0.25
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None,
                 data_format="NCHW", name=None):
        super().__init__(kernel_size, stride, padding, ceil_mode, not count_include_pad, divisor_override, data_format, name)


class AvgPool3d(pooling.AvgPool3D):
    """Averages of windows, in which padding counts unless told otherwise (2.0 beta; successor: paddle.nn.AvgPool3D, whose
    ``exclusive`` is the opposite of ``count_include_pad``).

    >>> float(paddle.nn.AvgPool3d(2, 2, padding=1)(paddle.ones([1, 1, 2, 2, 2]))[0, 0, 0, 0, 0])
    0.125
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None,
                 data_format="NCDHW", name=None):
        super().__init__(kernel_size, stride, padding, ceil_mode, not count_include_pad, divisor_override, data_format, name)


class MaxPool1d(pooling.MaxPool1D):
    """Greatest elements of windows (2.0 beta; successor: paddle.nn.MaxPool1D, whose ``return_mask`` is ``return_indices``).

    >>> paddle.nn.MaxPool1d(2)(paddle.to_tensor([[[1., 3., 2., 5.]]])).tolist()
    [[[3.0, 5.0]]]
    """

    def __init__(self, kernel_size, stride=None, padding=0, return_indices=False, ceil_mode=False, name=None):
        super().__init__(kernel_size, stride, padding, return_indices, ceil_mode, name)


class MaxPool2d(pooling.MaxPool2D):
    """Greatest elements of windows (2.0 beta; successor: paddle.nn.MaxPool2D, whose ``return_mask`` is ``return_indices``).

    >>> paddle.nn.MaxPool2d(2)(paddle.to_tensor([[[[1., 3.], [2., 5.]]]])).tolist()
    [[[[5.0]]]]
    """

    def __init__(self, kernel_size, stride=None, padding=0, return_indices=False, ceil_mode=False, data_format="NCHW", name=None):
        super().__init__(kernel_size, stride, padding, return_indices, ceil_mode, data_format, name)


class MaxPool3d(pooling.MaxPool3D):
    """Greatest elements of windows (2.0 beta; successor: paddle.nn.MaxPool3D, whose ``return_mask`` is ``return_indices``).

    >>> paddle.nn.MaxPool3d(2, 2, 0)(paddle.ones([1, 1, 2, 2, 2])).shape
    [1, 1, 1, 1, 1]
    """

    def __init__(self, kernel_size, stride=None, padding=0, return_indices=False, ceil_mode=False, data_format="NCDHW", name=None):
        super().__init__(kernel_size, stride, padding, return_indices, ceil_mode, data_format, name)
