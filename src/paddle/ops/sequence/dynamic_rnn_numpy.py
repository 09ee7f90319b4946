"""lstm and gru over packed rows in plain NumPy, with their first gradients: rows are sorted by step once, so that each step is a
slice. ops/sequence/dynamic_rnn.py has the same with ops, which is the reference and where higher gradients come from."""

import numpy as np

from . import packed_rows
from .dynamic_rnn import activation_of, checked_gru, checked_lstm, gru, longest_first, lstm, step_rows

SLOPES = {"sigmoid": lambda y: y * (1 - y), "tanh": lambda y: 1 - y * y, "relu": lambda y: (y > 0).astype(y.dtype),
          "identity": np.ones_like}  # of an activation, by what it gave


class Steps:
    """The rows of all steps one behind the other (``rows``), where each step lies (``spans``), and the sequences' order."""

    def __init__(self, ends, reverse):
        parts = step_rows(ends, reverse)
        self.order, self.rows = longest_first(ends), np.concatenate([np.zeros(0, np.int64), *parts])
        starts = packed_rows.ends_of([len(p) for p in parts])
        self.spans = list(zip(starts[:-1].tolist(), starts[1:].tolist()))

    def first(self, state, width, dtype):
        """The first state, longest sequence first."""
        return np.zeros((len(self.order), width), dtype) if state is None else state[self.order]

    def packed(self, values):
        """Values of all steps as packed rows."""
        out = np.empty_like(values)
        out[self.rows] = values
        return out

    def unsorted(self, state):
        """A state in the order of the sequences."""
        out = np.empty_like(state)
        out[self.order] = state
        return out


class Lstm:
    """One run of an LSTM, with what its gradients need: gates [rows, candidate input forget output], cells and states."""

    def __init__(self, x, h0, c0, weight, bias, lod, peepholes, reverse, names):
        ends = checked_lstm(x, weight, bias, lod, peepholes, "dynamic_lstm")
        steps = self.steps = Steps(ends, reverse)
        d = self.width = x.shape[1] // 4
        gate, cell, candidate = (activation_of(n, "dynamic_lstm") for n in names)
        self.slopes = [SLOPES[n] for n in names]
        b = bias.reshape(-1)
        self.peep = [b[k * d:k * d + d] for k in (4, 5, 6)] if peepholes else None
        z = self.gates = x[steps.rows] + b[:4 * d]
        self.cells, self.shown, self.hidden = (np.empty((len(z), d), x.dtype) for _ in range(3))
        self.cells_before, self.hidden_before = np.empty((len(z), d), x.dtype), np.empty((len(z), d), x.dtype)
        h, c = steps.first(h0, d, x.dtype), steps.first(c0, d, x.dtype)
        for a, e in steps.spans:
            h, c, part = h[:e - a], c[:e - a], z[a:e]
            self.hidden_before[a:e], self.cells_before[a:e] = h, c
            part += h @ weight
            inner = part[:, d:3 * d]
            if peepholes:
                inner += np.concatenate([c * self.peep[0], c * self.peep[1]], 1)
            inner[:] = gate(inner)
            part[:, :d] = candidate(part[:, :d])
            c = self.cells[a:e] = inner[:, d:] * c + inner[:, :d] * part[:, :d]
            last = part[:, 3 * d:]
            if peepholes:
                last += c * self.peep[2]
            last[:] = gate(last)
            self.shown[a:e] = cell(c)
            h = self.hidden[a:e] = last * self.shown[a:e]

    def gradients(self, g_hidden, g_cell, weight, bias):
        """Gradients by input, first hidden state, first cell, weight and bias."""
        steps, d, (by_gate, by_cell, by_candidate) = self.steps, self.width, self.slopes
        g_hidden, g_cell = g_hidden[steps.rows], g_cell[steps.rows]
        dz, count = np.empty_like(self.gates), len(steps.order)
        dh, dc = np.zeros((count, d), dz.dtype), np.zeros((count, d), dz.dtype)
        for a, e in reversed(steps.spans):
            n, part = e - a, dz[a:e]
            new, i, f, o = (self.gates[a:e, k * d:k * d + d] for k in range(4))
            back = g_hidden[a:e] + dh[:n]
            part[:, 3 * d:] = back * self.shown[a:e] * by_gate(o)
            keep = g_cell[a:e] + dc[:n] + back * o * by_cell(self.shown[a:e])
            if self.peep:
                keep += part[:, 3 * d:] * self.peep[2]
            part[:, :d] = keep * i * by_candidate(new)
            part[:, d:2 * d] = keep * new * by_gate(i)
            part[:, 2 * d:3 * d] = keep * self.cells_before[a:e] * by_gate(f)
            dc[:n] = keep * f
            if self.peep:
                dc[:n] += part[:, d:2 * d] * self.peep[0] + part[:, 2 * d:3 * d] * self.peep[1]
            dh[:n] = part @ weight.T
        db = [dz.sum(0)]
        if self.peep:
            db += [(dz[:, d:2 * d] * self.cells_before).sum(0), (dz[:, 2 * d:3 * d] * self.cells_before).sum(0),
                   (dz[:, 3 * d:] * self.cells).sum(0)]
        return (steps.packed(dz), steps.unsorted(dh), steps.unsorted(dc), self.hidden_before.T @ dz,
                np.concatenate(db).reshape(bias.shape))


