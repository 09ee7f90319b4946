"""Operators under the names and in the argument order of 2.6.2's C++ functions (``c_ops.json``): behind ``paddle._C_ops`` and
``paddle._legacy_C_ops``, which packages written for Paddle call directly."""

import functools
import json
import os

import numpy as np

from ..core import attributes
from ..core.context import context
from ..core.dtype import DType
from ..core.errors import describe
from ..core.op import Symbolic
from ..core.place import Place
from ..core.tensor import Tensor, wrap
from ..static.program import op_table, registry
from . import c_composed


@functools.cache
def table():
    """{"functions": {name: row}, "legacy": {"ins": ..., "outs": ...}} as scripts/record_c_ops.py wrote it."""
    with open(os.path.join(os.path.dirname(__file__), "c_ops.json"), encoding="utf8") as file:
        return json.load(file)


def function(name):
    """The function ``paddle._C_ops.name``; AttributeError where there is no such operator.

    Names that only operators have are functions of 2.0 to 2.3, which 2.4 moved into ``_legacy_C_ops``.
    """
    row = table()["functions"].get(name)
    inplace = row is not None and name.endswith("_")
    if row is None and name.endswith("_"):  # the in-place form of a function
        row = table()["functions"].get(name[:-1], {})
        row, inplace = (row, True) if "inplace" in row else (None, False)
    if row is None and name in op_table.table() and registry.find(name) is not None:
        return legacy_function(name)
    if row is None and name in c_composed.FUNCTIONS:
        return c_composed.FUNCTIONS[name]
    if row is None:
        raise AttributeError(f"module 'paddle._C_ops' has no attribute {name!r}: no operator here has that C++ function")
    op = registry.find(row["type"])

    def call(*args):
        return _call(name, op, row, args, inplace)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{op.__doc__}\n\nArguments, in order: {', '.join(a.replace(':', '=').partition('=')[0] for a in row['args'])}."
    return call


def legacy_function(name):
    """The function ``paddle._legacy_C_ops.name``: tensors in the order of their slots, those that take results (or how many
    a list of results has), then names and values of attributes."""
    inplace = name.endswith("_") and name not in op_table.table() and name[:-1] in _inplace_types()
    kind = name[:-1] if inplace else name
    op = registry.find(kind)
    if op is None or kind not in op_table.table():
        raise AttributeError(f"module 'paddle._legacy_C_ops' has no attribute {name!r}: there is no such operator here")
    row, listed = op_table.table()[kind], table()["legacy"]
    slots = _taken(row["in"], listed["ins"].get(kind, ()))
    outs = _taken(row["out"], listed["outs"].get(kind, ()))
    lists = {slot.rstrip("*?~") for slot in row["out"] if "*" in slot}  # of those that are not passed the number is
    written = [slot for slot in outs if slot in listed["passed"].get(kind, ()) or slot in lists]
    taken = [*slots, *(f"number of {slot}" if slot in lists else slot for slot in written)]

    def call(*args):
        n = next((i for i, a in enumerate(args) if isinstance(a, str)), len(args))
        if n > len(taken) and not all(a is None for a in args[len(taken):n]):
            raise TypeError(f"_legacy_C_ops.{name}(): at most {len(taken)} arguments before attributes ({', '.join(taken)}), "
                            f"got {n}")
        attrs = dict(zip(args[n::2], args[n + 1::2]))
        given, results = args[:n][:len(slots)], args[len(slots):n]
        state = [a for a in given if isinstance(a, Tensor) and a.stop_gradient and any(a is one for one in results)]
        copies = {id(a): a.clone() for a in state} if context.grad else {}  # backward sees the values of the call
        found = _run(op, {slot: copies.get(id(a), a) for slot, a in zip(slots, given)}, attrs)
        for slot, tensor in zip(written, results):
            found[slot] = _written(tensor, found.get(slot), name, any(tensor is a for a in state))
        if inplace:
            found[outs[0]] = given[0].become(found[outs[0]], name, _may_reshape(op))
        return _returned(found, outs)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{op.__doc__}\n\nTensors, in order: {', '.join(taken)}; then names and values of attributes."
    return call


def _may_reshape(op):
    """Does the in-place form give its tensor another shape or element type?"""
    return op.family == "reshape" or op.type == "cast"


@functools.cache
def _inplace_types():
    """The operators of functions that have an in-place form whose first tensor becomes the first result."""
    return {row["type"] for row in table()["functions"].values()
            if next(iter(row.get("inplace", ())), None) == row["args"][0].split("=")[0]}


