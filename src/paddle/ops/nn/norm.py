"""Normalisation: batch, layer, group and instance norm.

Each op returns the result and the statistics it used. Gradients are written with ops over the statistics' definition, so
derivatives of any order exist; the first-order path uses the native backward. The statistics of short floats are float32.
"""

import math

import numpy as np

from ...core.op import op
from ...core.steps import dense, interpreter
from ..families.reshape import product
from ..families.sharding import rows_normalised
from ..manipulation.creation import fill_any_like
from ..manipulation.reshape import transpose
from ..math import reduction as reduce
from ..math.arithmetic import multiply
from ..math.unary import rsqrt
from ..short import rule_in_float32, through_float32
from .activation import inside, relu, relu6, relu_mask


def _fast(x, *rest):
    """May the native kernels take these arrays (None entries are fine)?"""
    return x.dtype.char in "fd" and x.size and all(a is None or a.dtype == x.dtype for a in rest)


def move_running(running, value, momentum):
    """Move a running statistic (a Tensor) towards a batch's, in its own type whatever types mixed precision runs ops in."""
    t = running._data.dtype.type
    running.replace(running._data * t(momentum) + value._data.astype(t) * t(1 - momentum))


def _check_channels(function, channels, *named):
    for name, a in named:
        if a is not None and a.size != channels:
            raise ValueError(f"{function}(): {name} must have {channels} elements (one per channel), got shape {list(a.shape)}")


def _per_channel(v, ndim):
    return v.reshape([1, -1] + [1] * (ndim - 2))


# ---- batch norm ----------------------------------------------------------------------------------------------------
def lone(shape):
    """Has each channel one element only (axis 1)? Such a batch has no statistics: Paddle hands it on as it is in training, moves no
    running ones, and has zeros as gradients of scale and bias."""
    return shape[0] * math.prod(shape[2:]) == 1


@op("batch_norm_train(X, Scale?, Bias?) -> Y, Mean, Variance", family="own", amp="norm", flops=2,
    shapes="n c *x -> n c *x, c, c")
def batch_norm_train(x, scale=None, bias=None, epsilon=1e-5):
    """(y, mean, biased variance) over all axes but the channels (axis 1); of a lone element itself and zeros."""
    if lone(x.shape):
        return x.copy(), np.zeros(x.shape[1], x.dtype), np.zeros(x.shape[1], x.dtype)
    axes = (0, *range(2, x.ndim))
    mean = x.mean(axes, dtype=x.dtype)
    var = np.square(x - _per_channel(mean, x.ndim)).mean(axes, dtype=x.dtype)
    y = (x - _per_channel(mean, x.ndim)) / np.sqrt(_per_channel(var, x.ndim) + x.dtype.type(epsilon))
    if scale is not None:
        y = y * _per_channel(scale, x.ndim)
    if bias is not None:
        y = y + _per_channel(bias, x.ndim)
    return y, mean, var


@batch_norm_train.kernel(when=lambda x, scale, bias, epsilon: _fast(x, scale, bias) and not lone(x.shape))
def _(k, x, scale, bias, epsilon):
    return k.batch_norm(dense(x), dense(scale), dense(bias), epsilon)


def _norm_back(g, x, mean, var, scale, epsilon, axes, shape):
    """(dx, dscale, dbias) of y = scale * (x - mean) / sqrt(var + eps) + bias, statistics taken over ``axes``."""
    inv = rsqrt(var.reshape(shape) + epsilon)
    hat = (x - mean.reshape(shape)) * inv
    gs = g if scale is None else g * scale
    d = gs - reduce.mean(gs, axes, True) - hat * reduce.mean(gs * hat, axes, True)
    return inv * d, hat


