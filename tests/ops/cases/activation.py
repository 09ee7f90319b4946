"""Activation functions, softmax and cross entropy."""

import math

import numpy as np
from opcase import OpCase, away, bad, const, distinct, f, pos

F = "paddle.nn.functional."
erf = np.vectorize(math.erf)


def act(name, ref, inputs=None, **attrs):
    return OpCase(F + name, [inputs or away(3, 4)], ref=ref, **attrs)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.log1p(np.exp(x))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def gelu(x, approximate):
    if approximate:
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
    return (0.5 * x * (1 + erf(x / np.sqrt(2)))).astype(x.dtype)


def cross_entropy(logits, label):
    p = softmax(logits)
    return [p, -np.log(np.take_along_axis(p, label, -1))]


labels = const([[1], [0], [3]])
p3 = softmax(np.arange(12.0).reshape(3, 4) / 7)

CASES = [
    act("relu", lambda x: np.maximum(x, 0)), act("relu6", lambda x: np.clip(x, 0, 6)),
    OpCase(F + "rrelu", [away(3, 4)], lower=0.25, upper=0.25,
           ref=lambda x, lower, upper: np.maximum(x, 0) + lower * np.minimum(x, 0), errors=[bad(ValueError, f(2), 0.5, 0.25)]),
    OpCase(F + "leaky_relu", [away(3, 4)], negative_slope=0.2,
           ref=lambda x, negative_slope: np.maximum(x, 0) + negative_slope * np.minimum(x, 0)),
    act("elu", lambda x: np.where(x > 0, x, np.expm1(x))),
    act("celu", lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x / alpha)), alpha=0.7),
    act("selu", lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))),
    act("gelu", gelu, f(3, 4), approximate=False), act("gelu", gelu, f(3, 4), approximate=True),
    act("silu", lambda x: x * sigmoid(x)), act("swish", lambda x: x * sigmoid(x)),
    act("mish", lambda x: x * np.tanh(softplus(x))), act("softsign", lambda x: x / (1 + np.abs(x))),
    act("hardswish", lambda x: x * np.clip(x + 3, 0, 6) / 6), act("tanhshrink", lambda x: x - np.tanh(x)),
    OpCase(F + "hardsigmoid", [f(3, 4)], ref=lambda x: np.clip(x / 6 + 0.5, 0, 1), tol=1e-5, dtypes=["float32"]),
    act("hardtanh", lambda x, min, max: np.clip(x, min, max), distinct(3, 4), min=-0.35, max=0.45),
    act("softplus", lambda x, beta: np.log1p(np.exp(beta * x)) / beta, f(3, 4), beta=2.0),
    act("hardshrink", lambda x: np.where(np.abs(x) > 0.5, x, 0), distinct(3, 4, step=0.13)),
    act("softshrink", lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0), distinct(3, 4, step=0.13)),
    act("thresholded_relu", lambda x, threshold: np.where(x > threshold, x, 0), distinct(3, 4, step=0.13), threshold=0.2),
    act("log_sigmoid", lambda x: -softplus(-x)),
    OpCase("stanh", [f(3, 4)], ref=lambda x: 1.7159 * np.tanh(0.67 * x), tol=1e-5),
    OpCase(F + "prelu", [away(2, 3, 4), f(3)], unknown=False, ref=lambda x, w: np.where(x > 0, x, x * w[None, :, None])),
    OpCase(F + "prelu", [away(2, 3, 4), f(1)], ref=lambda x, w: np.where(x > 0, x, x * w)),
    OpCase(F + "maxout", [distinct(2, 6, 3)], groups=2, ref=lambda x, groups: x.reshape(2, 3, 2, 3).max(2)),
    OpCase(F + "softmax", [f(3, 4)], ref=softmax), OpCase(F + "softmax", [f(3, 4, 2)], axis=1, ref=softmax),
    OpCase(F + "log_softmax", [f(3, 4)], ref=lambda x: np.log(softmax(x))),
    OpCase("softmax_input_grad", [const(p3), f(3, 4)], ref=lambda p, g: p * (g - (g * p).sum(-1, keepdims=True)), grad=[0]),
    OpCase("log_softmax_input_grad", [const(np.log(p3)), f(3, 4)], grad=[0],
           ref=lambda y, g: g - np.exp(y) * g.sum(-1, keepdims=True)),
    OpCase("softmax_with_cross_entropy", [f(3, 4), labels], ref=cross_entropy, unknown=False,
           errors=[bad(IndexError, f(3, 4), const([[1], [7], [0]]))]),
    OpCase("softmax_with_cross_entropy", [f(3, 4), const(p3)], soft_label=True, grad=[0],
           ref=lambda x, y, soft_label: [softmax(x), -(y * np.log(softmax(x))).sum(-1, keepdims=True)]),
    OpCase("softmax_with_cross_entropy", [pos(3, 4), labels], use_softmax=False, unknown=False,
           ref=lambda x, y, use_softmax: [x, -np.log(np.take_along_axis(x, y, -1))]),
    OpCase("label_rows", [f(3, 4), labels], grad=False, ref=lambda x, y: np.eye(4, dtype=x.dtype)[y[:, 0]]),
    OpCase("cross_entropy_logits_grad", [f(3, 4), labels, f(3, 1)],
           ref=lambda p, y, g: (p - np.eye(4, dtype=p.dtype)[y[:, 0]]) * g),
    OpCase(F + "cross_entropy", [f(3, 4), labels], unknown=False, ref=lambda x, y: cross_entropy(x, y)[1].mean(),
           errors=[bad(IndexError, f(3, 4), const([[-1], [0], [0]]), named=False)]),
    OpCase("relu_mask", [f(3, 4), away(3, 4)], ref=lambda g, y: g * (y > 0), grad=[0]),
    OpCase("tanh_back", [f(3, 4), f(3, 4)], ref=lambda g, y: g * (1 - y * y)),
    OpCase("sigmoid_back", [f(3, 4), f(3, 4)], ref=lambda g, y: g * y * (1 - y)),
    OpCase("gelu_back", [f(3, 4), f(3, 4)], ref=lambda g, x: g * (
        0.5 * (1 + erf(x / np.sqrt(2))) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)).astype(x.dtype)),
    OpCase("gelu_back", [f(3, 4), f(3, 4)], approximate=True, check=lambda out, *_: np.isfinite(np.asarray(out)).all()),
]
