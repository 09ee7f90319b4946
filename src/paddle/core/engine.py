"""The two builds of the tape's hot path: in C (call.c, walk.c) where it was compiled, and in plain Python.

``FLAGS_use_fast_kernels=0`` in the environment leaves C out. Both offer the same base classes: what python_engine.py declares as
``__slots__`` are C fields there.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy  # noqa: F401  (here: Ctrl-C while C imports it would be printed, forgotten, and leave the package without C)

from . import built

try:
    if os.environ.get("FLAGS_use_fast_kernels", "1").strip().lower() in ("0", "false", "off", "no"):
        raise ImportError("turned off by FLAGS_use_fast_kernels")
    from . import _engine
    fast: Any = _engine
except ImportError:
    fast = None

build: Any
if fast is not None:
    built.check(fast)
    build = fast
else:
    from . import python_engine as build

if TYPE_CHECKING:  # slots are checked
    from .python_engine import NodeBase as NodeBase
else:
    NodeBase = build.NodeBase
TensorBase, OpBase, RecipeBase = build.TensorBase, build.OpBase, build.RecipeBase
next_number, run_walk = build.next_number, build.run_walk
Storage, share, leave, members, note_views = build.Storage, build.share, build.leave, build.members, build.note_views
ContextBase, ProcessBase = build.ContextBase, build.ProcessBase


def binary_method(op: Any, general: Any) -> Any:
    """The method ``x <op> y``: two Tensors of one dtype go straight to the op, everything else through ``general``."""
    return general if fast is None else fast.BinaryMethod(op, general)


def item_method(op: Any, general: Any) -> Any:
    """The method ``x[index]``: an index of ints, slices, None and Ellipsis goes straight to the op, others through ``general``."""
    return general if fast is None else fast.ItemMethod(op, general)


@contextlib.contextmanager
def chosen(build: str) -> Iterator[None]:
    """Op calls and backward passes of all threads go the way of one build, ``"c"`` or ``"python"``: how tests run on both."""
    global run_walk
    before = run_walk
    if fast is not None:
        run_walk = fast.run_walk if build == "c" else None
        fast.call_in_python(run_walk is None)
    try:
        yield
    finally:
        run_walk = before
        if fast is not None:
            fast.call_in_python(run_walk is None)
