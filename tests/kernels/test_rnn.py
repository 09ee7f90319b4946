"""Recurrent sequences against plain NumPy steps, gradients against finite differences."""

import numpy as np
import pytest

from .engine import engine, every_engine, native

GATES = {"lstm": 4, "gru": 3, "tanh": 1, "relu": 1}
cells = pytest.mark.parametrize("cell", GATES)
SIZES = [(1, 1, 1), (3, 4, 5), (2, 1, 40), (13, 3, 33), (9, 2, 64)]  # batch, steps, hidden


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def reference(cell, xp, h, c, w, b, reverse=False, lengths=None):
    """Outputs, last states; step by step."""
    batch, steps, hidden = xp.shape[0], xp.shape[1], w.shape[1]
    y = np.zeros((batch, steps, hidden))
    h, c = h.copy(), c.copy()
    for t in (reversed(range(steps)) if reverse else range(steps)):
        z = h @ w.T + b
        if cell == "lstm":
            i, f, g, o = np.split(xp[:, t] + z, 4, 1)
            new_c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            new_h = sigmoid(o) * np.tanh(new_c)
        elif cell == "gru":
            x_r, x_z, x_c = np.split(xp[:, t], 3, 1)
            h_r, h_z, h_c = np.split(z, 3, 1)
            update = sigmoid(x_z + h_z)
            new_h, new_c = update * h + (1 - update) * np.tanh(x_c + sigmoid(x_r + h_r) * h_c), c
        else:
            new_h, new_c = np.tanh(xp[:, t] + z) if cell == "tanh" else np.maximum(xp[:, t] + z, 0), c
        on = np.full((batch, 1), True) if lengths is None else (t < lengths)[:, None]
        h, c = np.where(on, new_h, h), np.where(on, new_c, c)
        y[:, t] = np.where(on, new_h, 0)
    return y, h, c


def make(cell, batch, steps, hidden, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    width = GATES[cell] * hidden

    def draw(*shape):
        return rng.uniform(-1, 1, shape).astype(dtype)

    return draw(batch, steps, width), draw(batch, hidden), draw(batch, hidden), draw(width, hidden) / 2, draw(width)


def forward(cell, xp, h, c, w, b, **options):
    """Call the kernel; outputs, last states and what the backward needs."""
    work = xp.copy()
    if cell == "lstm":
        y, h, c, saved = native.lstm(work, h, c, w, b, **options)
        return (y, h, c), (work, saved)
    if cell == "gru":
        y, h, saved = native.gru(work, h, w, b, **options)
        return (y, h, c), (work, saved)
    y, h = native.simple_rnn(work, h, w, b, relu=cell == "relu", **options)
    return (y, h, c), (work, None)


def backward(cell, y, saved, h0, c0, w, dy, dh, dc, **options):
    """Gradients of xp, h0, c0, w and b."""
    work, side = saved
    if cell == "lstm":
        gates = work.copy()
        dxp, dh0, dc0 = native.lstm_backward(work, side, c0, w, dy, dh, dc, **options)
        np.testing.assert_array_equal(work, gates)  # a second backward pass needs them
        dhp = dxp
    elif cell == "gru":
        gates = work.copy()
        dxp, dhp, dh0 = native.gru_backward(work, side, y, h0, w, dy, dh, **options)
        np.testing.assert_array_equal(work, gates)
        dc0 = dc
    else:
        dxp, dh0 = native.simple_rnn_backward(y, w, dy, dh, relu=cell == "relu", **options)
        dhp, dc0 = dxp, dc
    before = native.rnn_previous(y, h0, **options)
    flat = dhp.reshape(-1, dhp.shape[-1])
    return dxp, dh0, dc0, flat.T @ before.reshape(-1, h0.shape[1]), flat.sum(0)


@every_engine
@cells
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["f32", "f64"])
def test_forward(isa, threads, cell, dtype):
    limits = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-11, "atol": 1e-12}
    with engine(isa, threads):
        for size in SIZES:
            args = make(cell, *size, dtype)
            for reverse in (False, True):
                for lengths in (None, np.random.default_rng(1).integers(0, size[1] + 1, size[0])):
                    got, _ = forward(cell, *args, reverse=reverse, lengths=lengths)
                    wide = [a.astype(np.float64) for a in args]
                    for mine, expected in zip(got, reference(cell, *wide, reverse, lengths), strict=True):
                        np.testing.assert_allclose(mine, expected, **limits)


@cells
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("lengths", [None, np.array([4, 2, 0])])
def test_backward_against_finite_differences(cell, reverse, lengths):
    args = make(cell, 3, 4, 5, seed=3)
    rng = np.random.default_rng(4)
    dy, dh, dc = rng.standard_normal((3, 4, 5)), rng.standard_normal((3, 5)), rng.standard_normal((3, 5))

    def loss(*args):
        y, h, c = reference(cell, *args, reverse, lengths)
        return (y * dy).sum() + (h * dh).sum() + (c * dc).sum()

    (y, _, _), saved = forward(cell, *args, reverse=reverse, lengths=lengths)
    gradients = backward(cell, y, saved, args[1], args[2], args[3], dy, dh, dc, reverse=reverse, lengths=lengths)
    for k, gradient in enumerate(gradients):
        direction = rng.standard_normal(args[k].shape)
        moved = [[a + sign * 1e-6 * direction if i == k else a for i, a in enumerate(args)] for sign in (1, -1)]
        expected = (loss(*moved[0]) - loss(*moved[1])) / 2e-6
        assert (gradient * direction).sum() == pytest.approx(expected, rel=1e-6, abs=1e-7), k


