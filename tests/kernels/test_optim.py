"""Whole-group optimizer steps against the formulae in double precision."""

import numpy as np
import pytest

from .engine import both_floats, close, engine, every_engine, native

SIZES = [(0,), (1,), (7,), (3, 5), (40001,)]  # empty, one element, odd, more than one chunk


def arrays(rng, dtype, low=-1.0, high=1.0):
    return [rng.uniform(low, high, size).astype(dtype) for size in SIZES]


def doubles(values):
    return [np.array(v, np.float64) for v in values]


def powers(beta, dtype, step):
    return [np.full(1, beta ** (step + 1), np.float32) for _ in SIZES]


def sgd(p, g, state, lr, **_):
    return p - lr * g, []


def momentum(p, g, state, lr, momentum, nesterov=False, **_):
    v = momentum * state[0] + g
    return p - lr * (g + momentum * v if nesterov else v), [v]


def adam(p, g, state, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0, t=1, **_):
    m, v = beta1 * state[0] + (1 - beta1) * g, beta2 * state[1] + (1 - beta2) * g * g
    mhat, vhat = m / (1 - beta1 ** t), v / (1 - beta2 ** t)
    return p * (1 - lr * weight_decay) - lr * mhat / (np.sqrt(vhat) + eps), [m, v]


def adamax(p, g, state, lr, beta1=0.9, beta2=0.999, eps=1e-8, t=1, **_):
    m, u = beta1 * state[0] + (1 - beta1) * g, np.maximum(beta2 * state[1] + eps, np.abs(g))
    return p - lr / (1 - beta1 ** t) * m / u, [m, u]


def adagrad(p, g, state, lr, eps=1e-6, **_):
    s = state[0] + g * g
    return p - lr * g / (np.sqrt(s) + eps), [s]


def adadelta(p, g, state, lr, rho=0.95, eps=1e-6, **_):
    a = rho * state[0] + (1 - rho) * g * g
    d = np.sqrt((state[1] + eps) / (a + eps)) * g
    return p - lr * d, [a, rho * state[1] + (1 - rho) * d * d]


def rmsprop(p, g, state, lr, rho=0.95, eps=1e-6, momentum=0.0, **_):
    s = rho * state[0] + (1 - rho) * g * g
    v = momentum * state[1] + lr * g / np.sqrt(s + eps)
    return p - v, [s, v]


def lamb(p, g, state, lr, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.01, t=1, **_):
    m, v = beta1 * state[0] + (1 - beta1) * g, beta2 * state[1] + (1 - beta2) * g * g
    r = m / (1 - beta1 ** t) / (np.sqrt(v / (1 - beta2 ** t)) + eps) + weight_decay * p
    norms = np.linalg.norm(p), np.linalg.norm(r)
    return p - lr * (norms[0] / norms[1] if min(norms) > 0 else 1.0) * r, [m, v]


CASES = [
    ("sgd", sgd, 0, 0, {}),
    ("momentum", momentum, 1, 0, {"momentum": 0.9}),
    ("momentum", momentum, 1, 0, {"momentum": 0.7, "nesterov": True}),
    ("adam", adam, 2, 2, {"eps": 0.5}),
    ("adam", adam, 2, 2, {"weight_decay": 0.1, "beta1": 0.8}),
    ("adamax", adamax, 2, 1, {"eps": 0.01}),
    ("adagrad", adagrad, 1, 0, {}),
    ("adadelta", adadelta, 2, 0, {}),
    ("rmsprop", rmsprop, 2, 0, {"momentum": 0.5}),
    ("lamb", lamb, 2, 2, {"weight_decay": 0.1}),
]


@every_engine
@both_floats
@pytest.mark.parametrize("name,rule,states,pows,options", CASES)
def test_step_follows_formula(isa, threads, dtype, name, rule, states, pows, options):
    rng = np.random.default_rng(3)
    p, grads = arrays(rng, dtype), arrays(rng, dtype)
    state = [arrays(rng, dtype, 0.1, 1.0) for _ in range(states)]
    lr = [0.1 + 0.01 * i for i in range(len(SIZES))]
    extra = {"l2": 0.03, "scale": 0.5} if name != "lamb" else {"scale": 0.5}
    old_p, old_state = doubles(p), [doubles(s) for s in state]
    betas = [options.get("beta1", 0.9), 0.999][:pows]
    pow_lists = [powers(beta, dtype, 2) for beta in betas]
    with engine(isa, threads):
        assert getattr(native, name + "_group")(p, grads, *state, *pow_lists, lr, **options, **extra) is None
    for i in range(len(SIZES)):
        g = 0.5 * np.array(grads[i], np.float64) + extra.get("l2", 0.0) * old_p[i]
        expected, expected_state = rule(old_p[i], g, [s[i] for s in old_state], lr[i], t=3, **options)
        limits = {"rtol": 3e-5, "atol": 3e-5} if dtype == np.float32 or pows else {}  # powers are float32 always
        close(p[i], expected, **limits)
        for mine, theirs in zip(state, expected_state, strict=True):
            close(mine[i], theirs)
    for beta, pow_list in zip(betas, pow_lists, strict=True):
        np.testing.assert_allclose([x[0] for x in pow_list], beta ** 4, rtol=1e-6)