@batch_norm_train.vjp(takes_none=True, reads=(1, 2))
@rule_in_float32("x", "scale", "scale")
def _(needs, g, out, x, scale, epsilon):
    gy, g_mean, g_var = g
    _, mean, var = out
    n, axes = len(x.shape), (0, *range(2, len(x.shape)))
    dx = dscale = dbias = None
    if lone(x.shape):
        none = None if gy is None else reduce.sum(gy * 0, axes)
        return gy, none if needs[1] else None, none if needs[2] else None
    if gy is not None:
        k = interpreter(gy)
        if k is not None and _fast(x, gy, scale):
            dx, dscale, dbias = k.batch_norm_backward(dense(x), dense(gy), dense(mean), dense(var), dense(scale), epsilon)
        else:
            wide = None if scale is None else scale.reshape([1, -1] + [1] * (n - 2))
            # the saved statistics are constants on the tape: compute them anew so that second derivatives see them
            m = reduce.mean(x, axes, True)
            dx, hat = _norm_back(gy, x, m, reduce.mean((x - m) ** 2, axes, True), wide, epsilon, axes,
                                 [1, -1] + [1] * (n - 2))
            dscale, dbias = reduce.sum(gy * hat, axes), reduce.sum(gy, axes)
    count = 1
    for a in axes:
        count *= x.shape[a]
    if g_mean is not None:
        part = g_mean.reshape([1, -1] + [1] * (n - 2)) * (x * 0 + 1.0 / count)
        dx = part if dx is None else dx + part
    if g_var is not None:
        centred = x - mean.reshape([1, -1] + [1] * (n - 2))
        part = g_var.reshape([1, -1] + [1] * (n - 2)) * centred * (2.0 / count)
        dx = part if dx is None else dx + part
    return dx, dscale if needs[1] else None, dbias if needs[2] else None


@op("batch_norm_affine(X, Mean, Variance, Scale?, Bias?) -> Y", family="same", amp="norm", flops=2)
def batch_norm_affine(x, mean, var, scale=None, bias=None, epsilon=1e-5):
    """scale * (x - mean) / sqrt(var + epsilon) + bias with given statistics per channel."""
    y = (x - _per_channel(mean, x.ndim)) / np.sqrt(_per_channel(var, x.ndim) + x.dtype.type(epsilon))
    if scale is not None:
        y = y * _per_channel(scale, x.ndim)
    return y if bias is None else y + _per_channel(bias, x.ndim)


@batch_norm_affine.kernel(when=lambda x, mean, var, scale, bias, epsilon: _fast(x, mean, var, scale, bias))
def _(k, x, mean, var, scale, bias, epsilon):
    return k.batch_norm_eval(dense(x), dense(mean), dense(var), dense(scale), dense(bias), epsilon)


@batch_norm_affine.vjp
@rule_in_float32("x", "mean", "var", "scale", "scale")
def _(needs, g, x, mean, var, scale, epsilon):
    n, axes = len(x.shape), (0, *range(2, len(x.shape)))
    shape = [1, -1] + [1] * (n - 2)
    inv = rsqrt(var.reshape(shape) + epsilon)
    factor = inv if scale is None else inv * scale.reshape(shape)
    dx = multiply(g, factor)
    dmean = -reduce.sum(dx, axes) if needs[1] else None
    centred = x - mean.reshape(shape) if needs[2] or needs[3] else None
    dvar = reduce.sum(dx * centred * (inv * inv), axes) * -0.5 if needs[2] else None
    dscale = reduce.sum(g * centred * inv, axes) if needs[3] else None
    return dx, dmean, dvar, dscale, reduce.sum(g, axes) if needs[4] else None


# ---- batch norm and ReLU, as layers behind each other are called ------------------------------------------------------
BEHIND = {"relu": (relu, []), "relu6": (relu6, [6.0])}  # with their attributes
NUMBERS = {"relu": 1, "relu6": 2}  # by which the native functions know them


def _activated(y, act):
    op, attributes = BEHIND[act]
    return op.run_arrays([y, *attributes])


def _behind(g, y, act):
    """The gradient in front of an activation with result y."""
    return relu_mask(g, y) if act == "relu" else g * inside(y, None, None, 0, 6)


@op("batch_norm_train_act(X, Scale?, Bias?) -> Y, Mean, Variance", family="own", amp="norm", flops=3,
    shapes="n c *x -> n c *x, c, c")
def batch_norm_train_act(x, scale=None, bias=None, epsilon=1e-5, act="relu"):
    """batch_norm_train with an activation behind it."""
    y, mean, var = batch_norm_train.run_arrays([x, scale, bias, epsilon])
    return _activated(y, act), mean, var


@batch_norm_train_act.kernel(when=lambda x, scale, bias, epsilon, act: _fast(x, scale, bias) and not lone(x.shape))
def _(k, x, scale, bias, epsilon, act):
    return k.batch_norm(dense(x), dense(scale), dense(bias), epsilon, NUMBERS[act])


