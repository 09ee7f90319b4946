"""Several ops in one, as static programs are rewritten to: convolution + bias + relu (+ pooling), matrix product + bias +
activation or residual.

Users and files never name these; each is equal to the ops it stands for.
"""

import numpy as np

from ...core.op import op
from ...core.steps import dense, interpreter
from ...kernels import packing
from ...kernels.thresholds import PACKED_MATRIX
from ..linalg.matmul import is_brain, matmul
from ..math import reduction as reduce
from ..short import through_float32
from .activation import gelu, gelu_back, hardswish, relu, relu6, relu_mask
from .convolution import conv, conv_filter_bias_grad, conv_filter_grad, conv_input_grad
from .pooling import max_pool
from .window_geometry import flat_pads


def _fast(x, *others):
    kind = x.dtype
    for a in others:
        if a is not None and a.dtype != kind:
            return False
    return kind.char in "fd"


AFTER = {"relu": relu, "relu6": relu6, "hard_swish": hardswish}  # a convolution; all but relu in networks that aren't trained


def activated(y, act):
    """An array behind an activation of AFTER, if its name is given."""
    return AFTER[act](y) if act else y


def _convolve(k, act, *arguments):
    """The native convolution, which does relu and relu6 on the way, and others behind it."""
    on_the_way = ("", "relu", "relu6")
    y = k.conv2d(*arguments[:7], on_the_way.index(act) if act in on_the_way else 0, *arguments[7:])
    return y if act in on_the_way else k.unary("hardswish", y)


# ---- convolution + bias + activation ---------------------------------------------------------------------------------------
@op("conv_bias_act(X, W, Bias?) -> Out", family="conv")
def conv_bias_act(x, w, bias=None, stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1, act=""):
    """conv with a bias per output channel and an activation, if its name is given, behind it."""
    return activated(conv.run_arrays([x, w, bias, stride, pads, dilation, groups]), act)


@conv_bias_act.vjp(reads="act")
def _(needs, g, out, x, w, stride, pads, dilation, groups, act):
    g = relu_mask(g, out) if act == "relu" else g
    size, kernel = tuple(x.shape[2:]), tuple(w.shape[2:])
    dx = conv_input_grad(g, w, size, stride, pads, dilation, groups) if needs[0] else None
    dw = db = None
    if needs[1] and needs[2]:
        dw, db = conv_filter_bias_grad(x, g, kernel, stride, pads, dilation, groups)
    elif needs[1]:
        dw = conv_filter_grad(x, g, kernel, stride, pads, dilation, groups)
    elif needs[2]:
        db = reduce.sum(g, (0, *range(2, len(g.shape))))
    return dx, dw, db


@conv_bias_act.kernel(when=lambda x, w, bias, *_: x.ndim == 4 and _fast(x, w, bias))
def _(k, x, w, bias, stride, pads, dilation, groups, act):
    return _convolve(k, act, dense(x), dense(w), dense(bias), stride, flat_pads(pads), dilation, groups)


# ---- convolution + bias + residual + activation, in networks that are not trained --------------------------------------------
@op("conv_add_act(X, W, Residual, Bias?) -> Out", family="conv")
def conv_add_act(x, w, residual, bias=None, stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1, act=""):
    """conv with a bias per output channel, plus a residual of the result's shape, and an activation as that of conv_bias_act."""
    return activated(conv.run_arrays([x, w, bias, stride, pads, dilation, groups]) + residual, act)


@conv_add_act.kernel(when=lambda x, w, residual, bias, stride, pads, dilation, groups, act:
                     x.ndim == 4 and groups == 1 and x.shape[1] and x.shape[0] == residual.shape[0]
                     and _fast(x, w, residual, bias))
def _(k, x, w, residual, bias, stride, pads, dilation, groups, act):
    return _convolve(k, act, dense(x), dense(w), dense(bias), stride, flat_pads(pads), dilation, groups, None, dense(residual))


