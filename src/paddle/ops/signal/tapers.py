"""Window functions of signal processing, by name: tapers of a given length."""

import numpy as np


def cosines(n, *weights):
    """Alternating sum of cosines with the given weights."""
    t = 2 * np.pi * np.arange(n) / max(n - 1, 1)
    return sum((-1) ** k * w * np.cos(k * t) for k, w in enumerate(weights))


def _centred(n):
    return np.arange(n) - (n - 1) / 2


def _exponential(n, center=None, tau=1.0):
    c = (n - 1) / 2 if center is None else center
    return np.exp(-np.abs(np.arange(n) - c) / tau)


def _bohman(n):
    x = np.abs(np.linspace(-1, 1, n))
    w = (1 - x) * np.cos(np.pi * x) + np.sin(np.pi * x) / np.pi
    w[[0, -1]] = 0
    return w


def _tukey(n, alpha=0.5):
    if alpha <= 0:
        return np.ones(n)
    t = np.arange(n) / max(n - 1, 1)
    edge = np.minimum(t, 1 - t)
    return np.where(edge < alpha / 2, 0.5 * (1 + np.cos(np.pi * (2 * edge / alpha - 1))), 1.0)


def _triang(n):
    t = np.arange(1, n + 1)
    size = n + 1 if n % 2 else n
    return 1 - np.abs((2 * t - n - 1) / size)


def general_hamming(n, alpha):
    """A raised cosine; hamming has alpha 0.54, hann 0.5."""
    return cosines(n, alpha, 1 - alpha)


def _taylor(n, nbar=4, sll=30.0, norm=True):
    """The window whose first ``nbar`` side lobes lie ``sll`` decibels below the main one."""
    a = np.arccosh(10 ** (sll / 20)) / np.pi
    m = np.arange(1, nbar)
    zeros = nbar ** 2 / (a ** 2 + (nbar - 0.5) ** 2) * (a ** 2 + (m - 0.5) ** 2)
    numerators = np.prod(1 - m[:, None] ** 2 / zeros, axis=1)
    others = 1 - m[:, None] ** 2 / m ** 2 + np.eye(len(m))  # 1 where a lobe meets itself
    weights = (-1.0) ** (m + 1) * numerators / np.prod(others, axis=1)

    def at(k):
        return 1 + weights @ np.cos(2 * np.pi * m[:, None] * (k - (n - 1) / 2) / n)
    return at(np.arange(n)) / (at(np.array([(n - 1) / 2])) if norm else 1)


WINDOWS = {
    "hamming": lambda n: cosines(n, 0.54, 0.46), "hann": lambda n: cosines(n, 0.5, 0.5),
    "blackman": lambda n: cosines(n, 0.42, 0.5, 0.08), "cosine": lambda n: np.sin(np.pi / n * (np.arange(n) + 0.5)),
    "general_hamming": general_hamming, "taylor": _taylor,
    "bohman": _bohman, "triang": _triang, "tukey": _tukey, "exponential": _exponential,
    "gaussian": lambda n, std=7.0: np.exp(-0.5 * (_centred(n) / std) ** 2),
    "general_gaussian": lambda n, p=1.0, sig=7.0: np.exp(-0.5 * np.abs(_centred(n) / sig) ** (2 * p)),
}


def window(name, length, fftbins, *parameters):
    """The window of that name; ``fftbins`` makes it periodic (one longer, the last element left out)."""
    return tapered(WINDOWS[name], length, fftbins, *parameters)


def tapered(function, length, periodic, *parameters):
    """The window that a function of its length gives, periodic or symmetric; ones for lengths below 2."""
    if length <= 1:
        return np.ones(max(length, 0))
    return function(length + 1, *parameters)[:-1] if periodic else function(length, *parameters)
