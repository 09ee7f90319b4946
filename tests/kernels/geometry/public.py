"""Functions that are made of several kernels, with their gradients."""

import numpy as np

import paddle
from paddle import geometric
from paddle.nn import functional as F

from .. import test_attention
from .draw import SMALL, WIDTHS, close

PADS = {"reflect": "reflect", "replicate": "edge", "circular": "wrap", "constant": "constant"}


def functions(draw):
    """Attention, pads, segments, unique rows and numbers, running extremes, orders, distances."""
    _attended(draw)
    _padded(draw)
    _segments(draw)
    _numbers(draw)


def _attended(draw):
    """Queries and keys of any number, none of them too: who sees nothing gets 0."""
    lengths = [draw.pick((*SMALL, 0, 1, 70, 200)) for _ in range(2)]
    size = draw.pick((1, 2)), draw.pick((1, 3)), *lengths, draw.pick(SMALL), draw.pick(SMALL)
    values, causal = test_attention.make((*size[:5], size[4]), draw.dtype, draw.upto(99)), draw.chance()
    q, k, v, g = (paddle.to_tensor(a.swapaxes(1, 2), stop_gradient=False) for a in values)
    shape = draw.pick((None, (1, 1, 1, lengths[1]), (size[0], 1, *lengths), (size[0], size[1], lengths[0], 1)))
    mask = None if shape is None or causal else draw.rng.standard_normal(shape).astype(draw.dtype)
    out = F.scaled_dot_product_attention(q, k, v, None if mask is None else paddle.to_tensor(mask), is_causal=causal)
    expected, weights = test_attention.reference(*values[:3], mask, causal=causal)
    close(out.numpy(), expected.swapaxes(1, 2))
    out.backward(g)
    close(v.grad.numpy(), np.einsum("bmqk,bmqe->bkme", weights, values[3]), limit=1e-4 if draw.dtype == np.float32 else None)
    assert q.grad.shape == q.shape and k.grad.shape == k.shape and np.isfinite(q.grad.numpy()).all()


def _padded(draw):
    shape = draw.pick((1, 2)), draw.pick((1, 3)), draw.pick(SMALL), draw.pick(WIDTHS)
    mode, (h, w) = draw.pick(tuple(PADS)), shape[2:]
    most = (h - 1, w - 1) if mode == "reflect" else (h, w) if mode == "circular" else (9, 9)
    top, bottom, left, right = (draw.upto(n) for n in (most[0], most[0], most[1], most[1]))
    x = paddle.to_tensor(draw.array(*shape), stop_gradient=False)
    y = F.pad(x, [left, right, top, bottom], mode=mode)
    sides = ((0, 0), (0, 0), (top, bottom), (left, right))
    assert (y.numpy() == np.pad(x.numpy(), sides, PADS[mode])).all()
    g = draw.array(*y.shape)
    y.backward(paddle.to_tensor(g))
    places, sums = np.arange(x.size).reshape(shape), np.zeros(x.size)
    if mode == "constant":
        inner = g[:, :, top:top + h, left:left + w]
        assert (x.grad.numpy() == inner).all()
        return
    np.add.at(sums, np.pad(places, sides, PADS[mode]).reshape(-1), g.reshape(-1).astype(float))
    close(x.grad.numpy(), sums.reshape(shape), scale=1 + np.abs(g).max() * 16)


def _segments(draw):
    rows, columns, count = draw.pick(WIDTHS), draw.pick(WIDTHS), draw.pick(SMALL)
    ids = np.sort(draw.rng.integers(0, count, rows))
    x = paddle.to_tensor(draw.array(rows, columns), stop_gradient=False)
    values, found = x.numpy(), range(ids[-1] + 1)
    for name, rule in (("sum", np.sum), ("mean", np.mean), ("max", np.max), ("min", np.min)):
        out = getattr(geometric, f"segment_{name}")(x, paddle.to_tensor(ids))
        expected = np.stack([rule(values[ids == k].astype(float), 0) if (ids == k).any() else np.zeros(columns) for k in found])
        close(out.numpy(), expected)
        (grad,) = paddle.grad(out.sum(), [x])
        if name == "sum":
            assert (grad.numpy() == 1).all()
        if name == "mean":
            close(grad.numpy(), np.broadcast_to(1 / np.bincount(ids)[ids][:, None], values.shape))
        if name in ("max", "min"):  # each column of a segment gives to one element, or shares among equals
            shares = np.stack([grad.numpy()[ids == k].sum(0) for k in found])
            assert ((shares > 0) == np.isin(np.arange(len(found)), ids)[:, None]).all()
    src, dst = (paddle.to_tensor(draw.rng.integers(0, rows, count)) for _ in range(2))
    expected = np.zeros(values.shape)
    np.add.at(expected, dst.numpy(), values[src.numpy()].astype(float))
    close(geometric.send_u_recv(x, src, dst, "sum").numpy(), expected)


def _numbers(draw):
    whole = draw.rng.integers(-5, 5, (draw.pick(WIDTHS), draw.pick((1, 2, 3))))
    x = paddle.to_tensor(whole.astype(draw.pick(("float32", "float64", "int32", "int64"))))
    for got, expected in zip(paddle.unique(x, True, True, True), np.unique(whole, True, True, True)):
        assert (got.numpy().reshape(-1) == np.reshape(expected, -1)).all()
    rows = paddle.unique(x, axis=0)
    assert (rows.numpy() == np.unique(whole, axis=0)).all()
    values = draw.array(draw.pick(SMALL), draw.pick(WIDTHS))
    x = paddle.to_tensor(values, stop_gradient=False)
    for name, rule in (("cummax", np.maximum), ("cummin", np.minimum)):
        out, at = getattr(paddle, name)(x, axis=1)
        assert (out.numpy() == rule.accumulate(values, 1)).all()
        g = draw.array(*values.shape)
        (grad,) = paddle.grad(out, [x], [paddle.to_tensor(g)])
        sums = np.zeros(values.shape)
        np.add.at(sums, (np.arange(len(values))[:, None], at.numpy()), g)
        close(grad.numpy(), sums, scale=1 + np.abs(g).sum(1).max())
    k = draw.upto(values.shape[1] - 1) + 1
    assert (paddle.kthvalue(x, k, axis=1)[0].numpy() == np.sort(values, 1)[:, k - 1]).all()
    close(paddle.median(x, axis=1).numpy(), np.median(values.astype(float), 1))
    other = draw.array(draw.pick(WIDTHS), values.shape[1])
    p = draw.pick((1.0, 2.0, 3.0, float("inf")))
    d = np.abs(values[:, None].astype(float) - other)
    expected = d.max(-1) if p == float("inf") else (d ** p).sum(-1) ** (1 / p)
    close(paddle.cdist(x, paddle.to_tensor(other), p).numpy(), expected, limit=1e-4 if draw.dtype == np.float32 else None)
