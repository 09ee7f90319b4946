"""Python's garbage collector, kept out of work that makes many objects which all stay."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """A ``with`` block or a decorator: no search for garbage in between.

    The search looks at every object that there is, again and again while they become more: of 800 layers it took half of the
    time that compiling them takes.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
