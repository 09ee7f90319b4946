"""Pooling functions, 1-d to 3-d: max (with mask), average, adaptive."""

from ...core.addresses import lookup as _lookup
from ...core.docstrings import documented_like
from ...core.errors import check_choice, own_errors
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...ops.manipulation import reshape as manip
from ...ops.nn import pooling
from ...tensor.convert import as_tensor, int_arg, late_size_arg
from ...tensor.shapes import dims, ints
from ...utils import naming
from .conv import padding_arg, sizes

__all__ = ["max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "adaptive_avg_pool1d",
           "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
           "adaptive_max_pool3d"]

_FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def _checked(function, n, x, data_format):
    check_choice(data_format, _FORMATS[n], function, "data_format")
    x = as_tensor(x, function)
    if len(x.shape) != n + 2:
        raise ValueError(f"{function}(): x must have {n + 2} dimensions ({data_format}), got shape {list(x.shape)}")
    return x


def _file_op(n, x, kind, kernel, stride, pads, algorithm, ceil_mode, exclusive, data_format, adaptive=False):
    """The op that files name; 1-d goes through 2-d with height 1."""
    attrs = {"ksize": kernel, "strides": stride, "paddings": pads, "ceil_mode": bool(ceil_mode), "exclusive": bool(exclusive),
             "pooling_type": kind, "adaptive": adaptive, "padding_algorithm": algorithm}
    if n == 1:
        axis = 1 if data_format == "NLC" else 2
        attrs.update(ksize=[1, *kernel], strides=[1, *stride], paddings=[0, 0, pads[0], pads[-1]])
        y = pooling.pool2d(manip.unsqueeze(x, axes=[axis]), data_format="NHWC" if axis == 1 else "NCHW", **attrs)
        return manip.squeeze(y, axes=[axis])
    return (pooling.pool2d if n == 2 else pooling.pool3d)(x, data_format=data_format, **attrs)


def _file_op_with_mask(n, x, kernel, stride, pads, adaptive=False):
    """(maxima, indices) by the op that files name; 1-d goes through 2-d with height 1."""
    if n == 1:
        out, mask = pooling.max_pool2d_with_index(manip.unsqueeze(x, axes=[2]), ksize=[1, *kernel], strides=[1, *stride],
                                                  paddings=[0, 0] if adaptive else [0, 0, pads[0], pads[-1]], adaptive=adaptive)
        return manip.squeeze(out, axes=[2]), manip.squeeze(mask, axes=[2])
    pool = pooling.max_pool2d_with_index if n == 2 else pooling.max_pool3d_with_index
    return pool(x, ksize=kernel, strides=stride, paddings=pads, adaptive=adaptive)


def _window(function, n, kernel_size, stride, padding, data_format, ceil_mode=False):
    if ceil_mode and isinstance(padding, str) and padding.upper() == "VALID":
        raise ValueError(f"{function}(): padding 'VALID' leaves the last cells out, so ceil_mode must be False")
    kernel = sizes(kernel_size, n, function, "kernel_size")
    stride = kernel if stride is None else sizes(stride, n, function, "stride")
    if min(*kernel, *stride) < 1:
        raise ValueError(f"{function}(): kernel_size and stride must be positive, got {kernel} and {stride}")
    return kernel, stride, *padding_arg(padding, n, data_format, function)


def _max(function, n, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format):
    x = _checked(function, n, x, data_format)
    kernel, stride, pads, algorithm = _window(function, n, kernel_size, stride, padding, data_format, ceil_mode)
    first = data_format[1] == "C"
    if return_mask and not first:
        raise ValueError(f"{function}(): return_mask=True needs a channels-first data_format, got {data_format}")
    if return_mask and isinstance(x, Symbolic):
        if algorithm == "EXPLICIT" and not ceil_mode:
            return _file_op_with_mask(n, x, kernel, stride, pads)
        if -1 in x.shape[2:]:
            raise ValueError(f"{function}(): return_mask=True with ceil_mode or padding 'SAME' needs sizes that are known when the "
                             f"program is built, got x {list(x.shape)}")
    elif not first or isinstance(x, Symbolic):
        return _file_op(n, x, "max", kernel, stride, pads, algorithm, ceil_mode, True, data_format)
    if kernel == stride == [2, 2] and not any(pads) and algorithm != "SAME" and not (ceil_mode or return_mask) \
            and min(x.shape[2:]) > 1:
        return pooling.max_pool2x2(x)[0]
    out, mask = pooling.max_pool(x, *pooling.pool_geometry(function, tuple(x.shape[2:]), tuple(kernel), tuple(stride), tuple(pads),
                                                           algorithm, bool(ceil_mode)))
    return (out, mask) if return_mask else out


