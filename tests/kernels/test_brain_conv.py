"""Convolutions of bfloat16 on instructions of the processor, against NumPy in double precision."""

import numpy as np
import pytest

import paddle

from .engine import engine, native
from .guard import guarded
from .reference import conv, out_size

ml_dtypes = pytest.importorskip("ml_dtypes")
BRAIN = np.dtype(ml_dtypes.bfloat16)
on_this_processor = pytest.mark.skipif(not native.brain_available(), reason="no AVX-512 BF16 here")
# images, channels, outputs, height, width, kernel, stride, padding (top, bottom, left, right), dilation
CASES = {
    "one by one": (2, 40, 33, 9, 7, (1, 1), (1, 1), (0, 0, 0, 0), (1, 1)),
    "one by one with a stride": (2, 32, 64, 9, 8, (1, 1), (2, 2), (0, 0, 0, 0), (1, 1)),
    "one by one with padding": (1, 32, 32, 4, 5, (1, 1), (1, 1), (1, 0, 0, 2), (1, 1)),
    "stride": (3, 35, 34, 11, 12, (3, 3), (2, 2), (1, 1, 1, 1), (1, 1)),
    "odd channels": (1, 33, 37, 6, 6, (5, 5), (1, 1), (2, 2, 2, 2), (1, 1)),
    "dilation": (2, 32, 32, 12, 10, (3, 3), (1, 1), (2, 2, 2, 2), (2, 2)),
    "uneven": (1, 32, 48, 7, 13, (7, 2), (1, 1), (3, 1, 0, 1), (1, 1)),
    "some strides": (2, 32, 32, 10, 17, (3, 5), (1, 3), (0, 2, 2, 1), (1, 1)),
    "one pixel": (5, 64, 32, 3, 3, (3, 3), (1, 1), (0, 0, 0, 0), (1, 1)),
    "more padding than kernel": (1, 32, 32, 5, 5, (2, 2), (3, 3), (4, 0, 3, 3), (1, 1)),
    "in pieces": (2, 72, 32, 40, 40, (7, 7), (1, 1), (3, 3, 3, 3), (1, 1)),
}


def case_of(name):
    n, c, o, h, w, kernel, stride, padding, dilation = CASES[name]
    rng = np.random.default_rng(5)
    outs = [out_size(size, *padding[2 * k:2 * k + 2], kernel[k], stride[k], dilation[k]) for k, size in enumerate((h, w))]
    x, weights, dy = (rng.standard_normal(s).astype(BRAIN) for s in ((n, c, h, w), (o, c, *kernel), (n, o, *outs)))
    bias = rng.standard_normal(o).astype(np.float32)
    exact = conv(x, weights, bias, dy, stride, (padding[:2], padding[2:]), dilation, 1)
    return x, weights, dy, bias, exact, (stride, padding, dilation, 1)


def bare(array):
    return guarded(array.view(np.uint16)).view(BRAIN)


def near(found, exact):
    """Rounded once, besides what sums in float32 lose."""
    assert found.dtype == BRAIN and found.shape == exact.shape
    assert (np.abs(found.astype(np.float64) - exact) <= np.abs(exact) * 2.0 ** -8 + 1e-5 * np.abs(exact).max()).all()


@on_this_processor
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", CASES)
def test_all_passes(name, threads):
    x, w, dy, bias, (y, dx, dw, db), settings = case_of(name)
    (sh, sw), (top, _, left, _), (dh, dw_), _ = settings
    with engine(threads=threads):
        near(native.conv_brain(bare(x), bare(w), guarded(bias), *settings), y)
        near(native.conv_brain(bare(x), bare(w), None, *settings), y - bias.astype(float)[:, None, None])
        found = native.conv_brain_data(bare(dy), bare(w), x.shape[2:], *settings)
        inside = top <= (w.shape[2] - 1) * dh and left <= (w.shape[3] - 1) * dw_
        if name == "one by one with a stride" or (sh, sw) == (1, 1) and inside:
            near(found, dx)
        else:
            assert found is NotImplemented
        for wanted in (False, True):
            kernels, sums = native.conv_brain_weight(bare(x), bare(dy), w.shape[2:], *settings, wanted)
            near(kernels, dw)
            assert sums is None if not wanted else near(sums, db) is None


@pytest.mark.parametrize("isa", ["avx2", "avx512"])
@pytest.mark.parametrize("name", ["one by one", "stride", "odd channels"])
def test_the_operator(isa, name):
    """Whichever way is taken, results and gradients are those of float64 within bfloat16's rounding."""
    x, w, dy, bias, exact, (stride, padding, dilation, _) = case_of(name)
    short = bias.astype(BRAIN)
    with engine(isa):
        tensors = [paddle.to_tensor(a, stop_gradient=False) for a in (x, w, short)]
        out = paddle.nn.functional.conv2d(*tensors, stride, list(padding), dilation)
        out.backward(paddle.to_tensor(dy))
    near(out.numpy().view(BRAIN), exact[0] + (short.astype(float) - bias)[:, None, None])
    for tensor, gradient in zip(tensors, exact[1:]):
        near(tensor.grad.numpy().view(BRAIN), gradient)


@on_this_processor
def test_what_others_do_better_is_declined():
    x, w = np.zeros((4, 64, 16, 16), BRAIN), np.zeros((64, 64, 3, 3), BRAIN)
    assert native.conv_brain(x, w, None, 1, 1) is NotImplemented  # Winograd's algorithm
    assert native.conv_brain(x[:, :16].copy(), w[:, :16].copy(), None, 2, 1) is NotImplemented  # few channels
    with engine("avx2"):
        assert native.conv_brain(x, w, None, 2, 1) is NotImplemented
    with pytest.raises(TypeError, match="'w'"):
        native.conv_brain(x, w.astype(np.float32), None, 2, 1)
    with pytest.raises(ValueError, match="'dy'"):
        native.conv_brain_weight(x, x, (3, 3), 2, 1)
    native.fail_allocation(0)
    with pytest.raises(MemoryError):
        native.conv_brain(x, w, None, 2, 1)
