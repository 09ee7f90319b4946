"""Images: padding, resizing, sampling, shuffling and windows as columns."""

from ...core.addresses import lookup as _lookup
from ...core.docstrings import documented_like
from ...core.errors import check_choice, describe, own_errors
from ...core.generation import generation
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...ops.manipulation import pad as padding_ops
from ...ops.manipulation import reshape as manip
from ...ops.nn import grid_sample as grid_sample_ops
from ...ops.nn import interpolate as interpolate_ops
from ...ops.nn import shuffle
from ...tensor import joining
from ...tensor.convert import as_tensor, int_arg
from ...tensor.creation import ones_like, zeros
from ...tensor.gather_scatter import where
from ...tensor.manipulation import cast
from ...tensor.shapes import ints, split_ints
from ...utils import naming
from . import pooling
from .conv import sizes

__all__ = ["pad", "zeropad2d", "interpolate", "upsample", "grid_sample", "affine_grid", "pixel_shuffle", "pixel_unshuffle",
           "channel_shuffle", "temporal_shift", "unfold", "fold"]

_FORMATS = {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}


@generation("paddle.nn.functional.pad", alpha="paddle.fluid.layers.pad", only_modern={"data_format", "mode", "pad", "value"})
def pad(x, pad, mode="constant", value=0.0, data_format="NCHW", name=None):
    """x with cells added around it.

    Args:
        pad (int, list, tuple or Tensor): an int for all sides; or [left, right, top, bottom, front, back], the last spatial
            axis first, as many as there are; or, with mode 'constant', a pair for every axis of x, the first axis first.
        mode (str): 'constant', 'reflect' (without repeating the border), 'replicate' or 'circular'.
        x (Tensor): what is enlarged.
        value (float): what is added in mode 'constant'; in a program it may be a Variable of one element.
        data_format (str): 'NCL', 'NCHW', 'NCDHW', or with the channels last.
    Returns:
        Tensor, larger by what was added.
    Raises:
        ValueError: ``pad`` has another number of elements than the axes need, or ``mode`` is unknown.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.nn.functional.pad(paddle.ones([1, 1, 2]), [1, 0], data_format="NCL").tolist()
    [[[0.0, 1.0, 1.0]]]
    """
    check_choice(mode, ("constant", "reflect", "replicate", "circular"), "pad", "mode")
    x = as_tensor(x, "pad")
    dims = len(x.shape)
    if isinstance(pad, int):
        pad = [pad] * (2 * (dims - 2))
    at_run = pad if isinstance(pad, Symbolic) else None
    amounts = [0] * pad.shape[0] if at_run is not None else ints(pad, "pad", "pad")
    every = _of_all_axes(amounts, dims) if mode == "constant" and at_run is None else None

    def padded(x, number):
        if every is not None:
            return padding_ops.pad(x, every, number)
        return _pad_spatial(x, amounts, at_run, mode, number, data_format)

    if not isinstance(value, Symbolic):
        return naming.named(padded(x, float(value)), name)
    inside = padded(ones_like(x), 0.0) == 1.0  # the number is known to a run only
    return naming.named(where(inside, padded(x, 0.0), cast(value, x.dtype)), name)


def _of_all_axes(amounts, dims):
    """The cells added before and after every axis, where they are given for all of them (the first axis first) or, as in Paddle 3,
    for the last ones (the last axis first); None where they are those of the spatial axes."""
    if not amounts or len(amounts) % 2 or len(amounts) > 2 * dims or dims in _FORMATS and len(amounts) == 2 * (dims - 2):
        return None
    if len(amounts) == 2 * dims:
        return amounts
    pairs = [amounts[at:at + 2] for at in range(len(amounts) - 2, -1, -2)]
    return [0] * (2 * dims - len(amounts)) + [n for pair in pairs for n in pair]


