"""Fourier transforms, and frames of signals."""

import numpy as np

from ...core.op import op
from ...core.steps import dense
from ..arguments import axis_tuple, quiet
from ..library import by_library
from ..manipulation.reading_order import nothing, pad_tables
from ..manipulation.slicing import slice as pick
from ..math.arithmetic import multiply, numpy_type
from ..math.complex import real
from ..short import through_float32

_SWAP = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _axes(axes, ndim):
    return axis_tuple(list(axes), ndim, "fft", "axes")


def _complex_type(x):
    return np.complex64 if x.dtype in (np.float32, np.complex64, np.float16) else np.complex128


def _transform(x, axes, normalization, forward):
    if not axes:
        return x
    return (np.fft.fftn if forward else np.fft.ifftn)(x, axes=axes, norm=normalization)


def _by_kernel(k, x, axes, normalization, forward, half=False, size=0):
    """The transform by kernels, axis by axis, the last one first; ``half``: of real numbers, the first half; ``size``: so many
    real numbers come out there, in the end."""
    axes, over = list(reversed(_axes(axes, x.ndim))), False
    for axis in axes[1:] + axes[:1] if size else axes:
        to_real = size if axis == axes[0] else 0
        n = to_real or x.shape[axis]
        scale = n ** -0.5 if normalization == "ortho" and n else 1 / n if (normalization == "forward") == forward and n else 1.0
        x = k.fourier(dense(x), axis, not forward, scale, half, to_real, over and not to_real)
        if x is NotImplemented:
            return x
        half, over = False, True  # an array of ours from here on
    return x


@op("fft_c2c(X) -> Out", family="same")
@quiet
def fft_c2c(x, axes=(), normalization="backward", forward=True):
    """The discrete Fourier transform (or its inverse) of complex numbers over axes."""
    return _transform(x, _axes(axes, x.ndim), normalization, forward).astype(x.dtype, copy=False)


@fft_c2c.kernel(when=lambda x, axes, normalization, forward: x.dtype.char in "FD" and axes, noted=False)
def _(k, x, axes, normalization, forward):
    return _by_kernel(k, x, axes, normalization, bool(forward))


fft_c2c.grad(x=lambda g, axes, normalization, forward: fft_c2c(g, axes, _SWAP[normalization], not forward))


def _halved(x, axes, onesided):
    shape = list(x.shape)
    if onesided and shape[axes[-1]] >= 0:
        shape[axes[-1]] = shape[axes[-1]] // 2 + 1
    return x.like(shape, _complex_type(x))


@op("fft_r2c(X) -> Out", family="own", shapes=_halved)
@quiet
def fft_r2c(x, axes=(), normalization="backward", forward=True, onesided=True):
    """The transform of real numbers; ``onesided`` keeps the first half of the last axis (the rest mirrors it)."""
    axes = _axes(axes, x.ndim)
    if not onesided:
        return _transform(x, axes, normalization, forward).astype(_complex_type(x), copy=False)
    half = (np.fft.rfft if forward else np.fft.ihfft)(x, axis=axes[-1], norm=normalization)
    return _transform(half, axes[:-1], normalization, forward).astype(_complex_type(x), copy=False)


@fft_r2c.kernel(when=lambda x, axes, normalization, forward, onesided: x.dtype.char in "fd" and axes, noted=False)
def _(k, x, axes, normalization, forward, onesided):
    return _by_kernel(k, x, axes, normalization, bool(forward), bool(onesided))


def _r2c_grad(g, x_shape, axes, normalization, forward, onesided):
    if onesided:
        g = spectrum_fill(g, list(axes)[-1], x_shape[list(axes)[-1]])
    return real(fft_c2c(g, axes, _SWAP[normalization], not forward))


fft_r2c.grad(x=_r2c_grad)


@op("spectrum_fill(X) -> Out", family="own")
@quiet
def spectrum_fill(x, axis=-1, size=0):
    """x with zeros added at the end of an axis up to a size."""
    width = [(0, 0)] * x.ndim
    width[axis] = (0, size - x.shape[axis])
    return np.pad(x, width)


@spectrum_fill.kernel(when=lambda x, axis, size: x.size and size > x.shape[axis], noted=False)
def _(k, x, axis, size):
    pairs = [(0, size - n) if a == axis % x.ndim else (0, 0) for a, n in enumerate(x.shape)]
    return k.remap(dense(x), pad_tables(x.shape, pairs, "constant"), nothing(x.dtype))


def _unfill(g, x_shape, axis):
    a = axis % len(x_shape)
    return pick(g, None, None, None, None, [a], [0], [x_shape[a]], [])


spectrum_fill.grad(x=_unfill)


def _real_size(x_shape, axis, last_dim_size):
    return last_dim_size or 2 * (x_shape[axis] - 1)


