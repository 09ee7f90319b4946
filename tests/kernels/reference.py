"""Convolution and pooling in plain NumPy, in double precision: slow, short and easy to believe."""

import itertools

import numpy as np


def out_size(size, before, after, kernel, stride, dilation=1):
    return (size + before + after - dilation * (kernel - 1) - 1) // stride + 1


def _windows(shape, kernel, out, stride, dilation):
    """For every tap of the kernel: its position, and the slices of the padded input under it."""
    for tap in itertools.product(*map(range, kernel)):
        yield tap, tuple(
            slice(t * d, t * d + (o - 1) * s + 1, s) for t, d, o, s in zip(tap, dilation, out, stride))


def conv(x, w, bias, dy, stride, padding, dilation, groups):
    """y, dx, dw, db of a convolution over any number of dimensions; ``padding`` has (before, after) for each."""
    x, w, dy = (a.astype(np.float64) for a in (x, w, dy))
    pads = [(0, 0), (0, 0), *padding]
    padded = np.pad(x, pads)
    d_padded, y, dw = np.zeros_like(padded), np.zeros(dy.shape), np.zeros(w.shape)
    ins, outs = x.shape[1] // groups, w.shape[0] // groups
    for g in range(groups):
        i, o = slice(g * ins, (g + 1) * ins), slice(g * outs, (g + 1) * outs)
        for tap, window in _windows(x.shape, w.shape[2:], dy.shape[2:], stride, dilation):
            piece, weights = padded[(slice(None), i, *window)], w[(o, slice(None), *tap)]
            y[:, o] += np.moveaxis(np.tensordot(weights, piece, (1, 1)), 0, 1)
            axes = [0, *range(2, dy.ndim)]
            dw[(o, slice(None), *tap)] = np.tensordot(dy[:, o], piece, (axes, axes))
            d_padded[(slice(None), i, *window)] += np.moveaxis(np.tensordot(weights, dy[:, o], (0, 1)), 0, 1)
    if bias is not None:
        y += bias.astype(np.float64).reshape(1, -1, *[1] * (y.ndim - 2))
    inside = tuple(slice(before, before + size) for (before, _), size in zip(padding, x.shape[2:]))
    return y, d_padded[(slice(None), slice(None), *inside)], dw, dy.sum(tuple(i for i in range(dy.ndim) if i != 1))


def pool_cells(spatial, kernel, stride, padding, out):
    """For every output: the slices of the input it sees."""
    for position in np.ndindex(*out):
        begins = [p * s - before for p, s, (before, _) in zip(position, stride, padding)]
        yield position, tuple(
            slice(min(max(b, 0), size), min(max(b + k, 0), size)) for b, k, size in zip(begins, kernel, spatial))


def adaptive_cells(spatial, out):
    for position in np.ndindex(*out):
        yield position, tuple(
            slice(p * size // o, -(-(p + 1) * size // o)) for p, size, o in zip(position, spatial, out))


def _count(window):
    return int(np.prod([s.stop - s.start for s in window]))


def max_pool(x, cells, out):
    y, index = np.empty(x.shape[:2] + out, x.dtype), np.empty(x.shape[:2] + out, np.int32)
    numbers = np.arange(int(np.prod(x.shape[2:]))).reshape(x.shape[2:])
    for position, window in cells:
        piece = x[(..., *window)].reshape(*x.shape[:2], _count(window))
        if piece.shape[2] == 0:
            y[(..., *position)], index[(..., *position)] = np.finfo(x.dtype).min, -1
            continue
        winner = piece.argmax(-1)
        y[(..., *position)] = np.take_along_axis(piece, winner[..., None], -1)[..., 0]
        index[(..., *position)] = numbers[window].ravel()[winner]
    return y, index


def avg_pool(x, dy, cells, out, divisor=None):
    """y and dx; ``divisor`` is a function of the output's position, None means the number of cells seen."""
    y, dx = np.zeros(x.shape[:2] + out), np.zeros(x.shape)
    for position, window in cells:
        piece = x[(..., *window)].astype(np.float64).reshape(*x.shape[:2], _count(window))
        share = divisor(position) if divisor else piece.shape[2]
        if share:
            y[(..., *position)] = piece.sum(-1) / share
            dx[(..., *window)] += (dy[(..., *position)] / share)[(..., *[None] * len(out))]
    return y, dx