def _pad_spatial(x, amounts, at_run, mode, value, data_format):
    """x with cells added around its spatial axes; ``at_run``: a Variable with the amounts that only a run knows, or None."""
    dims = len(x.shape)
    if dims not in _FORMATS:
        raise ValueError(f"pad(): x must have 3, 4 or 5 axes unless pad has two numbers per axis, got shape {list(x.shape)} "
                         f"and pad {list(amounts)}")
    formats = _FORMATS[dims]
    check_choice(data_format, [f for pair in _FORMATS.values() for f in pair], "pad", "data_format")
    if data_format not in formats and data_format != "NCHW":  # the default of every rank
        raise ValueError(f"pad(): x {list(x.shape)} needs data_format {formats[0]} or {formats[1]}, got {data_format}")
    if len(amounts) != 2 * (dims - 2):
        raise ValueError(f"pad(): pad must have {2 * (dims - 2)} numbers for x {list(x.shape)}, got {len(amounts)}")
    last, missing = data_format[-1] == "C", 5 - dims
    axes = [1 + k if last else 2 + k for k in range(missing)]
    if missing:
        x = manip.unsqueeze(x, axes=axes)
        at_run = at_run if at_run is None else joining.concat([at_run, zeros([2 * missing], at_run.dtype)])
    y = padding_ops.pad3d(x, at_run, [*amounts, *[0] * (2 * missing)], mode, value, "NDHWC" if last else "NCDHW")
    return manip.squeeze(y, axes=axes) if missing else y


@own_errors
def zeropad2d(x, padding, data_format="NCHW", name=None):
    """x [N, C, H, W] with zeros around it: [left, right, top, bottom].

    Args:
        x (Tensor): the image, batch and channels first.
        padding (int, list or Tensor): elements before and after each axis, the last axis first.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.functional.zeropad2d(paddle.ones([1, 1, 2, 2]), [1, 1, 0, 0]).shape
    [1, 1, 2, 4]
    """
    return naming.named(pad(as_tensor(x, "zeropad2d"), padding, "constant", 0.0, data_format), name)


_MODES = {"nearest": (3, 4, 5), "linear": (3,), "bilinear": (4,), "trilinear": (5,), "bicubic": (4,), "area": (3, 4, 5)}
_RESIZERS = {"nearest": interpolate_ops.nearest_interp, "linear": interpolate_ops.linear_interp,
             "bilinear": interpolate_ops.bilinear_interp,
             "trilinear": interpolate_ops.trilinear_interp, "bicubic": interpolate_ops.bicubic_interp}


def interpolate(x, size=None, scale_factor=None, mode="nearest", align_corners=False, align_mode=0, data_format="NCHW",
                name=None):
    """x resized to ``size``, or by ``scale_factor``, along its spatial axes.

    Args:
        size (list, tuple, Tensor or None): ints (or one-element tensors), one for each spatial axis, or a tensor of them.
        scale_factor (float, list, tuple, Tensor or None): a number for all axes or one for each; the size is rounded down.
        mode (str): 'nearest', 'linear' (3 axes), 'bilinear', 'bicubic' (4), 'trilinear' (5) or 'area'.
        align_corners (bool): do the centres of the corner cells stay where they are?
        align_mode (int): 0: cell i covers i to i + 1 and is read at its centre; 1: cell i is the point i.
        x (Tensor): [N, C, ...] with 1, 2 or 3 spatial axes.
        data_format (str): 'NCW', 'NCHW', 'NCDHW', or with the channels last.
    Returns:
        Tensor [N, C, ...] of the new sizes.
    Raises:
        ValueError: not exactly one of the size and the factor is given, or ``mode`` does not fit the number of axes.
        TypeError: x is not a Tensor, array, list or number, or a size is not an int.

    >>> paddle.nn.functional.interpolate(paddle.ones([1, 1, 2, 2]), scale_factor=2).shape
    [1, 1, 4, 4]
    """
    mode = mode.lower() if isinstance(mode, str) else mode
    check_choice(mode, _MODES, "interpolate", "mode")
    x = as_tensor(x, "interpolate")
    dims = len(x.shape)
    if dims not in _MODES[mode]:
        raise ValueError(f"interpolate(): mode {mode!r} needs x with {' or '.join(map(str, _MODES[mode]))} axes, got shape "
                         f"{list(x.shape)}")
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate(): exactly one of size and scale_factor must be given")
    if align_corners and mode in ("nearest", "area"):
        raise ValueError(f"interpolate(): align_corners=True has no meaning in mode {mode!r}")
    return naming.named(resized(x, size, scale_factor, mode, align_corners, align_mode, data_format), name)


