"""Recurrent sequences: LSTM, GRU and simple RNN, one layer and direction per op, and the whole ``rnn`` op of files.

``xp`` is the input projection x @ w_ih.T + b_ih of all steps, [N, T, gates * H]. The reference is a loop of ordinary ops;
gradients of any order come from replaying that loop on the tape, the first order from the native kernels where they exist.
"""

import numpy as np

from .. import kernels
from ..core.autograd import enable_grad
from ..core.backward import grad
from ..core.op import op
from ..core.tensor import Tensor, wrap
from . import activation, unary
from .join import stack
from .linalg import matmul

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _fast(xp, *arrays):
    return (kernels.native is not None and xp.dtype.char in "fd" and xp.size
            and all(a is None or a.dtype == xp.dtype for a in arrays))


# ---- one step, written with operators: works on arrays and on Tensors ----------------------------------------------

def _sigmoid(z):
    return unary.sigmoid(z)


def _lstm_step(x, state, w_hh, b_hh, size):
    h, c = state
    z = x + matmul(h, w_hh, False, True)
    z = z if b_hh is None else z + b_hh
    i, f = _sigmoid(z[:, :size]), _sigmoid(z[:, size:2 * size])
    g, o = unary.tanh(z[:, 2 * size:3 * size]), _sigmoid(z[:, 3 * size:])
    c = f * c + i * g
    return o * unary.tanh(c), c


def _gru_step(x, state, w_hh, b_hh, size):
    (h,) = state
    p = matmul(h, w_hh, False, True)
    p = p if b_hh is None else p + b_hh
    r = _sigmoid(x[:, :size] + p[:, :size])
    z = _sigmoid(x[:, size:2 * size] + p[:, size:2 * size])
    n = unary.tanh(x[:, 2 * size:] + r * p[:, 2 * size:])
    return (z * h + (1 - z) * n,)


def _simple_step(function):
    def step(x, state, w_hh, b_hh, size):
        z = x + matmul(state[0], w_hh, False, True)
        return (function(z if b_hh is None else z + b_hh),)
    return step


_STEPS = {"LSTM": _lstm_step, "GRU": _gru_step, "RNN_TANH": _simple_step(unary.tanh),
          "RNN_RELU": _simple_step(activation.relu)}


def run_steps(mode, xp, state, w_hh, b_hh, lengths, reverse):
    """(outputs [N, T, H], final states): the loop over time. Rows past their length give 0 and keep their state."""
    size, steps = w_hh.shape[1], xp.shape[1]
    state = tuple(state)
    outs = [None] * steps
    live = None
    for t in (range(steps - 1, -1, -1) if reverse else range(steps)):
        new = _STEPS[mode](xp[:, t], state, w_hh, b_hh, size)
        if lengths is not None:
            live = (t < lengths).astype(new[0].dtype if isinstance(new[0], np.ndarray) else new[0].dtype.dtype)[:, None]
            new = tuple(n * live + s * (1 - live) for n, s in zip(new, state))
        state = new
        outs[t] = new[0] if live is None else new[0] * live
    return stack(outs, 1), state


def _replay(mode, needs, grads, tensors, lengths, reverse, create_graph):
    """Gradients by running the loop on the tape; tensors: xp, states..., w_hh, b_hh."""
    leaves = []
    for t, need in zip(tensors, needs):
        if t is None or (create_graph and isinstance(t, Tensor)):
            leaves.append(t)
            continue
        leaf = wrap(t)
        leaf.stop_gradient = not need
        leaves.append(leaf)
    xp, *states, w_hh, b_hh = leaves
    with enable_grad():
        y, final = run_steps(mode, xp, states, w_hh, b_hh, lengths, reverse)
        pairs = [(o, g if isinstance(g, Tensor) else wrap(g)) for o, g in zip((y, *final), grads) if g is not None]
        wanted = [t for t, need in zip(leaves, needs) if need]
        found = iter(grad([o for o, _ in pairs], wanted, [g for _, g in pairs], create_graph=create_graph, allow_unused=True))
    results = [next(found) if need else None for need in needs]
    return results if create_graph else [r if r is None else r._data for r in results]


def _plain_lengths(lengths):
    return None if lengths is None else np.asarray(lengths._data if isinstance(lengths, Tensor) else lengths)


def _recurrent_grads(dz, previous):
    """(dw_hh, db_hh) from the gradient of the recurrent projection."""
    flat = dz.reshape(-1, dz.shape[-1])
    return matmul(flat, previous.reshape(-1, previous.shape[-1]), True, False), flat.sum(0)


# ---- LSTM ----------------------------------------------------------------------------------------------------------

@op("lstm_sequence(XP, H0, C0, WHH, BHH?, Lengths?) -> Y, H, C", family="probe")
def lstm_sequence(xp, h0, c0, w_hh, b_hh=None, lengths=None, reverse=False):
    """(outputs, last hidden state, last cell state) of one LSTM layer in one direction."""
    y, (h, c) = run_steps("LSTM", xp, (h0, c0), w_hh, b_hh, lengths, reverse)
    return y, h, c


