"""Operators of older programs with a meaning of their own: mul, matmul with alpha, cross_entropy of probabilities ..."""

import math

import numpy as np

from ...core.context import context
from ...core.errors import OutOfRangeError
from ...core.facts import FAMILIES
from ...core.op import op
from ...core.steps import Step
from ..families.reshape import product
from ..library import by_library
from ..linalg.matmul import fast_product, is_fast
from ..linalg.matmul import matmul as matmul_v2
from ..manipulation.gather_scatter import along_axis_sum, take_along_axis
from ..manipulation.masking import masked
from ..math import reduction as reduce
from ..math.arithmetic import scale
from ..math.reduction import mean as mean_v2
from ..nn.activation import relu_mask
from ..nn.embedding import embedding, hot_sizes, rows_of, table_gradient, takes_rows
from ..short import through_float32

_matmul_rule = matmul_v2.shared_rule.fn


def _legacy_product(x, y, transpose_x, transpose_y):
    found, = FAMILIES["matmul"].infer(matmul_v2, (x, y), {"transpose_x": transpose_x, "transpose_y": transpose_y})
    return found if found.shape else found.like((1,))


@op("matmul(X, Y) -> Out", family="matmul", transpose_x="transpose_X", transpose_y="transpose_Y", extra={"head_number": 1},
    version=1, shapes=_legacy_product)
def legacy_matmul(x, y, transpose_x=False, transpose_y=False, alpha=1.0):
    """alpha times the matrix product; two vectors give shape [1]."""
    out = matmul_v2.fn(x, y, transpose_x, transpose_y)
    out = out if alpha == 1 else out * out.dtype.type(alpha)
    return out.reshape(1) if out.ndim == 0 else out


@legacy_matmul.kernel(when=lambda x, y, transpose_x, transpose_y, alpha: is_fast(x, y, transpose_x, transpose_y))
def _(k, x, y, transpose_x, transpose_y, alpha):
    out = fast_product(k, x, y, transpose_x, transpose_y)
    return out if out is NotImplemented or alpha == 1 else k.binary("mul", out, float(alpha))


@legacy_matmul.vjp
def _(needs, g, x, y, transpose_x, transpose_y, alpha):
    g = g if alpha == 1 else scale(g, alpha)
    if len(x.shape) == len(y.shape) == 1:
        g = g.reshape([])
    return _matmul_rule(needs, g, x, y, transpose_x, transpose_y)


def _flat(shape, n):
    return [math.prod(shape[:n]), math.prod(shape[n:])]


def _flat_product(x, y, x_num_col_dims, y_num_col_dims):
    inner = product(x.shape[x_num_col_dims:]), product(y.shape[:y_num_col_dims])
    if inner[0] != inner[1] and -1 not in inner:
        return None
    return x.like(x.shape[:x_num_col_dims] + y.shape[y_num_col_dims:])


@op("mul(X, Y) -> Out", family="matmul", shapes=_flat_product)
def mul(x, y, x_num_col_dims=1, y_num_col_dims=1):
    """Product of two matrices: x and y flattened to rows and columns at the given axes."""
    a, b = x.reshape(_flat(x.shape, x_num_col_dims)), y.reshape(_flat(y.shape, y_num_col_dims))
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"mul(): inner sizes differ: x {list(x.shape)} and y {list(y.shape)} ({a.shape[1]} vs {b.shape[0]})")
    return matmul_v2(a, b, False, False).reshape(*x.shape[:x_num_col_dims], *y.shape[y_num_col_dims:])


@mul.vjp
def _(needs, g, x, y, x_num_col_dims, y_num_col_dims):
    x_shape, y_shape = list(x.shape), list(y.shape)
    a, b = x.reshape(_flat(x_shape, x_num_col_dims)), y.reshape(_flat(y_shape, y_num_col_dims))
    g = g.reshape([a.shape[0], b.shape[1]])
    dx = matmul_v2(g, b, False, True).reshape(x_shape) if needs[0] else None
    dy = matmul_v2(a, g, True, False).reshape(y_shape) if needs[1] else None
    return dx, dy