def resized(x, size, scale_factor, mode, align_corners, align_mode, data_format):
    """interpolate() of a size or a factor; 1.x has aligned corners with mode 'nearest' too."""
    if align_mode not in (0, 1):
        raise ValueError(f"interpolate(): align_mode must be 0 or 1, got {align_mode!r}")
    dims = len(x.shape)
    allowed = {3: ("NCW", "NWC", "NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}[dims]
    if data_format == "NCHW" and dims != 4:
        data_format = allowed[0]  # the default of every rank
    check_choice(data_format, allowed, "interpolate", "data_format")
    n = dims - 2
    layout = "NHWC" if data_format[-1] == "C" else "NCHW"
    if mode == "area":
        return _area(x, n, size, scale_factor, data_format)
    attributes = {"data_layout": layout, "interp_method": mode, "align_corners": bool(align_corners),
                  "align_mode": int(align_mode)}
    out_size = size_list = scale_tensor = None
    if isinstance(size, (list, tuple)):
        size = [int(n) if isinstance(n, float) else n for n in size]  # sizes that were divided
    if size is not None:
        out_size, size_list, outs = split_ints(size, "interpolate", "size")
        if out_size is None:
            if len(outs) != n:
                raise ValueError(f"interpolate(): size must have {n} numbers for x {list(x.shape)}, got {list(outs)}")
            attributes.update(zip(("out_d", "out_h", "out_w")[-n:], outs))
    elif isinstance(scale_factor, Symbolic):
        scale_tensor = scale_factor
    else:
        attributes["scale"] = scales_of(scale_factor, n)
    return _RESIZERS[mode](x, out_size, size_list, scale_tensor, **attributes)


def scales_of(scale_factor, n):
    """The scale of each of n axes, from a number for all of them or one for each."""
    values = scale_factor.tolist() if isinstance(scale_factor, Tensor) else scale_factor
    values = list(values) if isinstance(values, (list, tuple)) else [values] * n
    values = [float(v) for v in (values * n if len(values) == 1 else values)]
    if len(values) != n or min(values) <= 0:
        raise ValueError(f"interpolate(): scale_factor must be a positive number or {n} of them, got {describe(scale_factor)}")
    return values


def _area(x, n, size, scale_factor, data_format):
    last = data_format[-1] == "C"
    spatial = list(x.shape[1:-1] if last else x.shape[2:])
    outs = ints(size, "interpolate", "size") if size is not None else [
        int(s * k) for s, k in zip(spatial, scales_of(scale_factor, n))]
    pool = (pooling.adaptive_avg_pool1d, pooling.adaptive_avg_pool2d, pooling.adaptive_avg_pool3d)[n - 1]
    if n > 1:
        return pool(x, outs, data_format=data_format)
    if not last:
        return pool(x, outs[0])
    return manip.transpose(pool(manip.transpose(x, [0, 2, 1]), outs[0]), [0, 2, 1])


@own_errors
def upsample(x, size=None, scale_factor=None, mode="nearest", align_corners=False, align_mode=0, data_format="NCHW", name=None):
    """The older name of interpolate.

    Args:
        x (Tensor): the image, batch and channels first.
        size (int, list or None): sizes of the result; this or ``scale_factor`` is given.
        scale_factor (float, list or None): factor on the sizes, instead of ``size``.
        mode (str): 'nearest', 'linear', 'bilinear', 'trilinear', 'bicubic' or 'area', as in ``interpolate``.
        align_corners (bool): corners of both images lie on each other.
        align_mode (int): of linear modes without ``align_corners``: 0 takes pixels at their centres, 1 at their corners.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
    Returns:
        Tensor [N, C, ...] of the new sizes.
    Raises:
        ValueError: not exactly one of the size and the factor is given, or ``mode`` does not fit the number of axes.
        TypeError: x is not a Tensor, array, list or number, or a size is not an int.

    >>> paddle.nn.functional.upsample(paddle.ones([1, 1, 2, 2]), size=[3, 3]).shape
    [1, 1, 3, 3]
    """
    return naming.named(interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format), name)


def grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=True, name=None):
    """x [N, C, H, W] sampled at the positions of grid [N, h, w, 2], whose (x, y) run from -1 to 1 over the image.

    Args:
        mode: 'bilinear' or 'nearest'.
        padding_mode: values outside: 'zeros', the nearest 'border' cell, or the 'reflection' of the image.
        align_corners: do -1 and 1 mean the centres of the border cells, or their outer edges?

    >>> paddle.nn.functional.grid_sample(paddle.ones([1, 1, 2, 2]), paddle.zeros([1, 1, 1, 2])).tolist()
    [[[[1.0]]]]
    """
    x, grid = as_tensor(x, "grid_sample"), as_tensor(grid, "grid_sample", "grid")
    if not isinstance(align_corners, bool):
        raise ValueError(f"grid_sample(): align_corners must be a bool, got {describe(align_corners)}")
    return naming.named(grid_sample_ops.grid_sampler(x, grid, mode, padding_mode, bool(align_corners)), name)


