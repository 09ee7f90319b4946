"""Random geometries for every native kernel, on arrays with forbidden pages at their ends, against NumPy.

    python -m tests.kernels.geometry FAMILY [CASES [SEED]]

Each case prints its number and instruction set before it runs, so that a crash (a forbidden page, or AddressSanitizer)
names what it was doing. test_geometry.py runs every family in a process of its own.
"""

import faulthandler
import sys

import numpy as np

from paddle.core import twister

from . import reference, test_attention, test_elementwise, test_norm, test_optim, test_rnn, test_softmax
from .engine import BEST, ISAS, engine, native
from .guard import guarded

WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 23, 31, 32, 33, 34, 47, 48, 49, 63, 64, 65)  # around vectors and their doubles
SMALL = (1, 2, 3, 4, 5, 7, 8, 9, 11)


class Draw:
    """Random sizes and guarded arrays of one case."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.dtype = np.dtype(self.pick((np.float32, np.float32, np.float64)))
        self.at_end = bool(self.rng.integers(4))

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def upto(self, most):
        return int(self.rng.integers(most + 1))

    def chance(self):
        return bool(self.rng.integers(2))

    def guard(self, array):
        return guarded(array, self.at_end)

    def array(self, *shape):
        return self.guard(self.rng.standard_normal(shape).astype(self.dtype))

    def room(self, *shape, dtype=None):
        """Where a result goes."""
        return self.guard(np.zeros(shape, dtype or self.dtype))

    def ids(self, count, below):
        return self.guard(self.rng.integers(0, below, count).astype(self.pick((np.int32, np.int64))))

    def lines(self):
        """A shape of rows: one that is long now and then."""
        return (self.pick(SMALL), self.pick(SMALL), self.pick(WIDTHS)) if self.chance() else (self.pick(WIDTHS), self.pick(WIDTHS))


def close(actual, expected, scale=None, limit=None):
    """Within rounding of a result computed in double precision, relative to its largest value."""
    assert actual.shape == np.shape(expected), (actual.shape, np.shape(expected))
    if not actual.size:
        return
    limit = limit or (3e-5 if actual.dtype == np.float32 else 1e-11)
    error = np.abs(actual - expected).max()
    scale = max(np.abs(expected).max(), 1e-2) if scale is None else scale
    assert error <= limit * scale, (error, scale)


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


def product(draw):
    m, n, k = draw.pick(WIDTHS), draw.pick(WIDTHS), draw.pick((*WIDTHS, 300))
    batch = draw.pick(((), (), (1,), (3,)))
    trans_a, trans_b = draw.chance(), draw.chance()
    a = draw.array(*batch, *((k, m) if trans_a else (m, k)))
    b = draw.array(*(batch if draw.chance() else ()), *((n, k) if trans_b else (k, n)))
    bias = draw.array(n) if draw.chance() else None
    y = (a.swapaxes(-1, -2) if trans_a else a).astype(float) @ (b.swapaxes(-1, -2) if trans_b else b)
    y = y if bias is None else y + bias
    out = draw.room(*y.shape)
    close(native.gemm(a, b, trans_a, trans_b, bias, 0, out), y)
    assert native.gemm(a, b, trans_a, trans_b, bias, 1, out, True) is out
    close(out, np.maximum(2 * y, 0))


def recurrence(draw):
    cell = draw.pick(tuple(test_rnn.GATES))
    batch, steps, hidden = draw.pick(SMALL), draw.pick((1, 2, 5)), draw.pick(WIDTHS)
    xp, h, c, w, b = (draw.guard(a) for a in test_rnn.make(cell, batch, steps, hidden, draw.dtype, draw.upto(99)))
    lengths = draw.guard(draw.rng.integers(0, steps + 1, batch)) if draw.chance() else None
    reverse = draw.chance()
    options = {"reverse": reverse, "lengths": lengths}
    got, saved = test_rnn.forward(cell, xp, h, c, w, b, **options)
    wide = [a.astype(float) for a in (xp, h, c, w, b)]
    for mine, theirs in zip(got, test_rnn.reference(cell, *wide, reverse, lengths), strict=True):
        close(mine, theirs)
    grads = [draw.array(batch, steps, hidden), draw.array(batch, hidden), draw.array(batch, hidden)]
    saved = [None if s is None else draw.guard(s) for s in saved]
    got = test_rnn.backward(cell, draw.guard(got[0]), saved, h, c, w, *grads, **options)
    with engine("base", 1):
        (y, _, _), saved = test_rnn.forward(cell, *wide, **options)
        expected = test_rnn.backward(cell, y, saved, *wide[1:4], *[g.astype(float) for g in grads], **options)
    for mine, theirs in zip(got, expected, strict=True):
        close(mine, theirs, limit=1e-4 if draw.dtype == np.float32 else None)


def attention(draw):
    size = draw.pick((1, 2)), draw.pick((1, 3)), draw.pick(WIDTHS), draw.pick(WIDTHS), draw.pick(SMALL), draw.pick(WIDTHS)
    q, k, v, dout = (draw.guard(a) for a in test_attention.make(size, draw.dtype, draw.upto(99)))
    mask, causal = draw.pick(tuple(test_attention.masks(size, draw.dtype))[:-1]), draw.chance()
    mask = mask if mask is None else draw.guard(mask)
    out, weights = native.attention(q, k, v, mask, causal=causal)
    expected = test_attention.reference(q, k, v, mask, causal=causal)
    close(out, expected[0])
    close(weights, expected[1])
    got = native.attention_backward(q, k, v, draw.guard(weights), dout)
    w, g, scale = expected[1], dout.astype(float), 1 / np.sqrt(size[4])
    dw = np.einsum("bmqe,bmke->bmqk", g, v)
    scores = w * (dw - (w * dw).sum(-1, keepdims=True)) * scale
    close(got[0], np.einsum("bmqk,bmkd->bmqd", scores, k))
    close(got[1], np.einsum("bmqk,bmqd->bmkd", scores, q))
    close(got[2], np.einsum("bmqk,bmqe->bmke", w, g))


def embedding(draw):
    rows, columns, count = draw.pick(WIDTHS), draw.pick((*WIDTHS, 130)), draw.pick((*WIDTHS, 0, 500))
    table, ids = draw.array(rows, columns), draw.ids(count, rows)
    padding = draw.upto(rows) if draw.chance() else -1
    expected = np.where((ids == padding)[:, None], 0, table[ids])
    assert (native.embedding(table, ids, padding) == expected).all()
    dy, out = draw.array(count, columns), draw.room(rows, columns)
    sums = np.zeros((rows, columns))
    np.add.at(sums, ids[ids != padding], dy[ids != padding].astype(float))
    assert native.embedding_grad(dy, ids, rows, padding, out) is out
    close(out, sums)


def moves(draw):
    rows, columns = draw.pick(WIDTHS), draw.pick((*WIDTHS, 130))
    x, zero = draw.array(rows, columns), np.zeros((), draw.dtype)
    tables = tuple([draw.guard(draw.ids(draw.pick(WIDTHS), n).astype(np.int64)) if draw.chance() else None for n in x.shape])
    if any(t is not None for t in tables):
        expected = x
        for axis, ids in enumerate(tables):
            expected = expected if ids is None else np.take(expected, ids, axis)
        assert (native.remap(x, tables, zero) == expected).all()
        g = draw.array(*expected.shape)
        sums = np.zeros(x.shape)
        grid = np.ix_(*[np.arange(n) if ids is None else ids for n, ids in zip(x.shape, tables)])
        np.add.at(sums, grid, g.astype(float))
        close(native.remap_back(g, tables, list(x.shape)), sums)
    turned = draw.guard(np.arange(columns)[::-1].astype(np.int64))
    assert (native.remap(x, (None, turned), zero) == x[:, ::-1]).all()
    assert (native.triangle(x, 1, True) == np.tril(x, 1)).all()
    mask = draw.guard(draw.ids(rows * columns, 2).reshape(rows, columns).astype(bool))
    chosen = draw.guard(native.select_true(x, mask))
    assert (chosen == x[mask]).all() and (native.place_true(chosen, mask) == np.where(mask, x, 0)).all()
    assert (native.where_true(mask) == np.argwhere(mask)).all()
    ids = draw.guard(draw.ids(rows * 5, columns).reshape(rows, 5))
    values, out = draw.array(rows, 5), x.copy()
    np.put_along_axis(out, ids.astype(np.int64), values, 1)
    assert (native.put_along(x, ids, values, 1, "assign") == out).all()
    assert (native.running_best(x, True)[0] == np.maximum.accumulate(x, 1)).all()
    close(native.cumprod(x), np.cumprod(x.astype(float), 1))
    line = draw.guard(np.sort(x.reshape(-1)))
    assert (native.searchsorted(line, x) == np.searchsorted(line, x)).all()
    y = draw.array(draw.pick(WIDTHS), columns)
    close(native.distances(x, y, False), np.sqrt(((x[:, None].astype(float) - y) ** 2).sum(-1)))


def optimizers(draw):
    name, rule, states, powers, options = draw.pick(test_optim.CASES)
    sizes = [draw.pick((*WIDTHS, 0, 5000)) for _ in range(draw.pick(SMALL[:4]))]
    params, grads = [draw.array(n) for n in sizes], [draw.array(n) for n in sizes]
    state = [[draw.guard(draw.rng.uniform(0.1, 1, n).astype(draw.dtype)) for n in sizes] for _ in range(states)]
    betas = (options.get("beta1", 0.9), 0.999)[:powers]
    counters = [[draw.guard(np.full(1, beta ** 3, np.float32)) for _ in sizes] for beta in betas]
    before, before_state = [p.astype(float) for p in params], [[s.astype(float) for s in column] for column in state]
    getattr(native, name + "_group")(params, grads, *state, *counters, 0.1, **options)
    for i, p in enumerate(params):
        expected, _ = rule(before[i], grads[i].astype(float), [s[i] for s in before_state], 0.1, t=3, **options)
        close(p, expected, limit=1e-4)
    total = sum((p.astype(float) ** 2).sum() for p in params)
    assert abs(native.sum_squares(params) - total) <= 1e-5 * total
    assert native.all_finite(params)
    native.scale_group(params, 2.0)
    native.clip_group(params, -0.5, 0.5)
    assert all(np.abs(p).max(initial=0) <= 0.5 for p in params)


def reductions(draw):
    shape = tuple(draw.pick(SMALL) for _ in range(draw.upto(3))) + (draw.pick((*WIDTHS, 700)),)
    axes = tuple(i for i in range(len(shape)) if draw.chance())
    x = draw.array(*shape)
    wide = x.astype(float)
    for name, rule in {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}.items():
        result = native.reduce(name, x, axes)
        if result is not NotImplemented:
            close(result, rule(wide, axis=axes))
            assert native.reduce(name, x, axes, draw.room(*result.shape)) is not None
    result = native.reduce("sum_squares", x, axes)
    if result is not NotImplemented:
        close(result, (wide * wide).sum(axes))


def softmax(draw):
    shape = draw.lines()
    x, dy, labels = draw.array(*shape), draw.array(*shape), draw.ids(shape[:-1], shape[-1])
    p, g = test_softmax.softmax(x), dy.astype(float)
    y = native.softmax(x, draw.room(*shape))
    close(y, p)
    close(native.log_softmax(x, draw.room(*shape)), np.log(p))
    close(native.softmax_backward(y, dy, draw.room(*shape)), p * (g - (p * g).sum(-1, keepdims=True)))
    close(native.log_softmax_backward(draw.guard(native.log_softmax(x)), dy), g - p * g.sum(-1, keepdims=True))
    loss, saved = native.softmax_cross_entropy(x, labels)
    close(loss, -np.log(np.take_along_axis(p, labels[..., None].astype(np.int64), -1)[..., 0]))
    dloss = draw.array(*shape[:-1])
    hot = p - (np.arange(shape[-1]) == labels[..., None])
    close(native.softmax_cross_entropy_backward(draw.guard(saved), labels, dloss, out=draw.room(*shape)), hot * dloss[..., None])
    soft = draw.guard(np.abs(dy))
    loss, saved = native.soft_cross_entropy(x, soft)
    close(loss, -(soft * np.log(p)).sum(-1), scale=np.abs(soft * np.log(p)).sum(-1).max(initial=1))
    close(native.soft_cross_entropy_backward(draw.guard(saved), soft, dloss),
          (p * soft.sum(-1, keepdims=True) - soft) * dloss[..., None], scale=10 * shape[-1])
    planes = draw.guard(np.ascontiguousarray(np.moveaxis(x, -1, 0)))
    found, saved = native.softmax_cross_entropy(planes, labels, axis=0)
    close(found, -np.log(np.take_along_axis(p, labels[..., None].astype(np.int64), -1)[..., 0]))
    close(native.softmax_cross_entropy_backward(draw.guard(saved), labels, dloss, axis=0),
          np.moveaxis(hot * dloss[..., None], -1, 0))


def paths(draw):
    steps, count, classes, longest = draw.pick((1, 2, 9)), draw.pick(SMALL), draw.pick((2, 3, 17)), draw.pick((1, 2, 9))
    x, labels = draw.array(steps, count, classes), draw.guard(draw.rng.integers(0, classes, (count, longest)))
    times, sizes = (draw.guard(draw.rng.integers(0, n + 1, count)) for n in (steps, longest))
    loss = native.ctc(x, labels, times, sizes, 0)
    again, grad = native.ctc(x, labels, times, sizes, 0, draw.guard(np.ones(count)))
    assert (loss == again).all() and grad.shape == x.shape and np.isfinite(grad).all()
    rows = draw.guard(draw.rng.uniform(0.5, 1.5, (draw.pick(SMALL), draw.pick((*WIDTHS, 700)))).astype(np.float32))
    out = native.product(rows)
    np.testing.assert_allclose(out, rows.astype(float).prod(1), rtol=1e-5)
    np.testing.assert_allclose(native.product_grad(rows, draw.guard(out)), out[:, None].astype(float) ** 2 / rows, rtol=2e-5,
                               atol=1e-44)
    whole = draw.guard(draw.rng.integers(-9, 9, rows.shape).astype(draw.pick((np.int32, np.int64))))
    assert (native.whole_sum(whole) == whole.sum(1)).all()
    assert (native.whole_product(draw.guard(np.ascontiguousarray(whole.T)), whole) == whole.T @ whole).all()


def norms(draw):
    n, c, rest = draw.pick(SMALL), draw.pick((1, 2, 3, 8, 17)), draw.pick(((), (draw.pick(WIDTHS),), (3, draw.pick(WIDTHS))))
    shape, axes = (n, c, *rest), (0, *range(2, 2 + len(rest)))
    x, dy, gamma, beta = draw.array(*shape), draw.array(*shape), draw.array(c), draw.array(c)
    per = (1, c, *[1] * len(rest))
    eps, g = test_norm.EPS, dy.astype(float)
    hat, mean, var = test_norm.normalise(x, axes)
    y, m, v = native.batch_norm(x, gamma, beta, eps)
    expected = hat * gamma.reshape(per) + beta.reshape(per)
    close(y, expected, limit=1e-4)
    got = native.batch_norm_backward(x, dy, draw.guard(m), draw.guard(v), gamma, eps)
    close(got[0], test_norm.gradient(x, g * gamma.reshape(per), axes), scale=30)
    close(got[2], g.sum(axes), scale=np.abs(g).sum(axes).max())
    close(native.batch_norm_eval(x, draw.guard(m), draw.guard(v), gamma, beta, eps, out=draw.room(*shape)), expected, limit=1e-4)
    rows, columns = draw.pick(WIDTHS), draw.pick((*WIDTHS, 300))
    x, dy, gamma, beta = draw.array(rows, columns), draw.array(rows, columns), draw.array(columns), draw.array(columns)
    hat, mean, var = test_norm.normalise(x, 1)
    y, m, v = native.layer_norm(x, gamma, beta, eps)
    close(y, hat * gamma + beta, limit=1e-4)
    got = native.layer_norm_backward(x, dy, draw.guard(m), draw.guard(v), gamma, eps)
    close(got[0], test_norm.gradient(x, dy.astype(float) * gamma, 1), scale=30)
    groups = draw.pick([k for k in range(1, c + 1) if c % k == 0])
    x, dy, gamma, beta = draw.array(*shape), draw.array(*shape), draw.array(c), draw.array(c)
    hat, mean, var = test_norm.normalise(x.reshape(n, groups, -1), 2)
    y, m, v = native.group_norm(x, groups, gamma, beta, eps)
    close(y, hat.reshape(shape) * gamma.reshape(per) + beta.reshape(per), limit=1e-4)
    got = native.group_norm_backward(x, dy, draw.guard(m), draw.guard(v), groups, gamma, eps)
    scaled = (dy.astype(float) * gamma.reshape(per)).reshape(n, groups, -1)
    close(got[0], test_norm.gradient(x.reshape(n, groups, -1), scaled, 2).reshape(shape), scale=30)


def elementwise(draw):
    shape = draw.lines()
    a, g = draw.guard(draw.rng.uniform(0.5, 2, shape).astype(draw.dtype)), draw.array(*shape)
    name = draw.pick(tuple(test_elementwise.UNARY))
    y = native.unary(name, a, out=draw.room(*shape), alpha=test_elementwise.ALPHA)
    close(y, test_elementwise.UNARY[name][0](a.astype(float)))
    if test_elementwise.UNARY[name][1]:
        native.unary_grad(name, a, g, out=draw.room(*shape), alpha=test_elementwise.ALPHA)
    start = draw.upto(len(shape) - 1)
    stop = start + 1 + draw.upto(len(shape) - start - 1)
    b = draw.guard(draw.rng.uniform(0.5, 2, [s if start <= i < stop else 1 for i, s in enumerate(shape)]).astype(draw.dtype))
    for op, rule in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}.items():
        for left, right in ((a, b), (b, a)):
            result = native.binary(op, left, right, out=draw.room(*shape))
            if result is not NotImplemented:
                close(result, rule(left.astype(float), right))
    for op, rule in {"floordiv": np.floor_divide, "mod": np.remainder}.items():
        assert (native.binary(op, a, draw.guard(g)) == rule(a, g)).all()
    steps = native.chain_ops()
    program = bytes([steps["mul"][0], 0, 1, 0, steps["limit"][0], 3, 2, 2])
    close(native.eltwise(program, (0.25,), a, g), np.full(shape, 0.25))
    state = draw.guard(twister.seeded_plainly(7))
    y, mask = native.dropout(a, 0.3, state, out=draw.room(*shape))
    assert (y == np.where(mask, a / draw.dtype.type(np.float32(1) - np.float32(0.3)), 0)).all()
    assert (native.dropout_backward(a, draw.guard(mask), 0.3, out=draw.room(*shape)) == y).all()
    for fill in (native.random_uniform, native.random_normal):
        fill(state, draw.room(*shape), 0.0, 1.0)
    native.random_mask(state, draw.room(*shape, dtype=bool), 0.5)
    native.random_words(state, draw.room(*shape, dtype=np.uint64))
    native.random_integers(state, draw.room(*shape, dtype=np.int64), 0, 7)
    native.random_permutation(state, draw.room(int(np.prod(shape)), dtype=np.int64))
    rates = draw.guard(np.abs(a).astype(np.float64))
    native.random_poisson(state, draw.room(*shape, dtype=np.float64), rates)
    native.random_gamma(state, draw.room(*shape), draw.guard(np.abs(a)))
    short = draw.guard(draw.rng.standard_normal(shape).astype(np.float16))
    wide = native.widen(short)
    assert (wide == short).all() and (native.narrow(draw.guard(wide), short.dtype) == short).all()


FAMILIES = {f.__name__: f for f in (convolution, winograd, blocked, pooling, product, recurrence, attention, embedding, moves,
                                    optimizers, reductions, softmax, paths, norms, elementwise)}


def run(family, cases, seed=0):
    """Run `cases` random cases of one family on each instruction set the machine has."""
    for isa in ISAS[:ISAS.index(BEST) + 1]:
        for case in range(cases):
            draw = Draw([seed, case])
            threads = draw.pick((1, 1, 3))
            print(f"{family} case {case} of seed {seed}: {isa}, {threads} threads, {draw.dtype}", file=sys.stderr, flush=True)
            with engine(isa, threads):
                FAMILIES[family](draw)


if __name__ == "__main__":
    faulthandler.enable()
    run(sys.argv[1], *map(int, sys.argv[2:]))
