"""Products, sums along axes, normalisation, element by element."""

import ml_dtypes
import numpy as np

from paddle.core import twister

from .. import test_elementwise, test_norm, test_softmax
from ..engine import inverse, native
from .draw import SMALL, WIDTHS, close

BRAIN = np.dtype(ml_dtypes.bfloat16)


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
    close(native.gemm(a, b, trans_a, trans_b, bias, 0, None, out), y)
    assert native.gemm(a, b, trans_a, trans_b, bias, 1, None, out, True) is out
    close(out, np.maximum(2 * y, 0))


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
    close(native.soft_cross_entropy_backward(draw.guard(saved), soft, dloss), (p - soft) * dloss[..., None], scale=10 * shape[-1])
    planes = draw.guard(np.ascontiguousarray(np.moveaxis(x, -1, 0)))
    found, saved = native.softmax_cross_entropy(planes, labels, axis=0)
    close(found, -np.log(np.take_along_axis(p, labels[..., None].astype(np.int64), -1)[..., 0]))
    close(native.softmax_cross_entropy_backward(draw.guard(saved), labels, dloss, axis=0),
          np.moveaxis(hot * dloss[..., None], -1, 0))


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


def scans(draw):
    """What goes along an axis step by step; distances; Fourier's transform; inverses."""
    shape = draw.pick(SMALL), draw.pick(WIDTHS), draw.pick(SMALL)
    shape = shape if draw.chance() else (draw.pick(WIDTHS), draw.pick((*WIDTHS, 700)))
    axis, backwards, exclusive = draw.upto(len(shape) - 1), draw.chance(), draw.chance()
    x, factors = draw.array(*shape), draw.guard(draw.rng.uniform(-1, 1, shape).astype(draw.dtype))
    turned = np.flip(x, axis) if backwards else x
    sums = np.cumsum(turned.astype(float), axis) - (turned if exclusive else 0)
    close(native.cumsum(x, axis, exclusive, backwards), np.flip(sums, axis) if backwards else sums, scale=shape[axis])
    a, b = (np.moveaxis(t.astype(float), axis, 0) for t in (x, factors))
    on = a.copy()
    for i in range(1, len(a)):
        if backwards:
            on[-1 - i] += b[-i] * on[-i]
        else:
            on[i] += b[i] * on[i - 1]
    close(native.linear_scan(x, factors, axis, backwards), np.moveaxis(on, 0, axis))
    values, places = native.running_best(x, backwards, axis)
    assert (values == (np.maximum if backwards else np.minimum).accumulate(x, axis)).all()
    assert (np.take_along_axis(x, places, axis) == values).all()
    p, r, m, absolute = draw.pick(WIDTHS), draw.pick(WIDTHS), draw.pick((*WIDTHS, 130)), draw.chance()
    batch = draw.pick(((), (2,)))
    x, y, g = draw.array(*batch, p, m), draw.array(*batch, r, m), draw.array(*batch, p, r)
    d = x[..., :, None, :].astype(float) - y[..., None, :, :]
    expected = np.abs(d).sum(-1) if absolute else np.sqrt((d * d).sum(-1))
    found = native.distances(x, y, absolute)
    close(found, expected)
    slope = np.sign(d) if absolute else d / np.where(expected == 0, np.inf, expected)[..., None]
    dx, dy = native.distances_backward(g, draw.guard(found), x, y, absolute)
    scale = 1 + np.abs(g).sum()
    close(dx, (g[..., None] * slope).sum(-2), scale=scale)
    close(dy, -(g[..., None] * slope).sum(-3), scale=scale)
    _transforms(draw)


def _transforms(draw):
    n, half = draw.pick((1, 2, 3, 4, 7, 12, 16, 30, 37, 64, 75, 97, 101, 256, 360)), draw.chance()
    limit = 1e-5 if draw.dtype == np.float32 else 1e-13
    before, behind = draw.pick((1, 2, 7, 17)), draw.pick((1, 1, 3, 8, 21))
    shape = (before, n, behind)
    x = draw.array(*shape) + (1j * draw.array(*shape)).astype(np.result_type(draw.dtype, np.complex64))
    size = draw.pick((2 * n, 2 * n - 1, n))
    expected = np.fft.irfft(x.astype(complex), size, 1) * size
    found = native.fourier(draw.guard(x), 1, True, 1.0, False, size)
    assert np.abs(found - expected).max() <= limit * max(np.abs(expected).max(), 1)
    x = draw.guard(x.real) if half or draw.chance() else draw.guard(x)
    expected = np.fft.fft(x.astype(complex), axis=1)[:, :n // 2 + 1 if half else n]
    assert np.abs(native.fourier(x, 1, False, 1.0, half) - expected).max() <= limit * max(np.abs(expected).max(), 1)
    size = draw.pick(WIDTHS)
    square = draw.guard((draw.rng.standard_normal((draw.pick((1, 3)), size, size)) / size + 2 * np.eye(size)).astype(draw.dtype))
    expected = np.linalg.inv(square.astype(float))
    assert np.abs(inverse(square) - expected).max() <= 1e-5 * np.abs(expected).max()


def chains(draw):
    """Several elementwise steps in one pass, of arrays that repeat; products of bfloat16."""
    shape = draw.lines()
    x, y = draw.array(*shape), draw.array(*shape)
    row, step = draw.array(*[1] * (len(shape) - 1), shape[-1]), native.chain_ops()
    program = bytes([step["mul"][0], 0, 1, 0, step["add"][0], 3, 2, 0, step["relu"][0], 4, 0, 0])
    expected = x.astype(float) * y + row
    found = native.eltwise_chain(program, [x, y, row], (), results=[5, 4], outs=[draw.room(*shape), draw.room(*shape)])
    if found is not NotImplemented:
        close(found[0], np.maximum(expected, 0))
        close(found[1], expected)
    m, n, k = draw.pick(WIDTHS), draw.pick(WIDTHS), draw.pick((*WIDTHS, 300))
    a, b = (draw.guard(draw.rng.standard_normal(s).astype(BRAIN).view(np.uint16)).view(BRAIN) for s in ((m, k), (k, n)))
    found = native.gemm_brain(a, b)
    if found is not NotImplemented:
        exact, size = a.astype(float) @ b.astype(float), np.abs(a.astype(float)) @ np.abs(b.astype(float))
        assert (np.abs(found.astype(float) - exact) <= np.abs(exact) * 2.0 ** -8 + size * 1e-6).all()


def whole_products(draw):
    """Products on whole numbers, of floats and of bytes, packed weights and not."""
    rows, inner, columns = draw.pick(WIDTHS), draw.pick((*WIDTHS, 130)), draw.pick(WIDTHS)
    x = draw.guard(draw.rng.standard_normal((rows, inner)).astype(np.float32))
    weights = draw.guard(draw.rng.integers(-128, 128, (columns, inner)).astype(np.int8))
    rest = draw.guard(np.ones(columns, np.float32)), 2.0, 127, False
    steps = np.clip(np.rint(x * np.float32(63.5)), -128, 127)
    for ready in (None, draw.guard(native.integer_linear_prepare(weights))):
        for given in (x, draw.guard((steps + 128).astype(np.uint8))):
            found = native.integer_linear(given, weights, None, 0, ready, *rest)
            assert (found == steps @ weights.T.astype(np.float32)).all()
            assert native.integer_linear(given, weights, None, 1, ready, *rest, 900.0).dtype == np.uint8