@own_errors
def affine_grid(theta, out_shape, align_corners=True, name=None):
    """The grid [N, H, W, 2] (or [N, D, H, W, 3]) for grid_sample that maps every place of the output by theta [N, 2, 3].

    >>> theta = paddle.to_tensor([[[1., 0., 0.], [0., 1., 0.]]])
    >>> paddle.nn.functional.affine_grid(theta, [1, 1, 2, 2]).shape
    [1, 2, 2, 2]
    """
    theta = as_tensor(theta, "affine_grid", "theta")
    if isinstance(out_shape, Symbolic):
        return naming.named(grid_sample_ops.affine_grid(theta, out_shape, (), bool(align_corners)), name)
    out = grid_sample_ops.affine_grid(theta, None, ints(out_shape, "affine_grid", "out_shape"), bool(align_corners))
    return naming.named(out, name)


def _picture(function, x, data_format):
    check_choice(data_format, ("NCHW", "NHWC"), function, "data_format")
    x = as_tensor(x, function)
    if len(x.shape) != 4:
        raise ValueError(f"{function}(): x must have 4 axes, got shape {list(x.shape)}")
    return x


def pixel_shuffle(x, upscale_factor, data_format="NCHW", name=None):
    """Blocks of r * r channels laid out as r * r pixels: [N, C r r, H, W] -> [N, C, H r, W r].

    Args:
        x (Tensor): the image, batch and channels first.
        upscale_factor (int): factor on height and width.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
    Returns:
        Tensor [N, C, H r, W r].
    Raises:
        ValueError: x has not 4 axes, or its channels are not a multiple of the factor squared.
        TypeError: x is not a Tensor, or the factor is not an int.

    >>> paddle.nn.functional.pixel_shuffle(paddle.ones([1, 4, 2, 2]), 2).shape
    [1, 1, 4, 4]
    """
    return naming.named(shuffle.pixel_shuffle(_picture("pixel_shuffle", x, data_format),
                                              int_arg(upscale_factor, "pixel_shuffle", "upscale_factor"), data_format), name)


