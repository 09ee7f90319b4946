"""paddle.signal: frames of signals, and the short-time Fourier transform."""

import numpy as np

from .core.context import context
from .core.errors import ArgumentError, describe
from .core.op import Symbolic
from .core.tensor import wrap
from .ops.manipulation import gather_scatter, joining, reshape
from .ops.manipulation.pad import pad3d
from .ops.signal import fft
from .tensor.attribute import shape
from .tensor.convert import as_tensor, cast, int_arg, numpy_dtype, to_float
from .tensor.creation import ones, zeros
from .tensor.cumulative import part
from .tensor.shapes import dims
from .utils import naming

__all__ = ["stft", "istft"]

_END = 2 ** 31 - 1  # of a slice: wherever it is


def frame(x, frame_length, hop_length, axis=-1, name=None):
    """Cut a signal into overlapping frames: [..., frame_length, frames] for axis -1, [frames, frame_length, ...] for 0.

    >>> paddle.signal.frame(paddle.arange(5), 3, 1).tolist()
    [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    """
    return naming.named(fft.frame(as_tensor(x, "frame"), int_arg(frame_length, "frame", "frame_length"),
                                  int_arg(hop_length, "frame", "hop_length"), int_arg(axis, "frame", "axis")), name)


def overlap_add(x, hop_length, axis=-1, name=None):
    """Add frames [..., frame_length, frames] (or [frames, frame_length, ...] for axis 0) up at their places in a signal.

    >>> paddle.signal.overlap_add(paddle.ones([2, 3]), 1).tolist()
    [1.0, 2.0, 2.0, 1.0]
    """
    return naming.named(fft.overlap_add(as_tensor(x, "overlap_add"), int_arg(hop_length, "overlap_add", "hop_length"),
                                        int_arg(axis, "overlap_add", "axis")), name)


def _lengths(n_fft, hop_length, win_length, window, function):
    n_fft = int_arg(n_fft, function, "n_fft")
    hop = n_fft // 4 if hop_length is None else int_arg(hop_length, function, "hop_length")
    win = n_fft if win_length is None else int_arg(win_length, function, "win_length")
    if n_fft < 1 or hop < 1:
        raise ArgumentError(f"{function}(): n_fft and hop_length must be positive, got {n_fft} and {hop}")
    if not 0 < win <= n_fft:
        raise ArgumentError(f"{function}(): win_length must be in [1, {n_fft}], got {win}")
    if window is not None:
        window = as_tensor(window, function, "window")
        if list(window.shape) != [win]:
            raise ArgumentError(f"{function}(): window must have shape [{win}], got {list(window.shape)}")
    return n_fft, hop, win, window


def _window(window, win, n_fft, kind):
    """The window in the middle of n_fft numbers, zeros around it."""
    if window is None:
        window = ones([win], kind.name)
    elif numpy_dtype(window).kind != "c":
        window = cast(window, kind)
    left = (n_fft - win) // 2
    pieces = [zeros([left], window.dtype), window, zeros([n_fft - win - left], window.dtype)]
    return joining.concat([p for p in pieces if p.shape[0]], None, 0)


def _padded(x, n, mode):
    """A signal with n samples added on both sides: zeros, or its own mirrored there."""
    last = len(x.shape) - 1
    if isinstance(x, Symbolic):  # by the length that is fed
        added = list(range(last, 4))
        return reshape.squeeze(pad3d(reshape.unsqueeze(x, axes=added), paddings=[n, n, 0, 0, 0, 0], mode=mode), axes=added)
    size = x.shape[-1]
    if mode == "constant":
        side = zeros([*dims(x)[:-1], n], x.dtype)
        return joining.concat([side, x, side], None, last)
    if n >= size:
        raise ArgumentError(f"stft(): reflecting {n} samples needs a signal longer than that, got {size}")
    places = np.abs(np.arange(-n, size + n))
    places = np.where(places >= size, 2 * (size - 1) - places, places)
    return gather_scatter.index_select(x, wrap(places.astype(np.int64)), last)