@batch_norm_train_act.vjp(takes_none=True)
@rule_in_float32("x", "scale", "scale")
def _(needs, g, out, x, scale, epsilon, act):
    gy, mean, var = g[0], out[1], out[2]
    k = None if gy is None or g[1] is not None or g[2] is not None or lone(x.shape) else interpreter(gy)
    if k is None or not _fast(x, gy, scale):
        gy = None if gy is None else _behind(gy, out[0], act)
        return batch_norm_train.shared_rule.fn(needs, (gy, *g[1:]), out, x, scale, epsilon)
    dx, dscale, dbias = k.batch_norm_backward(dense(x), dense(gy), dense(mean), dense(var), dense(scale), epsilon, dense(out[0]),
                                              NUMBERS[act])
    return dx, dscale if needs[1] else None, dbias if needs[2] else None


@op("batch_norm_affine_act(X, Mean, Variance, Scale?, Bias?) -> Y", family="same", amp="norm", flops=3)
def batch_norm_affine_act(x, mean, var, scale=None, bias=None, epsilon=1e-5, act="relu"):
    """batch_norm_affine with an activation behind it."""
    return _activated(batch_norm_affine.run_arrays([x, mean, var, scale, bias, epsilon]), act)


@batch_norm_affine_act.kernel(when=lambda x, mean, var, scale, bias, epsilon, act: _fast(x, mean, var, scale, bias))
def _(k, x, mean, var, scale, bias, epsilon, act):
    return k.batch_norm_eval(dense(x), dense(mean), dense(var), dense(scale), dense(bias), epsilon, NUMBERS[act])


@batch_norm_affine_act.vjp
@rule_in_float32("x", "mean", "var", "scale", "scale")
def _(needs, g, out, x, mean, var, scale, epsilon, act):
    return batch_norm_affine.shared_rule.fn(needs, _behind(g, out, act), x, mean, var, scale, epsilon)


@op("batch_norm(X, Scale?, Bias?, Mean, Variance) -> Y, MeanOut, VarianceOut, SavedMean, SavedVariance, ReserveSpace?",
    family="own", data_format="data_layout", rows="keep", amp="norm", flops=2, numbers={"MomentumTensor": "momentum"},
    shapes="*x, _, _, *c -> *x, *c:mean, *c:mean, *c:mean, *c:mean")
def batch_norm(x, scale, bias, mean, variance, momentum=0.9, epsilon=1e-5, is_test=False, data_format="NCHW",
               use_global_stats=False, trainable_statistics=False):
    """Batch norm as files have it: the result, the new running statistics, and the batch's mean and 1 / deviation."""
    last = data_format[-1] == "C" and x.ndim > 2
    x = np.ascontiguousarray(np.moveaxis(x, -1, 1)) if last else x
    _check_channels("batch_norm", x.shape[1], ("scale", scale), ("bias", bias), ("mean", mean), ("variance", variance))
    kind = x.dtype.type
    if is_test and not trainable_statistics or use_global_stats:
        y = batch_norm_affine(x, mean.astype(x.dtype), variance.astype(x.dtype), scale, bias, epsilon)
        outs = mean, variance, mean, 1 / np.sqrt(variance + kind(epsilon))
    else:
        y, m, v = batch_norm_train(x, scale, bias, epsilon)
        keep = mean.dtype.type(1 if lone(x.shape) else momentum)
        outs = mean * keep + m * (1 - keep), variance * keep + v * (1 - keep), m, 1 / np.sqrt(v + kind(epsilon))
    return (np.ascontiguousarray(np.moveaxis(y, 1, -1)) if last else y, *outs)


@batch_norm.vjp(takes_none=True)
def _(needs, g, x, scale, mean, variance, epsilon, is_test, data_format, use_global_stats, trainable_statistics):
    n = len(x.shape)
    last = data_format[-1] == "C" and n > 2
    gy = g[0]
    if gy is None:
        raise NotImplementedError("batch_norm: gradients flow through the result only, not through running statistics")
    if last:
        order = [0, n - 1, *range(1, n - 1)]
        x, gy = transpose(x, order), transpose(gy, order)
    if is_test and not trainable_statistics or use_global_stats:
        rule = batch_norm_affine.shared_rule.fn
        dx, _, _, ds, db = rule((needs[0], False, False, needs[1], needs[2]), gy, x, mean, variance, scale, epsilon)
    else:
        m = reduce.mean(x, (0, *range(2, n)))
        v = reduce.mean((x - m.reshape([1, -1] + [1] * (n - 2))) ** 2, (0, *range(2, n)))
        rule = batch_norm_train.shared_rule.fn
        dx, ds, db = rule(needs[:3], (gy, None, None), (None, m, v), x, scale, epsilon)
    if last and dx is not None:
        dx = transpose(dx, [0, *range(2, n), 1])
    return dx, ds, db, None, None


