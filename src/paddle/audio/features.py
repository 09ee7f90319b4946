"""Layers that turn signals [batch, samples] into features [batch, features, frames]."""

from .. import nn
from ..signal import stft
from ..tensor.functions import matmul
from .functional import compute_fbank_matrix, create_dct, get_window, power_to_db

__all__ = ["LogMelSpectrogram", "MFCC", "MelSpectrogram", "Spectrogram"]


class Spectrogram(nn.Layer):
    """Magnitudes of the short-time Fourier transform, to the power of ``power``.

    Args:
        n_fft: samples of each transform.
        hop_length: samples from one frame to the next; a quarter of n_fft for None.
        win_length: samples of the window; n_fft for None.
        window: its name, or a tuple of name and parameters.
        power: 1 for magnitudes, 2 for powers.
        center: frames are centred at their sample, the signal is padded.
        pad_mode: how, 'reflect' or 'constant'.

    >>> paddle.audio.features.Spectrogram(n_fft=64, hop_length=32)(paddle.ones([1, 256])).shape
    [1, 33, 9]
    """

    def __init__(self, n_fft=512, hop_length=512, win_length=None, window="hann", power=1.0, center=True, pad_mode="reflect",
                 dtype="float32"):
        super().__init__()
        if not power > 0:
            raise ValueError(f"{type(self).__name__}(): power must be above 0, got {power!r}")
        win_length = n_fft if win_length is None else win_length
        self.power, self._n_fft, self._win_length, self._center, self._pad_mode = power, n_fft, win_length, center, pad_mode
        self._hop_length = hop_length
        self.register_buffer("fft_window", get_window(window, win_length, fftbins=True, dtype=dtype))

    def forward(self, x):
        spectrum = stft(x, self._n_fft, self._hop_length, self._win_length, self.fft_window, self._center, self._pad_mode)
        return spectrum.abs() ** self.power


class MelSpectrogram(nn.Layer):
    """A spectrogram with its frequencies gathered by filters that are evenly spaced in mels.

    Args:
        sr: samples per second.
        n_mels: number of filters.
        f_min, f_max: the lowest and the highest frequency; None for half of ``sr``.
        htk, norm: see ``paddle.audio.functional.compute_fbank_matrix``.
        others: see ``Spectrogram``.

    >>> paddle.audio.features.MelSpectrogram(8000, n_fft=64, hop_length=32, n_mels=8)(paddle.ones([1, 256])).shape
    [1, 8, 9]
    """

    def __init__(self, sr=22050, n_fft=2048, hop_length=512, win_length=None, window="hann", power=2.0, center=True,
                 pad_mode="reflect", n_mels=64, f_min=50.0, f_max=None, htk=False, norm="slaney", dtype="float32"):
        super().__init__()
        self._spectrogram = Spectrogram(n_fft, hop_length, win_length, window, power, center, pad_mode, dtype)
        self.n_mels, self.f_min, self.f_max, self.htk, self.norm = n_mels, f_min, sr // 2 if f_max is None else f_max, htk, norm
        self.register_buffer("fbank_matrix", compute_fbank_matrix(sr, n_fft, n_mels, f_min, self.f_max, htk, norm, dtype))

    def forward(self, x):
        return matmul(self.fbank_matrix, self._spectrogram(x))


class LogMelSpectrogram(nn.Layer):
    """A mel spectrogram in decibels.

    Args:
        ref_value, amin, top_db: see ``paddle.audio.functional.power_to_db``.
        others: see ``MelSpectrogram``.

    >>> paddle.audio.features.LogMelSpectrogram(8000, n_fft=64, hop_length=32, n_mels=8)(paddle.ones([1, 256])).shape
    [1, 8, 9]
    """

    def __init__(self, sr=22050, n_fft=512, hop_length=None, win_length=None, window="hann", power=2.0, center=True,
                 pad_mode="reflect", n_mels=64, f_min=50.0, f_max=None, htk=False, norm="slaney", ref_value=1.0, amin=1e-10,
                 top_db=None, dtype="float32"):
        super().__init__()
        self._melspectrogram = MelSpectrogram(sr, n_fft, hop_length, win_length, window, power, center, pad_mode, n_mels, f_min,
                                              f_max, htk, norm, dtype)
        self.ref_value, self.amin, self.top_db = ref_value, amin, top_db

    def forward(self, x):
        return power_to_db(self._melspectrogram(x), self.ref_value, self.amin, self.top_db)


class MFCC(nn.Layer):
    """Mel-frequency cepstral coefficients: the cosine transform of a mel spectrogram in decibels.

    Args:
        n_mfcc: number of coefficients, at most ``n_mels``.
        others: see ``LogMelSpectrogram``.

    >>> paddle.audio.features.MFCC(8000, 5, n_fft=64, hop_length=32, n_mels=8)(paddle.ones([1, 256])).shape
    [1, 5, 9]
    """

    def __init__(self, sr=22050, n_mfcc=40, n_fft=512, hop_length=None, win_length=None, window="hann", power=2.0, center=True,
                 pad_mode="reflect", n_mels=64, f_min=50.0, f_max=None, htk=False, norm="slaney", ref_value=1.0, amin=1e-10,
                 top_db=None, dtype="float32"):
        super().__init__()
        if n_mfcc > n_mels:
            raise ValueError(f"MFCC(): n_mfcc {n_mfcc} must not be above n_mels {n_mels}")
        self._log_melspectrogram = LogMelSpectrogram(sr, n_fft, hop_length, win_length, window, power, center, pad_mode, n_mels,
                                                     f_min, f_max, htk, norm, ref_value, amin, top_db, dtype)
        self.register_buffer("dct_matrix", create_dct(n_mfcc, n_mels, dtype=dtype))

    def forward(self, x):
        levels = self._log_melspectrogram(x)
        return matmul(levels.transpose([0, 2, 1]), self.dct_matrix).transpose([0, 2, 1])


__path__ = []  # a package in Paddle: the paths below it are addresses
