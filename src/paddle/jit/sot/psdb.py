"""What functions under ``symbolic_translate`` may ask of the translator, and tell it, as in 2.6."""

import builtins

from ...core.context import context

__all__ = ["assert_true", "breakgraph", "breakpoint", "check_no_breakgraph", "check_no_fallback", "fallback", "in_sot", "print"]


def check_no_breakgraph(fn):
    """The function itself. Paddle checks that its translator makes one piece of it; here it always does, or warns that the
    function runs eagerly."""
    return fn


check_no_fallback = check_no_breakgraph


def assert_true(input):
    """``assert input``, also where Python runs without assertions."""
    if not input:
        raise AssertionError(f"assert_true(): input is {input!r}")


def print(*args, **kwargs):
    """Print when the function runs or is traced, with a mark in front."""
    builtins.print("[Dygraph]", *args, **kwargs)


def breakpoint():
    """Python's debugger, where the function is traced."""
    builtins.breakpoint()


def breakgraph():
    """Where Paddle's translator begins another piece; a program here goes on, with the same results."""


def fallback():
    """Where Paddle's translator gives the function up; here it is translated on, with the same results."""


def in_sot():
    """Is the function being translated now?"""
    return context.trace is not None
