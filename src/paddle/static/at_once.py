"""Operators by type and slots that run at once: what ``Block.append_op`` does where no program is being built."""

from __future__ import annotations

import numpy as np

from ..core import dtype as dtypes
from ..core.attributes import from_file
from ..core.errors import describe
from ..core.rooms import rooms
from ..core.tensor import Parameter, Tensor, wrap
from .program import op_table
from .program.registry import find


def empty(name=None, shape=None, dtype="float32", persistable=False, stop_gradient=False, **unused_kinds) -> Tensor:
    """A Tensor without elements that waits for an operator's result."""
    unknown = unused_kinds.keys() - {"type", "lod_level", "is_data", "need_check_feed", "kind"}
    if unknown:
        raise TypeError(f"create_var() got an unexpected keyword argument {min(unknown)!r}")
    made = wrap(np.zeros([0], dtypes.to_numpy("float32" if dtype is None else dtype, "create_var")))
    made.persistable, made.stop_gradient = persistable, stop_gradient
    if name is not None:
        made.name = name
    return made


def run(kind, inputs=None, outputs=None, attrs=None) -> None:
    """Run the operator of a type on Tensors by slot; its results go into the given output Tensors."""
    op = find(kind)
    if op is None:
        raise NotImplementedError(f"append_op(): there is no operator {kind!r}")
    given = {slot: _listed(values) for slot, values in (inputs or {}).items()}
    numbers = op.facts.numbers or {}
    known = {*(slot.name for slot in op.inputs), *numbers}
    extra = [slot for slot, values in given.items() if values and slot not in known]
    if extra:
        raise NotImplementedError(f"append_op(): the input {extra[0]} of {kind} is not supported")
    if any(isinstance(v, Tensor) and v._lengths for values in given.values() for v in values):
        rooms.run_on_sequences(kind, given, {slot: _listed(values) for slot, values in (outputs or {}).items()}, attrs)
        return
    args = []
    for slot in op.inputs:
        values = given.get(slot.name, [])
        if any(not isinstance(v, Tensor) for v in values):
            raise TypeError(f"append_op(): the input {slot.name} of {kind} must be Tensors, got {describe(values[0])}")
        if not values and not slot.optional:
            raise ValueError(f"append_op(): the input {slot.name} of {kind} is missing")
        args.append(values if slot.is_list else values[0] if values else None)
    read = {name: given[slot][0].item() for slot, name in numbers.items() if given.get(slot)}
    results = op(*args, *from_file(op, {**op_table.defaults(kind), **(attrs or {}), **read}))
    hand_over(op, results, outputs or {})


def hand_over(op, results, outputs) -> None:
    """Let the Tensors that wait in output slots be an op's results."""
    results = (results,) if op.single or len(op.outputs) == 1 else results
    for slot, result in zip(op.outputs, results):
        for target, value in zip(_listed(outputs.get(slot.name)), _listed(result)):
            if isinstance(target, Parameter):
                target.replace(value._data)
            else:
                target.stop_gradient = True  # it has no value yet that a gradient could belong to
                target.become(value, "append_op", reshapes=True)


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]
