"""Optimizer updates as one native call for many parameters, written into the parameters' own memory where nobody shares it."""

import numpy as np

from .. import kernels
from ..core.routine import held
from ..optimizer.adam import rounded_betas
from .calls import Call


class Kind:
    """How one type of update operator maps to its native group function."""

    def __init__(self, native, states, run):
        self.native, self.states, self.run = native, states, run

    def available(self):
        return kernels.native is not None and hasattr(kernels.native, self.native)

    def state_positions(self, node):
        """Positions of the inputs that the update writes over: the parameter and its states."""
        names = [s.name for s in node.call.op.inputs]
        return [names.index("Param"), *[names.index(s) for s in self.states]]


def _sgd(k, p, g, s, rates, a):
    k.sgd_group(p, g, rates)


def _momentum(k, p, g, s, rates, a):
    l2 = a["regularization_coeff"] if a["regularization_method"] == "l2_decay" else 0.0
    k.momentum_group(p, g, *s, rates, a["mu"], a["use_nesterov"], l2)


def _adam(k, p, g, s, rates, a):
    k.adam_group(p, g, *s, rates, *rounded_betas(a, p[0].dtype), a["epsilon"])


def _adamw(k, p, g, s, rates, a):
    rates = [r * a["lr_ratio"] for r in rates]
    coeff = a["coeff"] if a["with_decay"] else 0.0
    k.adam_group(p, g, *s, rates, *rounded_betas(a, p[0].dtype), a["epsilon"], coeff)


_ADAM = ("Moment1", "Moment2", "Beta1Pow", "Beta2Pow")
GROUPS = {"sgd": Kind("sgd_group", (), _sgd), "momentum": Kind("momentum_group", ("Velocity",), _momentum),
          "adam": Kind("adam_group", _ADAM, _adam), "adamw": Kind("adam_group", _ADAM, _adamw)}


class GroupUpdate(Call):
    """The updates of several nodes of one type: their inputs one after the other, their outputs likewise."""

    def __init__(self, kind, nodes):
        self.kind, self.calls = kind, [n.call for n in nodes]
        first = self.calls[0]
        self.type, self.op = f"{first.type}_group", first.op
        self.n_in, self.n_out = len(nodes[0].ins), len(nodes[0].outs)
        self.values = dict(zip(first.op.attr_names, first.values))
        names = [s.name for s in first.op.inputs]
        self.param, self.grad, self.rate = names.index("Param"), names.index("Grad"), names.index("LearningRate")
        self.state_slots = [names.index(s) for s in kind.states]
        outs = [s.name for s in first.op.outputs]
        self.order = [outs.index("ParamOut"), *[outs.index(s + "Out") for s in kind.states]]

    wants_env = True  # to see which memory is still looked at

    def overwritten(self):
        """Positions of the inputs whose memory the call writes into."""
        return [k * self.n_in + p for k in range(len(self.calls)) for p in (self.param, *self.state_slots)]

    def label(self):
        return f"{self.type}{{{len(self.calls)} parameters}}"

    def prepare(self):
        single = [c.prepare() for c in self.calls]
        kind, n, m, size = self.kind, self.n_in, self.n_out, len(self.calls)
        rows = range(size)
        written = [self.param, *self.state_slots]
        steps = [k * n for k in rows]

        def run(env, *flat):
            dtype = flat[self.param].dtype
            if not kind.available() or dtype.char not in "fd" or any(
                    flat[s + self.param].dtype != dtype or flat[s + self.grad].dtype != dtype for s in steps):
                return _one_by_one(single, flat, n, m)
            rate = flat[self.rate]
            if all(flat[s + self.rate] is rate for s in steps):
                rates = [float(rate.reshape(()))] * size
            else:
                rates = [float(flat[s + self.rate].reshape(())) for s in steps]
            grads = [np.ascontiguousarray(flat[s + self.grad]) for s in steps]
            old = [flat[s + p] for p in written for s in steps]
            old = [np.array(a, order="C") if shared or a.base is not None or not a.flags.carray else a
                   for a, shared in zip(old, held(env, old))]  # what others in the program look at is written elsewhere
            columns = [old[k:k + size] for k in range(0, len(old), size)]
            kind.run(kernels.native, columns[0], grads, columns[1:], rates, self.values)
            outs = [None] * (m * size)
            for place, column in zip(self.order, columns):
                outs[place::m] = column
            return outs
        return run


def _one_by_one(calls, flat, n, m):
    outs = []
    for k, call in enumerate(calls):
        results = call(*flat[k * n:(k + 1) * n])
        outs += list(results) if m > 1 else [results]
    return outs