batch_norm.grad(mean=None, variance=None)


# ---- layer norm: rows of the trailing axes -------------------------------------------------------------------------

def _rows_of(x, begin_norm_axis):
    rows = x.like((product(x.shape[:begin_norm_axis]),))
    return x, rows, rows


@op("layer_norm(X, Scale?, Bias?) -> Y, Mean, Variance", family="own", sharding=rows_normalised, rows="keep", amp="norm",
    flops=2, shapes=_rows_of)
def layer_norm(x, scale=None, bias=None, epsilon=1e-5, begin_norm_axis=1):
    """Normalise over the axes from ``begin_norm_axis`` on; mean and biased variance per row are returned too."""
    columns = int(np.prod(x.shape[begin_norm_axis:]))
    _check_channels("layer_norm", columns, ("weight", scale), ("bias", bias))
    rows = x.reshape(-1, columns)
    mean = rows.mean(1, dtype=x.dtype)
    var = np.square(rows - mean[:, None]).mean(1, dtype=x.dtype)
    y = (rows - mean[:, None]) / np.sqrt(var[:, None] + x.dtype.type(epsilon))
    if scale is not None:
        y = y * scale.reshape(-1)
    if bias is not None:
        y = y + bias.reshape(-1)
    return y.reshape(x.shape), mean, var


@layer_norm.kernel(when=lambda x, scale, bias, epsilon, begin_norm_axis: _fast(x, scale, bias))
def _(k, x, scale, bias, epsilon, begin_norm_axis):
    columns = int(np.prod(x.shape[begin_norm_axis:]))
    _check_channels("layer_norm", columns, ("weight", scale), ("bias", bias))
    return k.layer_norm(dense(x), dense(scale), dense(bias), epsilon, columns)


@layer_norm.vjp(takes_none=True, reads=(1, 2))
@rule_in_float32("x", "scale", "scale")
def _(needs, g, out, x, scale, scale_shape, bias_shape, epsilon, begin_norm_axis):
    gy, _, mean, var = fill_any_like(x) if g[0] is None else g[0], *out
    k = interpreter(gy)
    if k is not None and _fast(x, gy, scale):
        dx, ds, db = k.layer_norm_backward(dense(x), dense(gy), dense(mean), dense(var), dense(scale), epsilon)
    else:
        n = len(x.shape)
        axes = tuple(range(begin_norm_axis, n))
        shape = [*x.shape[:begin_norm_axis], *[1] * (n - begin_norm_axis)]
        # the saved statistics are constants on the tape: compute them anew so that second derivatives see them
        mean = reduce.mean(x, axes, True)
        var = reduce.mean((x - mean) ** 2, axes, True)
        wide = None if scale is None else scale.reshape(list(x.shape[begin_norm_axis:]))
        dx, hat = _norm_back(gy, x, mean, var, wide, epsilon, axes, shape)
        lead = tuple(range(begin_norm_axis))
        ds, db = reduce.sum(gy * hat, lead), reduce.sum(gy, lead)
    if g[1] is not None or g[2] is not None:
        dx = dx + _through_statistics(x.reshape([mean.size, -1]), 1, g[1], g[2]).reshape(list(x.shape))
    return (dx, ds.reshape(list(scale_shape)) if needs[1] else None, db.reshape(list(bias_shape)) if needs[2] else None)


def _through_statistics(rows, axis, g_mean, g_var):
    """The gradient of rows through their mean and biased variance along the last axis."""
    count, wide, total = rows.shape[axis], [*rows.shape[:axis], 1], 0.0
    if g_mean is not None:
        total = total + g_mean.reshape(wide) / count
    if g_var is not None:
        total = total + g_var.reshape(wide) * (rows - reduce.mean(rows, axis, True)) * (2 / count)
    return total + fill_any_like(rows)


