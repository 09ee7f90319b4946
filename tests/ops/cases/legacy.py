"""Operators of 1.x files."""

import numpy as np
from opcase import OpCase, bad, const, f, pos

from paddle.core.op import BY_NAME
from paddle.ops.legacy import losses  # noqa: F401  (declares operators)
from paddle.ops.nn import interpolate  # noqa: F401  (likewise)


def sync_batch_norm(x, scale, bias, mean, variance):
    """The result alone, of statistics that a file holds."""
    return BY_NAME["sync_batch_norm1"](x, scale, bias, mean, variance, is_test=True)[0]


CASES = [
    OpCase("reshape1", [f(2, 3)], shape=[3, -1], ref=lambda x, shape: x.reshape(shape)),
    OpCase("squeeze1", [f(1, 3)], axes=[0], ref=lambda x, axes: x[0], unknown=False),
    OpCase("unsqueeze1", [f(3)], axes=[0], ref=lambda x, axes: x[None]),
    OpCase("flatten1", [f(2, 3, 4)], axis=1, ref=lambda x, axis: x.reshape(2, 12)),
    OpCase("transpose1", [f(2, 3)], perm=[1, 0], ref=lambda x, perm: x.T),
    OpCase("pad2d", [f(1, 2, 3, 4), None], paddings=[1, 0, 2, 1], mode="edge",
           ref=lambda x, _, paddings, mode: np.pad(x, [(0, 0), (0, 0), (1, 0), (2, 1)], mode="edge"),
           errors=[bad(ValueError, f(1, 2, 3), None, paddings=[1, 1, 1, 1], named=False)]),
    OpCase("pad2d", [f(1, 3, 4, 2), None], paddings=[1, 1, 0, 2], pad_value=0.5, data_format="NHWC",
           ref=lambda x, _, paddings, **__: np.pad(x, [(0, 0), (1, 1), (0, 2), (0, 0)], constant_values=0.5)),
    OpCase("deformable_conv1", [f(1, 2, 4, 4), const(np.zeros((1, 2, 4, 4))), f(3, 2, 1, 1), None], grad=[0, 2], unknown=False,
           tol=1e-4, ref=lambda x, o, w, _: np.einsum("nchw,kc->nkhw", x, w[:, :, 0, 0])),
    OpCase(sync_batch_norm, [f(4, 3, 2), pos(3), f(3), f(3), pos(3)], method=False, noncontiguous=False, rejects_text=False,
           unknown=False, grad=[0, 1, 2], tol=1e-4,
           ref=lambda x, s, b, m, v: (x - m[:, None]) / np.sqrt(v[:, None] + 1e-5) * s[:, None] + b[:, None]),
    OpCase("expand1", [f(2, 3)], repeat_times=[2, 2], ref=lambda x, repeat_times: np.tile(x, (2, 2))),
    OpCase("expand_as1", [f(2, 3), f(4, 3)], ref=lambda x, y: np.tile(x, (2, 1)), grad=[0], unknown=False,
           errors=[bad(ValueError, f(2), f(3), named=False)]),
    OpCase("affine_channel", [f(2, 3, 2, 2), f(3), f(3)], ref=lambda x, s, b: x * s[:, None, None] + b[:, None, None], unknown=False),
    OpCase("affine_channel", [f(2, 2, 2, 3), f(3), f(3)], data_layout="NHWC", ref=lambda x, s, b, data_layout: x * s + b,
           unknown=False),
    OpCase("sigmoid_cross_entropy_with_logits", [f(2, 3), const([[0, 1, 0.5], [-100, 1, 0]]), None], grad=[0], unknown=False,
           ref=lambda x, y, _: np.where(y == -100, 0, np.log1p(np.exp(x)) - x * y)),
    OpCase("sigmoid_cross_entropy_with_logits", [f(2, 2), const([[0.0, 1.0], [-1.0, 1.0]]), const([[2.0, 3.0], [1.0, 1.0]])],
           normalize=True, ignore_index=-1, grad=[0], unknown=False, ref=lambda x, y, w, normalize, ignore_index: np.where(
               y == -1, 0, (1 - y) * x + w * np.log1p(np.exp(-x))) / 3),
    *[OpCase(f"{method}_interp1", [f(1, 2, *size), None, None, None], scale=[2.0], align_corners=False, align_mode=0, grad=[0],
             unknown=False, tol=1e-4, static=False, ref=lambda x, *_, scale, align_corners, align_mode, name=method + "_interp":
             BY_NAME[name].fn(x, scale=(2.0,), align_corners=False, align_mode=0))
      for method, size in (("nearest", [3, 2]), ("linear", [3]), ("bilinear", [3, 2]), ("trilinear", [2, 3, 2]), ("bicubic", [3, 4]))],
    OpCase("partial_concat", [[f(2, 5), f(2, 5)]], start_index=-4, length=2, unknown=False,
           ref=lambda x, start_index, length: np.concatenate([a[:, 1:3] for a in x], 1),
           errors=[bad(ValueError, [f(2, 5), f(2, 4)]), bad(ValueError, [f(2, 5)], start_index=5),
                   bad(ValueError, [f(2, 5)], start_index=3, length=3)]),
    OpCase("partial_sum", [[f(2, 5), f(2, 5)]], start_index=2, unknown=False, ref=lambda x, start_index: x[0][:, 2:] + x[1][:, 2:]),
    OpCase("bmm", [f(2, 3, 4), f(2, 4, 2)], ref=lambda x, y: x @ y, unknown=False),
    OpCase("mv", [f(3, 4), f(4)], ref=lambda x, y: x @ y, unknown=False),
    OpCase("log_loss", [const([[0.2], [0.7]]), const([[0.0], [1.0]])], epsilon=0.01, grad=[0], unknown=False,
           ref=lambda p, y, epsilon: -y * np.log(p + epsilon) - (1 - y) * np.log(1 - p + epsilon)),
    OpCase("huber_loss", [const([[0.2], [3.0]]), const([[0.5], [-1.0]])], delta=0.75, unknown=False,
           ref=lambda x, y, delta: (np.where(abs(y - x) <= delta, 0.5 * (y - x) ** 2, delta * (abs(y - x) - 0.5 * delta)), y - x)),
    OpCase("hinge_loss", [const([[0.2], [-3.0]]), const([[1.0], [0.0]])], grad=[0], unknown=False,
           ref=lambda x, y: np.maximum(0, 1 - (2 * y - 1) * x)),
    OpCase("rank_loss", [const([[1.0], [0.0]]), f(2, 1), f(2, 1)], grad=[1, 2], unknown=False,
           ref=lambda y, a, b: np.log1p(np.exp(a - b)) - y * (a - b)),
    OpCase("modified_huber_loss", [const([[0.2], [-3.0], [2.0]]), const([[1.0], [1.0], [1.0]])], grad=[0], unknown=False,
           ref=lambda x, y: ((2 * y - 1) * x, np.where((2 * y - 1) * x < -1, -4 * (2 * y - 1) * x,
                                                       np.maximum(0, 1 - (2 * y - 1) * x) ** 2))),
    OpCase("squared_l2_norm", [f(2, 3)], ref=lambda x: (x ** 2).sum().reshape(1), unknown=False),
    OpCase("clip_by_norm", [f(2, 3)], max_norm=0.5, ref=lambda x, max_norm: x * min(1, max_norm / np.sqrt((x ** 2).sum())),
           unknown=False),
    OpCase("brelu", [const([-1.0, 0.5, 3.0])], t_min=0.0, t_max=2.0, ref=lambda x, t_min, t_max: np.clip(x, t_min, t_max)),
    OpCase("soft_relu", [f(2, 3)], threshold=3.0, ref=lambda x, threshold: np.log1p(np.exp(np.clip(x, -threshold, threshold)))),
    OpCase("shuffle_channel", [f(1, 4, 2, 1)], group=2, ref=lambda x, group: x[:, [0, 2, 1, 3]], unknown=False, small=False,
           errors=[bad(ValueError, f(1, 3, 2, 1), group=2, named=False)]),
    *[OpCase("kldiv_loss", [f(2, 3), const([[0.2, 0.0, 0.8], [0.5, 0.25, 0.25]])], reduction=how, grad=[0], unknown=False,
             ref=lambda x, t, reduction: {"none": lambda v: v, "sum": np.sum, "mean": np.mean, "batchmean": lambda v: v.sum() / 2}[
                 reduction](np.where(t > 0, t * (np.log(np.where(t > 0, t, 1)) - x), 0)))
      for how in ("none", "sum", "mean", "batchmean")],
    OpCase("bpr_loss", [f(3, 4), const(np.array([[1], [0], [3]]))], grad=[0], unknown=False,
           ref=lambda x, y: np.stack([np.mean([np.log1p(np.exp(r[j] - r[k[0]])) for j in range(4) if j != k[0]], keepdims=True)
                                      for r, k in zip(x, y)])),
    OpCase("fsp", [f(2, 3, 2, 2), f(2, 2, 2, 2)], ref=lambda x, y: np.einsum("nchw,ndhw->ncd", x, y) / 4, unknown=False),
    *[OpCase("nll_loss", [f(3, 4), const(np.array([1, -100, 3])), const([0.5, 2.0, 1.0, 3.0])], reduction=how, grad=[0], unknown=False,
             ref=lambda x, y, w, reduction: {
                 "none": (np.array([-2 * x[0, 1], 0, -3 * x[2, 3]]), np.array(0.0)),
                 "sum": (np.array(-2 * x[0, 1] - 3 * x[2, 3]), np.array(5.0)),
                 "mean": (np.array((-2 * x[0, 1] - 3 * x[2, 3]) / 5), np.array(5.0))}[reduction])
      for how in ("none", "sum", "mean")],
    OpCase("norm", [f(2, 3)], axis=1, epsilon=0.25, unknown=False,
           ref=lambda x, axis, epsilon: (x / np.sqrt((x * x).sum(1, keepdims=True) + 0.25), np.sqrt((x * x).sum(1, keepdims=True) + 0.25))),
    OpCase("lrn", [f(1, 4, 2, 2)], n=3, k=1.0, alpha=0.5, beta=0.75, unknown=False, errors=[bad(ValueError, f(1, 4, 2, 2), n=2, named=False)],
           ref=lambda x, n, k, alpha, beta: (lambda m: (x * m ** -beta, m))(
               k + alpha * np.stack([(x[:, max(c - 1, 0):c + 2] ** 2).sum(1) for c in range(4)], 1))),
    OpCase("fill_zeros_like2", [f(2, 3)], dtype=3, ref=lambda x, dtype: np.zeros((2, 3), "int64"), grad=False),
    OpCase("grad_add", [f(2, 3), f(2, 3)], ref=lambda x, y: x + y),
    OpCase("proximal_gd", [f(2, 3), f(2, 3), const([0.5])], l1=0.1, l2=0.2, grad=False, unknown=False,
           ref=lambda p, g, r, l1, l2: np.sign(p - r * g) * np.maximum(abs(p - r * g) - 0.05, 0) / 1.1),
    OpCase("l1_norm", [f(2, 3)], ref=lambda x: np.abs(x).sum()),
    OpCase("spatial_pyramid_pool", [f(1, 2, 3, 4)], pyramid_height=2, pooling_type="avg", unknown=False, static=False,
           ref=lambda x, pyramid_height, pooling_type: np.concatenate(
               [x.mean((2, 3)), np.stack([x[:, :, :1, :2].mean((2, 3)), x[:, :, :1, 2:].mean((2, 3)), x[:, :, 1:, :2].mean((2, 3)),
                                          x[:, :, 1:, 2:].mean((2, 3))], 2).reshape(1, 8)], 1),
           errors=[bad(ValueError, f(2, 2), named=False)]),
    OpCase("fill_any", [f(2, 3)], value=2.0, ref=lambda x, value: np.full_like(x, value)),
    OpCase("fill_zeros_like", [f(2, 3)], ref=np.zeros_like, grad=False),
    OpCase("diag1", [f(3)], ref=np.diag, errors=[bad(ValueError, f(2, 2), named=False)]),
    OpCase("crop1", [f(3, 4), f(2, 2)], offsets=[1, 1], ref=lambda x, y, offsets: x[1:, 1:3], grad=[0], unknown=False),
    OpCase("uniform_random_batch_size_like", [f(50, 3)], shape=[-1, 40], min=0.0, max=1.0, seed=3, grad=False,
           check=lambda out, x: out.shape == [50, 40] and 0 <= out.numpy().min() < out.numpy().max() < 1),
    OpCase("gaussian_random_batch_size_like", [f(50, 3)], shape=[-1, 40], seed=3, grad=False,
           check=lambda out, x: out.shape == [50, 40] and abs(out.numpy().std() - 1) < 0.1),
]
