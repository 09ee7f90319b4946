"""Tracebacks of user errors: the program's own lines, without those inside the package. Where the error does not name the function
that refuses, as an accident would not, the line that raised it stays."""

from __future__ import annotations

import functools
import itertools
import os
import re
from collections.abc import Callable
from typing import Any

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_USUAL = (ValueError, TypeError, IndexError, KeyError, OverflowError, ZeroDivisionError)  # others may be defects of the package
_NAMED = re.compile(r"[\w.]+\(\)")  # "reshape(): ...", "conv2d() missing ..."


class _Setting:
    level = 1


def set_level(level: Any) -> None:
    """Show all frames of the package in tracebacks from level 2 on (FLAGS_call_stack_level)."""
    _Setting.level = level


def hidden() -> bool:
    """Whether frames inside the package are left out of tracebacks."""
    return _Setting.level < 2


def fold(error: Any) -> Any:
    """Leave the package's own frames out of the traceback of a usual error; causes from there go too."""
    if not hidden() or not isinstance(error, _USUAL):
        return error
    kept, is_named = [], _NAMED.match(str(error)) is not None
    head: Any = error.__traceback__
    entry = head
    while entry is not None:
        if not _inside(entry) or entry.tb_next is None and not is_named:
            kept.append(entry)
        entry = entry.tb_next
    chain = kept if head in kept[:1] else [head, *kept]
    for entry, following in itertools.pairwise([*chain, None]):
        if entry is not None:
            entry.tb_next = following  # in place: a bare raise of Python 3.10 begins with the head, whatever __traceback__ says
    error.__traceback__ = kept[0] if kept else None
    if _internal(error.__cause__):
        error.__cause__ = None
        error.__suppress_context__ = True
    return error


def _inside(entry: Any) -> bool:
    return entry.tb_frame.f_code.co_filename.startswith(_HOME)


def _internal(cause: Any) -> bool:
    """Whether a usual error was raised and caught without passing through the program's own code."""
    if not isinstance(cause, _USUAL):
        return False
    entry = cause.__traceback__
    while entry is not None:
        if not _inside(entry):
            return False
        entry = entry.tb_next
    return True


def folded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with short tracebacks."""
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except _USUAL as error:
            fold(error)
            raise
    return run
