"""Batch, layer and group norm against NumPy in double precision."""

import numpy as np
import pytest

from .engine import both_floats, close, engine, every_engine, native

EPS = 1e-3


def data(shape, dtype, seed=0, shift=0.5):
    return (np.random.default_rng(seed).standard_normal(shape) + shift).astype(dtype)


def normalise(x, axes):
    """Normalised x, mean and variance in double precision."""
    x = x.astype(np.float64)
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(var + EPS), mean, var


def gradient(x, g, axes):
    """Gradient with respect to x of sum(g * normalised x)."""
    hat, _, var = normalise(x, axes)
    return (g - g.mean(axes, keepdims=True) - hat * (g * hat).mean(axes, keepdims=True)) / np.sqrt(var + EPS)


def limits(dtype):
    return {"rtol": 2e-5, "atol": 3e-5} if dtype == np.float32 else {"rtol": 1e-10, "atol": 1e-11}


def per_channel(v, x):
    return v.astype(np.float64).reshape(1, -1, *[1] * (x.ndim - 2))


BATCH = [(2, 3, 5, 7), (1, 1, 2), (4, 5, 1, 1), (300, 7), (9, 2100), (5, 40, 3), (3, 2, 61, 67), (1001, 33)]
LAYER = [((7, 5), 5), ((3, 4, 6), 24), ((1, 1), 1), ((200, 129), 129), ((3, 5000), 5000), ((1000, 16), 16)]
GROUP = [((2, 6, 5, 7), 3), ((2, 6, 5, 7), 1), ((3, 4, 9), 4), ((5, 8), 2), ((1, 2, 50, 60), 2), ((40, 4, 13), 2)]
affine = pytest.mark.parametrize("affine", [True, False])


@every_engine
@both_floats
@affine
def test_batch_norm(isa, threads, dtype, affine):
    with engine(isa, threads):
        for shape in BATCH:
            x, dy, c = data(shape, dtype), data(shape, dtype, 1, 0), shape[1]
            gamma, beta = (data(c, dtype, 2), data(c, dtype, 3)) if affine else (None, None)
            wide = (per_channel(gamma, x), per_channel(beta, x)) if affine else (1.0, 0.0)
            axes = (0, *range(2, x.ndim))
            hat, mean, var = normalise(x, axes)
            expected = hat * wide[0] + wide[1]
            for relu, top in ((0, np.inf), (1, np.inf), (2, 6)):
                y, m, v = native.batch_norm(x, gamma, beta, EPS, relu)
                close(y, np.clip(expected, 0, top) if relu else expected, **limits(dtype))
                close(m, mean.ravel(), **limits(dtype))
                close(v, var.ravel(), **limits(dtype))
                g = dy * (y > 0) * (y < top) if relu else dy
                dx, dgamma, dbeta = native.batch_norm_backward(x, dy, m, v, gamma, EPS, y if relu else None, max(relu, 1))
                scale = limits(dtype)["rtol"] * shape[0] ** 0.5 * 10
                close(dx, gradient(x, g * wide[0], axes), **limits(dtype))
                close(dgamma, (g * hat).sum(axes), rtol=scale, atol=scale)
                close(dbeta, g.astype(np.float64).sum(axes), rtol=scale, atol=scale)
                mean2, var2 = data(c, dtype, 4), np.abs(data(c, dtype, 5))
                y = native.batch_norm_eval(x, mean2, var2, gamma, beta, EPS, relu)
                other = (x - per_channel(mean2, x)) / np.sqrt(per_channel(var2, x) + EPS) * wide[0] + wide[1]
                close(y, np.clip(other, 0, top) if relu else other, **limits(dtype))


@every_engine
@both_floats
@affine
def test_layer_norm(isa, threads, dtype, affine):
    with engine(isa, threads):
        for shape, columns in LAYER:
            x, dy = data(shape, dtype), data(shape, dtype, 1, 0)
            gamma, beta = (data(columns, dtype, 2), data(columns, dtype, 3)) if affine else (None, None)
            rows, g = x.reshape(-1, columns), dy.reshape(-1, columns).astype(np.float64)
            hat, mean, var = normalise(rows, 1)
            y, m, v = native.layer_norm(x, gamma, beta, EPS, None if affine else columns)
            close(y, (hat * (gamma if affine else 1) + (beta if affine else 0)).reshape(shape), **limits(dtype))
            close(m, mean.ravel(), **limits(dtype))
            close(v, var.ravel(), **limits(dtype))
            dx, dgamma, dbeta = native.layer_norm_backward(x, dy, m, v, gamma, EPS)
            close(dx, gradient(rows, g * (gamma if affine else 1), 1).reshape(shape), **limits(dtype))
            scale = limits(dtype)["rtol"] * len(rows) ** 0.5 * 10
            close(dgamma, (g * hat).sum(0), rtol=scale, atol=scale)
            close(dbeta, g.sum(0), rtol=scale, atol=scale)


