"""Rooms that do without the functions and methods of tensors: what a predictor needs.

Whatever else of the package is imported, ``paddle.tensor`` comes first, so that Tensors and Variables have all their methods
wherever a program meets one. Who only runs a saved model never imports it, which is a third of the time until the first result.
"""

import importlib
import sys
from typing import Any

_FREE = ("core", "kernels", "neighbours", "_native", "version", "ops", "serialization", "inference", "tensor",
         *[f"static.{part}" for part in ("ir", "schedule", "program", "at_once", "inference_io", "lod_tensor", "model_files",
                                         "scope")],
         "framework.inference_files", "framework.loaded", "utils.naming", "utils.unique_name")
_PREFIXES = tuple([f"paddle.{room}." for room in _FREE])
_HEADS = frozenset({"paddle.static", "paddle.framework", "paddle.utils"})  # packages whose modules are named above one by one


def complete() -> bool:
    """Import ``paddle.tensor``; is it all there? Not yet where it is itself what is being imported."""
    done = bool(vars(importlib.import_module("paddle.tensor")).get("complete"))
    if done and FIRST in sys.meta_path:
        sys.meta_path.remove(FIRST)
    return done


class _First:
    """Asked about every import until ``paddle.tensor`` is there: sees to it that it comes first."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if fullname.startswith("paddle.") and fullname not in _HEADS and not f"{fullname}.".startswith(_PREFIXES):
            complete()


FIRST = _First()
