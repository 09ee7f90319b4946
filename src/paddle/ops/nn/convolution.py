"""Convolution in 1, 2 and 3 dimensions. Three ops are each other's gradients, so derivatives of any order exist:

``conv``(x, w) -> y;  ``conv_input_grad``(dy, w) -> dx, also the transposed convolution;  ``conv_filter_grad``(x, dy) -> dw.
They take plain geometry: ``stride`` and ``dilation`` per axis, ``pads`` as (before, after) per axis.
"""

import itertools

import numpy as np

from ...core.op import op
from ...core.steps import dense
from ...kernels import conv3d, packing
from ..linalg.matmul import is_brain
from ..math import reduction as reduce
from ..short import through_float32
from .window_geometry import flat_pads, out_size, pad_spatial, window_slices, windows


def _fast(x, w, dims):
    """May the native kernels take these arrays?"""
    return x.dtype == w.dtype and x.dtype.char in "fd" and dims in (1, 2, 3)


def _lift(x):
    """A 1-d spatial array seen as 2-d with height 1."""
    return x[:, :, None, :]


def check_conv(x, w, groups, function, transposed=False):
    """Raise ValueError with both shapes unless channels and groups agree."""
    if x.ndim != w.ndim or x.ndim not in (3, 4, 5):
        raise ValueError(f"{function}(): x {list(x.shape)} and weight {list(w.shape)} must both have 3, 4 or 5 dimensions")
    channels, outs = x.shape[1], w.shape[1] * groups if transposed else w.shape[0]
    expected = w.shape[0] if transposed else w.shape[1] * groups
    if groups < 1 or channels == expected and outs % groups:
        raise ValueError(f"{function}(): groups {groups} does not divide the {outs} output channels of weight {list(w.shape)}")
    if channels != expected:
        raise ValueError(f"{function}(): x {list(x.shape)} has {channels} channels, weight {list(w.shape)} with {groups} "
                         f"groups takes {expected}")


@op("conv_nd(X, W, Bias?) -> Out", family="conv")
def conv(x, w, bias=None, stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1):
    """Cross-correlation of x [N, C, ...] with w [O, C / groups, ...], plus a bias per output channel."""
    kernel = w.shape[2:]
    outs = [out_size(s, k, q, p, d) for s, k, q, p, d in zip(x.shape[2:], kernel, stride, pads, dilation)]
    if any(m < 1 for m in outs):
        raise ValueError(f"conv(): the kernel {list(kernel)} does not fit the padded input {list(x.shape[2:])}")
    win = windows(pad_spatial(x, pads), kernel, stride, dilation, outs)
    n = len(kernel)
    axes = [1, *range(2 + n, 2 + 2 * n)], [1, *range(2, 2 + n)]
    cg, og = w.shape[1], w.shape[0] // groups
    parts = [np.tensordot(win[:, g * cg:(g + 1) * cg], w[g * og:(g + 1) * og], axes) for g in range(groups)]
    y = np.ascontiguousarray(np.moveaxis(np.concatenate(parts, -1), -1, 1), x.dtype)
    return y if bias is None else y + bias.reshape(-1, *(1,) * n)


@op("conv_nd_input_grad(DY, W) -> DX", family="conv")
def conv_input_grad(dy, w, size=(), stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1):
    """Gradient of ``conv`` with respect to x of spatial size ``size``: the transposed convolution of dy."""
    kernel, outs = w.shape[2:], dy.shape[2:]
    cg, og = w.shape[1], w.shape[0] // groups
    padded = [max(s + a + b, (m - 1) * q + (k - 1) * d + 1)
              for s, (a, b), m, q, k, d in zip(size, pads, outs, stride, kernel, dilation)]
    dx = np.zeros((dy.shape[0], cg * groups, *padded), dy.dtype)
    for offset in itertools.product(*map(range, kernel)):
        where = window_slices(offset, stride, dilation, outs)
        for g in range(groups):
            part = np.tensordot(w[(slice(g * og, (g + 1) * og), slice(None), *offset)], dy[:, g * og:(g + 1) * og], ([0], [1]))
            dx[(slice(None), slice(g * cg, (g + 1) * cg), *where)] += np.moveaxis(part, 0, 1)
    return np.ascontiguousarray(dx[(slice(None), slice(None), *(slice(a, a + s) for s, (a, _) in zip(size, pads)))])