def _run_lstm(x, h0, c0, weight, bias, lod, peepholes, reverse, is_test, *names):
    """(outputs, function from their gradients to those of the inputs)."""
    run = Lstm(x, h0, c0, weight, bias, lod, peepholes, reverse, names)

    def back(g):
        g = [np.zeros((len(x), run.width), x.dtype) if one is None else one for one in g]
        return (*run.gradients(*g, weight, bias), None)
    return (run.steps.packed(run.hidden), run.steps.packed(run.cells)), back


class Gru:
    """One run of a GRU, with what its gradients need: update and reset gates, candidates, states."""

    def __init__(self, x, h0, weight, bias, lod, act, gate, reverse, origin_mode):
        ends = checked_gru(x, weight, lod)
        steps, d = Steps(ends, reverse), weight.shape[0]
        self.steps, self.width, self.origin = steps, d, origin_mode
        self.slopes, flat = (SLOPES[gate], SLOPES[act]), weight.reshape(-1)
        self.w_gates, self.w_new = flat[:2 * d * d].reshape(d, 2 * d), flat[2 * d * d:].reshape(d, d)
        gate, act = (activation_of(n, "dynamic_gru") for n in (gate, act))
        z = self.gates = x[steps.rows] if bias is None else x[steps.rows] + bias.reshape(-1)
        self.before, self.hidden = np.empty((len(z), d), x.dtype), np.empty((len(z), d), x.dtype)
        h = steps.first(h0, d, x.dtype)
        for a, e in steps.spans:
            h, part = h[:e - a], z[a:e]
            self.before[a:e] = h
            part[:, :2 * d] = gate(part[:, :2 * d] + h @ self.w_gates)
            u, r = part[:, :d], part[:, d:2 * d]
            part[:, 2 * d:] = act(part[:, 2 * d:] + (r * h) @ self.w_new)
            c = part[:, 2 * d:]
            h = self.hidden[a:e] = c + u * (h - c) if origin_mode else h + u * (c - h)

    def gradients(self, g, weight, bias):
        """Gradients by input, first state, weight and bias."""
        steps, d, (by_gate, by_act) = self.steps, self.width, self.slopes
        g, dz = g[steps.rows], np.empty_like(self.gates)
        dh = np.zeros((len(steps.order), d), dz.dtype)
        for a, e in reversed(steps.spans):
            n, part, h = e - a, dz[a:e], self.before[a:e]
            u, r, c = (self.gates[a:e, k * d:k * d + d] for k in range(3))
            back = g[a:e] + dh[:n]
            kept, taken, sign = (u, 1 - u, -1) if self.origin else (1 - u, u, 1)
            part[:, 2 * d:] = back * taken * by_act(c)
            reset = part[:, 2 * d:] @ self.w_new.T
            part[:, :d] = back * (c - h) * by_gate(u) * sign
            part[:, d:2 * d] = reset * h * by_gate(r)
            dh[:n] = back * kept + reset * r + part[:, :2 * d] @ self.w_gates.T
        dw = [self.before.T @ dz[:, :2 * d], (self.gates[:, d:2 * d] * self.before).T @ dz[:, 2 * d:]]
        return (steps.packed(dz), steps.unsorted(dh), np.concatenate([w.reshape(-1) for w in dw]).reshape(weight.shape),
                None if bias is None else dz.sum(0).reshape(bias.shape))


def _run_gru(x, h0, weight, bias, lod, *options):
    """(output, function from its gradient to those of the inputs)."""
    run = Gru(x, h0, weight, bias, lod, *options)
    return run.steps.packed(run.hidden), lambda g: (*run.gradients(g[0], weight, bias), None)


def _attach(op, run):
    """Let an op use a function that runs it and knows the way back."""
    op.keeping(run)
    op.kernel(noted=False)(lambda k, *values: run(*values)[0])
    op.first_order(lambda needs, g, *values: run(*values)[1](g))


_attach(lstm, _run_lstm)
_attach(gru, _run_gru)
