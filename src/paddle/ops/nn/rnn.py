"""Recurrent sequences: LSTM, GRU and simple RNN, one layer and direction per op, and the whole ``rnn`` op of files.

``xp`` is the input projection x @ w_ih.T + b_ih of all steps, [N, T, gates * H]. The reference is a loop of ordinary ops;
gradients of any order come from replaying that loop on the tape, the first order from the native kernels where they exist.
"""

import numpy as np

from ...core.autograd import enable_grad
from ...core.backward import grad
from ...core.op import op
from ...core.steps import dense, interpreter
from ...core.tensor import Tensor, wrap
from ..linalg.matmul import matmul
from ..manipulation.joining import concat, stack
from ..manipulation.reshape import transpose
from ..math import reduction as reduce
from ..math import unary
from ..math.arithmetic import numpy_type
from ..random import draws
from ..short import through_float32
from . import activation
from .dropout import apply_mask

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _fast(xp, *arrays):
    return xp.dtype.char in "fd" and xp.size and all(a is None or a.dtype == xp.dtype for a in arrays)


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
            live = (t < lengths).astype(numpy_type(new[0]))[:, None]
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
        leaf = wrap(np.asarray(t))
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
    return matmul(flat, previous.reshape(-1, previous.shape[-1]), True, False), reduce.sum(flat, 0)


# ---- LSTM ----------------------------------------------------------------------------------------------------------

@op("lstm_sequence(XP, H0, C0, WHH, BHH?, Lengths?) -> Y, H, C, Cells, Gates", family="own")
def lstm_sequence(xp, h0, c0, w_hh, b_hh=None, lengths=None, reverse=False):
    """(outputs, last hidden state, last cell state) of one LSTM layer in one direction; the native kernel also hands out the
    cells and gates of all steps, which its backward reads."""
    y, (h, c) = run_steps("LSTM", xp, (h0, c0), w_hh, b_hh, lengths, reverse)
    return y, h, c, None, None


@lstm_sequence.vjp(takes_none=True)
def _(needs, g, out, xp, h0, c0, w_hh, b_hh, lengths, reverse):
    lengths = _plain_lengths(lengths)
    tape = any(isinstance(one, Tensor) for one in g)
    y, _, _, cells, gates = out
    k = None if tape or cells is None else interpreter(y)
    if k is None:
        return (*_replay("LSTM", needs[:5], g[:3], (xp, h0, c0, w_hh, b_hh), lengths, reverse, tape), None)
    lengths = _lengths64(lengths)
    dz, dh0, dc0 = k.lstm_backward(gates, cells, dense(c0), dense(w_hh), dense(g[0]), dense(g[1]), dense(g[2]), reverse, lengths)
    dw, db = _recurrent_grads(dz, k.rnn_previous(y, dense(h0), reverse, lengths)) if needs[3] or needs[4] else (None, None)
    return dz, dh0, dc0, dw, db if needs[4] else None, None


def _lengths64(lengths):
    return None if lengths is None else np.ascontiguousarray(lengths, np.int64)


@lstm_sequence.kernel(when=lambda xp, h0, c0, w_hh, b_hh, lengths, reverse: _fast(xp, h0, c0, w_hh, b_hh), noted=False)
def _(k, xp, h0, c0, w_hh, b_hh, lengths, reverse):
    gates = np.array(xp, order="C")  # the kernel overwrites it with the gates
    y, h, c, cells = k.lstm(gates, dense(h0), dense(c0), dense(w_hh), dense(b_hh), reverse, _lengths64(lengths))
    return y, h, c, cells, gates


# ---- GRU and simple RNN --------------------------------------------------------------------------------------------

@op("gru_sequence(XP, H0, WHH, BHH?, Lengths?) -> Y, H, Hidden, Gates", family="own")
def gru_sequence(xp, h0, w_hh, b_hh=None, lengths=None, reverse=False):
    """(outputs, last state) of one GRU layer in one direction; the native kernel also hands out what its backward reads."""
    y, (h,) = run_steps("GRU", xp, (h0,), w_hh, b_hh, lengths, reverse)
    return y, h, None, None


