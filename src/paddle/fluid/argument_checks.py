"""What functions of 1.8 refuse while a program is built: arguments of other types, Variables of other element types.

``argument_checks.json`` (scripts/record_fluid_checks.py) says what each function takes. In a guard nothing is checked, as there.
"""

import functools
import inspect
import json
import os

import numpy as np

from ..core import dtype as dtypes
from ..core.errors import WrongKindError, describe
from ..core.op import Symbolic
from ..core.tensor import Tensor

_TYPES = {"Variable": (Symbolic, Tensor), "list": (list,), "tuple": (tuple,), "str": (str,), "int": (int,), "float": (float,),
          "bool": (bool,), "dict": (dict,), "set": (set, frozenset), "ndarray": (np.ndarray,), "None": (type(None),)}


@functools.cache
def table():
    """{function: {argument: (types or None, element types or None)}}."""
    with open(os.path.join(os.path.dirname(__file__), "argument_checks.json"), encoding="utf8") as file:
        return json.load(file)


_signature = functools.cache(inspect.signature)


def check(name, function, args, kwargs):
    """TypeError if an argument of a call is nothing that 1.8 took for it."""
    limits = table().get(name)
    if limits is None:
        return
    given = _signature(function).bind_partial(*args, **kwargs).arguments
    for argument, (types, kinds) in limits.items():
        if argument.endswith("[]"):
            values = given.get(argument[:-2])
            for value in values if isinstance(values, (list, tuple)) else ():
                _check(name, argument, value, types, kinds)
        elif argument in given:
            _check(name, argument, given[argument], types, kinds)


def _check(name, argument, value, types, kinds):
    if types is not None and not isinstance(value, tuple(kind for one in types for kind in _TYPES[one])):
        raise TypeError(f"{name}(): {argument} must be {' or '.join(types)}, got {describe(value)}")
    if kinds is None or value is None or isinstance(value, (list, tuple)):
        return  # members have limits of their own
    kind = value.dtype if isinstance(value, (Symbolic, Tensor, np.ndarray)) else value
    known = dtypes.convert(kind).name if not isinstance(kind, str) or kind in dtypes.ALL else kind
    if known not in kinds:
        raise WrongKindError(f"{name}(): {argument} must be of one of the types {', '.join(kinds)}, got {known}")