def max_pool1d(x, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, name=None):
    """Largest element of each window of x [N, C, L]; with ``return_mask`` also its index.

    Args:
        x (Tensor): batch, channels, and the axes that are pooled (channels last if ``data_format`` says so).
        kernel_size (int or tuple): size of the window.
        stride (int, tuple or None): stride of the window; None means ``kernel_size``.
        padding (int, tuple or str): padding on each side, 'SAME' or 'VALID'.
        return_mask (bool): return the index of each largest element too.
        ceil_mode (bool): keep an incomplete last window.
    Returns:
        Tensor [N, C, L']; with ``return_mask`` also the indices, int32, of the same shape.
    Raises:
        ValueError: x has another number of axes, or the window goes beyond the padded x by a stride or more.
        TypeError: x is not a Tensor, array, list or number, or a size is not an int.

    >>> paddle.nn.functional.max_pool1d(paddle.to_tensor([[[1., 3., 2., 4.]]]), 2).tolist()
    [[[3.0, 4.0]]]
    """
    return naming.named(_max("max_pool1d", 1, x, kernel_size, stride, padding, return_mask, ceil_mode, "NCL"), name)


@documented_like(max_pool1d)
def max_pool2d(x, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, data_format="NCHW", name=None):
    """Largest element of each window of x [N, C, H, W]; with ``return_mask`` also its index in the flattened H * W.

    Args:
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
    Returns:
        Tensor [N, C, H', W'], n' = floor((n + 2 * padding - kernel_size) / stride) + 1; with ``return_mask`` also the indices,
        int32.

    >>> paddle.nn.functional.max_pool2d(paddle.ones([1, 1, 4, 4]), 2).shape
    [1, 1, 2, 2]
    """
    return naming.named(_max("max_pool2d", 2, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format), name)


@documented_like(max_pool2d)
def max_pool3d(x, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, data_format="NCDHW", name=None):
    """Largest element of each window of x [N, C, D, H, W]; with ``return_mask`` also its flat index.

    >>> paddle.nn.functional.max_pool3d(paddle.ones([1, 1, 4, 4, 4]), 2).shape
    [1, 1, 2, 2, 2]
    """
    return naming.named(_max("max_pool3d", 3, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format), name)


def _avg(function, n, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor, data_format):
    x = _checked(function, n, x, data_format)
    kernel, stride, pads, algorithm = _window(function, n, kernel_size, stride, padding, data_format, ceil_mode)
    out = _file_op(n, x, "avg", kernel, stride, pads, algorithm, ceil_mode, exclusive and divisor is None, data_format)
    if divisor is None:
        return out
    if divisor <= 0:
        raise ValueError(f"{function}(): divisor_override must be positive, got {divisor}")
    area = 1
    for k in kernel:
        area *= k
    return out * (area / divisor)


@own_errors
@documented_like(max_pool1d)
def avg_pool1d(x, kernel_size, stride=None, padding=0, exclusive=True, ceil_mode=False, name=None):
    """Mean of each window of x [N, C, L]; ``exclusive`` excludes padding from the count.

    Args:
        exclusive (bool): exclude padding from the count.

    >>> paddle.nn.functional.avg_pool1d(paddle.to_tensor([[[1., 3., 2., 4.]]]), 2).tolist()
    [[[2.0, 3.0]]]
    """
    return naming.named(_avg("avg_pool1d", 1, x, kernel_size, stride, padding, ceil_mode, exclusive, None, "NCL"), name)


@own_errors
@documented_like(max_pool2d)
def avg_pool2d(x, kernel_size, stride=None, padding=0, ceil_mode=False, exclusive=True, divisor_override=None,
               data_format="NCHW", name=None):
    """Mean of each window of x [N, C, H, W]; ``divisor_override`` replaces the count.

    Args:
        exclusive (bool): exclude padding from the count.
        divisor_override (int or None): divide by this instead of the count.

    >>> paddle.nn.functional.avg_pool2d(paddle.ones([1, 1, 4, 4]), 2).shape
    [1, 1, 2, 2]
    """
    out = _avg("avg_pool2d", 2, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format)
    return naming.named(out, name)


@own_errors
@documented_like(avg_pool2d)
def avg_pool3d(x, kernel_size, stride=None, padding=0, ceil_mode=False, exclusive=True, divisor_override=None,
               data_format="NCDHW", name=None):
    """Mean of each window of x [N, C, D, H, W]; ``divisor_override`` replaces the count.

    >>> paddle.nn.functional.avg_pool3d(paddle.ones([1, 1, 4, 4, 4]), 2).shape
    [1, 1, 2, 2, 2]
    """
    out = _avg("avg_pool3d", 3, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format)
    return naming.named(out, name)


def _out_size(function, n, x, output_size, data_format, late=False):
    if late and isinstance(output_size, Symbolic) and output_size.shape not in ((), (1,)):
        return late_size_arg(output_size, n, function, "output_size") or ints(output_size, function, "output_size")
    if isinstance(output_size, Tensor) and output_size.ndim == 1 and len(output_size) > 1:
        output_size = ints(output_size, function, "output_size")
    given = list(output_size) if isinstance(output_size, (list, tuple)) else [output_size] * n
    if len(given) != n:
        raise ValueError(f"{function}(): output_size must be an int or {n} ints, got {output_size!r}")
    if None in [g if g is None else 0 for g in given]:
        spatial = dims(x)[1:-1] if data_format[-1] == "C" else dims(x)[2:]
        given = [s if g is None else g for s, g in zip(spatial, given)]
    outs = late_size_arg(given, n, function, "output_size") if late else None
    return outs or [int_arg(g, function, "output_size") for g in given]