@op("fc(Input, W, Bias?) -> Out", family="matmul", shapes=lambda x, w, in_num_col_dims: _flat_product(x, w, in_num_col_dims, 1))
def fc(x, w, bias=None, in_num_col_dims=1, activation_type="", padding_weights=False):
    """A fully connected layer in one operator (files only): x flattened, times w, plus bias, with relu if asked for."""
    if padding_weights or activation_type not in ("", "relu"):
        raise NotImplementedError(f"fc(): activation_type {activation_type!r}, padding_weights {padding_weights}")
    out = mul.fn(x, w, in_num_col_dims, 1)
    out = out if bias is None else out + bias.reshape(-1)
    return np.maximum(out, 0) if activation_type == "relu" else out


@fc.vjp
def _(needs, g, out, x, w, in_num_col_dims, activation_type):
    g = relu_mask(g, out) if activation_type == "relu" else g
    dx, dw = mul.shared_rule.fn(needs[:2], g, x, w, in_num_col_dims, 1)
    db = reduce.sum(g, tuple(range(len(g.shape) - 1))) if needs[2] else None
    return dx, dw, db


def _of_release(attrs):
    """Files do not tell the shape of a mean: it is that of the release whose rules are in force."""
    return {"row": bool(context.rules.element_ndim)}


@op("mean(X) -> Out", family="reduce", total=True, amp="black", layer_name="mean", to_desc=lambda attrs: {}, from_desc=_of_release,
    shapes=lambda x, row: [x.like([1] if row else [])])
def legacy_mean(x, row=False):
    """The mean of all elements; with ``row`` of shape [1], as releases before 2.5 have it."""
    out = mean_v2.fn(x)
    return out.reshape(1) if row else out


@legacy_mean.kernel(when=lambda x, row: x.size)
def _(k, x, row):
    out = k.reduce("mean", x, None)
    return out.reshape(1) if row and out is not NotImplemented else out


legacy_mean.grad(x=lambda g, x_shape, row: mean_v2.rules[0].fn(g.reshape([]) if row else g, x_shape, None, False))


@op("minus(X, Y) -> Out", family="broadcast", step=Step("sub"))
def minus(x, y):
    """x - y."""
    return x - y


minus.grad(x=lambda g: g, y=lambda g: -g)


# ---- cross entropy of probabilities --------------------------------------------------------------------------------------
def _index(label, ndim):
    return label if len(label.shape) == ndim else label.reshape([*label.shape, 1])


def _as_labels(x, label):
    """The shape of a loss of hard labels: theirs, whether their last axis is 1 or missing."""
    return x.like(label.shape if len(label.shape) < len(x.shape) else (*x.shape[:-1], 1))


def _picked(x, label, ignore_index, function):
    """The probability at each hard label (1 where it is ignored) and the labels with a last axis of 1."""
    label = _index(label, x.ndim)
    counts = label != ignore_index
    bad = counts & ((label < 0) | (label >= x.shape[-1]))
    if bad.any():
        raise OutOfRangeError(f"{function}(): label {int(label[bad].flat[0])} is out of range [0, {x.shape[-1]})")
    return np.where(counts, np.take_along_axis(x, np.where(counts, label, 0), -1), x.dtype.type(1))


def _negative_log(p):
    with np.errstate(divide="ignore"):
        return np.minimum(-np.log(p), p.dtype.type(1e20))


@op("cross_entropy(X, Label) -> Y", family="own", rows="keep", amp="black", shapes=_as_labels)
def legacy_cross_entropy(x, label, soft_label=False, ignore_index=-100):
    """-log of the probability of each label, in the shape of the labels, or of a distribution over them (last axis 1)."""
    if soft_label:
        return (label * _negative_log(x)).sum(axis=-1, keepdims=True).astype(x.dtype, copy=False)
    return _negative_log(_picked(x, label, ignore_index, "cross_entropy")).reshape(label.shape)


def _to_probabilities(g, x, label, ignore_index):
    """-g / p at the labels, else 0; ignored rows stay 0."""
    ndim = len(x.shape)
    label = _index(label, ndim)
    counts = label != ignore_index
    at = masked(label, counts)
    return along_axis_sum(masked(-(g / take_along_axis(x, at, ndim - 1)), counts), at, tuple(x.shape), ndim - 1)


