"""Other names for a list that becomes a list of the program.

A list that grows under a tensor's control is replaced by a ``TensorList`` in the names that the branch or loop carries. What else
holds it (another name, a container, an attribute, the function that handed it over) would go on with the old list: found here,
the function runs eagerly.
"""

import os
import sys
import types

from .errors import Untranslatable
from .transforms.names import FLAG, FUNCTION

_PADDLE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_DEPTH = 3  # containers within containers that are looked into
_NO_HOLDERS = (types.ModuleType, types.FunctionType, type)


def refuse_aliases(lists, values, names):
    """Untranslatable if a function that is being traced holds one of the lists elsewhere than in the named values."""
    wanted, rebuilt = {id(o) for o in lists}, set()
    for value in values:
        _containers(value, rebuilt)
    attributes = {name.rpartition(".")[2] for name in names if "." in name}
    frame, same, depth = sys._getframe(2), True, 0
    while frame is not None and not (depth and frame.f_code.co_filename.startswith(_PADDLE + "jit" + os.sep + "tracing")):
        code = frame.f_code
        if not code.co_filename.startswith(_PADDLE):
            depth += 1
            for name, value in frame.f_locals.items():
                if name.startswith(FLAG) or same and name in names:
                    continue
                if _holds(value, wanted, rebuilt, attributes, _DEPTH):
                    raise Untranslatable(f"a list that grows or shrinks under a tensor's control has another name, or is kept "
                                         f"elsewhere too ({name!r} in {code.co_name})")
            same = same and code.co_name.startswith(FUNCTION)  # a branch's or loop's function shares the names around it
        frame = frame.f_back


def _containers(value, found):
    """Note the ids of the containers in a value that is rebuilt."""
    if value.__class__ in (list, dict, tuple) and id(value) not in found:
        found.add(id(value))
        for member in value.values() if value.__class__ is dict else value:
            _containers(member, found)


def _holds(value, wanted, rebuilt, attributes, depth):
    if id(value) in wanted:
        return True
    if depth == 0 or isinstance(value, _NO_HOLDERS):
        return False
    if value.__class__ in (list, dict, tuple):
        if id(value) in rebuilt:
            return False
        members = value.values() if value.__class__ is dict else value
        return any(_holds(member, wanted, rebuilt, attributes, depth - 1) for member in members)
    table = getattr(value, "__dict__", None)
    return table.__class__ is dict and any(name not in attributes and id(member) in wanted for name, member in table.items())
