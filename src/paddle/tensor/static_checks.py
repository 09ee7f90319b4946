"""What functions refuse while a program is built: what is no tensor, and Variables of element types that Paddle 2.6 does not take.

``static_checks.json`` (scripts/record_static_checks.py) says what each function takes.
"""

import functools
import json
import os

from ..core.errors import WrongKindError, describe


@functools.cache
def _table():
    """{function: {argument: element types}}."""
    with open(os.path.join(os.path.dirname(__file__), "static_checks.json"), encoding="utf8") as file:
        recorded = json.load(file)
    lists = [frozenset(kinds.split()) for kinds in recorded["types"]]
    return {function: {name: lists[number] for name, number in row.items()} for function, row in recorded["functions"].items()}


def check_kind(x, function, argument):
    """TypeError if a Variable is of an element type that the function does not take."""
    kinds = _table().get(function, {}).get(argument)
    if kinds is not None and x.dtype is not None and x.dtype.name not in kinds:
        raise WrongKindError(f"{function}(): {argument} must be of one of the types {', '.join(sorted(kinds))} in a program, got "
                             f"{x.dtype.name}")


def refuse_value(x, function, argument):
    """TypeError for a value where a recorded function takes a Variable."""
    if argument in _table().get(function, {}):
        raise WrongKindError(f"{function}(): {argument} must be a Variable or a Tensor in a program, got {describe(x)}")
