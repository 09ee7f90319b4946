"""Recurrent cells, attention, paths of labels, optimizers."""

import numpy as np

from .. import test_attention, test_optim, test_rnn
from ..engine import engine, native, operator
from .draw import SMALL, WIDTHS, close


def recurrence(draw):
    cell = draw.pick(tuple(test_rnn.GATES))
    batch, steps, hidden = draw.pick(SMALL), draw.pick((1, 2, 5)), draw.pick(WIDTHS)
    xp, h, c, w, b = (draw.guard(a) for a in test_rnn.make(cell, batch, steps, hidden, draw.dtype, draw.upto(99)))
    lengths = draw.guard(draw.rng.integers(0, steps + 1, batch)) if draw.chance() else None
    reverse = draw.chance()
    options = {"reverse": reverse, "lengths": lengths}
    got, saved = test_rnn.forward(cell, xp, h, c, w, b, **options)
    wide = [a.astype(float) for a in (xp, h, c, w, b)]
    for mine, theirs in zip(got, test_rnn.reference(cell, *wide, reverse, lengths), strict=True):
        close(mine, theirs)
    grads = [draw.array(batch, steps, hidden), draw.array(batch, hidden), draw.array(batch, hidden)]
    saved = [None if s is None else draw.guard(s) for s in saved]
    got = test_rnn.backward(cell, draw.guard(got[0]), saved, h, c, w, *grads, **options)
    with engine("base", 1):
        (y, _, _), saved = test_rnn.forward(cell, *wide, **options)
        expected = test_rnn.backward(cell, y, saved, *wide[1:4], *[g.astype(float) for g in grads], **options)
    for mine, theirs in zip(got, expected, strict=True):
        close(mine, theirs, limit=1e-4 if draw.dtype == np.float32 else None)


def attention(draw):
    """Queries and keys of any number, masks that repeat, dropped weights; gradients from weights and from their logarithms."""
    lengths = [draw.pick((*WIDTHS, 1, 130)) for _ in range(2)]
    size = draw.pick((1, 2)), draw.pick((1, 3)), *lengths, draw.pick(SMALL), draw.pick(WIDTHS)
    q, k, v, dout = (draw.guard(a) for a in test_attention.make(size, draw.dtype, draw.upto(99)))
    mask, causal = draw.pick(tuple(test_attention.masks(size, draw.dtype))[:-1]), draw.chance()
    mask = mask if mask is None else draw.guard(np.maximum(mask, mask.dtype.type(-30)) if causal else mask)  # who sees none has NaN
    dropout = draw.pick((0.0, 0.0, 0.3))
    keep = draw.guard(draw.rng.random(size[:4]) >= dropout) if dropout else None
    factor = keep / (1 - dropout) if dropout else 1.0
    expected = test_attention.reference(q, k, v, mask, causal=causal, keep=factor)
    w, g, scale = expected[1], dout.astype(float), 1 / np.sqrt(size[4])
    dw = np.einsum("bmqe,bmke->bmqk", g, v) * factor
    scores = w * (dw - (w * dw).sum(-1, keepdims=True)) * scale
    gradients = (np.einsum("bmqk,bmkd->bmqd", scores, k), np.einsum("bmqk,bmqd->bmkd", scores, q),
                 np.einsum("bmqk,bmqe->bmke", w * factor, g))
    for logs in (False, True):
        out, saved = native.attention(q, k, v, mask, None, causal, dropout, keep, logs)
        close(out, expected[0])
        if not logs:
            close(saved, w)
        got = native.attention_backward(q, k, v, draw.guard(saved), dout, None, keep, dropout, mask, causal)
        for mine, theirs in zip(got, gradients, strict=True):
            close(mine, theirs, limit=1e-4 if draw.dtype == np.float32 else None)


def paths(draw):
    steps, count, classes, longest = draw.pick((1, 2, 9)), draw.pick(SMALL), draw.pick((2, 3, 17)), draw.pick((1, 2, 9))
    x, labels = draw.array(steps, count, classes), draw.guard(draw.rng.integers(0, classes, (count, longest)))
    times, sizes = (draw.guard(draw.rng.integers(0, n + 1, count)) for n in (steps, longest))
    loss = native.ctc(x, labels, times, sizes, 0)
    again, grad = native.ctc(x, labels, times, sizes, 0, draw.guard(np.ones(count)))
    assert (loss == again).all() and grad.shape == x.shape and np.isfinite(grad).all()
    rows = draw.guard(draw.rng.uniform(0.5, 1.5, (draw.pick(SMALL), draw.pick((*WIDTHS, 700)))).astype(np.float32))
    out = native.product(rows)
    np.testing.assert_allclose(out, rows.astype(float).prod(1), rtol=1e-5)
    np.testing.assert_allclose(native.product_grad(rows, draw.guard(out)), out[:, None].astype(float) ** 2 / rows, rtol=2e-5,
                               atol=1e-44)
    whole = draw.guard(draw.rng.integers(-9, 9, rows.shape).astype(draw.pick((np.int32, np.int64))))
    for axis in (0, 1):
        assert (operator("reduce_sum", {"X": whole}, {"dim": [axis]}, "Out") == whole.sum(axis)).all()
        assert (operator("reduce_max", {"X": whole}, {"dim": [axis]}, "Out") == whole.max(axis)).all()
    assert (native.whole_product(draw.guard(np.ascontiguousarray(whole.T)), whole) == whole.T @ whole).all()


def optimizers(draw):
    name, rule, states, powers, options = draw.pick(test_optim.CASES)
    sizes = [draw.pick((*WIDTHS, 0, 5000)) for _ in range(draw.pick(SMALL[:4]))]
    params, grads = [draw.array(n) for n in sizes], [draw.array(n) for n in sizes]
    state = [[draw.guard(draw.rng.uniform(0.1, 1, n).astype(draw.dtype)) for n in sizes] for _ in range(states)]
    betas = (options.get("beta1", 0.9), 0.999)[:powers]
    counters = [[draw.guard(np.full(1, beta ** 3, np.float32)) for _ in sizes] for beta in betas]
    before, before_state = [p.astype(float) for p in params], [[s.astype(float) for s in column] for column in state]
    getattr(native, name + "_group")(params, grads, *state, *counters, 0.1, **options)
    for i, p in enumerate(params):
        expected, _ = rule(before[i], grads[i].astype(float), [s[i] for s in before_state], 0.1, t=3, **options)
        close(p, expected, limit=1e-4)
    total = sum((p.astype(float) ** 2).sum() for p in params)
    assert abs(native.sum_squares(params) - total) <= 1e-5 * total
    assert native.all_finite(params)
    native.scale_group(params, 2.0)
    native.clip_group(params, -0.5, 0.5)
    assert all(np.abs(p).max(initial=0) <= 0.5 for p in params)