# ---- convolution + bias + relu + 2x2 max pooling ----------------------------------------------------------------------------
@op("conv_relu_pool(X, W, Bias?) -> Out, Index", family="conv")
def conv_relu_pool(x, w, bias=None, stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1):
    """conv, relu and 2x2 max pooling with stride 2; the index says which of four cells won, 4 where relu gave 0."""
    y = conv_bias_act.run_arrays([x, w, bias, stride, pads, dilation, groups, "relu"])
    outs = tuple(n // 2 for n in y.shape[2:])
    pooled, at = max_pool.run_arrays([y, (2, 2), (2, 2), ((0, 0), (0, 0)), outs])
    row, column = np.divmod(at, y.shape[3])
    return pooled, np.where(pooled > 0, row % 2 * 2 + column % 2, 4).astype(np.uint8)


@op("relu_pool_spread(DY, Index) -> DX", family="pool")
def relu_pool_spread(dy, index, size=(1, 1)):
    """Every dy at the cell of its 2x2 window that the index names (4: nowhere), in zeros of the given size."""
    n, c, h, w = dy.shape
    dx = np.zeros((n, c, *size), dy.dtype)
    for cell in range(4):
        dx[:, :, cell // 2:2 * h:2, cell % 2:2 * w:2] = np.where(index == cell, dy, dy.dtype.type(0))
    return dx


@op("relu_pool_pick(X, Index) -> Out", family="pool")
def relu_pool_pick(x, index):
    """The element of each 2x2 window that the index names, 0 for index 4."""
    h, w = index.shape[2:]
    out = np.zeros(index.shape, x.dtype)
    for cell in range(4):
        out = np.where(index == cell, x[:, :, cell // 2:2 * h:2, cell % 2:2 * w:2], out)
    return out


relu_pool_spread.grad(dy=lambda g, index: relu_pool_pick(g, index))
relu_pool_pick.grad(x=lambda g, x_shape, index: relu_pool_spread(g, index, tuple(x_shape[2:])))


def _conv_size(size, kernel, stride, pads, dilation):
    return tuple((s + a + b - d * (k - 1) - 1) // q + 1 for s, k, q, (a, b), d in zip(size, kernel, stride, pads, dilation))


@conv_relu_pool.vjp(reads=(1,))
def _(needs, g, out, x, w, stride, pads, dilation, groups):
    dy, index = g[0], out[1]
    size, kernel = tuple(x.shape[2:]), tuple(w.shape[2:])
    dx = dw = db = None
    k = interpreter(dy)
    if k is not None and _fast(x, w, dy):
        dy, index, geometry = dense(dy), dense(index), (stride, flat_pads(pads), dilation, groups)
        if needs[0]:
            dx = k.conv2d_backward_data(dy, dense(w), size, *geometry, index)
        if needs[1] or needs[2]:
            dw, db = k.conv2d_backward_weight(dense(x), dy, kernel, *geometry, bool(needs[2]), index)
        return dx, dw, db
    full = relu_pool_spread(dy, index, _conv_size(size, kernel, stride, pads, dilation))
    if needs[0]:
        dx = conv_input_grad(full, w, size, stride, pads, dilation, groups)
    if needs[1] or needs[2]:
        dw, db = conv_filter_bias_grad(x, full, kernel, stride, pads, dilation, groups)
    return dx, dw, db


@conv_relu_pool.kernel(when=lambda x, w, bias, *_: x.ndim == 4 and _fast(x, w, bias))
def _(k, x, w, bias, stride, pads, dilation, groups):
    return k.conv2d_relu_pool(dense(x), dense(w), dense(bias), stride, flat_pads(pads), dilation, groups)


# ---- matrix product + bias + activation --------------------------------------------------------------------------------------
LINEAR_ACTS = ("", "relu", "gelu", "gelu_tanh")  # at the places that the native product knows them by


@op("linear_act(X, W, Bias) -> Out", family="matmul", sharding=None)
def linear_act(x, w, bias, act=""):
    """x @ w + bias and, if its name is given, an activation behind it; w is a matrix, bias a row."""
    y = matmul.run_arrays([x, w, False, False]) + bias
    if act.startswith("gelu"):
        return gelu.run_arrays([y, act == "gelu_tanh"])
    return relu.run_arrays([y]) if act == "relu" else y


@linear_act.vjp(reads="act")
def _(needs, g, out, x, w, bias, act):
    if act and act != "relu":  # what GELU was applied to isn't kept
        g = gelu_back(g, linear_act(x, w, bias), act == "gelu_tanh")
    rows, flat = relu_mask(g, out) if act == "relu" else g, x
    if x.ndim != 2:
        rows, flat = rows.reshape([-1, g.shape[-1]]), x.reshape([-1, x.shape[-1]])
    dx = matmul(rows, w, False, True) if needs[0] else None
    if needs[0] and x.ndim != 2:
        dx = dx.reshape(list(x.shape))
    return dx, matmul(flat, rows, True, False) if needs[1] else None, reduce.sum(rows, 0) if needs[2] else None


@linear_act.kernel(when=lambda x, w, bias, act: _fast(x, w, bias) and x.ndim > 1 and x.size and w.size)
def _linear(k, x, w, bias, act):
    rows = x if x.ndim == 2 else dense(x).reshape(-1, x.shape[-1])
    ready = packing.matrix(x, w) if w.size >= PACKED_MATRIX else None
    if ready is None:
        out = k.gemm(rows, w, False, False, dense(bias), LINEAR_ACTS.index(act))
    else:
        out = k.gemm_ready(rows, w, ready, False, dense(bias), LINEAR_ACTS.index(act))
    return out if x.ndim == 2 else out.reshape(*x.shape[:-1], w.shape[1])


@linear_act.kernel(when=lambda x, w, bias, act: is_brain(x, w, bias) and x.ndim > 1 and not act.startswith("gelu"))
def _(k, x, w, bias, act):
    rows = x if x.ndim == 2 else dense(x).reshape(-1, x.shape[-1])
    out = k.gemm_brain(rows, w, False, False, k.widen(dense(bias)), 1 if act == "relu" else 0)
    return out if x.ndim == 2 or out is NotImplemented else out.reshape(*x.shape[:-1], w.shape[1])


# ---- queries, keys and values of one input ------------------------------------------------------------------------------------
@op("linear_three(X, WQ, WK, WV, BQ, BK, BV) -> Q, K, V", family="own", sharding=None, amp="white",
    shapes="*n i, i q, i k, i v, q, k, v -> *n q, *n k, *n v")
def linear_three(x, wq, wk, wv, bq, bk, bv):
    """x @ w + b for three weights and biases."""
    return tuple(linear_act.run_arrays([x, w, b, ""]) for w, b in ((wq, bq), (wk, bk), (wv, bv)))


@linear_three.vjp(takes_none=True)
def _(needs, g, x, wq, wk, wv):
    """The gradient of x is summed up product by product."""
    flat, dx, weights, biases = x.reshape([-1, x.shape[-1]]), None, [], []
    for gradient, w, wants_w, wants_b in zip(g, (wq, wk, wv), needs[1:4], needs[4:]):
        rows = None if gradient is None else gradient.reshape([-1, gradient.shape[-1]])
        weights.append(matmul(flat, rows, True, False) if wants_w and rows is not None else None)
        biases.append(reduce.sum(rows, 0) if wants_b and rows is not None else None)
        if needs[0] and rows is not None:
            k = interpreter(rows)
            if dx is not None and k is not None and _fast(rows, w, dx) and rows.size:
                dx = k.gemm(rows, w, False, True, None, 0, dx)
            else:
                part = matmul(rows, w, False, True)
                dx = part if dx is None else dx + part
    return None if dx is None else dx.reshape(list(x.shape)), *weights, *biases


@linear_three.kernel(when=lambda x, *others: _fast(x, *others) and x.ndim > 1 and x.size and all(w.size for w in others))
def _(k, x, wq, wk, wv, bq, bk, bv):
    x = dense(x)
    return tuple(_linear(k, x, w, b, "") for w, b in ((wq, bq), (wk, bk), (wv, bv)))


# ---- matrix product + bias + residual, in networks that are not trained -------------------------------------------------------
@op("linear_add(X, W, Bias, Residual) -> Out", family="matmul", sharding=None)
def linear_add(x, w, bias, residual):
    """x @ w + bias + residual; w is a matrix, bias a row."""
    return linear_act.run_arrays([x, w, bias, ""]) + residual


@linear_add.kernel(when=lambda x, w, bias, residual: _fast(x, w, bias, residual) and x.ndim > 1 and x.size and w.size
                   and residual.shape == (*x.shape[:-1], w.shape[1]))
def _(k, x, w, bias, residual):
    rows, added = dense(x).reshape(-1, x.shape[-1]), dense(residual).reshape(-1, w.shape[1])
    return k.gemm(rows, w, False, False, dense(bias), 0, added).reshape(*residual.shape)


through_float32(conv_bias_act, conv_add_act, conv_relu_pool, relu_pool_spread, linear_act, linear_three, linear_add)
