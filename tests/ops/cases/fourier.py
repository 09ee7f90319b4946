"""Fourier transforms, frames, and Einstein's summation."""

import numpy as np
from opcase import OpCase, bad, c, f

import paddle


def transform(name, spec, errors=(), tol=1e-5, **attrs):
    """A case of paddle.fft.<name> against numpy.fft (which has no hfft2 and the like)."""
    def ref(x, **a):
        return getattr(np.fft, name)(x, **a)
    return OpCase("paddle.fft." + name, [spec], ref=ref, method=False, small=False, tol=tol, errors=errors,
                  **attrs)


def hfftn(x, s=None, axes=None, norm="backward"):
    axes = list(range(x.ndim)) if axes is None else axes
    y = np.fft.fftn(x, axes=axes[:-1], norm=norm) if axes[:-1] else x
    return np.fft.hfft(y, axis=axes[-1], norm=norm)


def ihfftn(x, s=None, axes=None, norm="backward"):
    axes = list(range(x.ndim)) if axes is None else axes
    y = np.fft.ihfft(x, axis=axes[-1], norm=norm)
    return np.fft.ifftn(y, axes=axes[:-1], norm=norm) if axes[:-1] else y


def on(make, ref, inputs, name, **more):
    return OpCase(make, inputs, ref=ref, name=name, **{"rejects_text": False, "method": False, **more})


def einsum(equation, *specs, **more):
    return on(lambda *xs: paddle.einsum(equation, *xs), lambda *xs: np.asarray(np.einsum(equation, *xs)), list(specs),
              f"einsum[{equation}]", **more)


def stft_ref(x, n, hop, window):
    x = np.pad(x, n // 2, mode="reflect")
    return np.stack([np.fft.rfft(x[k:k + n] * window) for k in range(0, len(x) - n + 1, hop)], -1)


window = np.hanning(9)[:8]
CASES = [
    transform("fft", f(3, 4), errors=[bad(ValueError, f(3), norm="a"), bad(ValueError, f(3), axis=1), bad(ValueError, f(3), n=0)]),
    transform("fft", c(3, 4), n=6, axis=0, norm="ortho"), transform("ifft", c(3, 4)), transform("ifft", f(3, 5), n=3, norm="forward"),
    transform("rfft", f(3, 5), errors=[bad(TypeError, c(3))]), transform("rfft", f(3, 6), axis=0, norm="ortho"),
    transform("irfft", c(3, 5)), transform("irfft", c(3, 5), n=7, norm="forward"),
    transform("hfft", c(3, 5)), transform("hfft", c(3, 4), n=5), transform("ihfft", f(3, 6)), transform("ihfft", f(3, 5), n=4),
    transform("fft2", f(2, 3, 4)), transform("ifft2", c(2, 3, 4), norm="ortho"), transform("rfft2", f(2, 3, 4)),
    transform("irfft2", c(2, 3, 4)), transform("fftn", c(2, 3, 2)), transform("ifftn", f(2, 3, 2), axes=[0, 2]),
    transform("rfftn", f(2, 3, 4), norm="forward"), transform("irfftn", c(2, 3, 4), s=[2, 5], axes=[0, 2]),
    *[OpCase(f"paddle.fft.{name}", [spec], ref=ref, method=False, **attrs) for name, spec, ref, attrs in (
        ("hfftn", c(2, 3, 4), hfftn, {}), ("hfft2", c(3, 4), hfftn, {"norm": "ortho"}), ("ihfftn", f(2, 3, 4), ihfftn, {}),
        ("ihfft2", f(3, 4), ihfftn, {"norm": "forward"}))],
    transform("fftshift", f(3, 5), axes=1), transform("ifftshift", f(3, 5), unknown=False),
    OpCase("spectrum_fill", [f(2, 3)], axis=1, size=5, ref=lambda x, axis, size: np.pad(x, ((0, 0), (0, 2)))),
    OpCase("paddle.signal.frame", [f(2, 7)], frame_length=3, hop_length=2, method=False,
           ref=lambda x, frame_length, hop_length: np.stack([x[:, k:k + 3] for k in (0, 2, 4)], -1),
           errors=[bad(ValueError, f(2), frame_length=3, hop_length=1), bad(ValueError, f(4), frame_length=2, hop_length=0)]),
    OpCase("paddle.signal.frame", [f(6, 2)], frame_length=3, hop_length=2, axis=0, method=False, unknown=False,
           ref=lambda x, frame_length, hop_length, axis: np.stack([x[k:k + 3] for k in (0, 2)])),
    OpCase("paddle.signal.overlap_add", [f(3, 2)], hop_length=2, method=False,
           ref=lambda x, hop_length: np.array([x[0, 0], x[1, 0], x[2, 0] + x[0, 1], x[1, 1], x[2, 1]]),
           errors=[bad(ValueError, f(3), hop_length=1), bad(ValueError, f(2, 3), hop_length=0)]),
    OpCase("paddle.signal.overlap_add", [f(2, 3, 2)], hop_length=1, axis=0, method=False,
           ref=lambda x, hop_length, axis: np.stack([x[0, 0], x[0, 1] + x[1, 0], x[0, 2] + x[1, 1], x[1, 2]])),
    on(lambda x: paddle.signal.stft(x, 8, 2, window=paddle.to_tensor(window, dtype=x.dtype)),
       lambda x: stft_ref(x, 8, 2, window), [f(20)], "stft", static=False),
    on(lambda x: paddle.signal.istft(paddle.signal.stft(x, 8), 8), lambda x: x, [f(2, 20)], "istft", tol=1e-4),
    einsum("ij,jk->ik", f(2, 3), f(3, 4)), einsum("bij,bjk->bik", f(2, 3, 4), f(2, 4, 2)), einsum("ij->ji", f(2, 3)),
    einsum("ij->", f(2, 3)), einsum("ii->i", f(3, 3)), einsum("ii", f(3, 3)), einsum("...ij,...jk->...ik", f(2, 3, 4), f(4, 2)),
    einsum("ij,jk,kl->il", f(2, 3), f(3, 4), f(4, 2), bits=False),
    einsum("abc,cd,bde,e->ae", f(2, 3, 2), f(2, 4), f(3, 4, 2), f(2), bits=False),
    einsum("i,j->ij", f(2), f(3)), einsum("ij,ij->i", f(2, 3), f(2, 3)), einsum("i...->...", f(2, 3)),
    einsum("ij,j", f(2, 3), f(3)),
    OpCase("einsum", [[f(2, 3), f(3, 4)]], equation="ij,jk->ik", ref=lambda xs, equation: np.einsum(equation, *xs)),
    OpCase(lambda e, x: paddle.einsum(e, x), ["ij->i", f(2, 3)], ref=lambda e, x: x.sum(1), name="einsum", method=False,
           errors=[bad(ValueError, "ij->k", f(2, 3)), bad(ValueError, "ijk->i", f(2, 3)), bad(ValueError, "ij,jk->i", f(2, 3)),
                   bad(TypeError, 3, f(2, 3)), bad(ValueError, "i1->i", f(2, 3))]),
]
