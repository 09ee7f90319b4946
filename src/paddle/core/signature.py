"""The arguments of a function, read from its code.

``inspect.signature`` makes an object for each of them: for all ops that took a tenth of the import.
"""

from collections.abc import Callable
from typing import Any


class REQUIRED:
    """The default of an argument that has none."""


def arguments(function: Callable[..., Any]) -> dict[str, Any]:
    """{name: default, or REQUIRED} of the function's arguments, or those of what it wraps; ``*args`` and ``**kwargs`` left out."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__signature__"):  # not a plain function, or it says more than its code
        import inspect  # takes longer than reading the code of all ops
        parameters = inspect.signature(function).parameters.values()
        return {p.name: REQUIRED if p.default is p.empty else p.default for p in parameters
                if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    count = code.co_argcount
    found = dict.fromkeys(code.co_varnames[:count + code.co_kwonlyargcount], REQUIRED)
    defaults = function.__defaults__ or ()
    found.update(zip(code.co_varnames[count - len(defaults):count], defaults))
    found.update(function.__kwdefaults__ or {})
    return found
