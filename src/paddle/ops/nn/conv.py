"""The convolutions that files name: conv2d, depthwise_conv2d, conv3d and the transposed ones, over ``ops/nn/convolution.py``."""

import functools

from ...core.op import op
from ...core.steps import dense
from ..families.conv import transposed_flops, transposed_size
from ..linalg.matmul import is_brain
from ..manipulation.reshape import transpose
from ..math import reduction as reduce
from ..short import through_float32
from .convolution import check_conv, conv, conv_filter_bias_grad, conv_filter_grad, conv_input_grad, convolved
from .window_geometry import channels_last, flat_pads, out_size, pad_pairs, per_axis, reaching_pads


def to_first(x, last):
    """Channels moved from the last to the second axis, if they are last (works on arrays and Tensors)."""
    if not last:
        return x
    n = len(x.shape)
    return transpose(x, [0, n - 1, *range(1, n - 1)])


def to_last(x, last):
    """The opposite of to_first."""
    return transpose(x, [0, *range(2, len(x.shape)), 1]) if last else x


def geometry(function, sizes, kernel, stride, padding, algorithm, dilation):
    """(stride, pads, dilation) in the form that ``conv`` takes, as they are declared: sizes matter for the padding "SAME" alone."""
    n = len(sizes)
    stride = per_axis(stride, n, function, "stride")
    dilation = per_axis(dilation, n, function, "dilation")
    if algorithm == "SAME":
        dilation = (1,) * n
    return stride, pad_pairs(padding, algorithm, sizes, kernel, stride, function), dilation


@functools.lru_cache(maxsize=1024)
def _fitting(function, sizes, kernel, *given):
    """The geometry for these sizes, and the pads in the form that the native kernel takes; raises ValueError where no window
    fits."""
    stride, pads, dilation = geometry(function, sizes, kernel, *given)
    pads = reaching_pads(pads, sizes, kernel, stride, dilation)
    if any(out_size(*along) < 1 for along in zip(sizes, kernel, stride, pads, dilation)):
        raise ValueError(f"{function}(): the kernel {list(kernel)} does not fit the padded input {list(sizes)}")
    return stride, pads, dilation, flat_pads(pads)


def _hashable(value):
    return tuple(value) if isinstance(value, list) else value


def _declare(name, doc):
    def forward(x, weight, bias=None, stride=1, padding=0, padding_algorithm="EXPLICIT", dilation=1, groups=1,
                data_format="NCHW"):
        last = channels_last(data_format)
        x = to_first(x, last)
        check_conv(x, weight, groups, name)
        stride, pads, dilation, _ = _fitting(name, x.shape[2:], weight.shape[2:], _hashable(stride), _hashable(padding),
                                             padding_algorithm, _hashable(dilation))
        return to_last(conv(x, weight, bias, stride, pads, dilation, groups), last)

    def vjp(needs, g, x, weight, stride, padding, padding_algorithm, dilation, groups, data_format):
        last = channels_last(data_format)
        x, g = to_first(x, last), to_first(g, last)
        size, kernel = tuple(x.shape[2:]), tuple(weight.shape[2:])
        where = _fitting(name, size, kernel, _hashable(stride), _hashable(padding), padding_algorithm, _hashable(dilation))[:3]
        dx = to_last(conv_input_grad(g, weight, size, *where, groups), last) if needs[0] else None
        if needs[1] and needs[2]:
            return dx, *conv_filter_bias_grad(x, g, kernel, *where, groups)
        dw = conv_filter_grad(x, g, kernel, *where, groups) if needs[1] else None
        db = reduce.sum(g, (0, *range(2, len(size) + 2))) if needs[2] else None
        return dx, dw, db

    forward.__name__, forward.__doc__, forward.__module__ = name, doc, __name__
    declared = op(f"{name}(Input, Filter, Bias?) -> Output", family="conv", stride="strides", padding="paddings",
                  dilation="dilations", version=1)(forward)
    declared.vjp(vjp)
    return declared


conv2d = _declare("conv2d", "2-d convolution of x [N, C, H, W] with weight [O, C / groups, kh, kw].")
depthwise_conv2d = _declare("depthwise_conv2d", "2-d convolution with one group per input channel.")


def _native_conv2d(name):
    """The usual 2-d convolution without the way over ``conv``."""
    def run(k, x, weight, bias, stride, padding, padding_algorithm, dilation, groups, data_format):
        check_conv(x, weight, groups, name)
        stride, _, dilation, pads = _fitting(name, x.shape[2:], weight.shape[2:], _hashable(stride), _hashable(padding),
                                             padding_algorithm, _hashable(dilation))
        return convolved(k, dense(x), dense(weight), dense(bias), stride, pads, dilation, groups)
    return run


