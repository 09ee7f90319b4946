"""Convolutions: conv1d, conv2d, conv3d and the transposed ones."""

from collections.abc import Sequence
from typing import Any

from ...core.context import context
from ...core.docstrings import documented_like
from ...core.errors import check_choice, own_errors
from ...core.generation import generation
from ...core.op import Symbolic
from ...ops.manipulation import reshape as manip
from ...ops.math.arithmetic import add
from ...ops.nn import conv
from ...tensor.convert import as_tensor, int_arg, late_size_arg
from ...tensor.shapes import ints
from ...utils import naming

__all__ = ["conv1d", "conv2d", "conv3d", "conv1d_transpose", "conv2d_transpose", "conv3d_transpose"]

Sizes = int | Sequence[int]  # a number for all axes, or one for each
Padding = Sizes | str | Sequence[Sequence[Any]]
_FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def sizes(value, n, function, argument):
    """n ints from an int, a one-element tensor or a list of these."""
    if value.__class__ is int:
        return [value] * n
    if isinstance(value, (list, tuple)):
        values = [int_arg(v, function, argument) for v in value]
        if len(values) not in (1, n):
            raise ValueError(f"{function}(): {argument} must be an int or {n} ints, got {value!r}")
        return values * (n // len(values))
    return [int_arg(value, function, argument)] * n


def padding_arg(padding, n, data_format, function):
    """(paddings, algorithm) as files have them, from every form that users may write."""
    if padding.__class__ is int and padding >= 0:
        return [padding] * n, "EXPLICIT"
    if isinstance(padding, str):
        check_choice(padding.upper(), ("SAME", "VALID"), function, "padding")
        return [0] * n, padding.upper()
    if isinstance(padding, (list, tuple)) and padding and isinstance(padding[0], (list, tuple)):
        flat = [int_arg(v, function, "padding") for p in _spatial_pairs(padding, n, data_format, function) for v in p]
    elif isinstance(padding, (list, tuple)) and len(padding) == 2 * n:
        flat = [int_arg(v, function, "padding") for v in padding]
    else:
        flat = sizes(padding, n, function, "padding")
    if any(v < 0 for v in flat):
        raise ValueError(f"{function}(): padding must not be negative, got {padding}")
    if len(flat) == 2 * n and all(flat[2 * i] == flat[2 * i + 1] for i in range(n)):
        flat = flat[::2]
    return flat, "EXPLICIT"


def _spatial_pairs(padding, n, data_format, function):
    """The pairs of the spatial axes; there may be some for the batch and channel axes, which must not be padded."""
    pairs = [list(p) for p in padding]
    if len(pairs) == n + 2:
        last = data_format[-1] == "C"
        if any(v != 0 for v in pairs[0] + pairs[-1 if last else 1]):
            raise ValueError(f"{function}(): padding of the batch and channel axes must be 0, got {padding}")
        pairs = pairs[1:-1] if last else pairs[2:]
    if len(pairs) != n or any(len(p) != 2 for p in pairs):
        raise ValueError(f"{function}(): padding must have a pair for each of {n} axes, got {padding}")
    return pairs


def _biased(op, channels, x, weight, bias, *attrs):
    """Run a convolution with its bias: fused at once, as separate ops in a program (as Paddle's files have them).

    One number as the bias of several channels is added to all of them."""
    repeated = channels != 1 and list(getattr(bias, "shape", ())) == [1]
    if bias is None or not (repeated or isinstance(x, Symbolic) or isinstance(weight, Symbolic)):
        return op(x, weight, bias, *attrs)
    with naming.layer(op.name):
        y, data_format = op(x, weight, None, *attrs), attrs[-1]
        return add(y, bias, -1 if data_format[-1] == "C" else 1)


def _common(x, weight, n, data_format, function):
    check_choice(data_format, _FORMATS[n], function, "data_format")
    x, weight = as_tensor(x, function), as_tensor(weight, function, "weight")
    if len(x.shape) != n + 2:
        raise ValueError(f"{function}(): x must have {n + 2} dimensions ({data_format}), got shape {list(x.shape)}")
    return x, weight


def _conv(function, n, x, weight, bias, stride, padding, dilation, groups, data_format):
    x, weight = _common(x, weight, n, data_format, function)
    pads, algorithm = padding_arg(padding, n, data_format, function)
    channels = x.shape[-1 if data_format[-1] == "C" else 1]
    op = conv.conv3d if n == 3 else conv.conv2d
    if n == 2 and groups == channels and groups > 1 and weight.shape[0] % channels == 0:
        op = conv.depthwise_conv2d
    return _biased(op, weight.shape[0], x, weight, bias, sizes(stride, n, function, "stride"), pads, algorithm,
                   sizes(dilation, n, function, "dilation"), int(groups), data_format)


def _conv_nd(x, weight, bias=None, stride=1, padding=0, padding_algorithm=None, dilation=1, groups=1, data_format="NCHW",
             channel_dim=1, op_type="conv2d", use_cudnn=True, name=None):
    """What conv2d and conv3d end in, under Paddle's own name: layers of other packages call it."""
    check_choice(op_type, ("conv2d", "depthwise_conv2d", "conv3d"), "_conv_nd", "op_type")
    if padding_algorithm in ("SAME", "VALID"):
        padding = padding_algorithm
    n = 3 if op_type == "conv3d" else 2
    return naming.named(_conv("_conv_nd", n, x, weight, bias, stride, padding, dilation, groups, data_format), name)


@generation("paddle.nn.functional.conv2d", alpha="paddle.imperative.functions.conv2d", only_modern={"x"})
def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NCHW", name=None):
    """2-d convolution (cross-correlation) of x [N, C, H, W] with weight [O, C / groups, kh, kw].

    ``padding``: an int, (h, w), (top, bottom, left, right), pairs for every axis, 'SAME' or 'VALID'.

    Args:
        x (Tensor): batch, channels, and the axes of the convolution.
        weight (Tensor): the filters.
        bias (Tensor or None): added to each channel of the result, [out_channels]; None adds nothing.
        stride (int or tuple): stride of the filter.
        padding (int, tuple or str): padding on each side, 'SAME' or 'VALID'.
        dilation (int or tuple): distance between the elements of the filter.
        groups (int): channels are split into this many independent convolutions.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
    Returns:
        Tensor.
    Raises:
        ValueError: the numbers of axes or channels are incompatible, the filter is larger than the padded x, or a format is
            unknown.
        TypeError: x or ``weight`` is not a Tensor, or a size is not an int.

    >>> paddle.nn.functional.conv2d(paddle.ones([1, 1, 4, 4]), paddle.ones([2, 1, 3, 3])).shape
    [1, 2, 2, 2]
    """
    return naming.named(_conv("conv2d", 2, x, weight, bias, stride, padding, dilation, groups, data_format), name)


@generation("paddle.nn.functional.conv3d", alpha="paddle.imperative.functions.conv3d", only_modern={"x"})
@documented_like(conv2d)
def conv3d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NCDHW", name=None):
    """3-d convolution of x [N, C, D, H, W] with weight [O, C / groups, kd, kh, kw].

    >>> paddle.nn.functional.conv3d(paddle.ones([1, 1, 3, 3, 3]), paddle.ones([2, 1, 2, 2, 2])).shape
    [1, 2, 2, 2, 2]
    """
    return naming.named(_conv("conv3d", 3, x, weight, bias, stride, padding, dilation, groups, data_format), name)


def _flat_axis(data_format):
    return (1, "NHWC") if data_format == "NLC" else (2, "NCHW")


def _padding_1d(padding, data_format, function):
    pads, algorithm = padding_arg(padding, 1, data_format, function)
    return algorithm if algorithm != "EXPLICIT" else [0, 0, pads[0], pads[-1]]


@documented_like(conv2d)
def conv1d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NCL", name=None):
    """1-d convolution of x [N, C, L] with weight [O, C / groups, k] (a 2-d one of height 1).

    >>> paddle.nn.functional.conv1d(paddle.ones([1, 1, 4]), paddle.ones([2, 1, 3])).shape
    [1, 2, 2]
    """
    x, weight = _common(x, weight, 1, data_format, "conv1d")
    channels = x.shape[-1 if data_format[-1] == "C" else 1]
    if channels not in (-1, weight.shape[1] * groups):  # told here, since the op sees a height of 1
        raise ValueError(f"conv1d(): x {list(x.shape)} has {channels} channels, weight {list(weight.shape)} with {groups} groups "
                         f"takes {weight.shape[1] * groups}")
    axis, flat = _flat_axis(data_format)
    y = _conv("conv1d", 2, manip.unsqueeze(x, axes=[axis]), manip.unsqueeze(weight, axes=[2]), bias,
              [1, *sizes(stride, 1, "conv1d", "stride")], _padding_1d(padding, data_format, "conv1d"),
              [1, *sizes(dilation, 1, "conv1d", "dilation")], groups, flat)
    return naming.named(manip.squeeze(y, axes=[axis]), name)


def fitting_kernel(function, n, x, output_size, stride, padding, dilation, data_format):
    """The sizes of the kernel with which a transposed convolution of x has ``output_size``."""
    if output_size is None:
        raise ValueError(f"{function}(): filter_size or output_size must be given")
    spatial = x.shape[1:-1] if data_format[-1] == "C" else x.shape[2:]
    pads = padding_arg(padding, n, data_format, function)[0]
    around = [2 * p for p in pads] if len(pads) == n else [a + b for a, b in zip(pads[::2], pads[1::2])]
    asked, stride, dilation = (sizes(v, n, function, k) for v, k in (
        (output_size, "output_size"), (stride, "stride"), (dilation, "dilation")))
    return [(out - (size - 1) * q + p - 1) // d + 1 for out, size, q, p, d in zip(asked, spatial, stride, around, dilation)]


def _transpose(function, n, x, weight, bias, stride, padding, output_padding, groups, dilation, output_size, data_format):
    x, weight = _common(x, weight, n, data_format, function)
    pads, algorithm = padding_arg(padding, n, data_format, function)
    if output_size is not None and output_padding not in (0, [0] * n, (0,) * n):
        raise ValueError(f"{function}(): give output_padding or output_size, not both")
    if isinstance(output_size, str):
        raise ValueError(f"{function}(): output_size must be an int or {n} of them, got {output_size!r}")
    older = isinstance(x, Symbolic) and (context.rules.is_fluid or context.rules.checks == "1.8")  # there the run refuses it
    if groups < 1 or weight.shape[0] % groups and not older:
        raise ValueError(f"{function}(): {weight.shape[0]} channels can't be shared out to {groups} groups")
    op = conv.conv3d_transpose if n == 3 else conv.conv2d_transpose
    channels = x.shape[-1 if data_format[-1] == "C" else 1]
    if n == 2 and groups == channels and groups > 1 and weight.shape[1] == 1:
        op = conv.depthwise_conv2d_transpose
    extra, asked = sizes(output_padding, n, function, "output_padding"), []
    if output_size is not None:
        late = late_size_arg(output_size, n, function, "output_size") if n == 2 else None
        asked = late or sizes(ints(output_size, function, "output_size"), n, function, "output_size")
    return _biased(op, weight.shape[1] * groups, x, weight, bias, sizes(stride, n, function, "stride"), pads,
                   extra if any(extra) else [], asked, algorithm, int(groups), sizes(dilation, n, function, "dilation"),
                   data_format)


@generation("paddle.nn.functional.conv2d_transpose", alpha="paddle.imperative.functions.conv2d_transpose", only_modern={"x"})
@documented_like(conv2d)
def conv2d_transpose(x, weight, bias=None, stride=1, padding=0, output_padding=0, dilation=1, groups=1, output_size=None,
                     data_format="NCHW", name=None):
    """2-d transposed convolution (the gradient of conv2d) with weight [C, O / groups, kh, kw].

    Args:
        output_padding (int or tuple): added at the end of the result, below ``stride``.
        output_size (int, tuple or None): size of the result where several are possible.

    >>> paddle.nn.functional.conv2d_transpose(paddle.ones([1, 1, 2, 2]), paddle.ones([1, 1, 3, 3]), stride=2).shape
    [1, 1, 5, 5]
    """
    return naming.named(_transpose("conv2d_transpose", 2, x, weight, bias, stride, padding, output_padding, groups, dilation,
                                   output_size, data_format), name)


@generation("paddle.nn.functional.conv3d_transpose", alpha="paddle.imperative.functions.conv3d_transpose", only_modern={"x"})
@documented_like(conv2d_transpose)
def conv3d_transpose(x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1, output_size=None,
                     data_format="NCDHW", name=None):
    """3-d transposed convolution with weight [C, O / groups, kd, kh, kw].

    >>> paddle.nn.functional.conv3d_transpose(paddle.ones([1, 1, 2, 2, 2]), paddle.ones([1, 1, 2, 2, 2])).shape
    [1, 1, 3, 3, 3]
    """
    return naming.named(_transpose("conv3d_transpose", 3, x, weight, bias, stride, padding, output_padding, groups, dilation,
                                   output_size, data_format), name)


@own_errors
@documented_like(conv2d_transpose)
def conv1d_transpose(x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1, output_size=None,
                     data_format="NCL", name=None):
    """1-d transposed convolution with weight [C, O / groups, k] (a 2-d one of height 1).

    >>> paddle.nn.functional.conv1d_transpose(paddle.ones([1, 1, 2]), paddle.ones([1, 1, 3]), stride=2).shape
    [1, 1, 5]
    """
    x, weight = _common(x, weight, 1, data_format, "conv1d_transpose")
    axis, flat = _flat_axis(data_format)

    def lift(value, other, argument):
        return [other, *sizes(value, 1, "conv1d_transpose", argument)]
    if isinstance(output_size, str):
        raise ValueError(f"conv1d_transpose(): output_size must be an int or a list of one, got {output_size!r}")
    y = _transpose("conv1d_transpose", 2, manip.unsqueeze(x, axes=[axis]), manip.unsqueeze(weight, axes=[2]), bias,
                   lift(stride, 1, "stride"), _padding_1d(padding, data_format, "conv1d_transpose"),
                   lift(output_padding, 0, "output_padding"), groups, lift(dilation, 1, "dilation"),
                   None if output_size is None else lift(output_size, 1, "output_size"), flat)
    return naming.named(manip.squeeze(y, axes=[axis]), name)