def pixel_unshuffle(x, downscale_factor, data_format="NCHW", name=None):
    """Blocks of r * r pixels laid out as r * r channels: [N, C, H r, W r] -> [N, C r r, H, W].

    Args:
        x (Tensor): the image, batch and channels first.
        downscale_factor (int): divisor of height and width.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
    Returns:
        Tensor [N, C r r, H, W].
    Raises:
        ValueError: x has not 4 axes, or height or width is not a multiple of the factor.
        TypeError: x is not a Tensor, or the factor is not an int.

    >>> paddle.nn.functional.pixel_unshuffle(paddle.ones([1, 1, 4, 4]), 2).shape
    [1, 4, 2, 2]
    """
    out = shuffle.pixel_unshuffle(_picture("pixel_unshuffle", x, data_format),
                                  int_arg(downscale_factor, "pixel_unshuffle", "downscale_factor"), data_format)
    return naming.named(out, name)


def channel_shuffle(x, groups, data_format="NCHW", name=None):
    """The channels of every group interleaved.

    Args:
        x (Tensor): the image, batch and channels first.
        groups (int): groups of channels.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> x = paddle.arange(4).astype("float32").reshape([1, 4, 1, 1])
    >>> paddle.nn.functional.channel_shuffle(x, 2).flatten().tolist()
    [0.0, 2.0, 1.0, 3.0]
    """
    out = shuffle.channel_shuffle(_picture("channel_shuffle", x, data_format), int_arg(groups, "channel_shuffle", "groups"),
                                  data_format)
    return naming.named(out, name)


@own_errors
def temporal_shift(x, seg_num, shift_ratio=0.25, name=None, data_format="NCHW"):
    """Some channels of the frames x [N T, C, H, W] shifted by one frame forward, as many backward in time.

    Args:
        x (Tensor): the image, batch and channels first.
        seg_num (int): frames of a clip.
        shift_ratio (float): fraction of channels that is shifted.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.functional.temporal_shift(paddle.ones([4, 4, 1, 1]), 2).shape
    [4, 4, 1, 1]
    """
    if not 0 < shift_ratio < 0.5:
        raise ValueError(f"temporal_shift(): shift_ratio must be in (0, 0.5), got {shift_ratio}")
    out = shuffle.temporal_shift(_picture("temporal_shift", x, data_format), int_arg(seg_num, "temporal_shift", "seg_num"),
                                 float(shift_ratio), data_format)
    return naming.named(out, name)


def _window(function, kernel_sizes, strides, paddings, dilations):
    kernel = sizes(kernel_sizes, 2, function, "kernel_sizes")
    pads = list(paddings) if isinstance(paddings, (list, tuple)) and len(paddings) == 4 else sizes(
        paddings, 2, function, "paddings") * 2
    return kernel, sizes(strides, 2, function, "strides"), pads, sizes(dilations, 2, function, "dilations")


def unfold(x, kernel_sizes, strides=1, paddings=0, dilations=1, name=None):
    """Every window of x [N, C, H, W] as a column of [N, C kh kw, windows]; paddings may be [top, left, bottom, right].

    Args:
        x (Tensor): the image, batch and channels first.
        kernel_sizes (int or list): size of the window.
        strides (int or list): stride of the window.
        paddings (int or list): padding on each side.
        dilations (int or list): distance between the elements of a window.
    Returns:
        Tensor [N, C kh kw, windows].
    Raises:
        ValueError: x has not 4 axes, or the window does not fit into the padded x.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.nn.functional.unfold(paddle.ones([1, 2, 3, 3]), 2).shape
    [1, 8, 4]
    """
    out = shuffle.unfold(as_tensor(x, "unfold"), *_window("unfold", kernel_sizes, strides, paddings, dilations))
    return naming.named(out, name)


@documented_like(unfold)
def fold(x, output_sizes, kernel_sizes, strides=1, paddings=0, dilations=1, name=None):
    """Columns [N, C kh kw, windows] added up at the places of their windows: [N, C, *output_sizes].

    Args:
        output_sizes (int or list): height and width of the image.

    >>> paddle.nn.functional.fold(paddle.ones([1, 4, 4]), [3, 3], 2).tolist()
    [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """
    return naming.named(shuffle.fold(as_tensor(x, "fold"), sizes(output_sizes, 2, "fold", "output_sizes"),
                                     *_window("fold", kernel_sizes, strides, paddings, dilations)), name)


__getattr__ = _lookup(__name__)
