"""Tensor arrays: lists of tensors that programs write and read by index. As values they are Python lists, never changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....core.tensor import wrap
from ....tensor.joining import concat, stack
from ..lower import EMPTY, special
from .control import add, zeros
from .op import GRAD, Call

if TYPE_CHECKING:
    from ...program.program import Operator
    from ..graph import Value
    from ..lower import Lowering
    from .op import Meta


def _index(i: np.ndarray, function: str) -> int:
    if i is None or i.size != 1 or i.dtype.kind not in "iu":
        raise ValueError(f"{function}(): the index must be one integer")
    k = int(i.reshape(()))
    if k < 0:
        raise IndexError(f"{function}(): the index must not be negative, got {k}")
    return k


class ArrayWrite(Call):
    """write_to_array: the array with one member replaced (and grown up to it)."""

    type, single, differentiable = "write_to_array", True, True
    in_slots = [("X", 1, False), ("I", 1, False), ("Array", 1, False)]
    out_slots = [("Out", 1, False)]

    def prepare(self) -> Any:
        def run(x: np.ndarray, i: np.ndarray, array: list[Any]) -> Any:
            k, new = _index(i, "array_write"), list(array or ())
            new += [None] * (k + 1 - len(new))
            new[k] = x
            return new
        return run

    def run_tensors(self, ins: Any) -> Any:
        return [self.prepare()(ins[0], ins[1]._data, ins[2])]

    def grad_positions(self) -> tuple[Any, ...]:
        return (0, 2)

    def gradient(self, wanted: list[Any], given: list[Any]) -> ArrayWriteGrad:
        return ArrayWriteGrad(wanted)


class ArrayWriteGrad(Call):
    """Gradients of write_to_array: the member's own, and the array's without it."""

    type = "write_to_array_grad"
    in_slots = [*ArrayWrite.in_slots, *ArrayWrite.out_slots, ("Out" + GRAD, 1, False)]
    out_slots = [(s + GRAD, n, many) for s, n, many in ArrayWrite.in_slots]
    needs_shape = {0}

    def __init__(self, wanted: list[Any] | tuple[Any, ...]) -> None:
        self.wanted = wanted

    def trim(self, ins: list[Any]) -> list[Any]:
        return [ins[0], ins[1], None, None, ins[4]]

    def prepare(self) -> Any:
        def run(x: Meta, i: np.ndarray, _array: Any, _out: Any, g: list[Any]) -> Any:
            k = _index(i, "array_write")
            mine = g[k] if k < len(g) else None
            return [zeros(x) if mine is None else mine, None, [None if j == k else v for j, v in enumerate(g)]]
        return run


class ArrayRead(Call):
    """read_from_array: one member."""

    type, single, differentiable = "read_from_array", True, True
    in_slots, out_slots = [("X", 1, False), ("I", 1, False)], [("Out", 1, False)]

    def run_tensors(self, ins: Any) -> Any:
        return [ins[0][int(ins[1])]]

    def prepare(self) -> Any:
        def run(array: list[Any], i: np.ndarray) -> Any:
            k = _index(i, "array_read")
            if k >= len(array) or array[k] is None:
                raise IndexError(f"array_read(): the array has no member {k} (length {len(array)})")
            return array[k]
        return run

    def grad_positions(self) -> tuple[Any, ...]:
        return (0,)

    def gradient(self, wanted: list[Any], given: list[Any]) -> ArrayReadGrad:
        return ArrayReadGrad()


class ArrayReadGrad(Call):
    """Gradient of read_from_array: an array with only that member."""

    type = "read_from_array_grad"
    in_slots = [*ArrayRead.in_slots, *ArrayRead.out_slots, ("Out" + GRAD, 1, False)]
    out_slots = [(s + GRAD, n, many) for s, n, many in ArrayRead.in_slots]
    wanted = (0,)

    def trim(self, ins: list[Any]) -> list[Any]:
        return [None, ins[1], None, ins[3]]

    def prepare(self) -> Any:
        def run(_array: Any, i: np.ndarray, _out: Any, g: np.ndarray) -> Any:
            return [[None] * _index(i, "array_read") + [g], None]
        return run


class ArrayLength(Call):
    """lod_array_length: the number of members."""

    type, single = "lod_array_length", True
    in_slots, out_slots = [("X", 1, False)], [("Out", 1, False)]

    def run_tensors(self, ins: Any) -> Any:
        return [wrap(np.asarray([len(ins[0])], np.int64))]

    def prepare(self) -> Any:
        return lambda array: np.asarray([len(array)], np.int64)


class ArrayJoin(Call):
    """tensor_array_to_tensor: the members joined along an axis, and their sizes there."""

    type, differentiable = "tensor_array_to_tensor", True
    in_slots, out_slots = [("X", 1, False)], [("Out", 1, False), ("OutIndex", 1, False)]

    def __init__(self, attrs: dict[Any, Any]) -> None:
        self.attrs, self.axis, self.stacks = attrs, attrs.get("axis", 0), attrs.get("use_stack", False)

    def run_tensors(self, ins: Any) -> Any:
        return [(stack if self.stacks else concat)(ins[0], self.axis), None]

    def prepare(self) -> Any:
        axis, stacks = self.axis, self.stacks

        def run(array: list[Any]) -> Any:
            if not array or any(v is None for v in array):
                raise ValueError("tensor_array_to_tensor(): the array is empty or has a missing member")
            sizes = np.asarray([1 if stacks else v.shape[axis] for v in array], np.int32)
            return (np.stack(array, axis) if stacks else np.concatenate(array, axis)), sizes
        return run

    def gradient(self, wanted: list[Any], given: list[Any]) -> ArrayJoinGrad:
        return ArrayJoinGrad(self.attrs)


class ArrayJoinGrad(Call):
    """Gradient of tensor_array_to_tensor: the pieces again."""

    type = "tensor_array_to_tensor_grad"
    in_slots = [*ArrayJoin.in_slots, *ArrayJoin.out_slots, *[(s + GRAD, n, many) for s, n, many in ArrayJoin.out_slots]]
    out_slots = [("X" + GRAD, 1, False)]
    wanted = (0,)

    def __init__(self, attrs: dict[Any, Any]) -> None:
        self.attrs = attrs

    def trim(self, ins: list[Any]) -> list[Any]:
        return [None, None, ins[2], ins[3], None]

    def prepare(self) -> Any:
        axis, stacks = self.attrs.get("axis", 0), self.attrs.get("use_stack", False)

        def run(_array: Any, _out: Any, sizes: np.ndarray, g: np.ndarray, _: Any) -> Any:
            parts = np.split(g, np.cumsum(sizes)[:-1], axis)
            return [[p.squeeze(axis) for p in parts] if stacks else parts]
        return run


class ArraySum(Call):
    """The sum of gradients of an array, member by member."""

    type, single = "array_sum", True
    out_slots = [("Out", 1, False)]

    def __init__(self, n: int) -> None:
        self.in_slots = [("X", n, True)]

    def prepare(self) -> Any:
        def run(*arrays: Any) -> Any:
            total = None
            for a in arrays:
                total = add(total, a)
            return total
        return run


def _one(lowering: Lowering, operator: Operator, slot: str) -> Value | None:
    names = operator.input(slot)
    return lowering.read(names[0]) if names and names[0] != EMPTY else None


@special("write_to_array")
def _write(lowering: Lowering, operator: Operator) -> None:
    name = operator.output("Out")[0]
    ins = [_one(lowering, operator, "X"), _one(lowering, operator, "I"), lowering.read(name)]
    lowering.add(ArrayWrite(), ins, [name], operator)


@special("read_from_array")
def _read(lowering: Lowering, operator: Operator) -> None:
    lowering.add(ArrayRead(), [_one(lowering, operator, s) for s in ("X", "I")], operator.output("Out"), operator)


@special("lod_array_length")
def _length(lowering: Lowering, operator: Operator) -> None:
    lowering.add(ArrayLength(), [_one(lowering, operator, "X")], operator.output("Out"), operator)


@special("tensor_array_to_tensor")
def _join(lowering: Lowering, operator: Operator) -> None:
    outs = [(operator.output(s) or [None])[0] for s in ("Out", "OutIndex")]
    lowering.add(ArrayJoin(operator.attrs), [_one(lowering, operator, "X")], outs, operator)


@special("array_sum")
def _sum(lowering: Any, operator: Any) -> None:
    names = operator.input("X")
    lowering.add(ArraySum(len(names)), [lowering.read(n) for n in names], operator.output("Out"), operator)


def _gradient(call_of: Callable[..., Any]) -> Callable[..., Any]:
    def lower(lowering: Lowering, operator: Operator) -> None:
        call = call_of(operator)
        ins = [_one(lowering, operator, slot) for slot, _, _ in call.in_slots]
        outs = [(operator.output(slot) or [None])[0] for slot, _, _ in call.out_slots]
        lowering.add(call, lowering.with_shapes(call, ins), outs, operator)
    return lower


special("write_to_array_grad")(_gradient(lambda op: ArrayWriteGrad((0, 2))))
special("read_from_array_grad")(_gradient(lambda op: ArrayReadGrad()))
special("tensor_array_to_tensor_grad")(_gradient(lambda op: ArrayJoinGrad(op.attrs)))
