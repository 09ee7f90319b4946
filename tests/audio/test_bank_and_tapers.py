"""Mel filters and window functions against what they are defined to be."""

import numpy as np
import pytest

import paddle


def test_triangles_of_equal_mels():
    bank = paddle.audio.functional.compute_fbank_matrix(16000, 64, n_mels=5, f_min=0.0, f_max=8000.0, htk=True, norm=None).numpy()
    mels = np.linspace(0, 2595 * np.log10(1 + 8000 / 700), 7)
    edges, bins = 700 * (10 ** (mels / 2595) - 1), np.linspace(0, 8000, 33)
    wanted = [[max(0, min((f - a) / (b - a), (c - f) / (c - b))) for f in bins] for a, b, c in zip(edges, edges[1:], edges[2:])]
    np.testing.assert_allclose(bank, wanted, atol=1e-5)


def test_bohman_window():
    window = paddle.audio.functional.get_window("bohman", 9, fftbins=False).numpy()
    x = np.abs(np.linspace(-1, 1, 9))
    np.testing.assert_allclose(window, (1 - x) * np.cos(np.pi * x) + np.sin(np.pi * x) / np.pi, atol=1e-6)
    assert window[4] == 1 and window[2] > 0.2


@pytest.mark.parametrize("window, expected", [  # of real Paddle 2.6.2
    ("taylor", [0.271884, 0.466906, 0.724675, 0.924656, 1.0, 0.924656, 0.724675, 0.466906]),
    (("general_hamming", 0.5), [0.0, 0.146447, 0.5, 0.853553, 1.0, 0.853553, 0.5, 0.146447])])
def test_windows_with_parameters(window, expected):
    np.testing.assert_allclose(paddle.audio.functional.get_window(window, 8).numpy(), expected, atol=1e-6)