def _adaptive(function, n, kind, x, output_size, data_format, return_mask=False):
    x = _checked(function, n, x, data_format)
    outs = _out_size(function, n, x, output_size, data_format, late=function == "adaptive_avg_pool2d")
    if kind == "max":  # Paddle's pool2d knows no adaptive maxima
        out, mask = _file_op_with_mask(n, x, outs, [1] * n, [0] * n, adaptive=True)
        return (out, mask) if return_mask else out
    return _file_op(n, x, kind, outs, [1] * n, [0] * n, "EXPLICIT", False, True, data_format, adaptive=True)


@own_errors
def adaptive_avg_pool1d(x, output_size, name=None):
    """Means of ``output_size`` windows that cover x [N, C, L].

    Args:
        x (Tensor): batch, channels, and the axes that are pooled (channels last if ``data_format`` says so).
        output_size (int or tuple): sizes of the result; None keeps an axis.
    Returns:
        Tensor [N, C, output_size].
    Raises:
        ValueError: x has another number of axes, or a size of the result is below 1.
        TypeError: x is not a Tensor, array, list or number, or a size is not an int.

    >>> paddle.nn.functional.adaptive_avg_pool1d(paddle.to_tensor([[[1., 3., 2., 4.]]]), 2).tolist()
    [[[2.0, 3.0]]]
    """
    return naming.named(_adaptive("adaptive_avg_pool1d", 1, "avg", x, output_size, "NCL"), name)


@own_errors
def adaptive_avg_pool2d(x, output_size, data_format="NCHW", name=None):
    """Means of windows that cover x [N, C, H, W] in ``output_size`` rows and columns; None keeps a size.

    Args:
        x (Tensor): batch, channels, and the axes that are pooled (channels last if ``data_format`` says so).
        output_size (int or tuple): sizes of the result; None keeps an axis.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
    Returns:
        Tensor [N, C, rows, columns].
    Raises:
        ValueError: x has another number of axes, or a size of the result is below 1.
        TypeError: x is not a Tensor, array, list or number, or a size is not an int.

    >>> paddle.nn.functional.adaptive_avg_pool2d(paddle.ones([1, 1, 5, 5]), 2).shape
    [1, 1, 2, 2]
    """
    return naming.named(_adaptive("adaptive_avg_pool2d", 2, "avg", x, output_size, data_format), name)


@own_errors
@documented_like(adaptive_avg_pool2d)
def adaptive_avg_pool3d(x, output_size, data_format="NCDHW", name=None):
    """Means of windows that cover x [N, C, D, H, W]; None keeps a size.

    >>> paddle.nn.functional.adaptive_avg_pool3d(paddle.ones([1, 1, 5, 5, 5]), 2).shape
    [1, 1, 2, 2, 2]
    """
    return naming.named(_adaptive("adaptive_avg_pool3d", 3, "avg", x, output_size, data_format), name)


@own_errors
def adaptive_max_pool1d(x, output_size, return_mask=False, name=None):
    """Maxima of ``output_size`` windows that cover x [N, C, L]; with ``return_mask`` also their indices.

    Args:
        x (Tensor): batch, channels, and the axes that are pooled (channels last if ``data_format`` says so).
        output_size (int or tuple): sizes of the result; None keeps an axis.
        return_mask (bool): return the index of each largest element too.

    >>> paddle.nn.functional.adaptive_max_pool1d(paddle.to_tensor([[[1., 3., 2., 4.]]]), 2).tolist()
    [[[3.0, 4.0]]]
    """
    return naming.named(_adaptive("adaptive_max_pool1d", 1, "max", x, output_size, "NCL", return_mask), name)


@own_errors
@documented_like(adaptive_max_pool1d)
def adaptive_max_pool2d(x, output_size, return_mask=False, name=None):
    """Maxima of windows that cover x [N, C, H, W]; with ``return_mask`` also their flat indices.

    >>> paddle.nn.functional.adaptive_max_pool2d(paddle.ones([1, 1, 5, 5]), 2).shape
    [1, 1, 2, 2]
    """
    return naming.named(_adaptive("adaptive_max_pool2d", 2, "max", x, output_size, "NCHW", return_mask), name)


@own_errors
@documented_like(adaptive_max_pool1d)
def adaptive_max_pool3d(x, output_size, return_mask=False, name=None):
    """Maxima of windows that cover x [N, C, D, H, W]; with ``return_mask`` also their flat indices.

    >>> paddle.nn.functional.adaptive_max_pool3d(paddle.ones([1, 1, 5, 5, 5]), 2).shape
    [1, 1, 2, 2, 2]
    """
    return naming.named(_adaptive("adaptive_max_pool3d", 3, "max", x, output_size, "NCDHW", return_mask), name)


__getattr__ = _lookup(__name__)
