"""fluid.layers: functions of one tensor, one line each, straight from the 2.x functions."""

import importlib

from ...core.addresses import lookup as _lookup
from ...static.nn import sequence
from ..state import fluid_call

# name in fluid: where it lives today
TABLE = {
    **{n: "paddle.tensor.functions:" + n for n in (
        "abs", "exp", "log", "sqrt", "rsqrt", "square", "reciprocal", "floor", "ceil", "round", "sin", "cos", "tan", "acos",
        "asin", "atan", "sinh", "cosh", "isnan", "isinf",
        "scatter_nd", "shard_index", "unbind", "erf")},
    **{n: "paddle.static.array:" + n for n in ("create_array", "array_write", "array_read", "array_length")},
    **{n: "paddle.nn.functional:" + n for n in (
        "relu", "sigmoid", "tanh", "selu", "gelu", "softplus", "softsign", "sequence_mask", "gather_tree")},
    **{n: "paddle.static.nn:" + n for n in (*sequence.__all__, "nce", "data_norm")},
    "dynamic_decode": "paddle.nn:dynamic_decode",
    "tanh_shrink": "paddle.nn.functional:tanhshrink", "logsigmoid": "paddle.nn.functional:log_sigmoid",
    "while_loop": "paddle.static.nn:while_loop", "cond": "paddle.static.nn:cond", "case": "paddle.static.nn:case",
    "switch_case": "paddle.static.nn:switch_case", "Print": "paddle.static:Print", "py_func": "paddle.static:py_func",
    "auc": "paddle.static:auc", "Assert": "paddle.static.nn:Assert",
}


def find(name):
    """The fluid function of that name from the table, or None."""
    entry = TABLE.get(name)
    if entry is None:
        return None
    module, _, attribute = entry.partition(":")
    place = importlib.import_module(module)
    found = vars(place).get(attribute) if module == "paddle.nn.functional" else getattr(place, attribute, None)
    if found is None:
        return None
    function = fluid_call(found, name)
    function.__doc__ = f"{(found.__doc__ or attribute).strip().splitlines()[0]} (1.x; successor: {_public(module)}.{attribute})"
    return function


def _public(module):
    return "paddle.tensor" if module == "paddle.static.array" else "paddle" if module == "paddle.tensor.functions" else module


_elsewhere = _lookup(__name__)


def __getattr__(name):
    if name in TABLE:  # programs of 1.x take them from here too
        return getattr(importlib.import_module("paddle.fluid.layers"), name)
    return _elsewhere(name)
