"""Optimizer updates as one native call for many parameters, written into the parameters' own memory where nobody shares it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....core.context import process
from ....core.routine import held
from ....ops.families.rows import step_in_place
from .op import Call, RowsCall


class GroupUpdate(Call):
    """The updates of several nodes of one type: their inputs one after the other, their outputs likewise."""

    def __init__(self, nodes: list[Any]) -> None:
        self.calls = [n.call for n in nodes]
        first = self.calls[0]
        self.type, self.op = f"{first.type}_group", first.op
        self.n_in, self.n_out = len(nodes[0].ins), len(nodes[0].outs)
        self.values = dict(zip(first.op.attr_names, first.values))
        names = [s.name for s in first.op.inputs]
        self.param, self.grad, self.rate = names.index("Param"), names.index("Grad"), names.index("LearningRate")
        self.written = first.op.updates

    wants_env = True  # to see which memory is still looked at

    def overwritten(self) -> Any:
        """Positions of the inputs whose memory the call writes into."""
        return [k * self.n_in + p for k in range(len(self.calls)) for p in self.written]

    def label(self) -> Any:
        return f"{self.type}{{{len(self.calls)} parameters}}"

    def prepare(self) -> Callable[..., Any]:
        if isinstance(self.calls[0], RowsCall):
            return self._run_on_rows
        single = [c.prepare() for c in self.calls]
        (native, together), n, m, size = self.op.group, self.n_in, self.n_out, len(self.calls)
        steps = [k * n for k in range(size)]

        def run(env: list[Any], *flat: Any) -> list[Any]:
            dtype = flat[self.param].dtype
            if not hasattr(process.native, native) or dtype.char not in "fd" or any(
                    flat[s + self.param].dtype != dtype or flat[s + self.grad].dtype != dtype for s in steps):
                return _one_by_one(single, flat, n, m)
            rate = flat[self.rate]
            if all(flat[s + self.rate] is rate for s in steps):
                rates = [float(rate.reshape(()))] * size
            else:
                rates = [float(flat[s + self.rate].reshape(())) for s in steps]
            grads = [np.ascontiguousarray(flat[s + self.grad]) for s in steps]
            old = _own(env, [flat[s + p] for p in self.written for s in steps])
            columns = [old[k:k + size] for k in range(0, len(old), size)]
            together(getattr(process.native, native), columns[0], grads, columns[1:], rates, self.values)
            return [column[k] for k in range(size) for column in columns]
        return run

    def _run_on_rows(self, env: list[Any], *flat: Any) -> list[Any]:
        """Update parameters whose gradients are SelectedRows, or arrays where rows were added to one."""
        outs = []
        for call, s in zip(self.calls, range(0, len(flat), self.n_in)):
            values = [*flat[s:s + self.n_in], *call.values]
            for p, array in zip(self.written, _own(env, [values[p] for p in self.written])):
                values[p] = array
            step_in_place(call.op, values)
            outs += [values[p] for p in self.written]
        return outs


def _own(env: list[Any], arrays: list[Any]) -> list[Any]:
    """The arrays (None: a state that is not given), to be written into: copies of those that others in the program look at."""
    return [np.array(a, order="C") if a is not None and (shared or a.base is not None or not a.flags.carray) else a
            for a, shared in zip(arrays, held(env, arrays))]


def _one_by_one(calls: Any, flat: Any, n: Any, m: Any) -> Any:
    outs = []
    for k, call in enumerate(calls):
        results = call(*flat[k * n:(k + 1) * n])
        outs += list(results) if m > 1 else [results]
    return outs