def _written(tensor, result, name, constant):
    """The tensor that a caller passed for a result, with its values; the result where none was passed, or the number of a list.

    It takes the result's place on the tape, but for a ``constant``, which was read as well (running means): it stays one.
    """
    if tensor is None or result is None:
        return result
    if isinstance(result, (list, tuple)) and isinstance(tensor, int):
        if tensor != len(result):
            raise ValueError(f"_legacy_C_ops.{name}(): there are {len(result)} results, not {tensor}")
        return result
    if isinstance(result, (list, tuple)) and isinstance(tensor, (list, tuple)):
        return [_written(one, part, name, constant) for one, part in zip(tensor, result, strict=True)]
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_legacy_C_ops.{name}(): a result is written into a Tensor, got {describe(tensor)}")
    return tensor.become(result.detach() if constant else result, name, reshapes=True, leaf=True)


def _taken(declared, listed):
    """The slots of a legacy function, in the operator's own order: C++ lists which of the optional ones it has, in no order."""
    return [slot.rstrip("*?~") for slot in declared if not slot.endswith("?") or slot.rstrip("*?") in listed]


def _call(name, op, row, args, inplace):
    if len(args) > len(row["args"]):
        raise TypeError(f"_C_ops.{name}() takes {len(row['args'])} arguments but {len(args)} were given")
    tensors, attrs, given = {}, {}, {}
    for text, value in zip(row["args"], args):
        argument, slot = text.split("=") if "=" in text else (text.split(":")[0], None)
        given[argument] = value
        if slot is not None:
            _check(name, argument, value)
            tensors[slot] = value
        elif not isinstance(value, Place | None):
            attribute = text.split(":")[1]
            stands = _standing_slot(op.type, attribute, value)
            if stands is None:
                attrs[attribute] = value
            else:
                tensors[stands] = value
    outs = _run(op, tensors, attrs)
    if inplace:
        for argument, result in row["inplace"].items():
            slot = next(text.split("=")[1] for text in row["out"] if text.startswith(result + "="))
            if given.get(argument) is not None and outs.get(slot) is not None:
                outs[slot] = given[argument].become(outs[slot], name, _may_reshape(op))
    return _returned(outs, [text.split("=")[1] for text in row["out"]])


def _check(name, argument, value):
    items = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(item, (Tensor, Symbolic, type(None))) for item in items):
        raise ValueError(f"_C_ops.{name}(): {argument} must be a Tensor, got {describe(value)}")


def _run(op, tensors, attrs):
    """{slot: outputs} of one call by slots and file attributes."""
    inputs = [tensors.get(slot.name) for slot in op.inputs]
    plain = {key: _plain(value) for key, value in attrs.items()}
    outs = op(*inputs, *attributes.from_file(op, {**op_table.defaults(op.type), **plain}))
    if op.single or len(op.outputs) == 1:
        return {op.outputs[0].name: outs}
    lists = sum(slot.is_list for slot in op.outputs)  # each has its share of what single outputs leave
    share, found, at = (len(outs) - len(op.outputs) + lists) // max(lists, 1), {}, 0
    for slot in op.outputs:
        found[slot.name] = list(outs[at:at + share]) if slot.is_list else outs[at]
        at += share if slot.is_list else 1
    return found


def _standing_slot(kind, attribute, value):
    """The slot for an attribute that is given by Variables, whose values are known when the program runs; None for others."""
    listed = isinstance(value, (list, tuple))
    if not any(isinstance(v, Symbolic) and v.known is None for v in (value if listed else [value])):
        return None
    slots = table()["tensors"].get(kind, {}).get(attribute)
    if not slots:
        raise TypeError(f"_C_ops: the attribute {attribute} of {kind} can't be a Variable, got {describe(value)}")
    return slots[0] if listed else slots[-1]


def _plain(value):
    """An attribute as files hold it: sizes and numbers may come as tensors, element types as objects."""
    if isinstance(value, Symbolic):
        value = wrap(np.asarray(value.known))
    if isinstance(value, Tensor):
        return value.tolist()
    if isinstance(value, DType):
        return value.code
    if isinstance(value, (list, tuple)):
        return [v[0] if isinstance(v, list) and len(v) == 1 else v for v in map(_plain, value)]
    return value


def _returned(outs, slots):
    values = [outs.get(slot) for slot in slots]
    return values[0] if len(values) == 1 else tuple(values)