@every_engine
@both_floats
@affine
def test_group_norm(isa, threads, dtype, affine):
    with engine(isa, threads):
        for shape, groups in GROUP:
            x, dy, c = data(shape, dtype), data(shape, dtype, 1, 0), shape[1]
            gamma, beta = (data(c, dtype, 2), data(c, dtype, 3)) if affine else (None, None)
            wide = (per_channel(gamma, x), per_channel(beta, x)) if affine else (1.0, 0.0)
            split = (shape[0], groups, -1)
            hat, mean, var = normalise(x.reshape(split), 2)
            y, m, v = native.group_norm(x, groups, gamma, beta, EPS)
            close(y, hat.reshape(shape) * wide[0] + wide[1], **limits(dtype))
            close(m, mean[..., 0], **limits(dtype))
            close(v, var[..., 0], **limits(dtype))
            dx, dgamma, dbeta = native.group_norm_backward(x, dy, m, v, groups, gamma, EPS)
            close(dx, gradient(x.reshape(split), (dy * wide[0]).reshape(split), 2).reshape(shape), **limits(dtype))
            axes, scale = (0, *range(2, x.ndim)), limits(dtype)["rtol"] * 50
            close(dgamma, (dy * hat.reshape(shape)).sum(axes), rtol=scale, atol=scale)
            close(dbeta, dy.astype(np.float64).sum(axes), rtol=scale, atol=scale)


def test_large_mean_keeps_its_digits():
    x = data((4, 3, 500), np.float32, shift=1000.0)
    var = x.astype(np.float64).var((0, 2))
    np.testing.assert_allclose(native.batch_norm(x, None, None)[2], var, rtol=1e-4)
    rows = x.reshape(12, 500)
    var = rows.astype(np.float64).var(1)
    np.testing.assert_allclose(native.layer_norm(rows, None, None, columns=500)[2], var, rtol=1e-4)


def test_same_bytes_for_any_thread_count():
    x, dy = data((700, 130), np.float32), data((700, 130), np.float32, 1)
    results = set()
    for threads in (1, 2, 5):
        with engine(threads=threads):
            y, m, v = native.batch_norm(x, None, None)
            a = native.batch_norm_backward(x, dy, m, v, None)
            z, m2, v2 = native.layer_norm(x, None, None, columns=130)
            b = native.layer_norm_backward(x, dy, m2, v2, None)
            results.add(b"".join(r.tobytes() for r in (y, m, v, *a, z, m2, v2, *b)))
    assert len(results) == 1


def test_empty_batch():
    x = np.empty((0, 3, 4), np.float32)
    y, m, v = native.batch_norm(x, None, None)
    assert y.shape == x.shape and (m == 0).all() and v.shape == (3,)
    dx, dgamma, dbeta = native.batch_norm_backward(x, x, m, v, None)
    assert dx.shape == x.shape and (dgamma == 0).all() and (dbeta == 0).all()
    assert native.batch_norm_eval(x, m, v, None, None).shape == x.shape
    gamma = np.ones(4, np.float32)
    y, m, v = native.layer_norm(x, gamma, gamma)
    assert y.shape == x.shape and m.shape == (0,)
    assert (native.layer_norm_backward(x, x, m, v, gamma)[1] == 0).all()
    y, m, v = native.group_norm(x, 3, None, None)
    assert m.shape == (0, 3) and native.group_norm_backward(x, x, m, v, 3, None)[1].shape == (3,)


def test_allocation_failure_is_reported():
    x = data((50, 6), np.float32)
    y, m, v = native.layer_norm(x, None, None, columns=6)
    for after in (0, 1):
        native.fail_allocation(after)
        try:
            with pytest.raises(MemoryError, match="layer_norm_backward"):
                native.layer_norm_backward(x, x, m, v, None)
        finally:
            native.fail_allocation(-1)


X = np.ones((4, 6), np.float32)
C = np.ones(6, np.float32)


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.batch_norm(X[0], None, None), ValueError, "dimensions"),
    (lambda: native.batch_norm(X, C[:5], None), ValueError, "'gamma'"),
    (lambda: native.batch_norm(X, None, C.astype(float)), TypeError, "'beta'"),
    (lambda: native.batch_norm(X, None, None, eps="small"), TypeError, "'eps'"),
    (lambda: native.batch_norm(X, None, None, relu=3), ValueError, "'relu'"),
    (lambda: native.batch_norm_backward(X, X[:2], C, C, C), ValueError, "'dy'"),
    (lambda: native.batch_norm_backward(X, X, None, C, C), TypeError, "'mean'"),
    (lambda: native.batch_norm_backward(X, X, C, C, C, y=X[:2]), ValueError, "'y'"),
    (lambda: native.batch_norm_eval(X, C, C[:3], None, None), ValueError, "'var'"),
    (lambda: native.layer_norm(X, None, None), ValueError, "rows of 0"),
    (lambda: native.layer_norm(X, C[:5], None), ValueError, "rows of 5"),
    (lambda: native.layer_norm(X, C, C[:3]), ValueError, "'beta'"),
    (lambda: native.layer_norm_backward(X, X, C[:5], C[:5], C), ValueError, "'mean'"),
    (lambda: native.layer_norm_backward(X, X, C[:4], C[:4], C[:5]), ValueError, "'gamma'"),
    (lambda: native.group_norm(X, 4, None, None), ValueError, "'groups'"),
    (lambda: native.group_norm(X, 0, None, None), ValueError, "'groups'"),
    (lambda: native.group_norm_backward(X, X, C, C, 3, None), ValueError, "'mean'"),
])
def test_bad_arguments_raise(call, error, text):
    with pytest.raises(error, match=text):
        call()
