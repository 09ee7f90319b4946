"""Ops of older files, metrics, and the fused ops that static programs are rewritten to."""

import numpy as np
from opcase import OpCase, bad, const, distinct, f, i, pos

from cases.activation import gelu
from cases.layers import conv_ref, pool_ref

P3 = np.array([[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]])
labels = const([[2], [0]])
one = {"stride": (1, 1), "pads": ((0, 0), (0, 0)), "dilation": (1, 1), "groups": 1}


def picked(x, label):
    return -np.log(np.take_along_axis(x, label, -1))


def relu(x):
    return np.maximum(x, 0)


def steps(x, scale, limit):
    return np.clip(np.rint(x * (limit / scale)), -limit - 1, limit)


def in_blocks(x):
    n, c, h, w = x.shape
    full = np.concatenate([x, np.zeros((n, -c % 16, h, w), x.dtype)], 1)
    return full.reshape(n, -1, 16, h, w).transpose(0, 1, 3, 4, 2)


def filter_bias_ref(x, dy, kernel, **_):
    """Gradients of a convolution's filter and bias, tap by tap; stride 1, no padding."""
    dw, summed = np.zeros((dy.shape[1], x.shape[1], *kernel)), [0, *range(2, dy.ndim)]
    for tap in np.ndindex(*kernel):
        seen = x[(slice(None), slice(None), *(slice(t, t + n) for t, n in zip(tap, dy.shape[2:])))]
        dw[(slice(None), slice(None), *tap)] = np.tensordot(dy, seen, (summed, summed))
    return [dw, dy.sum(tuple(summed))]

TREE = np.array([[0, 0, 0, 1, 2], [0, 1, 0, 3, 4], [0, 1, 0, 5, 0], [7, 2, 1, 0, 0], [8, 2, 1, 0, 0], [9, 2, 2, 0, 0]])

