"""Update ops of 1.x: formulae written again in NumPy (values of the real operators: tests/fluid/test_optimizers.py)."""

import numpy as np
from opcase import OpCase, const, f, pos

rate = const(np.array([0.1], np.float32))


def ftrl(p, s, n, g, lr, l1, l2):
    total = s + g * g
    n = n + g - (np.sqrt(total) - np.sqrt(s)) / 0.1 * p
    return [np.where(np.abs(n) > l1, (l1 * np.sign(n) - n) / (np.sqrt(total) / 0.1 + 2 * l2), 0), total, n]


def lars(p, g, v, lr):
    local = 0.1 * 0.001 * np.linalg.norm(p) / (np.linalg.norm(g) + 0.0005 * np.linalg.norm(p))
    v = 0.9 * v + local * (g + 0.0005 * p)
    return [p - v, v]


def some_rows(p, g, v, index, lr, axis):
    whole = np.zeros_like(p if axis == 0 else p.T)
    for row, value in zip(index, g if axis == 0 else g.T):
        whole[row] += value
    v = 0.9 * v + (whole if axis == 0 else whole.T)
    return [p - 0.1 * v, v]


def update(name, inputs, ref, **attrs):
    return OpCase(name, inputs, ref=ref, grad=False, dtypes=["float32"], tol=1e-5, static=False, unknown=False, **attrs)


count = [const(np.array([n])) for n in (1, 4, 6)]
CASES = [
    update("ftrl", [f(3), pos(3), f(3), f(3), rate], ftrl, l1=0.1, l2=0.2),
    update("lars_momentum", [f(3), f(3), f(3), rate], lars),
    update("decayed_adagrad", [f(3), f(3), pos(3), rate],
           lambda p, g, s, lr: [p - 0.1 * g / (np.sqrt(0.95 * s + 0.05 * g * g) + 1e-6), 0.95 * s + 0.05 * g * g]),
    update("dpsgd", [f(3), f(3), rate], lambda p, g, lr, clip, sigma: p - 0.1 * g / max(1, np.linalg.norm(g) / 0.5),
           clip=0.5, sigma=0.0),
    update("average_accumulates", [f(3), f(3), f(3), f(3), *count], lambda p, a, b, c, n, old, done, average_window,
           min_average_window: [0 * a, 0 * b, a + p + b, 0 * n, n + 1, done + 1], average_window=0.3, min_average_window=2),
    update("sparse_momentum", [f(4, 3), f(3, 3), f(4, 3), const(np.array([1, 3, 1])), rate], some_rows, axis=0),
    update("sparse_momentum", [f(3, 4), f(3, 3), f(3, 4), const(np.array([1, 3, 1])), rate], some_rows, axis=1),
]
