"""Turning 2.0 alpha's meanings on and off.

While on, entries of the table replace attributes of public modules and classes; names that a program imported before
(``from paddle.nn.functional import cross_entropy``) are rebound as well. Off, everything is as before: a program of 2.x runs
the very functions it always ran.
"""

import contextlib
import sys

from ..fluid import state

_depth = 0
_undo = []


def enabled():
    """Is imperative mode on, in any generation's way? (2.0 alpha; successor: paddle.in_dynamic_mode)"""
    return state.in_dygraph_mode()


def active():
    """Do names have the meaning of 2.0 alpha at the moment?"""
    return _depth > 0


@contextlib.contextmanager
def guard(place=None):
    """Imperative mode with 2.0 alpha's meanings inside the ``with`` block (2.0 alpha; successor: paddle.disable_static)."""
    global _depth
    with state.guard(place):
        state.tracer().whole = False
        if not _depth:
            _install()
        _depth += 1
        try:
            yield
        finally:
            _depth -= 1
            if not _depth:
                _remove()


_opened = []


def enable_imperative(place=None):
    """Turn imperative mode on for the rest of the program; further calls do nothing (2.0 alpha; successor: none needed,
    2.x is imperative by default)."""
    if not _opened:
        manager = guard(place)
        manager.__enter__()
        _opened.append(manager)


def disable_imperative():
    """Turn off what ``enable_imperative`` turned on (2.0 alpha; successor: paddle.enable_static)."""
    if _opened:
        _opened.pop().__exit__(None, None, None)


def _install():
    from . import functions, gradients
    for owner, name, new in [*functions.table(), *gradients.table()]:
        _replace(owner, name, new)


def _replace(owner, name, new):
    old = getattr(owner, name)
    own = name in vars(owner)
    setattr(owner, name, new)
    _undo.append((owner, name, old if own else None))
    if not isinstance(owner, type):
        for module in _programs():  # names imported before the mode was turned on
            if vars(module).get(name) is old:
                setattr(module, name, new)
                _undo.append((module, name, old))


def _programs():
    """Modules that are not ours."""
    return [m for key, m in list(sys.modules.items()) if type(m) is type(sys) and key.partition(".")[0] != "paddle"]


def _remove():
    while _undo:
        owner, name, old = _undo.pop()
        if old is None:
            delattr(owner, name)
        else:
            setattr(owner, name, old)
