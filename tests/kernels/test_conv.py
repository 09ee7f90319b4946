"""Convolutions and their gradients against NumPy in double precision."""

import numpy as np
import pytest

from .engine import both_floats, engine, every_engine, native
from .reference import conv, out_size

# x, weights, stride, padding (top, bottom, left, right), dilation, groups
CASES = {
    "five by five": ((6, 1, 20, 20), (20, 1, 5, 5), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "lenet second": ((6, 20, 12, 12), (50, 20, 5, 5), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "winograd": ((6, 40, 13, 15), (30, 40, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    "winograd, chunks": ((2, 24, 55, 57), (26, 24, 3, 3), (1, 1), (2, 0, 1, 1), (1, 1), 1),
    "phases, four by four": ((3, 26, 15, 18), (50, 26, 4, 4), (2, 2), (1, 1, 1, 1), (1, 1), 1),
    "phases, odd edges": ((5, 24, 17, 15), (33, 24, 4, 4), (2, 2), (3, 0, 2, 3), (1, 1), 1),
    "phases, five by five": ((4, 40, 16, 15), (24, 40, 5, 5), (2, 2), (2, 2, 2, 2), (1, 1), 1),
    "phases, six by six, chunks": ((2, 130, 34, 35), (30, 130, 6, 6), (2, 2), (3, 2, 0, 4), (1, 1), 1),
    "phases, two by two": ((2, 70, 16, 17), (25, 70, 2, 2), (1, 1), (0, 1, 1, 0), (1, 1), 1),
    "one by one": ((2, 30, 9, 9), (45, 30, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "one by one, stride": ((2, 16, 5, 5), (33, 16, 1, 1), (2, 2), (0, 0, 0, 0), (1, 1), 1),
    "stem": ((2, 3, 33, 31), (17, 3, 7, 7), (2, 2), (3, 3, 3, 3), (1, 1), 1),
    "depthwise": ((2, 24, 16, 16), (24, 1, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 24),
    "depthwise, multiplier": ((3, 8, 15, 13), (16, 1, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 8),
    "depthwise, bands": ((1, 3, 70, 90), (6, 1, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 3),
    "depthwise, stride, bands": ((1, 2, 67, 131), (2, 1, 3, 3), (2, 2), (1, 0, 0, 1), (1, 1), 2),
    "depthwise, wide": ((2, 3, 9, 41), (3, 1, 5, 5), (1, 1), (2, 2, 2, 2), (1, 1), 3),
    "depthwise, wide, stride": ((2, 3, 11, 45), (3, 1, 5, 5), (2, 2), (2, 2, 4, 1), (1, 1), 3),
    "depthwise, stride, no padding": ((2, 3, 18, 37), (3, 1, 3, 3), (2, 2), (0, 0, 0, 0), (1, 1), 3),
    "depthwise, padding beyond the kernel": ((1, 3, 7, 20), (3, 1, 3, 3), (1, 1), (3, 2, 4, 1), (1, 1), 3),
    "depthwise, stride, padding beyond the kernel": ((2, 3, 9, 17), (3, 1, 5, 5), (2, 2), (4, 3, 6, 1), (1, 1), 3),
    "depthwise, odd": ((2, 4, 9, 8), (8, 1, 3, 2), (3, 1), (2, 0, 1, 3), (2, 1), 4),
    "groups": ((5, 12, 7, 7), (9, 4, 3, 3), (1, 1), (1, 1, 2, 2), (2, 2), 3),
    "groups, stride": ((3, 6, 10, 10), (6, 2, 3, 3), (3, 3), (1, 1, 1, 1), (1, 1), 3),
    "everything uneven": ((3, 5, 9, 11), (7, 5, 3, 2), (2, 1), (1, 0, 0, 3), (1, 2), 1),
    "dilated": ((3, 70, 7, 9), (13, 70, 3, 3), (1, 1), (0, 0, 0, 0), (2, 2), 1),
    "padding beyond the kernel": ((2, 3, 4, 4), (4, 3, 3, 3), (1, 1), (4, 5, 6, 4), (1, 1), 1),
    "stride beyond the kernel": ((2, 3, 9, 8), (4, 3, 2, 2), (3, 4), (2, 0, 1, 3), (1, 1), 1),
    "one pixel": ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "whole image": ((1, 50, 4, 4), (10, 50, 4, 4), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "tiny images": ((60, 2, 3, 3), (5, 2, 2, 2), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "many channels, few pixels": ((3, 130, 4, 4), (140, 130, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    "no images": ((0, 2, 3, 3), (5, 2, 2, 2), (1, 1), (0, 0, 0, 0), (1, 1), 1),
}
cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def values(dtype, *shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def check(actual, expected):
    """The error relative to the largest value; Winograd's is the largest."""
    assert actual.shape == expected.shape
    assert actual.flags.c_contiguous
    if actual.size:
        limit = 5e-6 if actual.dtype == np.float32 else 1e-13
        assert np.abs(actual - expected).max() <= limit * max(np.abs(expected).max(), 1e-3)


def setup(case, dtype):
    xs, ws, stride, padding, dilation, groups = case
    pads = padding[:2], padding[2:]
    out = tuple(out_size(xs[2 + i], *pads[i], ws[2 + i], stride[i], dilation[i]) for i in (0, 1))
    x, w, bias = values(dtype, *xs), values(dtype, *ws, seed=1), values(dtype, ws[0], seed=2)
    dy = values(dtype, xs[0], ws[0], *out, seed=3)
    return x, w, bias, dy, (stride, padding, dilation, groups)


def reference(x, w, bias, dy, settings):
    stride, padding, dilation, groups = settings
    return conv(x, w, bias, dy, stride, (padding[:2], padding[2:]), dilation, groups)


@every_engine
@both_floats
@cases
def test_forward_and_gradients(isa, threads, dtype, case):
    x, w, bias, dy, settings = setup(case, dtype)
    y, dx, dw, db = reference(x, w, bias, dy, settings)
    with engine(isa, threads):
        check(native.conv2d(x, w, bias, *settings), y)
        check(native.conv2d(x, w, bias, *settings, act=1), np.maximum(y, 0))
        check(native.conv2d_backward_data(dy, w, x.shape[2:], *settings), dx)
        got_dw, got_db = native.conv2d_backward_weight(x, dy, w.shape[2:], *settings, bias=True)
        check(got_dw, dw)
        check(got_db, db)
        assert native.conv2d_backward_weight(x, dy, w.shape[2:], *settings)[1] is None


@every_engine
@both_floats
@cases
def test_fused_with_relu_and_pooling(isa, threads, dtype, case):
    x, w, bias, dy, settings = setup(case, dtype)
    y = np.maximum(reference(x, w, bias, dy, settings)[0], 0)
    n, o, oh, ow = y.shape
    with engine(isa, threads):
        pooled, index = native.conv2d_relu_pool(x, w, bias, *settings)
        even = y[:, :, :oh // 2 * 2, :ow // 2 * 2].reshape(n, o, oh // 2, 2, ow // 2, 2)
        check(pooled, even.max((3, 5), initial=0))
        assert index.dtype == np.uint8
        assert ((index == 4) == (pooled == 0)).all()
        grad = values(dtype, *pooled.shape, seed=4)
        spread = np.zeros((n, o, oh // 2, 2, ow // 2, 2), dtype)
        for cell in range(4):
            spread[:, :, :, cell // 2, :, cell % 2] = np.where(index == cell, grad, 0)
        full = np.zeros((n, o, oh, ow), dtype)
        full[:, :, :oh // 2 * 2, :ow // 2 * 2] = spread.reshape(n, o, oh // 2 * 2, ow // 2 * 2)
        _, dx, dw, db = reference(x, w, bias, full, settings)
        check(native.conv2d_backward_data(grad, w, x.shape[2:], *settings, pool_index=index), dx)
        got_dw, got_db = native.conv2d_backward_weight(x, grad, w.shape[2:], *settings, bias=True, pool_index=index)
        check(got_dw, dw)
        check(got_db, db)


def test_same_bytes_for_the_same_threads():
    x, w, _, dy, settings = setup(CASES["lenet second"], np.float32)
    with engine(threads=3):
        first = native.conv2d_backward_weight(x, dy, w.shape[2:], *settings)[0]
        for _ in range(5):
            np.testing.assert_array_equal(native.conv2d_backward_weight(x, dy, w.shape[2:], *settings)[0], first)


@every_engine
@pytest.mark.parametrize("channels", [32, 128])
def test_winograd_stays_within_its_documented_error(isa, threads, channels):
    """Forward and backward, relative to the deviation of the result."""
    x, w = values(np.float32, 2, channels, 28, 28), values(np.float32, channels, channels, 3, 3, seed=1)
    dy = values(np.float32, *x.shape, seed=2)
    y, dx, dw, _ = conv(x, w, None, dy, (1, 1), ((1, 1), (1, 1)), (1, 1), 1)
    errors = []
    with engine(isa, threads):
        for on in (True, False):
            before = native.set_winograd(on)
            errors.append(np.abs(native.conv2d(x, w, padding=1) - y).max() / y.std())
            errors.append(np.abs(native.conv2d_backward_data(dy, w, (28, 28), padding=1) - dx).max() / dx.std())
            errors.append(np.abs(native.conv2d_backward_weight(x, dy, (3, 3), padding=1)[0] - dw).max() / dw.std())
            assert native.set_winograd(before) == on
    assert max(errors[:3]) < 1e-5 and max(errors[3:]) < 8e-6
    assert all(a != b for a, b in zip(errors[:3], errors[3:]))  # it was in use


@every_engine
@pytest.mark.parametrize("kernel,limit", [(4, 5e-6), (5, 1e-5)])
def test_phases_stay_within_their_documented_error(isa, threads, kernel, limit):
    """The same with a stride."""
    x, w = values(np.float32, 4, 64, 24, 24), values(np.float32, 80, 64, kernel, kernel, seed=1)
    pad = (kernel - 1) // 2
    dy = values(np.float32, 4, 80, 12, 12, seed=2)
    y, dx, dw, _ = conv(x, w, None, dy, (2, 2), ((pad, pad), (pad, pad)), (1, 1), 1)
    errors = []
    with engine(isa, threads):
        for on in (True, False):
            before = native.set_winograd(on)
            errors.append(np.abs(native.conv2d(x, w, None, 2, pad) - y).max() / y.std())
            errors.append(np.abs(native.conv2d_backward_data(dy, w, (24, 24), 2, pad) - dx).max() / dx.std())
            errors.append(np.abs(native.conv2d_backward_weight(x, dy, (kernel, kernel), 2, pad)[0] - dw).max() / dw.std())
            native.set_winograd(before)
    assert max(errors) < limit
    assert all(a != b for a, b in zip(errors[:3], errors[3:]))  # it was in use


@every_engine
def test_weight_gradients_of_many_channels(isa, threads):
    """So many that they are made in several turns, each over several chunks of squares."""
    x, dy = values(np.float32, 3, 256, 26, 27), values(np.float32, 3, 250, 26, 27, seed=1)
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    expected = np.empty((250, 256, 3, 3))
    for i in range(3):
        for j in range(3):
            expected[:, :, i, j] = np.tensordot(dy.astype(np.float64), padded[:, :, i:i + 26, j:j + 27], ([0, 2, 3], [0, 2, 3]))
    with engine(isa, threads):
        dw, db = native.conv2d_backward_weight(x, dy, (3, 3), padding=1, bias=True)
    check(dw, expected)
    check(db, dy.sum((0, 2, 3), dtype=np.float64))


def test_transposed_with_output_padding():
    """A stride that does not fill the image leaves rows that get no gradient."""
    dy, w = values(np.float32, 2, 3, 4, 4), values(np.float32, 3, 5, 3, 3, seed=1)
    small = native.conv2d_backward_data(dy, w, (9, 9), 2, 0)
    large = native.conv2d_backward_data(dy, w, (10, 10), 2, 0)
    np.testing.assert_array_equal(small, large[:, :, :9, :9])
    assert not large[:, :, 9].any() and not large[:, :, :, 9].any()


@every_engine
def test_pooled_gradients_in_several_turns(isa, threads):
    """So many channels that Winograd's weight gradients take turns, the last of them with fewer blocks of channels."""
    with engine(isa, threads):
        x, dy = values(np.float32, 3, 256, 8, 8), values(np.float32, 3, 512, 4, 4, seed=1)
        index = np.random.default_rng(2).integers(0, 5, dy.shape).astype(np.uint8)
        full = np.zeros((3, 512, 8, 8), np.float32)
        for cell in range(4):
            full[:, :, cell // 2::2, cell % 2::2] = np.where(index == cell, dy, 0)
        dw, db = native.conv2d_backward_weight(x, dy, (3, 3), 1, 1, bias=True, pool_index=index)
        padded = np.pad(x.astype(float), ((0, 0), (0, 0), (1, 1), (1, 1)))
        expected = [[np.einsum("nchw,nohw->oc", padded[:, :, i:i + 8, j:j + 8], full, optimize=True) for j in range(3)]
                    for i in range(3)]
        check(dw, np.moveaxis(np.array(expected), (0, 1), (2, 3)))
        check(db, full.sum((0, 2, 3), dtype=float))


def test_no_channels():
    x, w, bias = np.ones((2, 0, 4, 4), np.float32), np.ones((3, 0, 3, 3), np.float32), np.array([1, -1, 2], np.float32)
    y = native.conv2d(x, w, bias, act=1)
    np.testing.assert_array_equal(y, np.broadcast_to(np.array([1, 0, 2], "f").reshape(1, 3, 1, 1), (2, 3, 2, 2)))


X, W = np.ones((2, 4, 6, 6), np.float32), np.ones((8, 4, 3, 3), np.float32)


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.conv2d(X.tolist(), W), TypeError, r"conv2d\(\): argument 'x'"),
    (lambda: native.conv2d(X, W.astype(float)), TypeError, "'w' must be a float32 array"),
    (lambda: native.conv2d(X[:, :, ::2], W), ValueError, "'x' must be C-contiguous"),
    (lambda: native.conv2d(X[0], W), ValueError, "'x' must have 4 dimensions, got 3"),
    (lambda: native.conv2d(X, W[:, :3].copy()), ValueError, "4 input channels"),
    (lambda: native.conv2d(X, W[:, :2].copy(), groups=3), ValueError, "groups"),
    (lambda: native.conv2d(X, W[:7, :2].copy(), groups=2), ValueError, "7 output channels"),
    (lambda: native.conv2d(X, W, np.ones(3, "f")), ValueError, "'bias' must have shape"),
    (lambda: native.conv2d(X, W, stride=0), ValueError, "'stride' must be between 1"),
    (lambda: native.conv2d(X, W, padding=(1, 2)), ValueError, "'padding' must have 4 integers"),
    (lambda: native.conv2d(X, W, padding=-1), ValueError, "'padding'"),
    (lambda: native.conv2d(X, W, dilation=3), ValueError, "larger than the padded image"),
    (lambda: native.conv2d(X, W, act=3), ValueError, "'act'"),
    (lambda: native.conv2d(X, W, strides=1), TypeError, "unexpected argument 'strides'"),
    (lambda: native.conv2d(X, W, None, x=X), TypeError, "given twice"),
    (lambda: native.conv2d_backward_data(X, W, (8, 8)), ValueError, "'dy' must have shape"),
    (lambda: native.conv2d_backward_data(np.ones((2, 8, 4, 4), "f"), W, (6,)), ValueError, "'size'"),
    (lambda: native.conv2d_backward_data(np.ones((2, 8, 2, 2), "f"), W, (6, 6), pool_index=np.ones((2, 8, 2, 1), "u1")),
     ValueError, "'pool_index' must have shape"),
    (lambda: native.conv2d_backward_weight(X, np.ones((2, 8, 3, 4), "f"), (3, 3)), ValueError, "'dy' must have shape"),
    (lambda: native.conv2d_backward_weight(X, np.ones((2, 8, 4, 4), "f"), (0, 3)), ValueError, "'kernel'"),
    (lambda: native.conv2d_relu_pool(X, W, groups=9), ValueError, r"conv2d_relu_pool\(\)"),
])
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("name", ["winograd", "phases, five by five", "stem", "depthwise, odd", "lenet second",
                                  "many channels, few pixels"])
def test_no_memory(name):
    x, w, bias, dy, settings = setup(CASES[name], np.float32)
    calls = [lambda: native.conv2d(x, w, bias, *settings),
             lambda: native.conv2d_relu_pool(x, w, bias, *settings),
             lambda: native.conv2d_backward_data(dy, w, x.shape[2:], *settings),
             lambda: native.conv2d_backward_weight(x, dy, w.shape[2:], *settings)]
    for threads in (1, 2):
        with engine(threads=threads):
            for call in calls:
                expected, failures = call(), 0
                for after in range(12):
                    native.fail_allocation(after)
                    try:
                        call()
                    except MemoryError:
                        failures += 1
                    finally:
                        native.fail_allocation(-1)
                assert failures >= 2
                np.testing.assert_array_equal(call()[0], expected[0])


@pytest.mark.parametrize("sizes", [(2, 24, 32, 12), (3, 24, 32, 160)], ids=["at once", "images at a time"])
def test_pooled_by_winograd(sizes):
    """Results before pooling come by another algorithm, in parts if they are many."""
    n, c, o, size = sizes
    x, w, bias = values(np.float32, n, c, size, size), values(np.float32, o, c, 3, 3, seed=1), values(np.float32, o, seed=2)
    pooled, index = native.conv2d_relu_pool(x, w, bias, 1, 1)
    whole = np.maximum(native.conv2d(x, w, bias, 1, 1), 0).reshape(n, o, size // 2, 2, size // 2, 2)
    np.testing.assert_allclose(pooled, whole.max((3, 5)), rtol=1e-4, atol=1e-4)
    cells = whole.transpose(0, 1, 2, 4, 3, 5).reshape(*pooled.shape, 4)
    chosen = np.take_along_axis(cells, np.minimum(index, 3)[..., None].astype(np.int64), -1)[..., 0]
    np.testing.assert_allclose(np.where(index == 4, 0, chosen), pooled, rtol=1e-4, atol=1e-4)
    before = native.set_winograd(False)
    try:
        direct = native.conv2d_relu_pool(x, w, bias, 1, 1)[0]
    finally:
        native.set_winograd(before)
    np.testing.assert_allclose(pooled, direct, rtol=1e-4, atol=1e-3)
    assert pooled.tobytes() != direct.tobytes()
