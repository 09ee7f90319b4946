"""Convolutions, pooling and pictures."""

import ml_dtypes
import numpy as np

from paddle.kernels import conv3d

from .. import reference
from ..engine import grid_sample, native
from .draw import SMALL, WIDTHS, close

BRAIN = np.dtype(ml_dtypes.bfloat16)


def _conv_sizes(draw):
    """Kernel, dilation, stride, padding up to full (and a little beyond) and image of one dimension."""
    kernel, dilation, stride = draw.pick((1, 2, 3, 3, 4, 5)), draw.pick((1, 1, 2, 3)), draw.pick((1, 1, 1, 2, 3, 4))
    span = dilation * (kernel - 1)
    full = draw.chance()
    before, after = (span, span) if full else (draw.upto(span + 1), draw.upto(span + 1))
    size = draw.pick(WIDTHS if draw.chance() else SMALL)
    size = max(size, span + 1 - before - after)
    return size, kernel, stride, (before, after), dilation


def convolution(draw):
    (h, kh, sh, rows, dh), (w, kw, sw, columns, dw) = _conv_sizes(draw), _conv_sizes(draw)
    if h * w > 1200:
        h = max(1, dh * (kh - 1) + 1 - sum(rows), 1200 // w)
    groups = draw.pick((1, 1, 1, 2, 3, 8))
    depthwise = draw.upto(4) == 0
    c = groups * (1 if depthwise else draw.pick((1, 2, 4, 5, 8, 17, 26)))
    o = groups * draw.pick((1, 2, 3, 7, 18, 30))
    n = draw.pick((1, 1, 2, 5))
    settings = (sh, sw), (*rows, *columns), (dh, dw), groups
    x, weights, bias = draw.array(n, c, h, w), draw.array(o, c // groups, kh, kw), draw.array(o)
    out = reference.out_size(h, *rows, kh, sh, dh), reference.out_size(w, *columns, kw, sw, dw)
    dy = draw.array(n, o, *out)
    y, dx, grad, grad_bias = reference.conv(x, weights, bias, dy, (sh, sw), (rows, columns), (dh, dw), groups)
    close(native.conv2d(x, weights, bias, *settings), y)
    close(native.conv2d_backward_data(dy, weights, (h, w), *settings), dx)
    got = native.conv2d_backward_weight(x, dy, (kh, kw), *settings, bias=True)
    close(got[0], grad)
    close(got[1], grad_bias)
    _pooled_convolution(draw, x, weights, bias, y, settings)


def _pooled_convolution(draw, x, weights, bias, y, settings):
    n, o, oh, ow = y.shape
    pooled, index = native.conv2d_relu_pool(x, weights, bias, *settings)
    close(pooled, np.maximum(y, 0)[:, :, :oh // 2 * 2, :ow // 2 * 2].reshape(n, o, oh // 2, 2, ow // 2, 2).max((3, 5), initial=0))
    dy, index = draw.array(*pooled.shape), draw.guard(index)
    spread = np.zeros((n, o, oh // 2, 2, ow // 2, 2))
    for cell in range(4):
        spread[:, :, :, cell // 2, :, cell % 2] = np.where(index == cell, dy, 0)
    whole = np.zeros(y.shape)
    whole[:, :, :oh // 2 * 2, :ow // 2 * 2] = spread.reshape(n, o, oh // 2 * 2, ow // 2 * 2)
    stride, padding, dilation, groups = settings
    _, dx, grad, grad_bias = reference.conv(x, weights, bias, whole, stride, (padding[:2], padding[2:]), dilation, groups)
    close(native.conv2d_backward_data(dy, weights, x.shape[2:], *settings, pool_index=index), dx)
    got = native.conv2d_backward_weight(x, dy, weights.shape[2:], *settings, bias=True, pool_index=index)
    close(got[0], grad)
    close(got[1], grad_bias)


def winograd(draw):
    """Convolutions of many channels by Winograd's algorithm, whose squares may hang over every edge."""
    n, c, o = draw.pick((1, 2, 3)), draw.pick((24, 25, 33, 48)), draw.pick((24, 29, 40))
    kernel, stride = draw.pick(((3, 1), (3, 1), (2, 1), (4, 2), (4, 2), (5, 2), (6, 2)))
    h, w = draw.pick((4, 5, 8, 11, 14, 17)), draw.pick((4, 5, 7, 8, 9, 13, 16, 31, 33))
    h, w = h * stride - draw.upto(1), w * stride - draw.upto(1)
    pads = [(draw.upto(kernel - 1), draw.upto(kernel - 1)) for _ in range(2)]
    h, w = (max(size, kernel - sum(pad)) for size, pad in zip((h, w), pads))
    draw.dtype = np.dtype(np.float32)
    x, weights, bias = draw.array(n, c, h, w), draw.array(o, c, kernel, kernel), draw.array(o)
    out = [reference.out_size(size, *pad, kernel, stride) for size, pad in zip((h, w), pads)]
    dy = draw.array(n, o, *out)
    padding = (*pads[0], *pads[1])
    y, dx, *grads = reference.conv(x, weights, bias, dy, (stride, stride), pads, (1, 1), 1)
    close(native.conv2d(x, weights, bias, stride, padding), y)
    close(native.conv2d_backward_data(dy, weights, (h, w), stride, padding), dx)
    for got, expected in zip(native.conv2d_backward_weight(x, dy, (kernel, kernel), stride, padding, bias=True), grads):
        close(got, expected)
    _pooled_convolution(draw, x, weights, bias, y, ((stride, stride), padding, (1, 1), 1))


def blocked(draw):
    """Convolutions of images whose channels lie in blocks, into blocks; and pooling of them."""
    (h, kh, sh, rows, dh), (w, kw, sw, columns, dw) = _conv_sizes(draw), _conv_sizes(draw)
    if draw.upto(2) == 0:
        kh, kw, sh, sw, dh, dw = 3, 3, 1, 1, 1, 1
        rows, columns = ((draw.upto(2), draw.upto(2)) for _ in range(2))
        h, w = max(h, 3), max(w, 3)
    if h * w > 600:
        h = max(1, dh * (kh - 1) + 1 - sum(rows), 600 // w)
    draw.dtype = np.dtype(np.float32)
    c, n = draw.pick((1, 3, 15, 16, 17, 33, 48)), draw.pick((1, 1, 2))
    groups = c if c > 8 and draw.chance() else 1
    o = c if groups > 1 else draw.pick((1, 7, 16, 24, 31, 33, 50))
    settings = (sh, sw), (*rows, *columns), (dh, dw), groups
    x, weights, bias = draw.array(n, c, h, w), draw.array(o, c // groups, kh, kw), draw.array(o)
    out = reference.out_size(h, *rows, kh, sh, dh), reference.out_size(w, *columns, kw, sw, dw)
    y = reference.conv(x, weights, bias, np.zeros((n, o, *out)), (sh, sw), (rows, columns), (dh, dw), groups)[0]
    within = draw.guard(native.blocked_from(x))
    close(native.blocked_to(within, c), x)
    residual = draw.array(n, o, *out)
    for image in (within, x) if c <= 8 else (within,):
        kind = native.blocked_conv_kind(image, weights, *settings)
        ready = draw.guard(native.blocked_conv_prepare(image, weights, *settings, kind))
        got = native.blocked_conv(image, weights, bias, *settings, 1, ready, draw.guard(native.blocked_from(residual)))
        close(native.blocked_to(draw.guard(got), o), np.maximum(y + residual, 0))
        _whole(draw, image, x, weights.shape, settings, y.shape)
    close(native.blocked_to(draw.guard(native.blocked_pool(within, (2, 2), (1, 1), (1, 1, 1, 1), None, True)), c),
          native.avg_pool(x, (2, 2), (1, 1), (1, 1, 1, 1)))


def _whole(draw, image, x, shape, settings, out):
    """The same sizes with whole numbers, given as floats and as bytes."""
    (stride, padding, dilation, groups), scale = settings, float(np.abs(x).max()) or 1.0
    weights = draw.guard(np.random.RandomState(draw.upto(99)).randint(-128, 128, shape).astype(np.int8))
    steps = np.rint(x * (np.float32(127) / np.float32(scale)))
    sums = reference.conv(steps.astype(float), weights.astype(float), np.zeros(shape[0]), np.zeros(out), stride,
                          (padding[:2], padding[2:]), dilation, groups)[0]
    ready = draw.guard(native.integer_conv_prepare(image, weights, *settings, native.integer_conv_kind(image, weights, *settings)))
    rest = draw.guard(np.ones(shape[0], np.float32)), scale, 127, False
    given = [image]
    if image.ndim == 5:
        given.append(draw.guard((np.rint(image * (np.float32(127) / np.float32(scale))) + 128).astype(np.uint8)))
    for each in given:
        y = native.integer_conv(each, weights, None, *settings, 0, ready, None, *rest)
        np.testing.assert_array_equal(native.blocked_to(draw.guard(y), shape[0]), sums)
        found = native.integer_conv(each, weights, None, *settings, 0, ready, None, *rest, 5000.0)
        assert found.shape == y.shape and found.dtype == np.uint8


def _scattered(dy, index, shape):
    planes = np.zeros((shape[0] * shape[1], int(np.prod(shape[2:]))))
    for plane, at, values in zip(planes, index.reshape(len(planes), -1), dy.reshape(len(planes), -1)):
        np.add.at(plane, at[at >= 0], values[at >= 0])
    return planes.reshape(shape)


def pooling(draw):
    ndim = draw.pick((1, 2, 2, 3))
    shape = (draw.pick((1, 2, 3)), draw.pick((1, 2, 5)), *[draw.pick(SMALL) for _ in range(ndim - 1)],
             draw.pick(WIDTHS if ndim < 3 else SMALL))
    kernel = tuple(draw.pick((1, 2, 3, 4)) for _ in range(ndim))
    stride = tuple(draw.pick((1, 2, 3)) for _ in range(ndim))
    pads = [(draw.upto(k), draw.upto(k)) for k in kernel]
    kernel = tuple(min(k, s + sum(p)) for k, s, p in zip(kernel, shape[2:], pads))
    out = tuple(reference.out_size(s, *p, k, t) for s, p, k, t in zip(shape[2:], pads, kernel, stride))
    x, dy = draw.array(*shape), draw.array(*shape[:2], *out)
    padding = tuple(side for pad in pads for side in pad)

    def cells():
        return reference.pool_cells(shape[2:], kernel, stride, pads, out)

    y, index = reference.max_pool(x, cells(), out)
    got, got_index = native.max_pool(x, kernel, stride, padding)
    assert (got == y).all() and (got_index == index).all()
    close(native.max_pool_backward(dy, draw.guard(got_index), shape[2:]), _scattered(dy, index, shape))
    y, dx = reference.avg_pool(x, dy, cells(), out)
    close(native.avg_pool(x, kernel, stride, padding), y)
    close(native.avg_pool_backward(dy, shape[2:], kernel, stride, padding), dx)
    _adaptive(draw, x, shape)
    if ndim == 2:
        y, index = native.max_pool2x2(x)
        dy = draw.array(*y.shape)
        full = np.zeros(shape)
        for i, j in np.ndindex(y.shape[2:]):
            for cell in range(4):
                full[:, :, 2 * i + cell // 2, 2 * j + cell % 2] = np.where(index[:, :, i, j] == cell, dy[:, :, i, j], 0)
        close(native.max_pool2x2_backward(dy, draw.guard(index), shape[2:]), full)


def _adaptive(draw, x, shape):
    out = tuple(draw.pick(SMALL[:6]) for _ in shape[2:])
    y, index = reference.max_pool(x, reference.adaptive_cells(shape[2:], out), out)
    got, got_index = native.adaptive_max_pool(x, out)
    assert (got == y).all() and (got_index == index).all()
    dy = draw.array(*y.shape)
    y, dx = reference.avg_pool(x, dy, reference.adaptive_cells(shape[2:], out), out)
    close(native.adaptive_avg_pool(x, out), y)
    close(native.adaptive_avg_pool_backward(dy, shape[2:]), dx)


def volumes(draw):
    """Convolutions of three axes, which are made of those of two."""
    sizes = [_conv_sizes(draw) for _ in range(3)]
    shape, kernel, stride, pads, dilation = ([one[k] for one in sizes] for k in range(5))
    for k, most in enumerate((9, 11, 34)):
        shape[k] = max(min(shape[k], most), dilation[k] * (kernel[k] - 1) + 1 - sum(pads[k]), 1)
    groups = draw.pick((1, 1, 2, 3))
    n, c, o = draw.pick((1, 2)), groups * draw.pick((1, 2, 5, 9)), groups * draw.pick((1, 3, 7))
    x, weights, bias = draw.array(n, c, *shape), draw.array(o, c // groups, *kernel), draw.array(o)
    out = [reference.out_size(s, *p, k, t, d) for s, p, k, t, d in zip(shape, pads, kernel, stride, dilation)]
    dy = draw.array(n, o, *out)
    settings = tuple(stride), tuple(side for pad in pads for side in pad), tuple(dilation), groups
    y, dx, *grads = reference.conv(x, weights, bias, dy, stride, pads, dilation, groups)
    close(conv3d.forward(x, weights, bias, *settings), y)
    close(conv3d.backward_data(dy, weights, tuple(shape), *settings), dx)
    for got, expected in zip(conv3d.backward_weight(x, dy, tuple(kernel), *settings, bias=True), grads):
        close(got, expected)


def ready_weights(draw):
    """Weights and matrices that were packed beforehand."""
    n, c, o, kernel = draw.pick((1, 2)), draw.pick((3, 9, 21, 40)), draw.pick((20, 29, 35)), draw.pick((1, 1, 3, 4))
    stride, padding, h, w = draw.pick((1, 1, 2)), draw.upto(kernel - 1), draw.pick(SMALL) + 3, draw.pick(WIDTHS) + 3
    x, weights, bias = draw.array(n, c, h, w), draw.array(o, c, kernel, kernel), draw.array(o)
    expected = native.conv2d(x, weights, bias, stride, padding)
    for kind in {1, native.conv2d_kind(x, weights, stride, padding, 1, 1) or 1, 3 if x.dtype.char == "f" else 1}:
        ready = draw.guard(native.conv2d_prepare(x, weights, stride, padding, 1, 1, kind))
        close(native.conv2d(x, weights, bias, stride, padding, 1, 1, 0, ready), expected.astype(float))
    a, b = draw.array(draw.pick(WIDTHS), draw.pick(WIDTHS)), None
    for turned in (False, True):
        columns = draw.pick(WIDTHS)
        b = draw.array(*((columns, a.shape[1]) if turned else (a.shape[1], columns)))
        ready = draw.guard(native.gemm_prepare(b, turned))
        close(native.gemm_ready(a, b, ready, turned), a.astype(float) @ (b.T if turned else b))
    inside = draw.guard(native.blocked_from(draw.array(n, c, 3, draw.pick(WIDTHS)).astype(np.float32)))
    factor = draw.guard(draw.rng.standard_normal((n, inside.shape[1], 1, 1, 16)).astype(np.float32))
    assert (native.blocked_scale(inside, factor) == inside * factor).all()
    away = draw.chance()
    steps = native.on_grid(inside, 2.0, 127, away)
    assert np.abs(steps - np.clip(inside, -2 if away else -256 / 127, 2)).max() <= 1.01 / 127


def _spots(v, size, padding, corners):
    """A coordinate of -1..1 in cells, brought inside as the padding says, in double precision."""
    v = (v + 1) * (size - 1) / 2 if corners else ((v + 1) * size - 1) / 2
    if padding == 2:
        low, span = (0.0, size - 1.0) if corners else (-0.5, float(size))
        v = v * 0 if span == 0 else span - np.abs((v - low) % (2 * span) - span) + low
    return v if padding == 0 else np.clip(v, 0, size - 1)


def pictures(draw):
    """Pictures read at places inside, at the edges and far outside; slices added up."""
    sizes = [draw.pick(SMALL) for _ in range(draw.pick((2, 2, 3)))]
    n, c, count = draw.pick((1, 2)), draw.pick((1, 2, 3)), draw.pick(WIDTHS)
    padding, corners = draw.upto(2), draw.chance()
    x, dy = draw.array(n, c, *sizes), draw.array(n, c, *[1] * (len(sizes) - 1), count)
    grid = draw.guard(draw.rng.uniform(-2.5, 2.5, (*dy.shape[:1], *dy.shape[2:], len(sizes))).astype(draw.dtype))
    where = [_spots(grid[..., -1 - k].astype(float), size, padding, corners) for k, size in enumerate(sizes)]
    expected, dx = np.zeros(dy.shape), np.zeros(x.shape)
    low = [np.floor(v).astype(int) for v in where]
    for bits in np.ndindex(*(2,) * len(sizes)):
        cells = [a + bit for a, bit in zip(low, bits)]
        inside = np.logical_and.reduce([(cell >= 0) & (cell < size) for cell, size in zip(cells, sizes)])
        share = np.prod([1 - np.abs(v - cell) for v, cell in zip(where, cells)], 0) * inside
        at = tuple(np.clip(cell, 0, size - 1) for cell, size in zip(cells, sizes))
        for i in range(n):
            for j in range(c):
                here = tuple(a[i] for a in at)
                expected[i, j] += share[i] * x[i, j][here]
                np.add.at(dx[i, j], here, share[i] * dy[i, j])
    limit = 1e-4 if draw.dtype == np.float32 else 1e-11
    close(grid_sample(x, grid, False, padding, corners), expected, limit=limit)
    got = native.grid_sample_backward(dy, x, grid, False, padding, corners, True, draw.chance())
    close(got[0], dx, scale=max(1.0, np.abs(dx).max()), limit=limit)
    nearest = grid_sample(x, grid, True, padding, corners)
    assert all(np.isin(nearest[i, j], [*x[i, j].reshape(-1), 0]).all() for i in range(n) for j in range(c))
    native.grid_sample_backward(dy, x, grid, True, padding, corners, True, True)
    terms = draw.rng.integers(0, 4, draw.pick(WIDTHS))
    starts, axis = np.concatenate(([0], np.cumsum(terms))), draw.upto(x.ndim - 1)
    index, weight = draw.guard(draw.rng.integers(0, x.shape[axis], starts[-1])), draw.array(starts[-1])
    matrix = np.zeros((len(terms), x.shape[axis]))
    np.add.at(matrix, (np.repeat(np.arange(len(terms)), terms), index), weight)
    close(native.resample(x, draw.guard(starts), index, weight, axis),
          np.moveaxis(np.tensordot(matrix, x.astype(float), (1, axis)), 0, axis))


def _pair(found):
    return found if found is not NotImplemented else ()


def brain(draw):
    """Convolutions of bfloat16 with many channels; what is not taken is left to float32."""
    (h, kh, sh, rows, dh), (w, kw, sw, columns, dw) = _conv_sizes(draw), _conv_sizes(draw)
    least = [d * (k - 1) + 1 - sum(p) for d, k, p in ((dh, kh, rows), (dw, kw, columns))]
    h, w = max(min(h, 9), least[0], 1), max(min(w, 17), least[1], 1)
    n, c, o = draw.pick((1, 2)), draw.pick((32, 33, 48, 65)), draw.pick((16, 32, 41))
    settings = (sh, sw), (*rows, *columns), (dh, dw), 1

    def short(*shape):
        return draw.guard(draw.rng.standard_normal(shape).astype(BRAIN).view(np.uint16)).view(BRAIN)

    out = reference.out_size(h, *rows, kh, sh, dh), reference.out_size(w, *columns, kw, sw, dw)
    x, weights, dy, bias = short(n, c, h, w), short(o, c, kh, kw), short(n, o, *out), draw.guard(np.zeros(o, np.float32))
    expected = reference.conv(*(a.astype(float) for a in (x, weights, bias, dy)), (sh, sw), (rows, columns), (dh, dw), 1)
    found = [native.conv_brain(x, weights, bias, *settings), native.conv_brain_data(dy, weights, (h, w), *settings),
             *_pair(native.conv_brain_weight(x, dy, (kh, kw), *settings, True))]
    for got, exact in zip(found, expected):
        if got is not NotImplemented:
            close(got.astype(float), exact, limit=1e-2)


def pixels(draw):
    """8-bit pictures resized, which keeps what is even as it is and stays between the least and the largest, and made planes."""
    height, width, channels = draw.pick(WIDTHS), draw.pick(WIDTHS), draw.pick((1, 2, 3, 4))
    x = draw.guard(draw.rng.integers(0, 256, (height, width, channels)).astype(np.uint8))
    size, method = (draw.pick(WIDTHS), draw.pick(WIDTHS)), draw.pick(("box", "bilinear", "hamming", "bicubic", "lanczos", "linear"))
    resized, even = native.resize_picture(x, *size, method), native.resize_picture(draw.guard(np.full_like(x, 77)), *size, method)
    assert resized.shape == even.shape == (*size, channels) and (even == 77).all()
    if method in ("box", "bilinear", "hamming", "linear"):
        assert (x.min() <= resized.min()) and (resized.max() <= x.max())
    np.testing.assert_array_equal(native.picture_planes(x), x.transpose(2, 0, 1).astype(np.float32) / np.float32(255))
