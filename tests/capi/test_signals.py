"""Fourier transforms and complex numbers in the C library: layers of audio, restoration and token-mixing networks as Python saves
them. Python has the same loops: `tests/kernels/test_fourier.py` compares them with NumPy's."""

import numpy as np
import pytest
from capi.library import Failed, Model
from capi.test_models import export

import paddle
from paddle import nn
from paddle.audio import features
from paddle.static import InputSpec


class Mixer(nn.Layer):
    """FNet's: the real part of the transform over tokens and features."""

    def __init__(self):
        super().__init__()
        self.norm, self.last = nn.LayerNorm(12), nn.Linear(12, 4)

    def forward(self, x):
        return self.last(self.norm(x + paddle.fft.fft2(x.astype("complex64")).real()))


class Filter(nn.Layer):
    """GFNet's: frequencies times weights that are stored as pairs of real numbers."""

    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([7, 7, 2])

    def forward(self, x):
        return paddle.fft.irfft2(paddle.fft.rfft2(x, norm="ortho") * paddle.as_complex(self.weight), s=(7, 12), norm="ortho")


class Spectral(nn.Layer):
    """A convolution over real and imaginary parts, as restoration networks have it."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2D(4, 4, 1, bias_attr=False), nn.BatchNorm2D(4), nn.ReLU())

    def forward(self, x):
        y = paddle.fft.rfftn(x.reshape([1, 2, 7, 12]), axes=(-2, -1), norm="forward")
        y = paddle.stack((y.real(), y.imag()), axis=-1).transpose([0, 1, 4, 2, 3]).reshape([1, 4, 7, 7])
        y = self.layers(y).reshape([1, 2, 2, 7, 7]).transpose([0, 1, 3, 4, 2])
        return paddle.fft.irfftn(paddle.complex(y[..., 0], y[..., 1]), s=(7, 12), axes=(-2, -1), norm="forward")


class Operator(nn.Layer):
    """A neural operator's: some frequencies times matrices, the others 0."""

    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([7, 3, 4, 2])

    def forward(self, x):
        found = paddle.einsum("bix,iox->box", paddle.fft.rfft(x)[:, :, :4], paddle.as_complex(self.weight))
        return paddle.fft.irfft(found, n=12), paddle.matmul(found, paddle.conj(found), transpose_y=True).imag()


class Again(nn.Layer):
    """Spectra as magnitude and angle, and back; signals of sizes with large prime factors."""

    def forward(self, x):
        y = x.reshape([2, 84])
        found = paddle.signal.stft(y, 37, 5)
        back = paddle.complex(found.abs() * paddle.cos(found.angle()), found.abs() * paddle.sin(found.angle()))
        long = paddle.fft.fft(paddle.concat([y, y[:, :83]], axis=1)) / (2 + paddle.fft.fft(paddle.ones([2, 167])) * 0.5)
        return (paddle.signal.istft(back, 37, 5), paddle.as_real(long), paddle.fft.hfft(found[0], axis=0),
                paddle.fft.ihfft(y, axis=0).imag())


class Feature(nn.Layer):
    def __init__(self):
        super().__init__()
        self.feature = self.make()

    def forward(self, x):
        return self.feature(x.reshape([2, 84]))


def feature(name, **settings):
    return type(name, (Feature,), {"make": staticmethod(lambda: getattr(features, name)(**settings))})


NETS = (Mixer, Filter, Spectral, Operator, Again, feature("Spectrogram", n_fft=32, hop_length=9),
        feature("MelSpectrogram", sr=8000, n_fft=32, hop_length=16, n_mels=6),
        feature("LogMelSpectrogram", sr=8000, n_fft=32, n_mels=6), feature("MFCC", sr=8000, n_mfcc=4, n_mels=6, n_fft=32))


@pytest.mark.parametrize("make", NETS, ids=lambda make: make.__name__)
def test_networks(tmp_path, make):
    paddle.seed(3)
    net = make()
    net.eval()
    x = np.random.RandomState(1).randn(2, 7, 12).astype("float32")
    files, wanted = export(net, tmp_path, InputSpec([2, 7, 12], "float32")), net(paddle.to_tensor(x))
    for optimize in (True, False):
        for got, one in zip(Model(*files, optimize=optimize)(x), wanted if isinstance(wanted, tuple) else [wanted], strict=True):
            assert (got.shape, got.dtype) == (tuple(one.shape), one.numpy().dtype)
            np.testing.assert_allclose(got, one.numpy(), rtol=1e-5, atol=1e-5 * np.abs(one.numpy()).max())


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 12, 16, 30, 49, 61, 64, 67, 97, 121, 134, 1000, 1009])
@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_transforms_of_all_sizes(tmp_path, size, kind):
    """Beside NumPy's in double precision, and back to where they began."""
    class Both(nn.Layer):
        def forward(self, x):
            y = paddle.fft.fft(x, axis=1)
            return y, paddle.fft.ifft(y, axis=1)
    draw = np.random.RandomState(size)
    x = (draw.randn(2, size, 3) + 1j * draw.randn(2, size, 3)).astype(kind)
    found, back = Model(*export(Both(), tmp_path, InputSpec([2, size, 3], kind)))(x)
    exact, tolerance = np.fft.fft(x.astype("complex128"), axis=1), 1e-6 if kind == "complex64" else 1e-14
    assert found.dtype == back.dtype == x.dtype
    np.testing.assert_allclose(found, exact, rtol=0, atol=tolerance * np.abs(exact).max())
    np.testing.assert_allclose(back, x, rtol=0, atol=4 * tolerance * np.abs(x).max())


def test_operators_of_real_numbers_refuse_complex_ones(tmp_path):
    class Activated(nn.Layer):
        def forward(self, x):
            return paddle.exp(x)
    files = export(Activated(), tmp_path, InputSpec([3], "complex64"))
    with pytest.raises(Failed, match="exp .*: input X holds complex numbers, which are not supported here"):
        Model(*files)(np.zeros(3, "complex64"))
