"""Images whose channels lie in blocks of 16: convolutions, poolings and the way in and back, against NumPy in double precision."""

import numpy as np
import pytest

from .engine import engine, every_engine, native
from .reference import conv, out_size

CASES = {  # x, weights, stride, padding (top, bottom, left, right), dilation, groups
    "one by one": ((2, 40, 9, 9), (50, 40, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "one by one, many channels": ((1, 330, 7, 7), (70, 330, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "one by one, half a vector": ((2, 170, 5, 9), (24, 170, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "one by one, stride": ((2, 16, 7, 9), (33, 16, 1, 1), (2, 3), (0, 0, 0, 0), (1, 1), 1),
    "one by one, padded": ((1, 16, 5, 4), (20, 16, 1, 1), (1, 1), (1, 0, 2, 1), (1, 1), 1),
    "one pixel": ((2, 48, 1, 1), (19, 48, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "stride": ((2, 20, 11, 14), (36, 20, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 1),
    "few squares": ((1, 64, 7, 7), (40, 64, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    "squares": ((2, 70, 14, 13), (45, 70, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    "squares, uneven": ((1, 24, 17, 22), (33, 24, 3, 3), (1, 1), (0, 2, 1, 0), (1, 1), 1),
    "squares, many channels": ((1, 96, 14, 14), (140, 96, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    "stem": ((2, 3, 33, 31), (17, 3, 7, 7), (2, 2), (3, 3, 3, 3), (1, 1), 1),
    "stem, dilated": ((1, 2, 20, 23), (9, 2, 3, 3), (1, 2), (2, 1, 0, 4), (2, 3), 1),
    "dilated": ((1, 18, 9, 11), (13, 18, 3, 2), (1, 1), (2, 2, 1, 0), (2, 3), 1),
    "long row": ((1, 20, 1, 90), (24, 20, 1, 5), (1, 2), (0, 0, 2, 2), (1, 1), 1),
    "padding beyond the kernel": ((1, 17, 4, 4), (21, 17, 3, 3), (1, 1), (4, 5, 6, 4), (1, 1), 1),
    "depthwise": ((2, 40, 15, 17), (40, 1, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 40),
    "depthwise, tall": ((2, 20, 50, 7), (20, 1, 3, 3), (2, 1), (1, 0, 1, 1), (1, 1), 20),
    "depthwise, stride": ((1, 33, 16, 13), (33, 1, 3, 3), (2, 2), (1, 1, 1, 0), (1, 1), 33),
    "depthwise, wide": ((1, 16, 9, 21), (16, 1, 5, 5), (1, 1), (2, 2, 2, 2), (1, 1), 16),
    "depthwise, wide, stride": ((1, 16, 9, 21), (16, 1, 5, 5), (2, 2), (2, 2, 2, 2), (1, 1), 16),
    "depthwise, odd": ((1, 20, 9, 8), (20, 1, 3, 2), (3, 1), (2, 0, 1, 3), (2, 3), 20),
    "depthwise, narrow": ((1, 20, 3, 2), (20, 1, 5, 5), (1, 1), (2, 2, 2, 2), (1, 1), 20),
}
cases = pytest.mark.parametrize("name", CASES)
ACTIVATIONS = (lambda y: y, lambda y: np.maximum(y, 0), lambda y: np.clip(y, 0, 6), lambda y: y * np.clip(y + 3, 0, 6) / 6)


def blocks(x):
    """[n, c, h, w] to blocks, with something else than 0 in lanes that nobody may read."""
    n, c, h, w = x.shape
    full = np.full((n, -(-c // 16) * 16, h, w), 1e30, x.dtype)
    full[:, :c] = x
    return np.ascontiguousarray(full.reshape(n, -1, 16, h, w).transpose(0, 1, 3, 4, 2))


def plain(y, channels):
    n, _, h, w, _ = y.shape
    return y.transpose(0, 1, 4, 2, 3).reshape(n, -1, h, w)[:, :channels]


def case_of(name):
    xs, ws, stride, padding, dilation, groups = CASES[name]
    rng = np.random.default_rng(5)
    x, w, bias = (rng.standard_normal(shape).astype(np.float32) for shape in (xs, ws, ws[0]))
    pads = padding[:2], padding[2:]
    outs = [out_size(xs[2 + i], *pads[i], ws[2 + i], stride[i], dilation[i]) for i in (0, 1)]
    dy = np.zeros((xs[0], ws[0], *outs))
    residual = rng.standard_normal(dy.shape).astype(np.float32)
    expected = conv(x, w, bias, dy, stride, pads, dilation, groups)[0]
    return x if xs[1] <= 8 else blocks(x), w, bias, residual, expected, (stride, padding, dilation, groups)


def near(y, expected, scale=None):
    """Within rounding of sums of this size."""
    assert y.dtype == np.float32 and y.shape[4] == 16
    y = plain(y, expected.shape[1])
    assert y.shape == expected.shape and np.abs(y - expected).max() <= 4e-6 * (scale or np.abs(expected).max())


@every_engine
@cases
def test_convolution(isa, threads, name):
    x, w, bias, residual, expected, settings = case_of(name)
    with engine(isa, threads):
        best = native.blocked_conv_kind(x, w, *settings)
        for kind in {best} if settings[-1] > 1 else {3, best}:
            ready = native.blocked_conv_prepare(x, w, *settings, kind)
            near(native.blocked_conv(x, w, bias, *settings, 0, ready), expected)
        near(native.blocked_conv(x, w, bias, *settings), expected)
        near(native.blocked_conv(x, w, None, *settings, 0, ready), expected - bias.astype(float)[:, None, None])
        for act, rule in enumerate(ACTIVATIONS):
            near(native.blocked_conv(x, w, bias, *settings, act, ready, blocks(residual)), rule(expected + residual),
                 2 * np.abs(expected).max() + 1)
    with engine("base"):  # weights packed for another instruction set are packed anew
        near(native.blocked_conv(x, w, bias, *settings, 0, ready), expected)


@every_engine
@pytest.mark.parametrize("outs", [8, 24, 56, 64])
def test_any_number_of_pixels(isa, threads, outs):
    """Pixels are divided into tiles: every number of them has all of its sums, also where these are made in slices."""
    rng = np.random.default_rng(2)
    for pixels in range(1, 40):
        x, w, bias = (rng.standard_normal(shape).astype(np.float32) for shape in ((1, 150, 1, pixels), (outs, 150, 1, 1), (outs,)))
        residual = rng.standard_normal((1, outs, 1, pixels)).astype(np.float32)
        expected = np.einsum("nchw,oc->nohw", x.astype(float), w[:, :, 0, 0].astype(float)) + bias[:, None, None] + residual
        with engine(isa, threads):
            near(native.blocked_conv(blocks(x), w, bias, residual=blocks(residual)), expected)


@every_engine
@pytest.mark.parametrize("channels,size,most", [(1500, 1, 2.5e-6), (400, 3, 2.5e-6), (300, 3, 7e-6)])
def test_errors_of_long_sums(isa, threads, channels, size, most):
    """Sums of slices are added up, so that errors don't grow as those of one long sum, which are two to six times as large."""
    rng, side = np.random.default_rng(4), 16 if most > 5e-6 else 7
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((1, channels, side, side), (32, channels, size, size)))
    with engine(isa, threads):
        assert native.blocked_conv_kind(blocks(x), w, 1, size // 2, 1, 1) == (4 if side == 16 else 3)
        y = plain(native.blocked_conv(blocks(x), w, None, 1, size // 2), 32)
    expected = native.conv2d(x.astype(float), w.astype(float), None, 1, size // 2)
    assert np.abs(y - expected).max() <= most * expected.std()


@every_engine
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("size", [3, 5])
def test_sides_of_depthwise(isa, threads, size, stride):
    """Pixels at the ends of rows of any width; what lies in memory before and behind a row is no part of it."""
    rng = np.random.default_rng(3)
    for width in range(1, 27):
        pads = tuple(int(p) for p in rng.integers(0, size // 2 + 2, 4))
        outs = [out_size(n, *pads[2 * i:2 * i + 2], size, stride, 1) for i, n in enumerate((6, width))]
        if min(outs) < 1:
            continue
        x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((1, 16, 6, width), (16, 1, size, size)))
        settings = (stride, stride), (pads[:2], pads[2:]), (1, 1), 16
        expected = conv(x, w, None, np.zeros((1, 16, *outs)), *settings)[0]
        with engine(isa, threads):
            near(native.blocked_conv(blocks(x), w, None, stride, pads, 1, 16), expected, np.abs(expected).max() + 1)
            x[..., 0], x[..., -1] = np.inf, np.nan
            y = plain(native.blocked_conv(blocks(x), w, None, stride, pads, 1, 16), 16)
        with np.errstate(invalid="ignore"):
            hurt = conv(x, w, None, np.zeros((1, 16, *outs)), *settings)[0]
        np.testing.assert_array_equal(np.isfinite(y), np.isfinite(hurt))


def test_kinds():
    kinds = {name: native.blocked_conv_kind(*(case_of(name)[i] for i in (0, 1)), *case_of(name)[5]) for name in CASES}
    assert {name for name, kind in kinds.items() if kind == 4} == {name for name in CASES if name.startswith("squares")}
    assert {name for name, kind in kinds.items() if kind == 5} == {name for name in CASES if name.startswith("depthwise")}


@every_engine
@pytest.mark.parametrize("act", [0, 1, 2, 3])
@pytest.mark.parametrize("name", ["one by one", "squares", "depthwise"])
def test_nan_is_handed_on(isa, threads, act, name):
    x, w, bias, _, _, settings = case_of(name)
    bias = bias.copy()
    bias[3] = np.nan
    with engine(isa, threads):
        y = plain(native.blocked_conv(x, w, bias, *settings, act), len(bias))
    assert np.isnan(y[:, 3]).all() and not np.isnan(np.delete(y, 3, 1)).any()


@every_engine
@pytest.mark.parametrize("channels", [1, 3, 15, 16, 17, 40])
@pytest.mark.parametrize("size", [(1, 1), (3, 5), (7, 9), (16, 17)])
def test_there_and_back(isa, threads, channels, size):
    x = np.random.default_rng(1).standard_normal((2, channels, *size)).astype(np.float32)
    with engine(isa, threads):
        y = native.blocked_from(x)
        assert y.ctypes.data % 64 == 0
        np.testing.assert_array_equal(plain(y, y.shape[1] * 16), np.pad(x, ((0, 0), (0, -channels % 16), (0, 0), (0, 0))))
        np.testing.assert_array_equal(native.blocked_to(y, channels), x)


@every_engine
@pytest.mark.parametrize("kernel,stride,padding", [((3, 3), (2, 2), (1, 1, 1, 1)), ((2, 2), (2, 2), (0, 0, 0, 0)),
                                                   ((7, 9), (1, 1), (0, 0, 0, 0)), ((3, 2), (1, 3), (1, 0, 1, 1))])
def test_pooling(isa, threads, kernel, stride, padding):
    x = np.random.default_rng(1).standard_normal((2, 21, 7, 9)).astype(np.float32)
    x[0, 2, 3, 4] = np.nan
    with engine(isa, threads):
        expected = native.max_pool(x, kernel, stride, padding)[0]
        y = native.blocked_pool(native.blocked_from(x), kernel, stride, padding, None, False)
        np.testing.assert_array_equal(native.blocked_to(y, 21), expected)
        for exclusive in (True, False):
            expected = native.avg_pool(x, kernel, stride, padding, None, exclusive)
            y = native.blocked_pool(native.blocked_from(x), kernel, stride, padding, None, True, exclusive)
            np.testing.assert_allclose(native.blocked_to(y, 21), expected, rtol=1e-5, atol=1e-6)


@every_engine
def test_scale(isa, threads):
    rng = np.random.default_rng(1)
    x, factor = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 3, 5, 7, 16), (2, 3, 1, 1, 16)))
    with engine(isa, threads):
        np.testing.assert_array_equal(native.blocked_scale(x, factor), x * factor)


def test_results_are_arrays_like_others():
    y = native.blocked_from(np.ones((1, 16, 40, 40), np.float32))
    assert y.flags.owndata and y.flags.writeable
    y.resize((1, 3, 40, 40, 16), refcheck=False)
    np.testing.assert_array_equal(y[:, 1:], 0)
    np.testing.assert_array_equal(y[:, 0], 1)
    assert native.blocked_from(np.ones((0, 3, 2, 2), np.float32)).shape == (0, 1, 2, 2, 16)


@pytest.mark.parametrize("call,words", [
    (lambda x, w: native.blocked_conv(x[..., :8].copy(), w), "argument 'x' must have shape"),
    (lambda x, w: native.blocked_conv(x, w[:, :3].copy()), "3 input channels don't lie in 2 blocks of 16"),
    (lambda x, w: native.blocked_conv(x, w, act=4), "argument 'act'"),
    (lambda x, w: native.blocked_conv(x, w.reshape(40, 10, 1, 1), groups=2), "argument 'groups'"),
    (lambda x, w: native.blocked_conv(x, w, residual=x[:, :1].copy()), "argument 'residual' must have shape"),
    (lambda x, w: native.blocked_conv_prepare(x, w, 1, 0, 1, 1, 5), "argument 'kind' must be 3"),
    (lambda x, w: native.blocked_to(x, 33), "33 channels don't lie in 2 blocks of 16"),
    (lambda x, w: native.blocked_scale(x, x), "argument 'factor' must have shape"),
])
def test_wrong_arguments(call, words):
    with pytest.raises(ValueError, match=words):
        call(np.ones((1, 2, 3, 3, 16), np.float32), np.ones((20, 20, 1, 1), np.float32))


@pytest.mark.parametrize("name", CASES)
def test_failing_allocation(name):
    x, w, bias, _, _, settings = case_of(name)
    with engine():
        for after in range(3):
            native.fail_allocation(after)
            try:
                native.blocked_conv(x, w, bias, *settings)
            except MemoryError as error:
                assert "blocked_conv()" in str(error)
            native.fail_allocation(-1)