@op("conv_nd_filter_grad(X, DY) -> DW", family="conv")
def conv_filter_grad(x, dy, kernel=(), stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1):
    """Gradient of ``conv`` with respect to w of spatial size ``kernel``."""
    n = len(kernel)
    win = windows(pad_spatial(x, pads), kernel, stride, dilation, dy.shape[2:])
    cg, og = x.shape[1] // groups, dy.shape[1] // groups
    axes = [0, *range(2, 2 + n)]
    parts = [np.tensordot(dy[:, g * og:(g + 1) * og], win[:, g * cg:(g + 1) * cg], (axes, axes)) for g in range(groups)]
    return np.ascontiguousarray(np.concatenate(parts, 0), x.dtype)


@op("conv_nd_filter_bias_grad(X, DY) -> DW, DB", family="conv")
def conv_filter_bias_grad(x, dy, kernel=(), stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1):
    """Gradients of ``conv`` with respect to w and to the bias, in one pass."""
    return conv_filter_grad.fn(x, dy, kernel, stride, pads, dilation, groups), dy.sum(axis=(0, *range(2, dy.ndim)))


@conv_filter_bias_grad.vjp
def _(needs, g, x, dy, stride, pads, dilation, groups):
    dw, db = g
    dx = conv_input_grad(dy, dw, tuple(x.shape[2:]), stride, pads, dilation, groups) if needs[0] else None
    back = None
    if needs[1]:
        back = conv(x, dw, None, stride, pads, dilation, groups) + db.reshape([1, -1] + [1] * (len(x.shape) - 2))
    return dx, back


def _bias_grad(g):
    return reduce.sum(g, (0, *range(2, len(g.shape))))


conv.grad(x=lambda g, x_shape, w, stride, pads, dilation, groups:
          conv_input_grad(g, w, tuple(x_shape[2:]), stride, pads, dilation, groups),
          w=lambda g, x, w_shape, stride, pads, dilation, groups:
          conv_filter_grad(x, g, tuple(w_shape[2:]), stride, pads, dilation, groups),
          bias=_bias_grad)
conv_input_grad.grad(dy=lambda g, w, stride, pads, dilation, groups: conv(g, w, None, stride, pads, dilation, groups),
                     w=lambda g, dy, w_shape, stride, pads, dilation, groups:
                     conv_filter_grad(g, dy, tuple(w_shape[2:]), stride, pads, dilation, groups))
conv_filter_grad.grad(x=lambda g, dy, x_shape, stride, pads, dilation, groups:
                      conv_input_grad(dy, g, tuple(x_shape[2:]), stride, pads, dilation, groups),
                      dy=lambda g, x, stride, pads, dilation, groups: conv(x, g, None, stride, pads, dilation, groups))


# ---- fast kernels: 1-d goes through 2-d with height 1 --------------------------------------------------------------

def _flat_fast(a, b, *_):
    return a.ndim < 5 and _fast(a, b, a.ndim - 2)


def _deep_fast(a, b, *_):
    return a.ndim == 5 and _fast(a, b, 3)


def _check_windows(x, w, stride, pads, dilation):
    if any(out_size(*g) < 1 for g in zip(x.shape[2:], w.shape[2:], stride, pads, dilation)):
        raise ValueError(f"conv(): the kernel {list(w.shape[2:])} does not fit the padded input {list(x.shape[2:])}")


def convolved(k, x, w, bias, *geometry):
    """The native convolution over two axes, with weights that are packed where they are kept so."""
    ready = packing.filters(x, w, *geometry)
    return k.conv2d(x, w, bias, *geometry) if ready is None else k.conv2d(x, w, bias, *geometry, 0, ready)


@conv.kernel(when=_flat_fast)
def _(k, x, w, bias, stride, pads, dilation, groups):
    _check_windows(x, w, stride, pads, dilation)
    x, w, bias = dense(x), dense(w), dense(bias)
    if x.ndim == 3:
        return k.conv2d(_lift(x), _lift(w), bias, (1, *stride), (0, 0, *pads[0]), (1, *dilation), groups)[:, :, 0]
    return convolved(k, x, w, bias, stride, flat_pads(pads), dilation, groups)