@every_engine
@cells
def test_backward_in_every_engine(isa, threads, cell):
    """float32 with any instruction set follows the float64 result of one thread."""
    for size in [*SIZES, (40, 3, 50), (2, 3, 300)]:
        args = make(cell, *size, np.float32, seed=5)
        rng = np.random.default_rng(6)
        states = (size[0], size[2])
        grads = [rng.standard_normal(shape).astype(np.float32) for shape in (size, states, states)]
        lengths = rng.integers(0, size[1] + 1, size[0])
        wide = [a.astype(np.float64) for a in args]
        with engine(threads=1):
            (y, _, _), saved = forward(cell, *wide, lengths=lengths)
            expected = backward(cell, y, saved, *wide[1:4], *[g.astype(np.float64) for g in grads], lengths=lengths)
        with engine(isa, threads):
            (y, _, _), saved = forward(cell, *args, lengths=lengths)
            got = backward(cell, y, saved, *args[1:4], *grads, lengths=lengths)
        for mine, theirs in zip(got, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=3e-5 * max(1.0, np.abs(theirs).max()))


def test_same_bytes_for_any_thread_count():
    for size in ((40, 3, 50), (5, 3, 200)):
        args, results = make("lstm", *size, np.float32), set()
        for threads in (1, 2, 5):
            with engine(threads=threads):
                (y, h, c), saved = forward("lstm", *args)
                dxp, dh0, dc0 = native.lstm_backward(*saved, args[2], args[3], y)
                results.add(b"".join(a.tobytes() for a in (y, h, c, dxp, dh0, dc0)))
        assert len(results) == 1


def test_no_gradient_of_the_outputs():
    args = make("lstm", 2, 3, 4)
    (y, _, _), saved = forward("lstm", *args)
    dxp, dh0, dc0 = native.lstm_backward(*saved, args[2], args[3], None)
    assert not dxp.any() and not dh0.any() and not dc0.any()


def test_nothing_to_do():
    for batch, steps in ((0, 3), (2, 0)):
        args = make("gru", batch, steps, 4)
        (y, h, _), saved = forward("gru", *args)
        assert y.shape == (batch, steps, 4)
        np.testing.assert_array_equal(h, args[1])
        dxp, dhp, dh0 = native.gru_backward(*saved, y, args[1], args[3], y, h)
        assert dxp.shape == dhp.shape == (batch, steps, 12)
        np.testing.assert_array_equal(dh0, h)


def test_allocation_failure_is_reported():
    args = make("lstm", 3, 2, 4)
    for after in (0, 1):
        native.fail_allocation(after)
        try:
            with pytest.raises(MemoryError, match="lstm"):
                forward("lstm", *args)
        finally:
            native.fail_allocation(-1)


XP, H0, C0, W, B = make("lstm", 3, 2, 4)


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.lstm(XP[0], H0, C0, W), ValueError, "'xp'"),
    (lambda: native.lstm(XP[:, :, :15].copy(), H0, C0, W), ValueError, "multiple of 4"),
    (lambda: native.lstm(XP, H0[:2], C0, W), ValueError, "'h0'"),
    (lambda: native.lstm(XP, H0, C0.astype(np.float32), W), TypeError, "'c0'"),
    (lambda: native.lstm(XP, H0, C0, W[:, :3].copy()), ValueError, "'w_hh'"),
    (lambda: native.lstm(XP, H0, C0, W, B[:3]), ValueError, "'b_hh'"),
    (lambda: native.lstm(XP, H0, C0, W, lengths=np.array([1, 2])), ValueError, "'lengths'"),
    (lambda: native.lstm(XP, H0, C0, W, lengths=np.array([1.0, 2, 3])), TypeError, "'lengths'"),
    (lambda: native.lstm(XP[:, :, ::-1], H0, C0, W), ValueError, "contiguous"),
    (lambda: native.lstm_backward(XP, XP, C0, W, None), ValueError, "'cells'"),
    (lambda: native.lstm_backward(XP, np.ones((3, 2, 4)), C0, W, np.ones((3, 2, 5))), ValueError, "'dy'"),
    (lambda: native.lstm_backward(XP, np.ones((3, 2, 4)), C0, W, None, dh=H0[:1]), ValueError, "'dh'"),
    (lambda: native.gru(XP, H0, W), ValueError, "multiple of 3"),
    (lambda: native.simple_rnn(XP, H0, W), ValueError, "'w_hh'"),
    (lambda: native.rnn_previous(np.ones((3, 2, 4)), H0[:2]), ValueError, "'h0'"),
])
def test_bad_arguments_raise(call, error, text):
    with pytest.raises(error, match=text):
        call()
