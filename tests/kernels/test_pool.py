"""Pooling against NumPy."""

import numpy as np
import pytest

from . import reference
from .engine import both_floats, close, engine, every_engine, native

# x, kernel, stride, padding (before, after for each dimension), out_size
CASES = {
    "two by two": ((2, 3, 8, 10), (2, 2), (2, 2), (0, 0, 0, 0), None),
    "resnet": ((2, 3, 15, 16), (3, 3), (2, 2), (1, 1, 1, 1), None),
    "stride beyond kernel": ((2, 3, 11, 9), (2, 1), (4, 3), (0, 0, 0, 0), None),
    "uneven padding": ((2, 2, 7, 8), (3, 4), (1, 2), (2, 0, 1, 3), None),
    "ceil mode": ((1, 2, 8, 7), (3, 3), (2, 2), (0, 0, 0, 0), (4, 3)),
    "windows outside": ((1, 2, 4, 4), (2, 2), (2, 2), (0, 0, 0, 0), (3, 4)),
    "one pixel": ((1, 1, 1, 1), (1, 1), (1, 1), (0, 0, 0, 0), None),
    "no images": ((0, 2, 4, 4), (2, 2), (2, 2), (0, 0, 0, 0), None),
    "one dimension": ((2, 3, 19), (5,), (2,), (2, 1), None),
    "three dimensions": ((2, 2, 6, 7, 8), (2, 3, 2), (2, 1, 3), (1, 0, 1, 1, 0, 1), None),
    "large": ((3, 20, 30, 40), (3, 3), (1, 1), (1, 1, 1, 1), None),
}
cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
ADAPTIVE = [((2, 3, 7, 9), (3, 4)), ((2, 3, 8, 8), (1, 1)), ((1, 2, 3, 3), (5, 4)), ((2, 3, 11), (4,)),
            ((1, 2, 5, 6, 7), (2, 6, 3)), ((0, 2, 4, 4), (2, 2))]
TWO_BY_TWO = [(2, 3, 8, 10), (2, 3, 9, 11), (1, 1, 1, 5), (1, 1, 2, 2), (0, 1, 4, 4), (8, 16, 24, 24)]


def values(dtype, *shape, seed=0):
    return np.random.default_rng(seed).integers(-40, 40, shape).astype(dtype) / 8  # with ties


def setup(case, dtype):
    shape, kernel, stride, padding, out = case
    pads = [padding[2 * i:2 * i + 2] for i in range(len(kernel))]
    size = out or tuple(reference.out_size(s, *p, k, t) for s, p, k, t in zip(shape[2:], pads, kernel, stride))
    x, dy = values(dtype, *shape), values(dtype, *shape[:2], *size, seed=1)
    return x, dy, size, lambda: reference.pool_cells(shape[2:], kernel, stride, pads, size)


@every_engine
@both_floats
@cases
def test_maximum(isa, threads, dtype, case):
    x, dy, size, cells = setup(case, dtype)
    y, index = reference.max_pool(x, cells(), size)
    with engine(isa, threads):
        got_y, got_index = native.max_pool(x, *case[1:])
        np.testing.assert_array_equal(got_y, y)
        np.testing.assert_array_equal(got_index, index)
        dx = np.zeros((x.shape[0] * x.shape[1], int(np.prod(x.shape[2:]))), dtype)
        flat, grads = index.reshape(len(dx), int(np.prod(size))), dy.reshape(len(dx), int(np.prod(size)))
        for plane in range(len(dx)):
            np.add.at(dx[plane], flat[plane][flat[plane] >= 0], grads[plane][flat[plane] >= 0])
        close(native.max_pool_backward(dy, got_index, x.shape[2:]), dx.reshape(x.shape))


@every_engine
@both_floats
@cases
def test_average(isa, threads, dtype, case):
    x, dy, size, cells = setup(case, dtype)
    _, kernel, stride, padding, _ = case

    def padded(position):
        """Cells of a window with padding, but without what sticks out behind it."""
        begins = [p * t - a for p, t, a in zip(position, stride, padding[::2])]
        return int(np.prod([min(k, n + b - start) for k, n, b, start in zip(kernel, x.shape[2:], padding[1::2], begins)]))
    for exclusive, divisor in ((True, 0), (False, 0), (True, 7)):
        y, dx = reference.avg_pool(x, dy, cells(), size, (lambda _, n=divisor: n) if divisor else None if exclusive else padded)
        with engine(isa, threads):
            close(native.avg_pool(x, *case[1:], exclusive, divisor), y)
            close(native.avg_pool_backward(dy, x.shape[2:], *case[1:4], exclusive, divisor), dx)


