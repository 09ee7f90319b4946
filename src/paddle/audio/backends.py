"""WAV files of 16-bit samples, by Python's own module ``wave``: the only backend here."""

import wave
from typing import NamedTuple

import numpy as np

from ..core.errors import describe
from ..core.tensor import Tensor, wrap

__all__ = ["get_current_backend", "list_available_backends", "set_backend"]

_FULL = 2 ** 15


class AudioInfo(NamedTuple):
    """What an audio file says about itself."""

    sample_rate: int
    num_samples: int
    num_channels: int
    bits_per_sample: int
    encoding: str


def list_available_backends():
    """The names of the backends: ['wave_backend']."""
    return ["wave_backend"]


def get_current_backend():
    """The name of the backend in use: 'wave_backend'."""
    return "wave_backend"


def set_backend(backend_name):
    """Choose a backend; there is only 'wave_backend'."""
    if backend_name not in list_available_backends():
        raise NotImplementedError(f"set_backend(): there is only 'wave_backend' (WAV files of 16 bits), got {backend_name!r}")


def _opened(filepath, function):
    """A file as an open ``wave`` reader."""
    source = filepath if hasattr(filepath, "read") else str(filepath)
    try:
        return wave.open(source, "rb")
    except (wave.Error, EOFError) as error:
        raise NotImplementedError(f"{function}(): {filepath} is not a WAV file of plain samples ({error}); other kinds of audio "
                                  "are not supported") from error


def info(filepath):
    """The AudioInfo of a WAV file, given by path or as an open binary file.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.wav")
    >>> paddle.audio.save(path, paddle.zeros([2, 100]), 8000)
    >>> paddle.audio.info(path)
    AudioInfo(sample_rate=8000, num_samples=100, num_channels=2, bits_per_sample=16, encoding='PCM_S')
    """
    with _opened(filepath, "info") as file:
        return AudioInfo(file.getframerate(), file.getnframes(), file.getnchannels(), file.getsampwidth() * 8, "PCM_S")


def load(filepath, frame_offset=0, num_frames=-1, normalize=True, channels_first=True):
    """(samples as float32, samples per second) of a WAV file of 16 bits, given by path or as an open binary file.

    Args:
        frame_offset: samples to leave out at the beginning.
        num_frames: how many to read; -1 for all.
        normalize: samples from -1 to 1, rather than whole numbers.
        channels_first: [channels, samples], rather than [samples, channels].

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.wav")
    >>> paddle.audio.save(path, paddle.to_tensor([[0.0, 0.5, -0.25]]), 8000)
    >>> samples, rate = paddle.audio.load(path)
    >>> samples.tolist(), rate
    ([[0.0, 0.5, -0.25]], 8000)
    """
    if frame_offset < 0 or num_frames < -1:
        raise ValueError(f"load(): frame_offset must be at least 0 and num_frames at least -1, got {frame_offset} and {num_frames}")
    with _opened(filepath, "load") as file:
        if file.getsampwidth() != 2:
            raise NotImplementedError(f"load(): {filepath} has samples of {file.getsampwidth() * 8} bits; only 16 are supported")
        channels, rate = file.getnchannels(), file.getframerate()
        content = file.readframes(file.getnframes())
    samples = np.frombuffer(content[:len(content) // (2 * channels) * 2 * channels], "<i2").reshape(-1, channels)
    samples = samples[frame_offset:][:None if num_frames == -1 else num_frames].astype(np.float32)
    samples = samples / np.float32(_FULL) if normalize else samples
    return wrap(np.ascontiguousarray(samples.T if channels_first else samples)), rate


def save(filepath, src, sample_rate, channels_first=True, encoding=None, bits_per_sample=16):
    """Write samples to a WAV file of 16 bits.

    Args:
        src: int16, or floats from -1 to 1 (what lies outside is cut off); [channels, samples], or [samples, channels] if
            ``channels_first`` is False.
        sample_rate: samples per second.
        encoding: None or 'PCM_16', there is no other.
        bits_per_sample: 16 or None, there is no other.
    """
    if not isinstance(src, Tensor) or src.ndim != 2:
        raise ValueError(f"save(): src must be a Tensor of two axes, got {describe(src)}")
    if bits_per_sample not in (None, 16) or encoding not in (None, "PCM_16"):
        raise ValueError(f"save(): only 16 bits ('PCM_16') are supported, got {bits_per_sample!r} and {encoding!r}")
    samples = src.numpy().T if channels_first else src.numpy()
    if samples.dtype.kind == "f":
        samples = np.clip(np.trunc(samples.astype(np.float64) * _FULL), -_FULL, _FULL - 1)
    elif samples.dtype != np.int16:
        raise TypeError(f"save(): src must be of float or int16 elements, got {samples.dtype.name}")
    with wave.open(filepath if hasattr(filepath, "write") else str(filepath), "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(int(sample_rate))
        file.writeframes(np.ascontiguousarray(samples, "<i2").tobytes())


__path__ = []  # a package in Paddle: the paths below it are addresses