@gru_sequence.vjp(takes_none=True)
def _(needs, g, out, xp, h0, w_hh, b_hh, lengths, reverse):
    lengths = _lengths64(_plain_lengths(lengths))
    tape = any(isinstance(one, Tensor) for one in g)
    y, _, hidden, gates = out
    k = None if tape or hidden is None else interpreter(y)
    if k is None:
        return (*_replay("GRU", needs[:4], g[:2], (xp, h0, w_hh, b_hh), lengths, reverse, tape), None)
    dz, dp, dh0 = k.gru_backward(gates, hidden, y, dense(h0), dense(w_hh), dense(g[0]), dense(g[1]), reverse, lengths)
    dw, db = _recurrent_grads(dp, k.rnn_previous(y, dense(h0), reverse, lengths)) if needs[2] or needs[3] else (None, None)
    return dz, dh0, dw, db if needs[3] else None, None


@gru_sequence.kernel(when=lambda xp, h0, w_hh, b_hh, lengths, reverse: _fast(xp, h0, w_hh, b_hh), noted=False)
def _(k, xp, h0, w_hh, b_hh, lengths, reverse):
    gates = np.array(xp, order="C")  # the kernel overwrites it with the gates
    return *k.gru(gates, dense(h0), dense(w_hh), dense(b_hh), reverse, _lengths64(lengths)), gates


@op("simple_rnn_sequence(XP, H0, WHH, BHH?, Lengths?) -> Y, H", family="own")
def simple_rnn_sequence(xp, h0, w_hh, b_hh=None, lengths=None, reverse=False, mode="RNN_TANH"):
    """(outputs, last state) of one simple RNN layer in one direction, with tanh or ReLU."""
    y, (h,) = run_steps(mode, xp, (h0,), w_hh, b_hh, lengths, reverse)
    return y, h


@simple_rnn_sequence.vjp(takes_none=True)
def _(needs, g, out, xp, h0, w_hh, b_hh, lengths, reverse, mode):
    lengths = _lengths64(_plain_lengths(lengths))
    tape = any(isinstance(one, Tensor) for one in g)
    k = None if tape or g[0] is None or not _fast(xp, h0, w_hh, b_hh) else interpreter(g[0])
    if k is None:
        return (*_replay(mode, needs[:4], g, (xp, h0, w_hh, b_hh), lengths, reverse, tape), None)
    y = dense(out[0])
    dz, dh0 = k.simple_rnn_backward(y, dense(w_hh), dense(g[0]), dense(g[1]), mode == "RNN_RELU", reverse, lengths)
    dw, db = _recurrent_grads(dz, k.rnn_previous(y, dense(h0), reverse, lengths)) if needs[2] or needs[3] else (None, None)
    return dz, dh0, dw, db if needs[3] else None, None


@simple_rnn_sequence.kernel(when=lambda xp, h0, w_hh, b_hh, lengths, reverse, mode: _fast(xp, h0, w_hh, b_hh), noted=False)
def _(k, xp, h0, w_hh, b_hh, lengths, reverse, mode):
    return k.simple_rnn(np.array(xp, order="C"), dense(h0), dense(w_hh), dense(b_hh), mode == "RNN_RELU", reverse,
                        _lengths64(lengths))


def sequence(mode, xp, states, w_hh, b_hh, lengths, reverse):
    """(outputs, final states) of one layer and direction, through the op of the mode."""
    if mode == "LSTM":
        y, h, c, *_ = lstm_sequence(xp, *states, w_hh, b_hh, lengths, reverse)
        return y, (h, c)
    if mode == "GRU":
        y, h, *_ = gru_sequence(xp, *states, w_hh, b_hh, lengths, reverse)
    else:
        y, h = simple_rnn_sequence(xp, *states, w_hh, b_hh, lengths, reverse, mode)
    return y, (h,)


# ---- the whole stack of layers, as files have it -------------------------------------------------------------------