def _doubled(x, axes, last_dim_size):
    shape = list(x.shape)
    if last_dim_size or shape[axes[-1]] >= 0:
        shape[axes[-1]] = _real_size(shape, axes[-1], last_dim_size)
    return x.like(shape, np.empty(0, _complex_type(x)).real.dtype)


@op("fft_c2r(X) -> Out", family="own", shapes=_doubled)
@quiet
def fft_c2r(x, axes=(), normalization="backward", forward=False, last_dim_size=0):
    """The transform to real numbers of the first half of a spectrum whose other half mirrors it."""
    axes = _axes(axes, x.ndim)
    n = _real_size(x.shape, axes[-1], last_dim_size)
    if n < 1:
        raise ValueError(f"fft_c2r(): the size of the last axis must be at least 1, got {n}")
    y = _transform(x, axes[:-1], normalization, forward)
    out = (np.fft.hfft if forward else np.fft.irfft)(y, n, axes[-1], normalization)
    return out.astype(np.float32 if _complex_type(x) == np.complex64 else np.float64, copy=False)


@fft_c2r.kernel(when=lambda x, axes, normalization, forward, last_dim_size: x.dtype.char in "FD" and axes, noted=False)
def _(k, x, axes, normalization, forward, last_dim_size):
    size = _real_size(x.shape, list(axes)[-1], last_dim_size)
    return _by_kernel(k, x, axes, normalization, bool(forward), size=size) if size > 0 else NotImplemented


def _c2r_grad(g, x_shape, axes, normalization, forward, last_dim_size):
    """All but the first and, for even sizes, the middle frequency stand for two."""
    last = list(axes)[-1]
    n = _real_size(x_shape, last, last_dim_size)
    twice = np.full(x_shape[last], 2.0, np.float32)
    twice[0] = 1
    if n % 2 == 0:
        twice[-1] = 1
    shape = [1] * len(x_shape)
    shape[last] = len(twice)
    found = fft_r2c(g, axes, _SWAP[normalization], not forward, True)
    kind = numpy_type(found)
    return multiply(found, twice.reshape(shape).astype(kind))


fft_c2r.grad(x=_c2r_grad)


# ---- frames ---------------------------------------------------------------------------------------------------------
def _frame_axis(axis, function):
    if axis not in (0, -1):
        raise ValueError(f"{function}(): axis must be 0 or -1, got {axis}")


@op("frame(X) -> Out", family="own")
@quiet
def frame(x, frame_length=1, hop_length=1, axis=-1):
    """Overlapping pieces of a signal: [..., frame_length, frames] for the last axis, [frames, frame_length, ...] for 0."""
    _frame_axis(axis, "frame")
    if x.ndim < 1:
        raise ValueError("frame(): x must have at least one axis, got a 0-d tensor")
    size = x.shape[axis]
    if frame_length < 1 or hop_length < 1:
        raise ValueError(f"frame(): frame_length and hop_length must be positive, got {frame_length} and {hop_length}")
    if frame_length > size:
        raise ValueError(f"frame(): frame_length {frame_length} is larger than the axis of size {size}")
    starts = np.arange(0, size - frame_length + 1, hop_length)
    if axis == -1:
        return x[..., np.arange(frame_length)[:, None] + starts]
    return x[starts[:, None] + np.arange(frame_length)]


@op("overlap_add(X) -> Out", family="own")
@quiet
def overlap_add(x, hop_length=1, axis=-1):
    """Frames [..., frame_length, frames] (or [frames, frame_length, ...] for axis 0) added up at their places."""
    _frame_axis(axis, "overlap_add")
    if x.ndim < 2:
        raise ValueError(f"overlap_add(): x must have at least two axes, got shape {list(x.shape)}")
    if hop_length < 1:
        raise ValueError(f"overlap_add(): hop_length must be positive, got {hop_length}")
    pieces = np.moveaxis(x, (-1, -2), (0, 1)) if axis == -1 else x
    frames, length = pieces.shape[:2]
    out = np.zeros(((frames - 1) * hop_length + length, *pieces.shape[2:]), x.dtype)
    for k in range(frames):
        out[k * hop_length:k * hop_length + length] += pieces[k]
    return np.ascontiguousarray(np.moveaxis(out, 0, -1)) if axis == -1 else out


def _frame_grad(g, x_shape, hop_length, axis):
    out = overlap_add(g, hop_length, axis)
    return out if out.shape[axis] == x_shape[axis] else spectrum_fill(out, axis, x_shape[axis])


frame.grad(x=_frame_grad)


overlap_add.grad(x=lambda g, x_shape, hop_length, axis: frame(g, x_shape[-2 if axis == -1 else 1], hop_length, axis))

by_library(frame, overlap_add)
through_float32(overlap_add)