def test_centered_rmsprop():
    rng = np.random.default_rng(4)
    p, g = arrays(rng, np.float64), arrays(rng, np.float64)
    s, b, v = arrays(rng, np.float64, 1.0, 2.0), arrays(rng, np.float64, 0.1, 0.5), arrays(rng, np.float64)
    before = [doubles(x) for x in (p, s, b, v)]
    native.rmsprop_group(p, g, s, v, 0.1, momentum=0.3, mean_grad=b)
    for i in range(len(SIZES)):
        mean_square = 0.95 * before[1][i] + 0.05 * g[i] ** 2
        mean = 0.95 * before[2][i] + 0.05 * g[i]
        velocity = 0.3 * before[3][i] + 0.1 * g[i] / np.sqrt(mean_square - mean ** 2 + 1e-6)
        close(b[i], mean)
        close(p[i], before[0][i] - velocity)


@every_engine
@both_floats
def test_norms_and_clips(isa, threads, dtype):
    rng = np.random.default_rng(5)
    x = arrays(rng, dtype)
    old = doubles(x)
    with engine(isa, threads):
        total = native.sum_squares(x)
        native.clip_group(x, -0.5, 0.25)
        native.scale_group(x, 2.0)
        assert native.all_finite(x)
        x[4][40000] = np.inf
        assert not native.all_finite(x)
        x[4][40000] = np.nan
        assert not native.all_finite(x)
        native.clip_group(x, -0.5, 0.25)
        assert np.isnan(x[4][40000])
    assert total == pytest.approx(sum((a ** 2).sum() for a in old), rel=1e-7)
    close(x[3], np.clip(2 * np.clip(old[3], -0.5, 0.25), -0.5, 0.25))


def test_same_bits_for_any_thread_count():
    x = [np.random.default_rng(6).standard_normal(200003).astype(np.float32)]
    sums = set()
    for threads in (1, 2, 5):
        with engine(threads=threads):
            sums.add(native.sum_squares(x))
    assert len(sums) == 1


def test_empty_group_is_fine():
    native.sgd_group([], [], 0.1)
    assert native.sum_squares([]) == 0.0


@pytest.mark.parametrize("call,error,text", [
    (lambda p, g: native.sgd_group(p, g[:1], 0.1), ValueError, "grads"),
    (lambda p, g: native.sgd_group(p, [g[0], g[1][:3]], 0.1), ValueError, "elements"),
    (lambda p, g: native.sgd_group(p, [g[0], g[1].astype(np.float64)], 0.1), TypeError, "grads"),
    (lambda p, g: native.sgd_group(p, g, [0.1]), ValueError, "lr"),
    (lambda p, g: native.sgd_group(p, g, "fast"), TypeError, "lr"),
    (lambda p, g: native.sgd_group(p[0], g, 0.1), TypeError, "params"),
    (lambda p, g: native.sgd_group([1.0, 2.0], g, 0.1), TypeError, "params"),
    (lambda p, g: native.sgd_group([p[0], p[1][::2]], [g[0], g[1][::2]], 0.1), ValueError, "contiguous"),
    (lambda p, g: native.sgd_group(p, g), TypeError, "lr"),
    (lambda p, g: native.sgd_group(p, g, 0.1, speed=3), TypeError, "speed"),
    (lambda p, g: native.adam_group(p, g, g, g, [np.ones(2, np.float32)] * 2, [np.ones(1, np.float32)] * 2, 0.1),
     ValueError, "one-element"),
])
def test_bad_arguments_raise(call, error, text):
    p, g = [np.ones(4, np.float32), np.ones(6, np.float32)], [np.ones(4, np.float32), np.ones(6, np.float32)]
    with pytest.raises(error, match=text):
        call(p, g)
    assert all((a == 1).all() for a in p)


def test_read_only_parameter_is_refused():
    p = np.ones(3, np.float32)
    p.flags.writeable = False
    with pytest.raises(ValueError, match="writeable"):
        native.sgd_group([p], [np.ones(3, np.float32)], 0.1)
