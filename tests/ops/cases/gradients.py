"""Ops that exist as the gradients of others. Each is the adjoint of a linear map, which NumPy applies to every unit vector."""

import numpy as np
from opcase import OpCase, const, distinct, f

CHOICE = np.array([1, 0, 1])
IDS = np.array([2, 0, 2, 1])
PLACES = np.array([[0, 1], [2, 2], [0, 1]])
MASK = np.array([[True, False, True], [False, True, True]])
COLUMNS = np.array([[0, 2], [1, 1], [2, 0]])


def adjoint(op, g, forward, domain, *others, **attrs):
    """A case of an op that must give A^T g for the linear ``forward`` = A on arrays of a shape."""
    def ref(g, *_, **__):
        units = np.eye(int(np.prod(domain))).reshape(-1, *domain)
        return np.array([(forward(u) * g).sum() for u in units]).reshape(domain).astype(g.dtype)
    return OpCase(op, [g, *others], ref=ref, rejects_text=False, small=False, static=False, **attrs)


def windows(x, size, step):
    return np.lib.stride_tricks.sliding_window_view(x, size, 0)[::step]


def blocks(x, k=2):
    """The means of k x k blocks."""
    n, c, h, w = x.shape
    return x.reshape(n, c, h // k, k, w // k, k).mean((3, 5))


def of_input(x, number):
    return x * (CHOICE == number)[:, None]


def without(x, where):
    out = x.copy()
    out[where] = 0
    return out


def filled(x):
    """The first elements of x where the mask is true."""
    out = np.zeros(MASK.shape)
    out[MASK] = x.reshape(-1)[:MASK.sum()]
    return out


def firsts(x):
    """The elements where the mask is true, in front."""
    out = np.zeros(6)
    out[:MASK.sum()] = x[MASK]
    return out


CASES = [
    adjoint("sum_to", f(2, 3, 4), lambda x: np.broadcast_to(x, (2, 3, 4)), (3, 1), shape=(3, 1)),
    adjoint("broadcast_to_shape", f(3, 1), lambda x: x.sum(0).sum(1, keepdims=True), (2, 3, 4), shape=(2, 3, 4)),
    adjoint("repeat_interleave_sum", f(2, 6), lambda x: np.repeat(x, 2, 1), (2, 3), None, repeats=2, axis=1, shape=(2, 3)),
    adjoint("diagonal_place", f(3), lambda x: np.diagonal(x, 1), (3, 4), shape=(3, 4), offset=1),
    adjoint("diagonal_clear", f(3, 3), lambda x: x - np.diag(np.diag(x)), (3, 3)),
    adjoint("basic_place", f(2, 2), lambda x: x[1:, ::2], (3, 4), shape=(3, 4), index=(slice(1, None), slice(None, None, 2))),
    adjoint("region_place", f(2, 2), lambda x: x[1:, ::2], (3, 4), shape=(3, 4), axes=(0, 1), starts=(1, 0), ends=(3, 4),
            strides=(1, 2)),
    adjoint("region_clear", f(3, 4), lambda x: without(x, (slice(1, 3), slice(0, 2))), (3, 4), axes=(0, 1), starts=(1, 0),
            ends=(3, 2), strides=(1, 1)),
    adjoint("gather_sum", f(4, 2), lambda x: x[IDS], (3, 2), const(IDS), shape=(3, 2)),
    adjoint("gather_nd_sum", f(3), lambda x: x[tuple(PLACES.T)], (3, 3), const(PLACES), shape=(3, 3)),
    adjoint("rows_clear", f(4, 2), lambda x: without(x, [0, 2]), (4, 2), const([0, 2])),
    adjoint("along_axis_sum", f(3, 2), lambda x: np.take_along_axis(x, COLUMNS, 1), (3, 3), const(COLUMNS), shape=(3, 3), axis=1),
    adjoint("along_clear", f(3, 3), lambda x: np.where(np.arange(3) == COLUMNS[:, :1], 0, x), (3, 3), const(COLUMNS[:, :1]), axis=1),
    adjoint("tile_sum", f(4, 6), lambda x: np.tile(x, (2, 3)), (2, 2), times=(2, 3), shape=(2, 2)),
    adjoint("index_sum", f(3), lambda x: x[tuple(PLACES.T)], (3, 3), [const(PLACES[:, 0]), const(PLACES[:, 1])], shape=(3, 3)),
    adjoint("as_strided_sum", f(2, 3), lambda x: np.stack([x[1:4], x[2:5]]), (6,), sizes=(6,), shape=(2, 3), stride=(1, 1), offset=1),
    adjoint("tensor_fold", f(2, 3), lambda x: windows(x, 3, 2), (5,), shape=(5,), size=3, step=2),
    adjoint("masked", f(2, 3), lambda x: np.where(MASK, 0, x), (2, 3), const(MASK), keep=False),
    adjoint("masked_place", f(4), lambda x: x[MASK], (2, 3), const(MASK)),
    adjoint("masked_first", f(2, 3), filled, (6,), const(MASK), shape=(6,)),
    adjoint("masked_fill_first", f(6), firsts, (2, 3), const(MASK)),
    adjoint("multiplex_rows", f(3, 2), lambda x: of_input(x[:3], 1), (4, 2), const(CHOICE), rows=4, number=1),
    adjoint("multiplex_pick", f(4, 2), lambda x: np.pad(of_input(x, 0), ((0, 1), (0, 0))), (3, 2), const(CHOICE), rows=4),
    adjoint("pool_scatter", f(1, 1, 3), lambda x: x[:, :, [3, 0, 3]], (1, 1, 4), const([[[3, 0, 3]]], "int32"), size=(4,)),
    OpCase("avg_pool", [f(1, 2, 4, 4)], outs=(2, 2), ref=lambda x, outs: blocks(x), static=False, small=False),
    adjoint("avg_pool_spread", f(1, 2, 2, 2), blocks, (1, 2, 4, 4), size=(4, 4)),
    OpCase("adaptive_avg_pool", [f(1, 2, 4, 4)], outs=(2, 2), ref=lambda x, outs: blocks(x), static=False, small=False),
    adjoint("adaptive_avg_spread", f(1, 2, 2, 2), blocks, (1, 2, 4, 4), size=(4, 4)),
    OpCase("adaptive_max_pool", [distinct(1, 1, 4)], outs=(2,), static=False, small=False, ref=lambda x, outs: [
        x.reshape(1, 1, 2, 2).max(3), x.reshape(1, 1, 2, 2).argmax(3) + [0, 2]]),
    adjoint("spot_scatter", f(1, 2, 3), lambda x: x.reshape(1, 2, 4)[:, :, [3, 0, 3]], (1, 2, 2, 2), const([[3, 0, 3]]), size=(2, 2)),
    adjoint("roi_align_input_grad", f(1, 2, 2, 2), lambda x: x[:, :, 1::2, 1::2], (1, 2, 4, 4), const([[0.0, 0.0, 4.0, 4.0]]),
            const([1], "int32"), shape=(1, 2, 4, 4), sampling_ratio=1, grad=[0]),
    *[adjoint("pad_back", f(2, 6), lambda x, mode=mode: np.pad(x, ((0, 0), (1, 2)), mode), (2, 3), pairs=((0, 0), (1, 2)),
              mode={"constant": "constant", "edge": "replicate"}[mode]) for mode in ("constant", "edge")],
    adjoint("resample_back", f(1, 2, 6), lambda x: np.repeat(x, 2, 2), (1, 2, 3), size=(3,), scales=(0.0,)),
]
