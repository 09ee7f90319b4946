"""Operators that only older programs and files have: mul, matmul with alpha, cross_entropy of probabilities ..."""

import math

import numpy as np

from ..core.op import op
from . import manip
from .embedding import embedding, embedding_grad
from .families import one_axis
from .index import along_axis_sum, take_along_axis
from .join import expand as expand_v2
from .join import tile
from .linalg import matmul as matmul_v2
from .mask import masked
from .math import scale
from .reduce import mean as mean_v2
from .reduce import sum as total

_matmul_rule = matmul_v2.shared_rule.fn


@op("matmul(X, Y) -> Out", family="probe", transpose_x="transpose_X", transpose_y="transpose_Y", extra={"head_number": 1})
def legacy_matmul(x, y, transpose_x=False, transpose_y=False, alpha=1.0):
    """alpha times the matrix product; two vectors give shape [1]."""
    out = matmul_v2.fn(x, y, transpose_x, transpose_y)
    out = out if alpha == 1 else out * out.dtype.type(alpha)
    return out.reshape(1) if out.ndim == 0 else out


@legacy_matmul.vjp
def _(needs, g, x, y, transpose_x, transpose_y, alpha):
    g = g if alpha == 1 else scale(g, alpha)
    if len(x.shape) == len(y.shape) == 1:
        g = g.reshape([])
    return _matmul_rule(needs, g, x, y, transpose_x, transpose_y)


def _flat(shape, n):
    return [math.prod(shape[:n]), math.prod(shape[n:])]


@op("mul(X, Y) -> Out", family="probe")
def mul(x, y, x_num_col_dims=1, y_num_col_dims=1):
    """Product of two matrices: x and y flattened to rows and columns at the given axes."""
    a, b = x.reshape(_flat(x.shape, x_num_col_dims)), y.reshape(_flat(y.shape, y_num_col_dims))
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"mul(): inner sizes differ: x {list(x.shape)} and y {list(y.shape)} ({a.shape[1]} vs {b.shape[0]})")
    return matmul_v2.run_arrays([a, b, False, False]).reshape(*x.shape[:x_num_col_dims], *y.shape[y_num_col_dims:])


@mul.vjp
def _(needs, g, x, y, x_num_col_dims, y_num_col_dims):
    x_shape, y_shape = list(x.shape), list(y.shape)
    a, b = x.reshape(_flat(x_shape, x_num_col_dims)), y.reshape(_flat(y_shape, y_num_col_dims))
    g = g.reshape([a.shape[0], b.shape[1]])
    dx = matmul_v2(g, b, False, True).reshape(x_shape) if needs[0] else None
    dy = matmul_v2(a, g, True, False).reshape(y_shape) if needs[1] else None
    return dx, dy


@op("fc(Input, W, Bias?) -> Out", family="probe")
def fc(x, w, bias=None, in_num_col_dims=1, activation_type="", padding_weights=False):
    """A fully connected layer in one operator (files only): x flattened, times w, plus bias, with relu if asked for."""
    if padding_weights or activation_type not in ("", "relu"):
        raise NotImplementedError(f"fc(): activation_type {activation_type!r}, padding_weights {padding_weights}")
    out = mul.fn(x, w, in_num_col_dims, 1)
    out = out if bias is None else out + bias.reshape(-1)
    return np.maximum(out, 0) if activation_type == "relu" else out


@op("mean(X) -> Out", family="reduce")
def legacy_mean(x):
    """The mean of all elements."""
    return mean_v2.fn(x)


legacy_mean.grad(x=lambda g, x_shape: mean_v2.rules[0].fn(g, x_shape, None, False))


@op("minus(X, Y) -> Out", family="broadcast")
def minus(x, y):
    """x - y."""
    return x - y


minus.grad(x=lambda g: g, y=lambda g: -g)


# ---- cross entropy of probabilities --------------------------------------------------------------------------------------
def _index(label, ndim):
    return label if len(label.shape) == ndim else label.reshape([*label.shape, 1])


def _picked(x, label, ignore_index, function):
    """The probability at each hard label (1 where it is ignored) and the labels with a last axis of 1."""
    label = _index(label, x.ndim)
    counts = label != ignore_index
    bad = counts & ((label < 0) | (label >= x.shape[-1]))
    if bad.any():
        raise IndexError(f"{function}(): label {int(label[bad].flat[0])} is out of range [0, {x.shape[-1]})")
    return np.where(counts, np.take_along_axis(x, np.where(counts, label, 0), -1), x.dtype.type(1))


def _negative_log(p):
    with np.errstate(divide="ignore"):
        return np.minimum(-np.log(p), p.dtype.type(1e20))


@op("cross_entropy(X, Label) -> Y", family="probe")
def legacy_cross_entropy(x, label, soft_label=False, ignore_index=-100):
    """-log of the probability of each label (last axis 1), or of a distribution over them."""
    if soft_label:
        return (label * _negative_log(x)).sum(axis=-1, keepdims=True).astype(x.dtype, copy=False)
    return _negative_log(_picked(x, label, ignore_index, "cross_entropy"))


def _to_probabilities(g, x, label, ignore_index):
    """-g / p at the labels, else 0; ignored rows stay 0."""
    ndim = len(x.shape)
    label = _index(label, ndim)
    counts = label != ignore_index
    at = masked(label, counts)
    return along_axis_sum(masked(-(g / take_along_axis(x, at, ndim - 1)), counts), at, tuple(x.shape), ndim - 1)


