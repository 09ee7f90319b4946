"""Images whose channels lie in blocks of 16, [N, ceil(C / 16), H, W, 16], as predictors' plans keep them through convolutions.

Users and files never name these ops; ``static/ir/passes/channel_blocks.py`` puts them in. Lanes of channels that don't exist hold
anything.
"""

import numpy as np

from ...core.op import op
from ...core.sizes import pool_count
from ...core.steps import dense
from .convolution import conv
from .fused import activated
from .pooling import avg_pool, max_pool
from .quantize import steps_of
from .window_geometry import flat_pads, out_size

BLOCK = 16
ACTIVATIONS = ("", "relu", "relu6", "hard_swish")  # in the order of their numbers in native/blocked.h


def _float32(*arrays):
    return all(a is None or a.dtype.char == "f" for a in arrays)


def blocks_of(channels):
    """How many blocks hold so many channels."""
    return -(-channels // BLOCK)


@op("to_blocks(X) -> Out", family="own")
def to_blocks(x):
    """[N, C, H, W] to blocks; channels that are missing in the last one are 0."""
    n, c, h, w = x.shape
    full = np.zeros((n, blocks_of(c) * BLOCK, h, w), x.dtype)
    full[:, :c] = x
    return np.ascontiguousarray(full.reshape(n, -1, BLOCK, h, w).transpose(0, 1, 3, 4, 2))


@to_blocks.kernel(when=lambda x: _float32(x))
def _(k, x):
    return k.blocked_from(dense(x))


@op("from_blocks(X) -> Out", family="own")
def from_blocks(x, channels=16):
    """Blocks to [N, C, H, W]."""
    n, blocks, h, w, _ = x.shape
    return np.ascontiguousarray(x.transpose(0, 1, 4, 2, 3).reshape(n, blocks * BLOCK, h, w)[:, :channels])


@from_blocks.kernel(when=lambda x, channels: _float32(x))
def _(k, x, channels):
    return k.blocked_to(dense(x), channels)


@op("blocked_conv(X, W, Bias?, Residual?) -> Out", family="own")
def blocked_conv(x, w, bias=None, residual=None, stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1, act=""):
    """conv of x in blocks or (4 axes) plain, to blocks, with a bias per channel, a residual in blocks and an activation."""
    plain = x if x.ndim == 4 else from_blocks.fn(x, w.shape[1] * groups)
    y = to_blocks.fn(conv.run_arrays([plain, w, bias, stride, pads, dilation, groups]))
    y = y if residual is None else y + residual
    return activated(y, act)


def _ready(x, w, bias, residual, stride, pads, dilation, groups, act):
    return _float32(x, w, bias, residual) and _fits(x, w, residual, stride, pads, dilation)


def _fits(x, w, residual, stride, pads, dilation):
    """Is the residual, if there is one, of the result's shape?"""
    outs = tuple(out_size(*along) for along in zip(x.shape[2:4], w.shape[2:], stride, pads, dilation))
    return residual is None or residual.shape == (x.shape[0], blocks_of(w.shape[0]), *outs, BLOCK)


@blocked_conv.kernel(when=_ready)
def _(k, x, w, bias, residual, stride, pads, dilation, groups, act):
    return k.blocked_conv(dense(x), dense(w), dense(bias), stride, flat_pads(pads), dilation, groups, ACTIVATIONS.index(act), None,
                          dense(residual))


@op("integer_conv(X, W, Factors, Bias?, Residual?) -> Out", family="own")
def integer_conv(x, w, factors, bias=None, residual=None, stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1, act="",
                 scale=1.0, limit=127, round_type=0, out_scale=0.0, out_limit=127, out_round_type=0):
    """conv of the numbers of steps that x is nearest to, or that its bytes hold, with whole weights; one in the sums is worth the
    factor of the channel. To blocks as blocked_conv or, if ``out_scale`` is not 0, to bytes: the result's steps, and 128."""
    whole = steps_of(x, x.dtype.type(scale), limit, round_type) if x.dtype != np.uint8 else x.astype(np.float32) - 128
    plain = (whole if x.ndim == 4 else from_blocks.fn(whole, w.shape[1] * groups)).astype(np.float64)  # sums may be large
    sums = conv.run_arrays([plain, w.astype(np.float64), None, stride, pads, dilation, groups])
    y = sums * factors.reshape(-1, 1, 1) + (0 if bias is None else bias.reshape(-1, 1, 1))
    y = to_blocks.fn(y.astype(np.float32))
    y = y if residual is None else y + residual
    y = activated(y, act)
    if not out_scale or np.isnan(y).any():  # no byte stands for NaN: whoever reads it rounds the rest
        return y
    return (steps_of(y, np.float32(out_scale), out_limit, out_round_type) + 128).astype(np.uint8)


def _whole_ready(x, w, factors, bias, residual, stride, pads, dilation, groups, act, *grids):
    return x.dtype.char in "fB" and (x.ndim == 5 or x.dtype.char == "f") and w.dtype.char == "b" \
        and _float32(factors, bias, residual) and _fits(x, w, residual, stride, pads, dilation)


@integer_conv.kernel(when=_whole_ready)
def _(k, x, w, factors, bias, residual, stride, pads, dilation, groups, act, scale, limit, away, out_scale, out_limit, out_away):
    return k.integer_conv(dense(x), dense(w), dense(bias), stride, flat_pads(pads), dilation, groups, ACTIVATIONS.index(act), None,
                          dense(residual), dense(factors), scale, limit, bool(away), out_scale, out_limit, bool(out_away))


@op("blocked_pool(X) -> Out", family="own")
def blocked_pool(x, kernel=(2, 2), stride=(2, 2), pads=((0, 0), (0, 0)), ceil=False, average=False, exclusive=True):
    """Largest element or mean of each window, as max_pool and avg_pool; a kernel of () is the whole image."""
    kernel, stride, pads, outs = _windows(x, kernel, stride, pads, ceil)
    n, blocks, h, w, lanes = x.shape
    planes = x.transpose(0, 1, 4, 2, 3).reshape(n, blocks * lanes, h, w)
    y = avg_pool.run_arrays([planes, kernel, stride, pads, outs, exclusive, 0]) if average else \
        max_pool.run_arrays([planes, kernel, stride, pads, outs])[0]
    return np.ascontiguousarray(y.reshape(n, blocks, lanes, *outs).transpose(0, 1, 3, 4, 2))


def _windows(x, kernel, stride, pads, ceil):
    size = x.shape[2:4]
    if not kernel:
        return size, (1, 1), ((0, 0), (0, 0)), (1, 1)
    return kernel, stride, pads, tuple(pool_count(s, k, q, *pair, ceil) for s, k, q, pair in zip(size, kernel, stride, pads))


@blocked_pool.kernel(when=lambda x, *_: _float32(x) and x.size > 0)
def _(k, x, kernel, stride, pads, ceil, average, exclusive):
    kernel, stride, pads, outs = _windows(x, kernel, stride, pads, ceil)
    return k.blocked_pool(dense(x), kernel, stride, flat_pads(pads), outs, average, exclusive)


@op("blocked_scale(X, Factor) -> Out", family="own")
def blocked_scale(x, factor):
    """x times a factor for each image and channel, [N, blocks, 1, 1, 16]."""
    return x * factor


@blocked_scale.kernel(when=lambda x, factor: _float32(x, factor) and factor.shape == (*x.shape[:2], 1, 1, BLOCK))
def _(k, x, factor):
    return k.blocked_scale(dense(x), dense(factor))