# ---- group and instance norm ---------------------------------------------------------------------------------------

@op("group_norm(X, Scale?, Bias?) -> Y, Mean, Variance", family="own", data_format="data_layout", amp="norm", flops=2,
    shapes="n *x -> n *x, n groups, n groups")
def group_norm(x, scale=None, bias=None, epsilon=1e-5, groups=1, data_format="NCHW"):
    """Normalise each sample over groups of channels; mean and biased variance [N, groups] are returned too."""
    last = data_format[-1] == "C" and x.ndim > 2
    x = np.ascontiguousarray(np.moveaxis(x, -1, 1)) if last else x
    channels = x.shape[1]
    if groups < 1 or channels % groups:
        raise ValueError(f"group_norm(): {groups} groups must divide the {channels} channels")
    _check_channels("group_norm", channels, ("weight", scale), ("bias", bias))
    k = interpreter(x)
    if k is not None and _fast(x, scale, bias):
        y, mean, var = k.group_norm(dense(x), groups, dense(scale), dense(bias), epsilon)
    else:
        rows = x.reshape(x.shape[0], groups, -1)
        mean = rows.mean(2, dtype=x.dtype)
        var = np.square(rows - mean[..., None]).mean(2, dtype=x.dtype)
        y = ((rows - mean[..., None]) / np.sqrt(var[..., None] + x.dtype.type(epsilon))).reshape(x.shape)
        y = y if scale is None else y * _per_channel(scale, x.ndim)
        y = y if bias is None else y + _per_channel(bias, x.ndim)
    return np.ascontiguousarray(np.moveaxis(y, 1, -1)) if last else y, mean, var


@group_norm.vjp(takes_none=True, reads=(1, 2))
@rule_in_float32("x", "scale", "scale")
def _(needs, g, out, x, scale, epsilon, groups, data_format):
    gy, _, mean, var = fill_any_like(x) if g[0] is None else g[0], *out
    n = len(x.shape)
    last = data_format[-1] == "C" and n > 2
    if last:
        order = [0, n - 1, *range(1, n - 1)]
        x, gy = transpose(x, order), transpose(gy, order)
    k = interpreter(gy)
    if k is not None and _fast(x, gy, scale):
        dx, ds, db = k.group_norm_backward(dense(x), dense(gy), dense(mean), dense(var), groups, dense(scale), epsilon)
    else:
        rows = [x.shape[0], groups, -1]
        wide = gy if scale is None else gy * scale.reshape([1, -1] + [1] * (n - 2))
        xr = x.reshape(rows)
        m = reduce.mean(xr, 2, True)
        v = reduce.mean((xr - m) ** 2, 2, True)
        dx, hat = _norm_back(wide.reshape(rows), xr, m, v, None, epsilon, (2,), [x.shape[0], groups, 1])
        dx, hat = dx.reshape(list(x.shape)), hat.reshape(list(x.shape))
        axes = (0, *range(2, n))
        ds, db = reduce.sum(gy * hat, axes), reduce.sum(gy, axes)
    if g[1] is not None or g[2] is not None:
        dx = dx + _through_statistics(x.reshape([x.shape[0], groups, -1]), 2, g[1], g[2]).reshape(list(x.shape))
    if last:
        dx = transpose(dx, [0, *range(2, n), 1])
    return dx, ds if needs[1] else None, db if needs[2] else None


@op("instance_norm(X, Scale?, Bias?) -> Y, SavedMean, SavedVariance", family="own", version=1, amp="norm", flops=2,
    shapes="n c *x -> n c *x, n c, n c")
def instance_norm(x, scale=None, bias=None, epsilon=1e-5):
    """Normalise each channel of each sample; mean and biased variance [N, C] are returned too."""
    return group_norm(x, scale, bias, epsilon, x.shape[1], "NCHW")


@instance_norm.vjp(takes_none=True, reads=(1, 2))
def _(needs, g, out, x, scale, epsilon):
    return group_norm.shared_rule.fn(needs, g, out, x, scale, epsilon, x.shape[1], "NCHW")


through_float32(batch_norm_train, batch_norm_affine, batch_norm_train_act, batch_norm_affine_act, batch_norm, layer_norm,
                group_norm, instance_norm, like_first=True,
                keep=("Mean", "Variance", "MeanOut", "VarianceOut", "SavedMean", "SavedVariance"))
