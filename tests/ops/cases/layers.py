"""Convolution, pooling, norms, dropout, embedding, recurrent sequences, optimizer updates."""

import itertools

import numpy as np
from opcase import OpCase, bad, const, distinct, f, pos

from paddle.ops.nn import norm, rnn

F = "paddle.nn.functional."


def conv_ref(x, w, stride, pads, dilation=1, groups=1):
    """Convolution cell by cell, in any number of dimensions."""
    n = x.ndim - 2
    stride, dilation = (np.broadcast_to(v, n) for v in (stride, dilation))
    pads = [(pads, pads)] * n if np.ndim(pads) == 0 else pads
    padded = np.pad(x, [(0, 0), (0, 0), *pads])
    outs = [(p - d * (k - 1) - 1) // s + 1 for p, k, s, d in zip(padded.shape[2:], w.shape[2:], stride, dilation)]
    y = np.zeros((x.shape[0], w.shape[0], *outs), x.dtype)
    cg, og = w.shape[1], w.shape[0] // groups
    for o in range(w.shape[0]):
        channels = slice(o // og * cg, o // og * cg + cg)
        for cell in itertools.product(*map(range, outs)):
            where = tuple(slice(c * s, c * s + d * (k - 1) + 1, d) for c, s, d, k in zip(cell, stride, dilation, w.shape[2:]))
            window = padded[(slice(None), channels, *where)]
            y[(slice(None), o, *cell)] = (window * w[o]).reshape(x.shape[0], -1).sum(1)
    return y


def conv_t_ref(x, w, stride=1, groups=1):
    """Transposed convolution without padding, cell by cell."""
    n = x.ndim - 2
    og, cg = w.shape[1], w.shape[0] // groups
    outs = [(s - 1) * stride + k for s, k in zip(x.shape[2:], w.shape[2:])]
    y = np.zeros((x.shape[0], og * groups, *outs), x.dtype)
    for c in range(w.shape[0]):
        for cell in itertools.product(*map(range, x.shape[2:])):
            where = tuple(slice(a * stride, a * stride + k) for a, k in zip(cell, w.shape[2:]))
            target = (slice(None), slice(c // cg * og, c // cg * og + og), *where)
            y[target] += x[(slice(None), c, *cell)].reshape(-1, 1, *[1] * n) * w[c][None]
    return y


def pool_ref(x, kernel, stride, how):
    outs = [(s - kernel) // stride + 1 for s in x.shape[2:]]
    y = np.zeros((*x.shape[:2], *outs), x.dtype)
    for cell in itertools.product(*map(range, outs)):
        where = tuple(slice(c * stride, c * stride + kernel) for c in cell)
        y[(slice(None), slice(None), *cell)] = how(x[(slice(None), slice(None), *where)].reshape(*x.shape[:2], -1), -1)
    return y


def normed(x, axes, eps=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def sig(z):
    return 1 / (1 + np.exp(-z))


def lstm_ref(xp, h, c, w, b, reverse=False):
    n, steps, _ = xp.shape
    y = np.zeros((n, steps, h.shape[1]), xp.dtype)
    for t in range(steps)[::-1] if reverse else range(steps):
        i_, f_, g, o = np.split(xp[:, t] + h @ w.T + b, 4, 1)
        c = sig(f_) * c + sig(i_) * np.tanh(g)
        h = sig(o) * np.tanh(c)
        y[:, t] = h
    return [y, h, c]


def gru_ref(xp, h, w, b):
    y = []
    for t in range(xp.shape[1]):
        xr, xz, xc = np.split(xp[:, t], 3, 1)
        hr, hz, hc = np.split(h @ w.T + b, 3, 1)
        z = sig(xz + hz)
        h = z * h + (1 - z) * np.tanh(xc + sig(xr + hr) * hc)
        y.append(h)
    return [np.stack(y, 1), h]


def rnn_ref(xp, h, w, b):
    y = []
    for t in range(xp.shape[1]):
        h = np.tanh(xp[:, t] + h @ w.T + b)
        y.append(h)
    return [np.stack(y, 1), h]


def file_rnn_ref(x, states, weights, mode, **_):
    w_ih, w_hh, b_ih, b_hh = weights
    y, h, c = lstm_ref(x.transpose(1, 0, 2) @ w_ih.T + b_ih, states[0][0], states[1][0], w_hh, b_hh)
    return [y.transpose(1, 0, 2), h[None], c[None]]


def batch_norm(x, scale, bias, mean, variance):
    """The result alone of the batch_norm op of files."""
    return norm.batch_norm(x, scale, bias, mean, variance)[0]


def lstm(*args, **attrs):
    """The outputs and last states alone of lstm_sequence."""
    return rnn.lstm_sequence(*args, **attrs)[:3]


def gru(*args, **attrs):
    """The outputs and last state alone of gru_sequence."""
    return rnn.gru_sequence(*args, **attrs)[:2]


two = {"stride": (1, 2), "pads": ((1, 0), (0, 2)), "dilation": (2, 1), "groups": 2}
rate = const(np.array([0.1], np.float32))
power = const(np.array([0.9], np.float32))


def update(name, states, ref, **attrs):
    """A case of an optimizer's op: value only."""
    return OpCase(name, states, ref=ref, grad=False, dtypes=["float32"], tol=1e-5, unknown=False, **attrs)


CASES = [
    OpCase("conv", [f(2, 4, 5, 6), f(6, 2, 2, 3), f(6)], **two, tol=1e-5, unknown=False,
           ref=lambda x, w, b, stride, pads, dilation, groups: conv_ref(x, w, stride, pads, dilation, groups) + b[:, None, None]),
    OpCase("conv", [f(2, 3, 7), f(4, 3, 3)], stride=(2,), pads=((1, 1),), dilation=(1,), tol=1e-5, unknown=False,
           ref=lambda x, w, stride, pads, dilation: conv_ref(x, w, stride, pads, dilation)),
    OpCase(F + "conv2d", [f(2, 3, 5, 5), f(4, 3, 3, 3)], stride=2, padding=1, tol=1e-5,
           ref=lambda x, w, stride, padding: conv_ref(x, w, stride, padding),
           errors=[bad(ValueError, f(2, 3, 5, 5), f(4, 2, 3, 3)), bad(ValueError, f(1, 3, 2, 2), f(4, 3, 3, 3), named=False)]),
    OpCase(F + "conv2d", [f(2, 5, 5, 3), f(4, 3, 3, 3)], data_format="NHWC", tol=1e-5,
           ref=lambda x, w, data_format: conv_ref(x.transpose(0, 3, 1, 2), w, 1, 0).transpose(0, 2, 3, 1)),
    OpCase(F + "conv2d", [f(2, 4, 5, 5), f(4, 1, 3, 3)], groups=4, tol=1e-5, unknown=False, ref=lambda x, w, groups: conv_ref(x, w, 1, 0, 1, 4)),
    OpCase(F + "conv2d", [f(2, 3, 3, 4), f(4, 3, 4, 5)], stride=[2, 3], tol=1e-5,  # beyond the end by less than a stride
           ref=lambda x, w, stride: conv_ref(x, w, stride, [(0, 1), (0, 1)]),
           errors=[bad(ValueError, f(2, 3, 3, 3), f(4, 3, 5, 5), stride=2, match="does not fit")]),
    OpCase(F + "conv2d", [f(2, 4, 3, 3), f(4, 1, 3, 2)], stride=3, dilation=2, groups=4, tol=1e-5, unknown=False,
           ref=lambda x, w, stride, dilation, groups: conv_ref(x, w, 3, [(0, 2), (0, 0)], 2, 4)),
    OpCase(F + "conv3d", [f(1, 2, 2, 3, 2), f(3, 2, 3, 3, 4)], stride=3, tol=1e-5, unknown=False,
           ref=lambda x, w, stride: conv_ref(x, w, 3, [(0, 1), (0, 0), (0, 2)])),
    OpCase(F + "conv1d", [f(2, 3, 7), f(4, 3, 3)], tol=1e-5, ref=lambda x, w: conv_ref(x, w, 1, 0)),
    OpCase(F + "conv3d", [f(1, 2, 4, 4, 4), f(3, 2, 2, 2, 2)], tol=1e-5, ref=lambda x, w: conv_ref(x, w, 1, 0)),
    OpCase(F + "conv2d_transpose", [f(2, 3, 3, 3), f(3, 2, 2, 2)], stride=2, tol=1e-5, unknown=False, ref=lambda x, w, stride: conv_t_ref(x, w, 2),
           errors=[bad(ValueError, f(1, 3, 3, 3), f(3, 2, 2, 2), stride=2, output_padding=2, match="output_padding must be smaller")]),
    OpCase(F + "conv2d_transpose", [f(2, 3, 3, 3), f(3, 1, 2, 2)], groups=3, tol=1e-5, unknown=False,
           ref=lambda x, w, groups: conv_t_ref(x, w, 1, 3)),
    OpCase(F + "conv3d_transpose", [f(1, 2, 2, 2, 2), f(2, 3, 2, 2, 2)], tol=1e-5, unknown=False, ref=conv_t_ref),
    OpCase("conv_input_grad", [f(2, 3, 3, 3), f(3, 2, 2, 2)], size=(4, 4), tol=1e-5, unknown=False, ref=lambda x, w, size: conv_t_ref(x, w)),
    OpCase("conv_filter_grad", [f(2, 3, 4, 4), f(2, 5, 3, 3)], kernel=(2, 2), tol=1e-5, unknown=False,
           ref=lambda x, dy, kernel: conv_ref(x.transpose(1, 0, 2, 3), dy.transpose(1, 0, 2, 3), 1, 0).transpose(1, 0, 2, 3)),

    OpCase(F + "max_pool2d", [distinct(2, 3, 6, 6)], kernel_size=2, ref=lambda x, kernel_size: pool_ref(x, 2, 2, np.max)),
    OpCase(F + "max_pool2d", [distinct(2, 3, 7, 7)], kernel_size=3, stride=2,
           ref=lambda x, kernel_size, stride: pool_ref(x, 3, 2, np.max)),
    OpCase(F + "max_pool3d", [distinct(1, 2, 4, 4, 4)], kernel_size=2, ref=lambda x, kernel_size: pool_ref(x, 2, 2, np.max)),
    OpCase(F + "avg_pool2d", [f(2, 3, 6, 6)], kernel_size=2, ref=lambda x, kernel_size: pool_ref(x, 2, 2, np.mean)),
    OpCase(F + "avg_pool3d", [f(1, 2, 4, 4, 4)], kernel_size=2, ref=lambda x, kernel_size: pool_ref(x, 2, 2, np.mean)),
    OpCase(F + "adaptive_avg_pool2d", [f(2, 3, 6, 6)], output_size=3, ref=lambda x, output_size: pool_ref(x, 2, 2, np.mean)),
    OpCase(F + "adaptive_max_pool2d", [distinct(2, 3, 6, 6)], output_size=3, ref=lambda x, output_size: pool_ref(x, 2, 2, np.max)),
    OpCase("max_pool2d_with_index", [distinct(1, 2, 4, 4)], ksize=[2, 2], strides=[2, 2],
           check=lambda out, x, **_: np.array_equal(np.asarray(out[0]), pool_ref(x, 2, 2, np.max))),
    OpCase("max_pool3d_with_index", [distinct(1, 2, 2, 4, 4)], ksize=[2, 2, 2], strides=[2, 2, 2], paddings=[0, 0, 0],
           check=lambda out, x, **_: np.array_equal(np.asarray(out[0]), pool_ref(x, 2, 2, np.max))),
    OpCase("max_pool2x2", [distinct(1, 2, 4, 5)], check=lambda out, x: np.array_equal(
        np.asarray(out[0]), pool_ref(x[..., :4], 2, 2, np.max))),
    OpCase("pool2x2_scatter", [f(1, 1, 1, 2), const(np.array([[[[3, 0]]]], np.uint8))], size=(2, 4), unknown=False,
           ref=lambda g, k, size: np.array([[[[0, 0, g[0, 0, 0, 1], 0], [0, g[0, 0, 0, 0], 0, 0]]]], g.dtype)),
    OpCase("pool2x2_gather", [f(1, 1, 2, 4), const(np.array([[[[3, 0]]]], np.uint8))],
           ref=lambda x, k: np.array([[[[x[0, 0, 1, 1], x[0, 0, 0, 2]]]]], x.dtype)),
    OpCase("pool_gather", [f(1, 1, 2, 2), const(np.array([[[[3, -1]]]], np.int32))],
           ref=lambda x, k: np.array([[[[x[0, 0, 1, 1], 0]]]], x.dtype)),

    OpCase("batch_norm_train", [f(4, 3, 2), pos(3), f(3)], grad=[0, 1, 2], tol=1e-4, unknown=False,
           ref=lambda x, s, b: [normed(x, (0, 2)) * s[:, None] + b[:, None], x.mean((0, 2)), x.var((0, 2))]),
    OpCase("batch_norm_affine", [f(4, 3, 2), f(3), pos(3), pos(3), f(3)], tol=1e-5,
           ref=lambda x, m, v, s, b: (x - m[:, None]) / np.sqrt(v[:, None] + 1e-5) * s[:, None] + b[:, None]),
    OpCase("batch_norm_train_act", [distinct(4, 3, 2), pos(3), f(3)], grad=[0, 1, 2], tol=1e-4, unknown=False, act="relu6",
           ref=lambda x, s, b, act: [np.clip(normed(x, (0, 2)) * s[:, None] + b[:, None], 0, 6), x.mean((0, 2)), x.var((0, 2))]),
    OpCase("batch_norm_affine_act", [distinct(4, 3, 2), f(3), pos(3), pos(3), f(3)], tol=1e-5,
           ref=lambda x, m, v, s, b: np.maximum((x - m[:, None]) / np.sqrt(v[:, None] + 1e-5) * s[:, None] + b[:, None], 0)),
    OpCase(batch_norm, [f(4, 3, 2), pos(3), f(3), f(3), pos(3)],
           grad=[0, 1, 2], tol=1e-4, unknown=False, method=False, noncontiguous=False, rejects_text=False,
           ref=lambda x, s, b, m, v: normed(x, (0, 2)) * s[:, None] + b[:, None]),
    OpCase(F + "layer_norm", [f(3, 4)], normalized_shape=4, tol=1e-5, ref=lambda x, normalized_shape: normed(x, -1)),
    OpCase(F + "group_norm", [f(2, 4, 3)], num_groups=2, tol=1e-5,
           ref=lambda x, num_groups: normed(x.reshape(2, 2, -1), -1).reshape(x.shape)),
    OpCase(F + "instance_norm", [f(2, 4, 3)], tol=1e-5, ref=lambda x: normed(x, -1)),

    OpCase(F + "dropout", [f(3, 4), 1.0], ref=lambda x, p: x * 0), OpCase(F + "dropout", [f(3, 4)], training=False, ref=lambda x, training: x),
    OpCase("dropout", [f(3, 4), None, 0.3, True], ref=lambda x, *_: [x * 0.7, np.ones(x.shape, np.uint8)]),
    OpCase("apply_mask", [f(3, 4), const(np.eye(3, 4).astype(np.uint8))], p=0.5, ref=lambda x, m, p: x * m * 2),
    OpCase(F + "embedding", [const([[1, 0], [2, 1]]), f(4, 3)], ref=lambda ids, w: w[ids],
           errors=[bad(IndexError, const([4]), f(4, 3)), bad(IndexError, const([-1]), f(4, 3))]),
    OpCase(F + "embedding", [const(1), f(4, 3)], ref=lambda ids, w: w[1]),
    OpCase("merge_selected_rows", [f(4, 3)], ref=np.copy),
    OpCase("get_tensor_from_selected_rows", [f(4, 3)], ref=np.copy),
    OpCase("embedding_grad", [const([1, 0, 1]), f(3, 2)], rows=3, unknown=False,
           ref=lambda ids, g, rows: np.stack([g[1], g[0] + g[2], g[0] * 0])),
    OpCase(F + "one_hot", [const([1, 0, 2])], num_classes=3, grad=False, ref=lambda x, num_classes: np.eye(3, dtype=np.float32)[x],
           errors=[bad(IndexError, const([3]), num_classes=3), bad(IndexError, const([-1]), num_classes=3)]),

    OpCase(lstm, [f(2, 3, 8), f(2, 2), f(2, 2), f(8, 2), f(8)], ref=lstm_ref, tol=1e-5, unknown=False,
           rejects_text=False, method=False),
    OpCase(lstm, [f(2, 3, 8), f(2, 2), f(2, 2), f(8, 2), f(8)], reverse=True, tol=1e-5, unknown=False,
           rejects_text=False, method=False, ref=lambda *a, reverse: lstm_ref(*a, reverse=True)),
    OpCase(gru, [f(2, 3, 6), f(2, 2), f(6, 2), f(6)], ref=gru_ref, tol=1e-5, unknown=False, rejects_text=False, method=False),
    OpCase("simple_rnn_sequence", [f(2, 3, 2), f(2, 2), f(2, 2), f(2)], ref=rnn_ref, tol=1e-5, unknown=False),
    OpCase("rnn", [f(3, 2, 4), [f(1, 2, 2), f(1, 2, 2)], [f(8, 4), f(8, 2), f(8), f(8)]], mode="LSTM", input_size=4, hidden_size=2,
           ref=file_rnn_ref, tol=1e-5, unknown=False, bits=False),

    update("sgd", [f(3), f(3), rate], lambda p, g, lr: p - 0.1 * g),
    update("momentum", [f(3), f(3), f(3), rate], lambda p, g, v, lr: [p - 0.1 * (0.9 * v + g), 0.9 * v + g]),
    update("adam", [f(3), f(3), rate, f(3), pos(3), power, const(np.array([0.999], np.float32))],
           lambda p, g, lr, m, v, a, b: [
               p - 0.1 * ((0.9 * m + 0.1 * g) / 0.1) / (np.sqrt((0.999 * v + 0.001 * g * g) / 0.001) + 1e-8),
               0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g, a * 0.9, b * 0.999]),
    update("adamw", [f(3), f(3), rate, f(3), pos(3), power, const(np.array([0.999], np.float32))],
           lambda p, g, lr, m, v, a, b: [
               p * 0.999 - 0.1 * ((0.9 * m + 0.1 * g) / 0.1) / (np.sqrt((0.999 * v + 0.001 * g * g) / 0.001) + 1e-8),
               0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g, a * 0.9, b * 0.999]),
    update("adam_amsgrad", [f(3), f(3), rate, f(3), pos(3), const(np.array([0, 9, 1], "f")), power, const(np.array([0.999], "f"))],
           lambda p, g, lr, m, v, top, a, b: [
               p - lr * np.sqrt(1 - b) / (1 - a) * (0.9 * m + 0.1 * g) / (
                   np.sqrt(np.maximum(top, 0.999 * v + 0.001 * g * g)) + 1e-8 * np.sqrt(1 - b)),
               0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g, np.maximum(top, 0.999 * v + 0.001 * g * g), 0.9 * a, 0.999 * b]),
    update("adamw_amsgrad", [f(3), f(3), rate, f(3), pos(3), const(np.array([0, 9, 1], "f")), power, const(np.array([0.999], "f"))],
           lambda p, g, lr, m, v, top, a, b: [
               p * (1 - lr * 0.01) - lr * np.sqrt(1 - b) / (1 - a) * (0.9 * m + 0.1 * g) / (
                   np.sqrt(np.maximum(top, 0.999 * v + 0.001 * g * g)) + 1e-8 * np.sqrt(1 - b)),
               0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g, np.maximum(top, 0.999 * v + 0.001 * g * g), 0.9 * a, 0.999 * b]),
    update("adamax_of_files", [f(3), f(3), rate, f(3), pos(3), power], lambda p, g, lr, m, u, a: [
        p - 0.1 / 0.1 * (0.9 * m + 0.1 * g) / np.maximum(0.999 * u + 1e-8, np.abs(g)), 0.9 * m + 0.1 * g,
        np.maximum(0.999 * u + 1e-8, np.abs(g))]),
    update("adamax", [f(3), f(3), rate, f(3), pos(3), power], lambda p, g, lr, m, u, a: [
        p - 0.1 / 0.1 * (0.9 * m + 0.1 * g) / np.maximum(0.999 * u + 1e-8, np.abs(g)), 0.9 * m + 0.1 * g,
        np.maximum(0.999 * u + 1e-8, np.abs(g)), a * 0.9]),
    update("adagrad", [f(3), f(3), pos(3), rate], lambda p, g, s, lr: [p - 0.1 * g / (np.sqrt(s + g * g) + 1e-6), s + g * g]),
    update("adadelta", [f(3), f(3), pos(3), pos(3), rate], lambda p, g, a, e, lr: [
        p - 0.1 * np.sqrt((e + 1e-6) / (0.95 * a + 0.05 * g * g + 1e-6)) * g, 0.95 * a + 0.05 * g * g,
        0.95 * e + 0.05 * (e + 1e-6) / (0.95 * a + 0.05 * g * g + 1e-6) * g * g]),
    update("rmsprop", [f(3), pos(3), f(3), f(3), rate, f(3)], rho=0.9, momentum=0.5, ref=lambda p, s, g, v, lr, b, rho, momentum: [
        p - (0.5 * v + 0.1 * g / np.sqrt(0.9 * s + 0.1 * g * g + 1e-10)), 0.5 * v + 0.1 * g / np.sqrt(0.9 * s + 0.1 * g * g + 1e-10),
        0.9 * s + 0.1 * g * g, b]),
    OpCase("lamb", [f(3), f(3), rate, f(3), pos(3), power, power], grad=False, dtypes=["float32"], unknown=False,
           check=lambda out, p, *_: abs(np.linalg.norm(np.asarray(out[0]) - p) - 0.1 * np.linalg.norm(p)) < 1e-5),
    update("rprop", [f(3), const(np.array([1, -1, 1], "f")), const(np.array([1, 1, -1], "f")), const(np.full(3, 0.1, "f")), rate],
           lambda p, g, prev, step, lr: [p - np.array([0.12, 0, 0], "f"), np.array([1, 0, 0], "f"), np.array([0.12, 0.05, 0.05], "f")]),
    OpCase("nadam", [f(3), f(3), rate, power, power, power, f(3), pos(3)], grad=False, dtypes=["float32"], unknown=False,
           check=lambda out, p, g, lr, d, b, mu, m, v: np.allclose(np.asarray(out[4]), 0.9 * m + 0.1 * g, atol=1e-6)),
    OpCase("radam", [f(3), f(3), rate, power, power, const(np.array([0.0], "f")), f(3), pos(3)], grad=False, dtypes=["float32"],
           unknown=False,
           check=lambda out, p, g, lr, a, b, n, m, v: np.allclose(np.asarray(out[0]), p - 0.1 * (0.9 * m + 0.1 * g) / 0.1, atol=1e-5)),
    update("asgd", [f(3), f(3), rate, f(3), f(1, 3), const(np.array([0.0], "f"))],
           lambda p, g, lr, d, y, n: [p - 0.1 * (d - y[0] + g), d - y[0] + g, g[None], n + 1]),
]
