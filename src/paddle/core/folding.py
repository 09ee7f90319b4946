"""Tracebacks of user errors: the program's own lines and the one that complains, without what lies between inside the package."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable
from typing import Any

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_USUAL = (ValueError, TypeError, IndexError, KeyError, OverflowError, ZeroDivisionError)  # others may be defects of the package


class _Setting:
    level = 1


def set_level(level: Any) -> None:
    """Show all frames of the package in tracebacks from level 2 on (FLAGS_call_stack_level)."""
    _Setting.level = level


def hidden() -> bool:
    """Whether frames inside the package are left out of tracebacks."""
    return _Setting.level < 2


def fold(error: Any) -> Any:
    """Leave the package's own frames out of the traceback of a usual error, but the innermost; causes from there go too."""
    if not hidden() or not isinstance(error, _USUAL):
        return error
    kept = []
    head: Any = error.__traceback__
    entry = head
    while entry is not None:
        if entry.tb_next is None or not _inside(entry):
            kept.append(entry)
        entry = entry.tb_next
    for entry, following in itertools.pairwise([head, *kept]):
        if following is not entry:
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