def _is_usual(x, weight, bias, stride, padding, padding_algorithm, dilation, groups, data_format):
    return (x.dtype == weight.dtype and x.dtype.char in "fd" and x.ndim == weight.ndim == 4
            and data_format == "NCHW" and (bias is None or bias.dtype == x.dtype))


for _op in (conv2d, depthwise_conv2d):
    _op.kernel(when=_is_usual)(_native_conv2d(_op.name))


@conv2d.kernel(when=lambda x, weight, *rest: x.ndim == 4 and is_brain(x, weight) and rest[-1] == "NCHW")
def _(k, x, weight, bias, stride, padding, padding_algorithm, dilation, groups, data_format):
    """bfloat16, which the kernel takes where that is quicker than the way through float32."""
    check_conv(x, weight, groups, "conv2d")
    stride, _, dilation, pads = _fitting("conv2d", x.shape[2:], weight.shape[2:], _hashable(stride), _hashable(padding),
                                         padding_algorithm, _hashable(dilation))
    wide = None if bias is None else k.widen(dense(bias)) if is_brain(bias) else dense(bias)
    return k.conv_brain(dense(x), dense(weight), wide, stride, pads, dilation, groups)


conv3d = _declare("conv3d", "3-d convolution of x [N, C, D, H, W] with weight [O, C / groups, kd, kh, kw].")


def _transposed_geometry(name, x, weight, stride, padding, algorithm, dilation, output_padding, output_size):
    n = len(x.shape) - 2
    size, kernel = tuple(x.shape[2:]), tuple(weight.shape[2:])
    stride, dilation = per_axis(_hashable(stride), n, name, "stride"), per_axis(_hashable(dilation), n, name, "dilation")
    if algorithm == "SAME":
        dilation = (1,) * n
    pads = pad_pairs(_hashable(padding), algorithm, size, kernel, stride, name)
    extra = per_axis(_hashable(output_padding) or 0, n, name, "output_padding", lowest=0)
    if any(e >= q for e, q in zip(extra, stride)):
        raise ValueError(f"{name}(): output_padding must be smaller than the stride {list(stride)}, got {list(extra)}")
    out = transposed_size(size, kernel, stride, pads, dilation, extra)
    if output_size:
        asked = per_axis(_hashable(output_size), n, name, "output_size")
        smallest = transposed_size(size, kernel, stride, pads, dilation, (0,) * n)
        if any(not lo <= a < lo + q for a, lo, q in zip(asked, smallest, stride)):
            raise ValueError(f"{name}(): output_size must be in [{list(smallest)}, "
                             f"{[lo + q for lo, q in zip(smallest, stride)]}), got {list(asked)}")
        out = asked
    return out, (stride, pads, dilation)


def _declare_transposed(name, doc, version):
    def forward(x, weight, bias=None, stride=1, padding=0, output_padding=(), output_size=(), padding_algorithm="EXPLICIT",
                groups=1, dilation=1, data_format="NCHW"):
        last = channels_last(data_format)
        x = to_first(x, last)
        check_conv(x, weight, groups, name, transposed=True)
        out, where = _transposed_geometry(name, x, weight, stride, padding, padding_algorithm, dilation, output_padding,
                                          output_size)
        y = conv_input_grad(x, weight, out, *where, groups)
        return to_last(y if bias is None else y + bias.reshape(-1, *(1,) * (x.ndim - 2)), last)

    def vjp(needs, g, x, weight, stride, padding, output_padding, output_size, padding_algorithm, groups, dilation,
            data_format):
        last = channels_last(data_format)
        x, g = to_first(x, last), to_first(g, last)
        _, where = _transposed_geometry(name, x, weight, stride, padding, padding_algorithm, dilation, output_padding,
                                        output_size)
        dx = to_last(conv(g, weight, None, *where, groups), last) if needs[0] else None
        dw = conv_filter_grad(g, x, tuple(weight.shape[2:]), *where, groups) if needs[1] else None
        db = reduce.sum(g, (0, *range(2, len(g.shape)))) if needs[2] else None
        return dx, dw, db

    forward.__name__, forward.__doc__, forward.__module__ = name, doc, __name__
    declared = op(f"{name}(Input, Filter, Bias?) -> Output", family="conv", stride="strides", padding="paddings",
                  dilation="dilations", version=version, flops=transposed_flops)(forward)
    declared.vjp(vjp)
    return declared


conv2d_transpose = _declare_transposed("conv2d_transpose", "2-d transposed convolution; weight is [C, O / groups, kh, kw].", 2)
depthwise_conv2d_transpose = _declare_transposed("depthwise_conv2d_transpose", "conv2d_transpose with one group per channel.", 0)
conv3d_transpose = _declare_transposed("conv3d_transpose", "3-d transposed convolution; weight is [C, O / groups, kd, kh, kw].", 1)

through_float32(conv2d, depthwise_conv2d, conv3d, conv2d_transpose, depthwise_conv2d_transpose, conv3d_transpose)