def stft(x, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False,
         onesided=True, name=None):
    """The short-time Fourier transform: spectra [..., frequencies, frames] of overlapping, windowed pieces of a signal.

    Args:
        x: [length] or [batch, length], real or complex.
        n_fft: size of each transform.
        hop_length: distance of neighbouring pieces (n_fft // 4 for None).
        win_length, window: the window that pieces are multiplied with (ones for None), in the middle of n_fft numbers.
        center: make the middle of piece k lie at sample k * hop_length, by padding n_fft // 2 samples on both sides.
        pad_mode: reflect or constant.
        normalized: divide by the root of n_fft.
        onesided: the first n_fft // 2 + 1 frequencies only (real x and window).

    >>> paddle.signal.stft(paddle.randn([2, 64]), n_fft=16).shape
    [2, 9, 17]
    """
    x = to_float(as_tensor(x, "stft"))
    if len(x.shape) not in (1, 2):
        raise ArgumentError(f"stft(): x must be [length] or [batch, length], got shape {list(x.shape)}")
    n_fft, hop, win, window = _lengths(n_fft, hop_length, win_length, window, "stft")
    if 0 <= x.shape[-1] < n_fft:
        raise ArgumentError(f"stft(): n_fft {n_fft} is above the length of the signal, {x.shape[-1]}")
    if pad_mode not in ("reflect", "constant"):
        raise ArgumentError(f"stft(): pad_mode must be 'reflect' or 'constant', got {pad_mode!r}")
    kind = numpy_dtype(x)
    weights = _window(window, win, n_fft, kind)
    is_complex = kind.kind == "c" or numpy_dtype(weights).kind == "c"
    if onesided and is_complex:
        raise ArgumentError("stft(): onesided must be False for a complex signal or window")
    if center:
        x = _padded(x, n_fft // 2, pad_mode)
    if x.shape[-1] < n_fft:
        raise ArgumentError(f"stft(): the signal of {x.shape[-1]} samples is shorter than n_fft {n_fft}")
    pieces = fft.frame(x, n_fft, hop, -1)
    pieces = pieces * reshape.reshape(weights, None, None, [n_fft, 1])
    axis, norm = [len(pieces.shape) - 2], "ortho" if normalized else "backward"
    if is_complex:
        return naming.named(fft.fft_c2c(pieces, axis, norm, True), name)
    return naming.named(fft.fft_r2c(pieces, axis, norm, True, bool(onesided)), name)


def istft(x, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=True, length=None,
          return_complex=False, name=None):
    """The inverse of ``stft``: the signal whose spectra come nearest to x.

    Args:
        x: complex spectra [frequencies, frames] or [batch, frequencies, frames].
        n_fft, hop_length, win_length, window, center, normalized, onesided: as they were for ``stft``.
        length: length of the signal (what the frames cover for None).
        return_complex: give a complex signal (needs onesided=False).

    >>> x = paddle.randn([64])
    >>> y = paddle.signal.istft(paddle.signal.stft(x, 16), 16)
    >>> bool(paddle.allclose(x, y, atol=1e-4))
    True
    """
    x = as_tensor(x, "istft")
    if len(x.shape) not in (2, 3) or numpy_dtype(x).kind != "c":
        raise ArgumentError(f"istft(): x must be complex, [frequencies, frames] or with a batch axis before, got {describe(x)}")
    n_fft, hop, win, window = _lengths(n_fft, hop_length, win_length, window, "istft")
    frequencies = n_fft // 2 + 1 if onesided else n_fft
    if x.shape[-2] != frequencies:
        raise ArgumentError(f"istft(): {frequencies} frequencies are expected for n_fft {n_fft}, got {x.shape[-2]}")
    if return_complex and onesided:
        raise ArgumentError("istft(): return_complex=True needs onesided=False")
    kind = np.dtype("float64" if numpy_dtype(x).name == "complex128" else "float32")
    weights = _window(window, win, n_fft, kind)
    axis, norm = [len(x.shape) - 2], "ortho" if normalized else "backward"
    if return_complex:
        pieces = fft.fft_c2c(x, axis, norm, False)
    else:
        if numpy_dtype(weights).kind == "c":
            raise ArgumentError("istft(): the window must be real for a real signal")
        half = x if onesided else part(x, axis[0], 0, n_fft // 2 + 1)
        pieces = fft.fft_c2r(half, axis, norm, False, n_fft)
    column = reshape.reshape(weights, None, None, [n_fft, 1])
    out = fft.overlap_add(pieces * column, hop, -1)
    late = isinstance(x, Symbolic)  # as many frames as are fed
    frames = shape(x)[len(x.shape) - 1] if late else x.shape[-1]
    cover = fft.overlap_add((column * column) * ones([1, frames], column.dtype), hop, -1)
    start = n_fft // 2 if center else 0
    end = (-start or _END) if late else out.shape[-1] - start
    stop = end if length is None else start + int_arg(length, "istft", "length")
    out, cover = part(out, len(out.shape) - 1, start, stop), part(cover, 0, start, stop)
    if not context.static_mode and float(cover.abs().min()) < 1e-11:
        raise ArgumentError("istft(): the windows do not cover the signal (their squares add up to 0 somewhere)")
    return naming.named(out / cover, name)