def _legacy_rule(g, x, label, soft_label, ignore_index):
    return -(g * (label / x)) if soft_label else _to_probabilities(g, x, label, ignore_index)


legacy_cross_entropy.grad(x=_legacy_rule)


@op("cross_entropy2(X, Label) -> Y, MatchX, XShape?", family="probe")
def cross_entropy2(x, label, ignore_index=-100):
    """(-log of the probability of each label, that probability); last axis 1."""
    p = _picked(x, label, ignore_index, "cross_entropy")
    return _negative_log(p), p


cross_entropy2.grad(x=lambda g, x, label, ignore_index: _to_probabilities(g[0], x, label, ignore_index))


# ---- other meanings of today's names -------------------------------------------------------------------------------------
@op("lookup_table(W, Ids) -> Out", family="probe", extra={"is_sparse": False})
def lookup_table(weight, ids, padding_idx=-1):
    """Rows of a table by ids whose last axis of size 1 becomes the row's axis."""
    if ids.ndim == 0 or ids.shape[-1] != 1:
        raise ValueError(f"lookup_table(): ids must end in an axis of size 1, got shape {list(ids.shape)}")
    return embedding.fn(ids.reshape(ids.shape[:-1]), weight, padding_idx)


lookup_table.grad(weight=lambda g, ids, weight_shape, padding_idx: embedding_grad(
    ids.reshape(list(ids.shape)[:-1]), g, weight_shape[0], padding_idx))


@op("one_hot(X, depth_tensor?) -> Out", family="probe", extra={"dtype": 5})
def legacy_one_hot(x, depth_tensor=None, depth=1, allow_out_of_range=False):
    """One-hot rows for ids whose last axis of size 1 becomes the axis of classes."""
    n = int(depth if depth_tensor is None else np.ravel(depth_tensor)[0])
    ids = x.reshape(x.shape[:-1]) if x.ndim and x.shape[-1] == 1 else x
    if not allow_out_of_range and ids.size and (ids.min() < 0 or ids.max() >= n):
        raise IndexError(f"one_hot(): ids must be in [0, {n}), got {int(ids.min())} ... {int(ids.max())}")
    return (ids[..., None] == np.arange(n)).astype(np.float32)


@op("expand(X, ExpandTimes?, expand_times_tensor*?) -> Out", family="probe")
def legacy_expand(x, times_tensor=None, times_list=None, expand_times=()):
    """x repeated a number of times along each axis (today's tile)."""
    return tile.fn(x, times_tensor, times_list, expand_times)


legacy_expand.grad(x=lambda g, x_shape, times_tensor, times_list, expand_times: _untile(
    g, x_shape, manip.ints_of(expand_times, times_tensor, times_list)))


def _untile(g, shape, times):
    pairs = [n for t, s in zip(times, shape) for n in (t, s)]
    return total(g.reshape(pairs), tuple(range(0, len(pairs), 2)))


@op("expand_as(X, target_tensor) -> Out", family="probe")
def legacy_expand_as(x, target):
    """x repeated to the shape of another tensor."""
    return expand_v2.fn(x, None, None, list(target.shape))


@op("fill_zeros_like(X) -> Out", family="same")
def fill_zeros_like(x):
    """Zeros of the shape of x."""
    return np.zeros_like(x)


@op("reshape(X, Shape?, ShapeTensor*?) -> Out", family="probe")
def legacy_reshape(x, shape_tensor=None, shape_list=None, shape=()):
    """reshape2 without its XShape output."""
    return manip.reshape.fn(x, shape_tensor, shape_list, shape)


@op("transpose(X) -> Out", family="probe")
def legacy_transpose(x, axis=()):
    """transpose2 without its XShape output."""
    return manip.transpose.fn(x, axis)


@op("squeeze(X) -> Out", family="probe")
def legacy_squeeze(x, axes=()):
    """squeeze2 without its XShape output."""
    return manip.squeeze.fn(x, axes)


@op("unsqueeze(X) -> Out", family="probe")
def legacy_unsqueeze(x, axes=()):
    """unsqueeze2 without its XShape output."""
    return manip.unsqueeze.fn(x, None, None, axes)


@op("flatten(X) -> Out", family="probe")
def legacy_flatten(x, axis=1):
    """flatten2 without its XShape output."""
    return manip.flatten2.fn(x, axis)


legacy_transpose.grad(x=lambda g, axis: manip.transpose.rules[0].fn(g, axis))
for _one in (legacy_reshape, legacy_squeeze, legacy_unsqueeze, legacy_flatten):
    _one.grad(x=lambda g, x_shape: g.reshape(list(x_shape)))


@op("increment(X) -> Out", family="same", value="step")
def increment(x, value=1.0):
    """x + value, in the element type of x."""
    return x + x.dtype.type(value)


increment.grad(x=lambda g: g)


@op("accuracy(Out, Indices, Label) -> Accuracy, Correct, Total", family="probe")
def accuracy(out_, indices, label):
    """(share, number, total) of rows whose label is among the indices (as top_k gives them)."""
    one_axis(1, indices.ndim, "accuracy")
    hit = (indices == label.reshape(-1, 1)).any(axis=1)
    total = max(hit.size, 1)
    return (np.asarray(hit.sum() / total, np.float32), np.asarray(hit.sum(), np.int32), np.asarray(hit.size, np.int32))