CASES = [
    OpCase("legacy_matmul", [f(3, 4), f(4, 2)], unknown=False, alpha=0.5, ref=lambda x, y, alpha: x @ y * 0.5),
    OpCase("mul", [f(2, 3, 4), f(12, 5)], unknown=False, ref=lambda x, y: x.reshape(2, 12) @ y),
    OpCase("fc", [f(3, 4), f(4, 2), f(2)], unknown=False, ref=lambda x, w, b: x @ w + b),
    OpCase("legacy_mean", [f(3, 4)], ref=lambda x, row=False: np.mean(x)),
    OpCase("minus", [f(3, 4), f(3, 4)], ref=np.subtract),
    OpCase("legacy_cross_entropy", [pos(2, 3), labels], ref=picked, unknown=False,
           errors=[bad(IndexError, pos(2, 3), const([[3], [0]]), named=False)]),
    OpCase("legacy_cross_entropy", [pos(2, 3), const(P3)], soft_label=True, grad=[0], unknown=False,
           ref=lambda x, y, soft_label: -(y * np.log(x)).sum(-1, keepdims=True)),
    OpCase("cross_entropy2", [pos(2, 3), labels], unknown=False,
           ref=lambda x, y: [picked(x, y), np.take_along_axis(x, y, -1)]),
    OpCase("cross_entropy2", [pos(2, 3), const([2, 0])], unknown=False, ignore_index=0,
           ref=lambda x, y, ignore_index: [-np.log(x[[0, 0], [2, 2]]) * [1, 0], np.array([[x[0, 2]], [0]])]),
    OpCase("legacy_cross_entropy", [pos(2, 3), const([2, 0])], unknown=False, ref=lambda x, y: -np.log(x[[0, 1], [2, 0]])),
    OpCase("lookup_table", [f(4, 3), const([1])], ref=lambda w, ids: w[1]),
    OpCase("lookup_table", [f(4, 3), const([[1], [0]])], ref=lambda w, ids: w[ids[:, 0]],
           errors=[bad(ValueError, f(4, 3), const([1, 0]))]),
    OpCase("legacy_one_hot", [const([[1], [0]])], depth=3, grad=False, ref=lambda x, depth: np.eye(3, dtype=np.float32)[x[:, 0]],
           errors=[bad(IndexError, const([[3]]), depth=3, named=False)]),
    OpCase("increment", [f(1)], value=2.0, ref=lambda x, value: x + 2),
    OpCase("accuracy", [f(2, 1), labels, const([[2], [1]])], grad=False, unknown=False, dtypes=["float32"],
           ref=lambda out, k, y: [np.float32(0.5), np.int32(1), np.int32(2)]),
    OpCase("auc", [const(np.array([[0.9, 0.1], [0.2, 0.8]], "float32")), const([[0], [1]]), const(np.zeros(10, "int64")),
                   const(np.zeros(10, "int64"))], num_thresholds=9, slide_steps=0, grad=False, unknown=False,
           check=lambda out, *_: float(np.asarray(out[0])) == 1.0),

    OpCase("conv_bias_act", [f(2, 3, 4, 4), f(2, 3, 3, 3), f(2)], **one, act="relu", tol=1e-5, unknown=False,
           ref=lambda x, w, b, act, **_: relu(conv_ref(x, w, 1, 0) + b[:, None, None])),
    OpCase("conv_add_act", [f(2, 3, 4, 4), f(2, 3, 3, 3), f(2, 2, 2, 2), f(2)], **one, act="relu", tol=1e-5, unknown=False, grad=False,
           ref=lambda x, w, residual, b, act, **_: relu(conv_ref(x, w, 1, 0) + b[:, None, None] + residual)),
    *(OpCase("conv_filter_bias_grad", [f(2, 3, *sizes), f(2, 5, *(s - 1 for s in sizes))], kernel=(2,) * len(sizes), tol=1e-5,
             stride=(1,) * len(sizes), pads=((0, 0),) * len(sizes), dilation=(1,) * len(sizes), unknown=False, ref=filter_bias_ref)
      for sizes in ((6,), (4, 4), (3, 4, 3))),
    OpCase("conv_relu_pool", [f(2, 3, 5, 5), f(2, 3, 2, 2), f(2)], **one, unknown=False,
           check=lambda out, x, w, b, **_: np.allclose(
               np.asarray(out[0]), pool_ref(relu(conv_ref(x, w, 1, 0) + b[:, None, None]), 2, 2, np.max), atol=1e-5)),
    OpCase("relu_pool_spread", [f(1, 1, 1, 2), const(np.array([[[[3, 4]]]], np.uint8))], size=(2, 4), unknown=False,
           ref=lambda g, k, size: np.array([[[[0, 0, 0, 0], [0, g[0, 0, 0, 0], 0, 0]]]], g.dtype)),
    OpCase("relu_pool_pick", [f(1, 1, 2, 4), const(np.array([[[[3, 4]]]], np.uint8))],
           ref=lambda x, k: np.array([[[[x[0, 0, 1, 1], 0]]]], x.dtype)),
    OpCase("to_blocks", [f(2, 18, 3, 2)], unknown=False, grad=False, ref=in_blocks),
    OpCase("from_blocks", [f(2, 2, 3, 2, 16)], channels=18, unknown=False, grad=False,
           ref=lambda x, channels: x.transpose(0, 1, 4, 2, 3).reshape(2, 32, 3, 2)[:, :18]),
    OpCase("blocked_conv", [f(2, 3, 4, 4), f(32, 3, 3, 3), f(32), f(2, 2, 2, 2, 16)], **one, act="relu", tol=1e-5, unknown=False, grad=False,
           ref=lambda x, w, b, residual, act, **_: relu(in_blocks(conv_ref(x, w, 1, 0) + b[:, None, None]) + residual)),
    OpCase("blocked_conv", [f(1, 1, 4, 4, 16), f(16, 16, 2, 2)], **one, tol=1e-5, unknown=False, grad=False,
           ref=lambda x, w, **_: in_blocks(conv_ref(x[:, 0].transpose(0, 3, 1, 2), w, 1, 0))),
    OpCase("integer_conv", [f(2, 3, 4, 4), i(32, 3, 3, 3, low=-127, high=128, dtype="int8"), pos(32), f(32)], **one, scale=0.5, limit=127,
           act="relu", dtypes=["float32"], unknown=False, grad=False,
           ref=lambda x, w, factors, b, act, scale, limit, **_: relu(in_blocks(
               conv_ref(steps(x, scale, limit), w.astype(float), 1, 0) * factors[:, None, None] + b[:, None, None]))),
    OpCase("integer_linear", [f(3, 8), i(5, 8, low=-127, high=128, dtype="int8"), pos(5), f(5)], scale=0.5, limit=127, act="relu",
           dtypes=["float32"], unknown=False, grad=False,
           ref=lambda x, w, factors, b, act, scale, limit: relu(steps(x, scale, limit) @ w.astype(float).T * factors + b)),
    OpCase("on_grid", [f(3, 4)], scale=0.5, limit=127, grad=False,
           ref=lambda x, scale, limit: steps(x, scale, limit) * (scale / limit)),
    OpCase("blocked_pool", [distinct(1, 1, 4, 4, 16)], unknown=False, grad=False,
           ref=lambda x: in_blocks(pool_ref(x[:, 0].transpose(0, 3, 1, 2), 2, 2, np.max))),
    OpCase("blocked_scale", [f(2, 1, 3, 2, 16), f(2, 1, 1, 1, 16)], unknown=False, grad=False, ref=np.multiply),
    OpCase("linear_act", [distinct(3, 4), f(4, 2), f(2)], unknown=False, act="relu", ref=lambda x, w, b, act: relu(x @ w + b)),
    OpCase("linear_act", [f(3, 4), f(4, 2), f(2)], unknown=False, act="gelu_tanh", ref=lambda x, w, b, act: gelu(x @ w + b, True)),
    OpCase("linear_act", [f(2, 3, 4), f(4, 2), f(2)], unknown=False, act="gelu", ref=lambda x, w, b, act: gelu(x @ w + b, False)),
    OpCase("linear_three", [f(2, 3, 4), f(4, 2), f(4, 5), f(4, 2), f(2), f(5), f(2)], unknown=False,
           ref=lambda x, q, k, v, a, b, c: [x @ q + a, x @ k + b, x @ v + c]),
    OpCase("linear_add", [f(2, 3, 4), f(4, 2), f(2), f(2, 3, 2)], unknown=False, ref=lambda x, w, b, residual: x @ w + b + residual,
           grad=False),
    OpCase("tdm_child", [const(np.array([[1, 2], [0, 4]])), const(TREE)], child_nums=2, dtype="int64", grad=False, unknown=False,
           rejects_text=False, ref=lambda x, tree, **_: [np.array([[[3, 4], [5, 0]], [[0, 0], [0, 0]]]),
                                                         np.array([[[1, 1], [1, 0]], [[0, 0], [0, 0]]])],
           errors=[bad(ValueError, const(np.array([6])), const(TREE), child_nums=2, match="nodes in")]),
    # the nodes that Paddle 2.6.2 draws
    OpCase("tdm_sampler", [const(np.array([[0], [3], [1], [2]])), const(np.array([[1, 3], [1, 4], [2, 5], [2, 0]])),
                           const(np.array([[1], [2], [3], [4], [5], [6]]))], neg_samples_num_list=[1, 3],
           layer_offset_lod=[0, 2, 6], seed=5, grad=False, unknown=False, rejects_text=False, ref=lambda *_, **__: [
               np.array([[1, 2, 3, 5, 6, 4], [2, 1, 0, 0, 0, 0], [1, 2, 4, 6, 3, 5], [2, 1, 5, 4, 3, 6]], "int32"),
               np.array([[1, 0, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], [1, 0, 1, 0, 0, 0]], "int32"),
               np.array([[1] * 6, [1, 1, 0, 0, 0, 0], [1] * 6, [1] * 6], "int32")],
           errors=[bad(ValueError, const(np.array([[0]])), const(np.array([[1]])), const(np.array([[1], [2]])),
                       neg_samples_num_list=[2], layer_offset_lod=[0, 2], match="more than")]),
    OpCase("shuffle_batch", [f(3, 2, 2), const(np.array([7]))], unknown=False, rejects_text=False,
           check=lambda out, x, seed: sorted(map(tuple, out[0].reshape([6, 2]).tolist())) == sorted(map(tuple, x.reshape(6, 2).tolist()))
           and np.array_equal(out[0].numpy().reshape(6, 2)[out[1].numpy()], x.reshape(6, 2)) and out[2].tolist() == [117649]),
    # equal scores are neutral and, as in Paddle 2.6.2, negative
    OpCase("positive_negative_pair", [
        const(np.array([[0, 1], [0, 3], [0, 3], [0, 2]], np.float32)), const(np.array([[1], [0], [2], [5]], np.float32)),
        const(np.array([[7], [7], [7], [8]])), *[const(np.array([n], np.float32)) for n in (10, 20, 30)],
        const(np.array([[1], [2], [4], [9]], np.float32))], column=1, grad=False, unknown=False, rejects_text=False,
           dtypes=["float32"], ref=lambda *_, **__: [np.array([n], "float32") for n in (12.5, 24.5, 33)]),
]
