"""Who holds an object, and an array's memory. Reference counts come without what the interpreter adds while it counts, which
differs by version."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np


def references(get: Callable[..., Any], owner: Any, name: str) -> int:
    """References to the object that ``get(owner, name)`` gives, with ``getattr`` or ``getitem``; 1: that place alone has it."""
    return sys.getrefcount(get(owner, name)) - _added


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array whose memory this one is a view of, or itself."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


_added = 0
_added = references(getattr, SimpleNamespace(held=object()), "held") - 1
