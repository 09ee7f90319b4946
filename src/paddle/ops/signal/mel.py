"""The mel scale of pitch, filters spaced by it, and the cosine transform of cepstra: matrices of audio features."""

import numpy as np

_STEP = 200.0 / 3  # Slaney's scale: this many Hz per mel up to 1000 Hz,
_EDGE = 1000.0
_LOG_STEP = np.log(6.4) / 27.0  # and above that, equal ratios


def hz_to_mel(hz, htk):
    """Mels of frequencies."""
    if htk:
        return 2595.0 * np.log10(1.0 + hz / 700.0)
    return np.where(hz >= _EDGE, _EDGE / _STEP + np.log(np.maximum(hz, _EDGE) / _EDGE) / _LOG_STEP, hz / _STEP)


def mel_to_hz(mel, htk):
    """Frequencies of mels."""
    if htk:
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    edge = _EDGE / _STEP
    return np.where(mel >= edge, _EDGE * np.exp(_LOG_STEP * (np.maximum(mel, edge) - edge)), mel * _STEP)


def mel_frequencies(count, low, high, htk):
    """Frequencies evenly spaced in mels."""
    return mel_to_hz(np.linspace(hz_to_mel(np.float64(low), htk), hz_to_mel(np.float64(high), htk), count), htk)


def fft_frequencies(rate, n_fft):
    """Frequencies of the terms of a Fourier transform of n_fft real samples."""
    return np.linspace(0, rate / 2, n_fft // 2 + 1)


def filter_bank(rate, n_fft, count, low, high, htk):
    """Triangles [count, n_fft // 2 + 1] between neighbouring mel frequencies, and the widths of their bases."""
    bins, edges = fft_frequencies(rate, n_fft), mel_frequencies(count + 2, low, high, htk)
    ramps, gaps = edges[:, None] - bins, np.diff(edges)
    rising, falling = -ramps[:-2] / gaps[:-1, None], ramps[2:] / gaps[1:, None]
    return np.maximum(np.minimum(rising, falling), 0), edges[2:] - edges[:-2]


def cosines(count, size, orthonormal):
    """The matrix [size, count] of a discrete cosine transform (type 2)."""
    matrix = np.cos(np.pi / size * (np.arange(size)[:, None] + 0.5) * np.arange(count))
    if not orthonormal:
        return matrix * 2
    matrix[:, 0] /= np.sqrt(2.0)
    return matrix * np.sqrt(2.0 / size)
