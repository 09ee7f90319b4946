"""Turning imperative mode on and off, with 2.0 alpha's meanings (see core/rules.py)."""

from ..core.context import context
from ..core.rules import ALPHA
from ..fluid import state


def enabled():
    """Is imperative mode on, in any generation's way? (2.0 alpha; successor: paddle.in_dynamic_mode)"""
    return state.in_dygraph_mode()


def guard(place=None):
    """Imperative mode with 2.0 alpha's meanings inside the ``with`` block (2.0 alpha; successor: paddle.disable_static)."""
    return state.guard(place, ALPHA)


def enable_imperative(place=None):
    """Turn imperative mode on for the rest of the program, in this thread (2.0 alpha; successor: none needed, 2.x is
    imperative by default). Further calls only turn on again the recording of gradients that eval() of a layer turned off."""
    if context.guard is None or context.guard.manager is None:
        state.open_guard(place, ALPHA)
    context.guard.training = context.grad = True


def disable_imperative():
    """Turn off what ``enable_imperative`` turned on (2.0 alpha; successor: paddle.enable_static)."""
    state.disable_dygraph()
