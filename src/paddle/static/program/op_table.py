"""What Paddle 2.6 knows about operators: slots, and types and defaults of attributes (``op_table.json``)."""

import functools
import json
import os

from ...serialization.program_desc import AttrType

_COMMON = {"op_role": AttrType.INT, "op_role_var": AttrType.STRINGS, "op_namescope": AttrType.STRING,
           "op_callstack": AttrType.STRINGS, "op_device": AttrType.STRING, "with_quant_attr": AttrType.BOOLEAN}

# what every operator carries, as it is before somebody sets it
EVERY = {"op_role": 0, "op_role_var": [], "op_namescope": "/", "op_callstack": [], "op_device": "", "with_quant_attr": False}


@functools.lru_cache(maxsize=1)
def table():
    """Type -> {'in': slots, 'out': slots, 'attrs': {name: [type, default]}}; a slot ends in * (list) or ? (optional)."""
    with open(os.path.join(os.path.dirname(__file__), "op_table.json"), encoding="utf-8") as file:
        return json.load(file)


def knows(op_type):
    """Does Paddle 2.6 have an operator of this type?"""
    return base(op_type) in table()


def intermediate(op_type):
    """The output slots that nobody but the gradient reads."""
    row = table().get(op_type, {"out": ()})
    return {text.rstrip("*?~") for text in row["out"] if text.endswith("~")}


def base(op_type):
    """The forward type below any ``_grad``."""
    while op_type not in table() and op_type.endswith("_grad"):
        op_type = op_type[:-5]
    return op_type


def attr_type(op_type, name, value):
    """The AttrType with which an attribute is written."""
    if name in _COMMON:
        return _COMMON[name]
    row = table().get(base(op_type))
    known = row and row["attrs"].get(name)
    if not known and isinstance(value, (list, tuple)) and not value:
        known = _elsewhere().get(name)  # an empty list does not tell
    return AttrType(known[0]) if known else guess(value)


@functools.lru_cache(maxsize=1)
def _elsewhere():
    """What any operator says of an attribute: for files that carry more of them than the table knows."""
    return {name: entry for row in table().values() for name, entry in row["attrs"].items()}


def guess(value):
    """The AttrType of a value that no table describes."""
    if isinstance(value, (list, tuple)):
        if not value:
            return AttrType.INTS
        one = guess(value[0])
        if one == AttrType.INT and any(guess(v) in (AttrType.FLOAT, AttrType.LONG) for v in value):
            one = max((guess(v) for v in value), key=[AttrType.INT, AttrType.LONG, AttrType.FLOAT].index)
        return {AttrType.INT: AttrType.INTS, AttrType.LONG: AttrType.LONGS, AttrType.FLOAT: AttrType.FLOATS,
                AttrType.BOOLEAN: AttrType.BOOLEANS, AttrType.STRING: AttrType.STRINGS}[one]
    if isinstance(value, bool):
        return AttrType.BOOLEAN
    if isinstance(value, int):
        return AttrType.INT if -2 ** 31 <= value < 2 ** 31 else AttrType.LONG
    if isinstance(value, float):
        return AttrType.FLOAT
    if isinstance(value, str):
        return AttrType.STRING
    raise TypeError(f"a value of type {type(value).__name__} can't be an attribute in a file")


def defaults(op_type):
    """Attributes that a file must carry, with the values they have when nobody sets them."""
    row = table().get(op_type)
    return {} if row is None else {name: entry[1] for name, entry in row["attrs"].items() if len(entry) > 1}