@lstm_sequence.vjp(partial=True)
def _(needs, g, out, xp, h0, c0, w_hh, b_hh, lengths, reverse):
    lengths = _plain_lengths(lengths)
    tape = any(isinstance(one, Tensor) for one in g)
    if tape or not _fast(xp, h0, c0, w_hh, b_hh):
        return (*_replay("LSTM", needs[:5], g, (xp, h0, c0, w_hh, b_hh), lengths, reverse, tape), None)
    n = kernels.native
    work = np.array(xp, order="C")  # the kernel overwrites it: first with the gates, then with their gradient
    y, _, _, cells = n.lstm(work, *_contiguous(h0, c0, w_hh), _c(b_hh), reverse, lengths)
    dz, dh0, dc0 = n.lstm_backward(work, cells, _c(c0), _c(w_hh), _c(g[0]), _c(g[1]), _c(g[2]), reverse, lengths)
    dw, db = _recurrent_grads(dz, n.rnn_previous(y, _c(h0), reverse, lengths)) if needs[3] or needs[4] else (None, None)
    return dz, dh0, dc0, dw, db if needs[4] else None, None


def _c(a):
    return None if a is None else np.ascontiguousarray(a)


def _contiguous(*arrays):
    return [np.ascontiguousarray(a) for a in arrays]


def _lengths64(lengths):
    return None if lengths is None else np.ascontiguousarray(lengths, np.int64)


@lstm_sequence.kernel(when=lambda xp, h0, c0, w_hh, b_hh, lengths, reverse: _fast(xp, h0, c0, w_hh, b_hh))
def _(xp, h0, c0, w_hh, b_hh, lengths, reverse):
    y, h, c, _ = kernels.native.lstm(np.array(xp, order="C"), *_contiguous(h0, c0, w_hh), _c(b_hh), reverse,
                                     _lengths64(lengths))
    return y, h, c


# ---- GRU and simple RNN --------------------------------------------------------------------------------------------

@op("gru_sequence(XP, H0, WHH, BHH?, Lengths?) -> Y, H", family="probe")
def gru_sequence(xp, h0, w_hh, b_hh=None, lengths=None, reverse=False):
    """(outputs, last state) of one GRU layer in one direction."""
    y, (h,) = run_steps("GRU", xp, (h0,), w_hh, b_hh, lengths, reverse)
    return y, h


@gru_sequence.vjp(partial=True)
def _(needs, g, out, xp, h0, w_hh, b_hh, lengths, reverse):
    lengths = _lengths64(_plain_lengths(lengths))
    tape = any(isinstance(one, Tensor) for one in g)
    if tape or not _fast(xp, h0, w_hh, b_hh):
        return (*_replay("GRU", needs[:4], g, (xp, h0, w_hh, b_hh), lengths, reverse, tape), None)
    n = kernels.native
    work = np.array(xp, order="C")
    y, _, hidden = n.gru(work, _c(h0), _c(w_hh), _c(b_hh), reverse, lengths)
    dz, dp, dh0 = n.gru_backward(work, hidden, y, _c(h0), _c(w_hh), _c(g[0]), _c(g[1]), reverse, lengths)
    dw, db = _recurrent_grads(dp, n.rnn_previous(y, _c(h0), reverse, lengths)) if needs[2] or needs[3] else (None, None)
    return dz, dh0, dw, db if needs[3] else None, None


@gru_sequence.kernel(when=lambda xp, h0, w_hh, b_hh, lengths, reverse: _fast(xp, h0, w_hh, b_hh))
def _(xp, h0, w_hh, b_hh, lengths, reverse):
    return kernels.native.gru(np.array(xp, order="C"), _c(h0), _c(w_hh), _c(b_hh), reverse, _lengths64(lengths))[:2]


@op("simple_rnn_sequence(XP, H0, WHH, BHH?, Lengths?) -> Y, H", family="probe")
def simple_rnn_sequence(xp, h0, w_hh, b_hh=None, lengths=None, reverse=False, mode="RNN_TANH"):
    """(outputs, last state) of one simple RNN layer in one direction, with tanh or ReLU."""
    y, (h,) = run_steps(mode, xp, (h0,), w_hh, b_hh, lengths, reverse)
    return y, h


@simple_rnn_sequence.vjp(partial=True)
def _(needs, g, xp, h0, w_hh, b_hh, lengths, reverse, mode):
    tape = any(isinstance(one, Tensor) for one in g)
    return (*_replay(mode, needs[:4], g, (xp, h0, w_hh, b_hh), _plain_lengths(lengths), reverse, tape), None)


@simple_rnn_sequence.kernel(when=lambda xp, h0, w_hh, b_hh, lengths, reverse, mode: _fast(xp, h0, w_hh, b_hh))
def _(xp, h0, w_hh, b_hh, lengths, reverse, mode):
    return kernels.native.simple_rnn(np.array(xp, order="C"), _c(h0), _c(w_hh), _c(b_hh), mode == "RNN_RELU", reverse,
                                     _lengths64(lengths))


def sequence(mode, xp, states, w_hh, b_hh, lengths, reverse):
    """(outputs, final states) of one layer and direction, through the op of the mode."""
    if mode == "LSTM":
        y, h, c = lstm_sequence(xp, *states, w_hh, b_hh, lengths, reverse)
        return y, (h, c)
    if mode == "GRU":
        y, h = gru_sequence(xp, *states, w_hh, b_hh, lengths, reverse)
    else:
        y, h = simple_rnn_sequence(xp, *states, w_hh, b_hh, lengths, reverse, mode)
    return y, (h,)
