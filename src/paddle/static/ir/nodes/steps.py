"""lod_tensor_to_array and array_to_lod_tensor: the steps of packed sequences as the members of an array, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....core.tensor import wrap
from ....ops.manipulation.gather_scatter import gather
from ....ops.sequence import packed_rows
from ....tensor.joining import concat
from ..lower import special
from .op import GRAD, Call


def _taken(function: str, table: tuple[Any, ...], lod: tuple[Any, ...], rows: int) -> list[Any]:
    """For each step: the rows that it takes, and the offsets of the levels within. ``table``: what a rank table holds besides the
    order; ``lod``: the offsets of what is cut."""
    steps, starts, level = table[0], table[1], len(table) - 3
    inner = [np.asarray(ends) for ends in lod[level + 1:]]
    covered = len(inner[0]) - 1 if inner else rows
    if len(steps) != covered:
        raise ValueError(f"{function}(): the rank table is of {len(steps)} rows or sequences, x has {covered}")
    return [packed_rows.picked(inner, np.asarray(steps[a:b])) for a, b in zip(starts, starts[1:])]


class _Steps(Call):
    """What both directions share: X, the table and what the table holds, and the offsets of X."""

    differentiable = True

    def __init__(self, held: int, levels: int, made: int) -> None:
        self.held, self.levels, self.made = held, levels, made
        self.in_slots = [("X", 1, False), ("RankTable", 1, False), ("RankTableLoD", held, True), ("XLoD", levels, True)]
        self.out_slots = [("Out", 1, False), ("OutLoD", made, True)]

    def parts(self, rest: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """(what the table holds, the offsets of X) of the inputs behind X and the table."""
        return rest[:self.held], rest[self.held:self.held + self.levels]

    def grad_positions(self) -> tuple[int, ...]:
        return (0,)


class Cut(_Steps):
    """lod_tensor_to_array."""

    type = "lod_tensor_to_array"

    def prepare(self) -> Any:
        def run(x: np.ndarray, _table: Any, *rest: Any) -> Any:
            found = _taken(self.type, *self.parts(rest), len(x))
            return [[x[rows] for rows, _ in found], *[[made[k] for _, made in found] for k in range(self.made)]]
        return run

    def run_tensors(self, ins: Any) -> Any:
        found = _taken(self.type, *self.parts(tuple(t.numpy() for t in ins[2:])), ins[0].shape[0])
        return [[gather(ins[0], rows) for rows, _ in found],
                *[[wrap(made[k]) for _, made in found] for k in range(self.made)]]

    def gradient(self, wanted: Any, given: Any) -> CutGrad:
        return CutGrad(self.held, self.levels, self.made)


class Packed(_Steps):
    """array_to_lod_tensor: offsets of X are arrays of those of the members."""

    type = "array_to_lod_tensor"

    def places(self, array: list[Any], rest: tuple[Any, ...]) -> tuple[np.ndarray, list[Any]]:
        """(the rows of the members, one member behind the other, as they stand in the result; offsets of the levels within)."""
        if not array or any(v is None for v in array):
            raise ValueError("array_to_lod_tensor(): the array is empty or has a missing member")
        (steps, *_), lod = self.parts(rest)
        inner: list[Any] = []
        for arrays in lod:
            inner.append(packed_rows.ends_of(np.concatenate([np.diff(ends) for ends in arrays])))
        if len(steps) != (len(inner[0]) - 1 if inner else sum(len(v) for v in array)):
            raise ValueError(f"array_to_lod_tensor(): the rank table is of {len(steps)} rows or sequences, the array has others")
        return packed_rows.picked(inner, np.argsort(steps, kind="stable"))

    def prepare(self) -> Any:
        def run(array: list[Any], _table: Any, *rest: Any) -> Any:
            rows, made = self.places(array, rest)
            return [np.concatenate(array)[rows], *made]
        return run

    def run_tensors(self, ins: Any) -> Any:
        plain = tuple([m.numpy() for m in t] if isinstance(t, list) else t.numpy() for t in ins[2:])
        rows, made = self.places(ins[0], plain)
        return [gather(concat(ins[0], 0), rows), *map(wrap, made)]

    def gradient(self, wanted: Any, given: Any) -> PackedGrad:
        return PackedGrad(self.held, self.levels, self.made)


class _StepsGrad(_Steps):
    wanted, differentiable, forward = (0,), False, _Steps

    def __init__(self, held: int, levels: int, made: int) -> None:
        call: Any = self.forward(held, levels, made)
        super().__init__(held, levels, made)
        self.call, self.first = call, 2 + held + levels + 1 + made
        self.in_slots = [*call.in_slots, *call.out_slots, ("Out" + GRAD, 1, False), ("OutLoD" + GRAD, made, True)]
        self.out_slots = [(slot + GRAD, n, many) for slot, n, many in call.in_slots]

    def only(self, gradient: Any) -> list[Any]:
        """The gradient of X, and none of the rest."""
        return [gradient, *[None] * (1 + self.held + self.levels)]

    def trim(self, ins: list[Any]) -> list[Any]:
        """X, what says where its rows go, and the gradient."""
        return [*ins[:2 + self.held + self.levels], *[None] * (1 + self.made), ins[self.first], *[None] * self.made]


class CutGrad(_StepsGrad):
    """Gradient of lod_tensor_to_array: the rows of the members where they came from."""

    type, forward, needs_shape = "lod_tensor_to_array_grad", Cut, {0}

    def prepare(self) -> Any:
        def run(x: Any, _table: Any, *rest: Any) -> Any:
            g = rest[self.first - 2]
            out = np.zeros(x.shape, x.dtype)
            for (rows, _), part in zip(_taken(self.type, *self.parts(rest), x.shape[0]), g):
                if part is not None:
                    out[rows] = part
            return self.only(out)
        return run


class PackedGrad(_StepsGrad):
    """Gradient of array_to_lod_tensor: the rows of each step."""

    type, forward = "array_to_lod_tensor_grad", Packed

    def prepare(self) -> Any:
        def run(array: list[Any], _table: Any, *rest: Any) -> Any:
            rows, _ = self.call.places(array, rest)
            back = np.empty_like(rest[self.first - 2])
            back[rows] = rest[self.first - 2]
            return self.only(np.split(back, np.cumsum([len(v) for v in array])[:-1]))
        return run


def _lower(kind: Any) -> Any:
    def lower(lowering: Any, operator: Any) -> None:
        counts = [len(operator.input(slot)) for slot in ("RankTableLoD", "XLoD")]
        call = kind(*counts, len(operator.input("OutLoD") if issubclass(kind, _StepsGrad) else operator.output("OutLoD")))
        ins: list[Any] = []
        for slot, n, _ in call.in_slots:
            names = operator.input(slot)
            ins += [lowering.read(name) for name in names] if names else [None] * n
        outs = [name for slot, n, many in call.out_slots for name in operator.output(slot) or [None] * n]
        lowering.add(call, lowering.with_shapes(call, ins) if issubclass(kind, _StepsGrad) else ins, outs, operator)
    return lower


for _kind in (Cut, Packed, CutGrad, PackedGrad):
    special(_kind.type)(_lower(_kind))
