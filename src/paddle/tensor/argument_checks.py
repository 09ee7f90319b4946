"""What functions refuse while a program is built: arguments of other types, Variables of other data types.

``argument_checks.json`` (scripts/record_argument_checks.py) says what each function takes, with a column for 1.8 (functions and
layers of fluid, as they are called) and one for 2.6 (the others, where an argument becomes a tensor, sizes or a data type).
``context.rules.checks`` is the column in force. Dynamic code is not checked.
"""

import functools
import inspect
import json
import os

import numpy as np

from ..core import dtype as dtypes
from ..core.context import context
from ..core.errors import WrongKindError, describe
from ..core.op import Symbolic
from ..core.tensor import Tensor

_TYPES = {"Variable": (Symbolic, Tensor), "list": (list,), "tuple": (tuple,), "str": (str,), "int": (int,), "float": (float,),
          "bool": (bool,), "dict": (dict,), "set": (set, frozenset), "ndarray": (np.ndarray,), "None": (type(None),)}
_signature = functools.cache(inspect.signature)


@functools.cache
def table(column):
    """{function: {argument: (names of types or None, data types or None)}} of one column."""
    with open(os.path.join(os.path.dirname(__file__), "argument_checks.json"), encoding="utf8") as file:
        recorded = json.load(file)
    lists = [None if kinds is None else kinds.split() for kinds in recorded["element types"]]
    return {name: {argument: (types and types.split(), lists[number]) for argument, (types, number) in row[column].items()}
            for name, row in recorded["functions"].items() if column in row}


def check(column, function, argument, value):
    """TypeError if the value is nothing that the function took for the argument."""
    limit = table(column).get(function, {}).get(argument)
    if limit is not None:
        _check(function, argument, value, *limit)


def check_plain(value, function, argument):
    """The same for sizes and data types of functions of 2.x, while a program is built by them."""
    if context.static_mode and context.trace is None and context.rules.checks == "2.6":
        check("2.6", function, argument, value)


def check_call(column, name, function, args, kwargs):
    """The same for all arguments of a call, and for the members of lists."""
    limits = table(column).get(name)
    if limits is None:
        return
    given = _signature(function).bind_partial(*args, **kwargs).arguments
    for argument, limit in limits.items():
        if argument.endswith("[]"):
            values = given.get(argument[:-2])
            for value in values if isinstance(values, (list, tuple)) else ():
                _check(name, argument, value, *limit)
        elif argument in given:
            _check(name, argument, given[argument], *limit)


def _check(function, argument, value, types, kinds):
    if types is not None and not isinstance(value, tuple(kind for one in types for kind in _TYPES[one])):
        raise WrongKindError(f"{function}(): {argument} must be a {' or '.join(types)} in a program, got {describe(value)}")
    if isinstance(value, (Symbolic, Tensor, np.ndarray)):
        kind = value.dtype
    elif argument.endswith("dtype"):
        kind = value
    else:
        return  # members have limits of their own
    if kinds is None or kind is None:
        return
    known = kind if isinstance(kind, str) and kind not in dtypes.ALL and kind != "uint16" else dtypes.convert(kind).name
    if known not in kinds:
        raise WrongKindError(f"{function}(): {argument} must be of one of the types {', '.join(kinds)} in a program, got {known}")
