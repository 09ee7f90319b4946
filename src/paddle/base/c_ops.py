"""Operators under the names and in the argument order of 2.6.2's C++ functions (``c_ops.json``): behind ``paddle._C_ops`` and
``paddle._legacy_C_ops``, which packages written for Paddle call directly."""

import functools
import json
import os

import numpy as np

from ..core import attributes
from ..core.dtype import DType
from ..core.errors import describe
from ..core.op import Symbolic
from ..core.place import Place
from ..core.tensor import Tensor, wrap
from ..static.program import op_table, registry


@functools.cache
def table():
    """{"functions": {name: row}, "legacy": {"ins": ..., "outs": ...}} as scripts/record_c_ops.py wrote it."""
    with open(os.path.join(os.path.dirname(__file__), "c_ops.json"), encoding="utf8") as file:
        return json.load(file)


def function(name):
    """The function ``paddle._C_ops.name``; AttributeError where there is no such operator."""
    row = table()["functions"].get(name)
    inplace = row is not None and name.endswith("_")
    if row is None and name.endswith("_"):  # the in-place form of a function
        row = table()["functions"].get(name[:-1], {})
        row, inplace = (row, True) if "inplace" in row else (None, False)
    if row is None:
        raise AttributeError(f"module 'paddle._C_ops' has no attribute {name!r}: no operator here has that C++ function")
    op = registry.find(row["type"])

    def call(*args):
        return _call(name, op, row, args, inplace)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{op.__doc__}\n\nArguments, in order: {', '.join(a.replace(':', '=').partition('=')[0] for a in row['args'])}."
    return call


def legacy_function(name):
    """The function ``paddle._legacy_C_ops.name``: tensors in the order of their slots, then names and values of attributes."""
    op = registry.find(name)
    if op is None or name not in op_table.table():
        raise AttributeError(f"module 'paddle._legacy_C_ops' has no attribute {name!r}: there is no such operator here")
    row, listed = op_table.table()[name], table()["legacy"]
    slots = listed["ins"].get(name) or [slot.rstrip("*") for slot in row["in"] if not slot.endswith("?")]
    outs = listed["outs"].get(name) or [slot.rstrip("*?~") for slot in row["out"]]

    def call(*args):
        n = next((i for i, a in enumerate(args) if isinstance(a, str)), len(args))
        if n > len(slots) and not all(a is None for a in args[len(slots):n]):
            raise TypeError(f"_legacy_C_ops.{name}(): at most {len(slots)} tensors ({', '.join(slots)}), got {n}")
        attrs = dict(zip(args[n::2], args[n + 1::2]))
        return _returned(_run(op, dict(zip(slots, args)), attrs), outs)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{op.__doc__}\n\nTensors, in order: {', '.join(slots)}; then names and values of attributes."
    return call


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
                outs[slot] = given[argument].become(outs[slot], name)
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