@conv_input_grad.kernel(when=_flat_fast)
def _(k, dy, w, size, stride, pads, dilation, groups):
    dy, w = dense(dy), dense(w)
    if dy.ndim == 3:
        return k.conv2d_backward_data(_lift(dy), _lift(w), (1, *size), (1, *stride), (0, 0, *pads[0]), (1, *dilation),
                                      groups)[:, :, 0]
    return k.conv2d_backward_data(dy, w, size, stride, flat_pads(pads), dilation, groups)


def _filter_gradients(k, x, dy, kernel, stride, pads, dilation, groups, bias=False):
    """(gradient of the filter, gradient of the bias or None) of convolutions over one or two axes."""
    x, dy = dense(x), dense(dy)
    if x.ndim == 4:
        return k.conv2d_backward_weight(x, dy, kernel, stride, flat_pads(pads), dilation, groups, bias)
    geometry = (1, *kernel), (1, *stride), (0, 0, *pads[0]), (1, *dilation), groups
    dw, db = k.conv2d_backward_weight(_lift(x), _lift(dy), *geometry, bias)
    return dw[:, :, 0], db


@conv_filter_grad.kernel(when=_flat_fast)
def _(k, *arguments):
    return _filter_gradients(k, *arguments)[0]


@conv_filter_bias_grad.kernel(when=_flat_fast)
def _(k, *arguments):
    return _filter_gradients(k, *arguments, True)


@conv.kernel(when=_deep_fast, noted=False)
def _(k, x, w, bias, stride, pads, dilation, groups):
    _check_windows(x, w, stride, pads, dilation)
    return conv3d.forward(dense(x), dense(w), dense(bias), stride, flat_pads(pads), dilation, groups)


@conv_input_grad.kernel(when=_deep_fast, noted=False)
def _(k, dy, w, size, stride, pads, dilation, groups):
    return conv3d.backward_data(dense(dy), dense(w), size, stride, flat_pads(pads), dilation, groups)


@conv_filter_grad.kernel(when=_deep_fast, noted=False)
def _(k, x, dy, kernel, stride, pads, dilation, groups):
    return conv3d.backward_weight(dense(x), dense(dy), kernel, stride, flat_pads(pads), dilation, groups)[0]


@conv_filter_bias_grad.kernel(when=_deep_fast, noted=False)
def _(k, x, dy, kernel, stride, pads, dilation, groups):
    return conv3d.backward_weight(dense(x), dense(dy), kernel, stride, flat_pads(pads), dilation, groups, True)


# ---- bfloat16 on processors with products of it, where that is quicker than the way through float32 ----------------

def _brain(a, b, *_):
    return a.ndim == 4 and is_brain(a, b)


@conv.kernel(when=_brain)
def _(k, x, w, bias, stride, pads, dilation, groups):
    _check_windows(x, w, stride, pads, dilation)
    wide = None if bias is None else k.widen(dense(bias)) if is_brain(bias) else dense(bias)
    return k.conv_brain(dense(x), dense(w), wide, stride, flat_pads(pads), dilation, groups)


@conv_input_grad.kernel(when=_brain)
def _(k, dy, w, size, stride, pads, dilation, groups):
    return k.conv_brain_data(dense(dy), dense(w), size, stride, flat_pads(pads), dilation, groups)


@conv_filter_grad.kernel(when=_brain)
def _(k, x, dy, kernel, stride, pads, dilation, groups):
    found = k.conv_brain_weight(dense(x), dense(dy), kernel, stride, flat_pads(pads), dilation, groups)
    return found if found is NotImplemented else found[0]


@conv_filter_bias_grad.kernel(when=_brain)
def _(k, x, dy, kernel, stride, pads, dilation, groups):
    return k.conv_brain_weight(dense(x), dense(dy), kernel, stride, flat_pads(pads), dilation, groups, True)


through_float32(conv, conv_input_grad, conv_filter_grad, conv_filter_bias_grad)