def _legacy_rule(g, x, label, soft_label, ignore_index):
    return -(g * (label / x)) if soft_label else _to_probabilities(_index(g, len(x.shape)), x, label, ignore_index)


legacy_cross_entropy.grad(x=_legacy_rule)


@op("cross_entropy2(X, Label) -> Y, MatchX, XShape?", family="own", rows="keep", amp="black",
    shapes=lambda x, label: (_as_labels(x, label), x.like((*x.shape[:-1], 1))))
def cross_entropy2(x, label, ignore_index=-100):
    """-log of the probability of each label, in the shape of the labels, and that probability (0 where ignored), last axis 1."""
    p = _picked(x, label, ignore_index, "cross_entropy")
    return _negative_log(p).reshape(label.shape), np.where(_index(label, x.ndim) == ignore_index, p.dtype.type(0), p)


def _two_ways(g, x, label, ignore_index):
    """Gradients of the loss and of the picked probability (whose slope is 1 where that of the loss is -1 / p)."""
    label = _index(label, len(x.shape))
    at_labels = _index(g[0], len(x.shape)) - g[1] * take_along_axis(x, masked(label, label != ignore_index), len(x.shape) - 1)
    return _to_probabilities(at_labels, x, label, ignore_index)


cross_entropy2.grad(x=_two_ways)


# ---- other meanings of today's names -------------------------------------------------------------------------------------
@op("lookup_table(W, Ids) -> Out", family="own", version=1, rows="keep Ids", amp="float32",
    shapes="v d, *i 1 -> *i d", sparse="is_sparse")
def lookup_table(weight, ids, padding_idx=-1, is_sparse=False):
    """Rows of a table by ids whose last axis of size 1 becomes the row's axis."""
    if ids.ndim == 0 or ids.shape[-1] != 1:
        raise ValueError(f"lookup_table(): ids must end in an axis of size 1, got shape {list(ids.shape)}")
    return embedding.fn(ids.reshape(ids.shape[:-1]), weight, padding_idx)


@lookup_table.kernel(when=lambda weight, ids, padding_idx, is_sparse: takes_rows(ids, weight) and ids.ndim > 1
                     and ids.shape[-1] == 1)
def _(k, weight, ids, padding_idx, is_sparse):
    return rows_of(k, ids.reshape(ids.shape[:-1]), weight, padding_idx, is_sparse)


lookup_table.grad(weight=lambda g, ids, weight_shape, padding_idx, is_sparse: table_gradient(
    g, ids.reshape(list(ids.shape)[:-1]), weight_shape, padding_idx, is_sparse))


@op("one_hot(X, depth_tensor?) -> Out", family="own", extra={"dtype": 5}, rows="keep",
    shapes=lambda x, depth_tensor, depth: hot_sizes(x.shape[:-1], depth_tensor, depth, 5))
def legacy_one_hot(x, depth_tensor=None, depth=1, allow_out_of_range=False):
    """One-hot rows for ids whose last axis of size 1 becomes the axis of classes."""
    n = int(depth if depth_tensor is None else np.ravel(depth_tensor)[0])
    ids = x.reshape(x.shape[:-1]) if x.ndim and x.shape[-1] == 1 else x
    if not allow_out_of_range and ids.size and (ids.min() < 0 or ids.max() >= n):
        raise OutOfRangeError(f"one_hot(): ids must be in [0, {n}), got {int(ids.min())} ... {int(ids.max())}")
    return (ids[..., None] == np.arange(n)).astype(np.float32)


@op("increment(X) -> Out", family="same", value="step")
def increment(x, value=1.0):
    """x + value, in the element type of x."""
    return x + x.dtype.type(value)


increment.grad(x=lambda g: g)

through_float32(legacy_matmul, mul, fc, legacy_mean, legacy_cross_entropy, cross_entropy2)


by_library(legacy_one_hot, legacy_cross_entropy, cross_entropy2, increment)