def run_stack(mode, x, states, weights, layers, directions, lengths, dropout):
    """(outputs, [final states]) of a stack of layers on batch-first x.

    states: one [layers * directions, N, H] per kind. weights: (w_ih, w_hh, b_ih, b_hh) per layer and direction; biases may be
    None. ``dropout(x)`` is applied between layers.
    """
    finals = [[] for _ in states]
    for layer in range(layers):
        outs = []
        for d in range(directions):
            k = layer * directions + d
            w_ih, w_hh, b_ih, b_hh = weights[k]
            if mode != "GRU" and b_ih is not None and b_hh is not None:  # one sum, and one gradient, for both
                b_ih, b_hh = None, b_ih + b_hh
            n, t = x.shape[0], x.shape[1]
            xp = matmul(x.reshape([n * t, x.shape[2]]), w_ih, False, True)
            xp = (xp if b_ih is None else xp + b_ih).reshape([n, t, w_ih.shape[0]])
            y, final = sequence(mode, xp, [s[k] for s in states], w_hh, b_hh, lengths, d == 1)
            outs.append(y)
            for kept, f in zip(finals, final):
                kept.append(f)
        x = outs[0] if directions == 1 else concat(outs, axis=2)
        if dropout is not None and layer < layers - 1:
            x = dropout(x)
    return x, [stack(kept, 0) for kept in finals]


class SharedDropout:
    """Dropout between layers with one mask for all of them, drawn at its first use, time by time: what Paddle does on a CPU."""

    def __init__(self, p, seed=0):
        self.p, self.seed, self.mask = p, seed, None

    def __call__(self, y):
        if self.mask is None:
            batch, times, width = y.shape
            self.mask = np.ascontiguousarray(draws.kept(self.seed, (times, batch, width), self.p).swapaxes(0, 1))
        return apply_mask(y, self.mask, self.p)


def _unpack_weights(weights, layers, directions):
    """Files list all w_ih, w_hh first, layer by layer and direction by direction, then all b_ih, b_hh."""
    count = layers * directions
    biases = weights[2 * count:] or [None] * (2 * count)
    return [(weights[2 * k], weights[2 * k + 1], biases[2 * k], biases[2 * k + 1]) for k in range(count)]


@op("rnn(Input, PreState*, WeightList*, SequenceLength?) -> Out, DropoutState?, State*, Reserve?", family="own",
    random="dropout_prob",
    shapes=lambda x, states, hidden_size, is_bidirec: (x.like((*x.shape[:2], hidden_size * (2 if is_bidirec else 1))), *states))
def rnn(x, states, weights, lengths=None, dropout_prob=0.0, is_bidirec=False, input_size=10, hidden_size=100, num_layers=1,
        mode="RNN_TANH", seed=0, is_test=False):
    """A stack of recurrent layers on time-major x [T, N, I]: the outputs, then the final states."""
    directions = 2 if is_bidirec else 1
    between = SharedDropout(dropout_prob, seed) if dropout_prob and not is_test else None
    y, finals = run_stack(mode, np.ascontiguousarray(x.transpose(1, 0, 2)), states,
                          _unpack_weights(weights, num_layers, directions), num_layers, directions, lengths, between)
    return (np.ascontiguousarray(y.transpose(1, 0, 2)), *finals)


@rnn.vjp(takes_none=True)
def _(needs, g, x, states, weights, lengths, dropout_prob, is_bidirec, num_layers, mode, is_test):
    if dropout_prob and not is_test:
        raise NotImplementedError("rnn: the gradient of the file's rnn op with dropout between layers is not available; "
                                  "build the layers in dynamic mode")
    tape = any(isinstance(one, Tensor) for one in g if one is not None)
    flat = [x, *states, *weights]
    leaves = flat if tape else [wrap(np.asarray(a)) for a in flat]
    if not tape:
        for leaf in leaves:
            leaf.stop_gradient = False
    directions = 2 if is_bidirec else 1
    lx, ls, lw = leaves[0], leaves[1:1 + len(states)], leaves[1 + len(states):]
    with enable_grad():
        y, finals = run_stack(mode, transpose(lx, [1, 0, 2]), ls, _unpack_weights(lw, num_layers, directions), num_layers,
                              directions, _plain_lengths(lengths), None)
        outs = [transpose(y, [1, 0, 2]), *finals]
        pairs = [(o, one if isinstance(one, Tensor) else wrap(one)) for o, one in zip(outs, g) if one is not None]
        found = grad([o for o, _ in pairs], leaves, [one for _, one in pairs], create_graph=tape, allow_unused=True)
    found = found if tape else [None if f is None else f._data for f in found]
    return found[0], found[1:1 + len(states)], found[1 + len(states):], None


through_float32(lstm_sequence, gru_sequence, simple_rnn_sequence)