@every_engine
@pytest.mark.parametrize("shape,size", ADAPTIVE)
def test_adaptive(isa, threads, shape, size):
    x, dy = values(np.float32, *shape), values(np.float32, *shape[:2], *size, seed=1)
    y, index = reference.max_pool(x, reference.adaptive_cells(shape[2:], size), size)
    mean, dx = reference.avg_pool(x, dy, reference.adaptive_cells(shape[2:], size), size)
    with engine(isa, threads):
        got_y, got_index = native.adaptive_max_pool(x, size)
        np.testing.assert_array_equal(got_y, y)
        np.testing.assert_array_equal(got_index, index)
        close(native.adaptive_avg_pool(x, size), mean)
        close(native.adaptive_avg_pool_backward(dy, shape[2:]), dx)


@every_engine
@both_floats
@pytest.mark.parametrize("shape", TWO_BY_TWO, ids=str)
def test_two_by_two(isa, threads, dtype, shape):
    x = values(dtype, *shape)
    even = x[:, :, :shape[2] // 2 * 2, :shape[3] // 2 * 2]
    n, c, h, w = even.shape
    quads = even.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, h // 2, w // 2, 4)
    with engine(isa, threads):
        y, index = native.max_pool2x2(x)
        np.testing.assert_array_equal(y, quads.max(-1, initial=-100))
        np.testing.assert_array_equal(index, quads.argmax(-1))
        dy = values(dtype, *y.shape, seed=1)
        spread = np.where(index[..., None] == np.arange(4), dy[..., None], 0)
        dx = np.zeros_like(x)
        dx[:, :, :h, :w] = spread.reshape(n, c, h // 2, w // 2, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, h, w)
        np.testing.assert_array_equal(native.max_pool2x2_backward(dy, index, shape[2:]), dx)


def test_nan_wins():
    x = np.arange(32, dtype=np.float32).reshape(1, 1, 4, 8)
    x[0, 0, 0, 0] = x[0, 0, 3, 6] = np.nan
    for y in (native.max_pool2x2(x)[0], native.max_pool(x, 2, 2)[0]):
        assert np.isnan(y[0, 0, 0, 0]) and np.isnan(y[0, 0, 1, 3])
        assert np.isnan(y).sum() == 2


X = np.ones((1, 2, 4, 4), np.float32)


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.max_pool(X[0, 0], 2, 2), ValueError, r"max_pool\(\): argument 'x' must have 3 to 5 dimensions"),
    (lambda: native.max_pool(X.astype(int), 2, 2), TypeError, "float32 or float64"),
    (lambda: native.max_pool(X, (2, 2, 2), 2), ValueError, "'kernel' must have 2 integers"),
    (lambda: native.max_pool(X, 5, 1), ValueError, "larger than the padded image"),
    (lambda: native.max_pool(X, 2, 0), ValueError, "'stride'"),
    (lambda: native.max_pool(X, 2, 2, "1"), TypeError, "'padding'"),
    (lambda: native.max_pool_backward(X, np.full(X.shape, 64, "i4"), (8, 8)), ValueError, "between -1 and 63"),
    (lambda: native.max_pool_backward(X, np.full(X.shape, -2, "i4"), (8, 8)), ValueError, "'index'"),
    (lambda: native.max_pool_backward(X, np.zeros((1, 2, 4, 3), "i4"), (8, 8)), ValueError, "'index' must have shape"),
    (lambda: native.max_pool2x2_backward(X, np.zeros(X.shape, "u1"), (7, 8)), ValueError, "'dy' must have shape"),
    (lambda: native.avg_pool(X, 2, 2, divisor=-1), ValueError, "'divisor'"),
    (lambda: native.avg_pool_backward(X, (8,), 2, 2), ValueError, "'size'"),
    (lambda: native.adaptive_avg_pool(X, 0), ValueError, "'out_size'"),
    (lambda: native.adaptive_max_pool(X, (1, 2, 3)), ValueError, "'out_size'"),
])
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_no_memory():
    for call in (lambda: native.max_pool(X, 2, 2),
                 lambda: native.avg_pool(X, 2, 2),
                 lambda: native.avg_pool_backward(X, (8, 8), 2, 2)):
        native.fail_allocation(0)
        try:
            with pytest.raises(MemoryError):
                call()
        finally:
            native.fail_allocation(-1)
        call()
