"""Functions of audio processing: windows, the mel scale, decibels, and the matrices of features."""

import math

from ..core import dtype as dtypes
from ..core.errors import check_choice, describe
from ..core.op import Symbolic
from ..core.tensor import Tensor, wrap
from ..nn.functional import normalize
from ..ops.signal import mel as mel_ops
from ..ops.signal.tapers import WINDOWS
from ..ops.signal.tapers import window as make
from ..tensor.convert import as_tensor
from ..tensor.functions import exp, full_like, log, log10, maximum, where

__all__ = ["compute_fbank_matrix", "create_dct", "fft_frequencies", "hz_to_mel", "mel_frequencies", "mel_to_hz", "power_to_db",
           "get_window"]


def _made(array, dtype, function):
    return wrap(array.astype(dtypes.to_numpy(dtype, function)))


def hz_to_mel(freq, htk=False):
    """Frequencies in mels, of a number or a tensor.

    Args:
        freq: in Hz.
        htk: HTK's formula rather than Slaney's, which is linear up to 1000 Hz and logarithmic above.

    >>> round(paddle.audio.functional.hz_to_mel(440.0), 4)
    6.6
    """
    if not isinstance(freq, (Tensor, Symbolic)):
        return float(mel_ops.hz_to_mel(float(freq), htk))
    if htk:
        return 2595.0 * log10(1.0 + freq / 700.0)
    above = maximum(freq, full_like(freq, 1000.0))
    return where(freq >= 1000.0, 15.0 + log(above / 1000.0) * (27.0 / math.log(6.4)), freq * 0.015)


def mel_to_hz(mel, htk=False):
    """Mels in Hz, of a number or a tensor; see ``hz_to_mel``.

    >>> round(paddle.audio.functional.mel_to_hz(6.6), 4)
    440.0
    """
    if not isinstance(mel, (Tensor, Symbolic)):
        return float(mel_ops.mel_to_hz(float(mel), htk))
    if htk:
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    above = maximum(mel, full_like(mel, 15.0))
    return where(mel >= 15.0, 1000.0 * exp((above - 15.0) * (math.log(6.4) / 27.0)), mel * (200.0 / 3))


def mel_frequencies(n_mels=64, f_min=0.0, f_max=11025.0, htk=False, dtype="float32"):
    """Frequencies from f_min to f_max, evenly spaced in mels.

    >>> paddle.audio.functional.mel_frequencies(3, 0.0, 1000.0).tolist()
    [0.0, 500.0, 1000.0]
    """
    return _made(mel_ops.mel_frequencies(int(n_mels), f_min, f_max, htk), dtype, "mel_frequencies")


def fft_frequencies(sr, n_fft, dtype="float32"):
    """The frequencies of a Fourier transform of n_fft samples, ``sr`` of which are taken in a second.

    >>> paddle.audio.functional.fft_frequencies(8000, 4).tolist()
    [0.0, 2000.0, 4000.0]
    """
    return _made(mel_ops.fft_frequencies(sr, int(n_fft)), dtype, "fft_frequencies")


def compute_fbank_matrix(sr, n_fft, n_mels=64, f_min=0.0, f_max=None, htk=False, norm="slaney", dtype="float32"):
    """Triangular filters evenly spaced in mels, [n_mels, n_fft // 2 + 1].

    Args:
        sr: samples per second.
        n_fft: samples of the Fourier transform.
        f_min, f_max: the lowest and the highest frequency; None for half of ``sr``.
        htk: which mels, see ``hz_to_mel``.
        norm: 'slaney' divides by the filters' widths; a number p makes each filter's p-norm 1; None leaves them.

    >>> paddle.audio.functional.compute_fbank_matrix(8000, 16, 4).shape
    [4, 9]
    """
    if norm not in ("slaney", None) and (isinstance(norm, (str, bool)) or not isinstance(norm, (int, float))):
        raise ValueError(f"compute_fbank_matrix(): norm must be 'slaney', a number or None, got {describe(norm)}")
    weights, widths = mel_ops.filter_bank(sr, int(n_fft), int(n_mels), f_min, sr / 2 if f_max is None else f_max, htk)
    if norm == "slaney":
        weights = weights * (2.0 / widths[:, None])
    matrix = _made(weights, dtype, "compute_fbank_matrix")
    return matrix if norm in ("slaney", None) else normalize(matrix, p=norm, axis=-1)


def power_to_db(spect, ref_value=1.0, amin=1e-10, top_db=80.0):
    """Powers in decibels: 10 log10(spect / ref_value).

    Args:
        ref_value: the power of 0 decibels.
        amin: smaller powers count as this one.
        top_db: results are at most so far below the largest one; None for no limit.

    >>> [round(level, 4) for level in paddle.audio.functional.power_to_db(paddle.to_tensor([1.0, 100.0])).tolist()]
    [0.0, 20.0]
    """
    for name, value in (("amin", amin), ("ref_value", ref_value)):
        if not value > 0:
            raise ValueError(f"power_to_db(): {name} must be above 0, got {describe(value)}")
    if top_db is not None and not top_db >= 0:
        raise ValueError(f"power_to_db(): top_db must be at least 0, got {describe(top_db)}")
    spect = as_tensor(spect, "power_to_db", "spect")
    levels = 10.0 * log10(maximum(spect, full_like(spect, amin))) - 10.0 * math.log10(max(ref_value, amin))
    return levels if top_db is None else maximum(levels, full_like(levels, 1.0) * (levels.max() - top_db))


def create_dct(n_mfcc, n_mels, norm="ortho", dtype="float32"):
    """The matrix [n_mels, n_mfcc] of a discrete cosine transform; with ``norm`` 'ortho' its columns are orthonormal.

    >>> [[round(v, 4) for v in row] for row in paddle.audio.functional.create_dct(2, 2).tolist()]
    [[0.7071, 0.7071], [0.7071, -0.7071]]
    """
    check_choice(norm, ("ortho", None), "create_dct", "norm")
    return _made(mel_ops.cosines(int(n_mfcc), int(n_mels), norm == "ortho"), dtype, "create_dct")


def get_window(window, win_length, fftbins=True, dtype="float64"):
    """A window function by name, or by a tuple of name and parameters.

    Args:
        window (str or tuple): one of bohman, blackman, cosine, exponential, gaussian, general_gaussian, hamming, hann, taylor,
            triang, tukey, or a tuple such as ``('gaussian', 7)`` or ``('general_hamming', 0.6)``.
        win_length (int): number of elements.
        fftbins (bool): periodic (for spectra) rather than symmetric.
        dtype (str): data type of the result.
    Returns:
        Tensor [win_length].
    Raises:
        ValueError: there is no such window.

    >>> [round(v, 6) for v in paddle.audio.functional.get_window('hann', 4).tolist()]
    [0.0, 0.5, 1.0, 0.5]
    """
    name, *parameters = window if isinstance(window, tuple) else (window,)
    if not isinstance(name, str):
        raise ValueError(f"get_window(): window must be a name or a tuple that begins with one, got {describe(window)}")
    check_choice(name, WINDOWS, "get_window", "window")
    if not isinstance(win_length, int) or isinstance(win_length, bool) or win_length < 0:
        raise ValueError(f"get_window(): win_length must be an int of at least 0, got {describe(win_length)}")
    if not all(isinstance(p, (int, float)) or p is None for p in parameters):
        raise ValueError(f"get_window(): parameters of a window must be numbers, got {describe(window)}")
    return wrap(make(name, win_length, bool(fftbins), *parameters).astype(dtypes.to_numpy(dtype, "get_window")))


__path__ = []  # a package in Paddle: the paths below it are addresses
