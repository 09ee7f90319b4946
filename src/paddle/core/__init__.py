"""Tensor, operator, tape, context: the engine. Programs also find the C++ side of Paddle as ``paddle.core``."""

import importlib
import os
from typing import Any


def _of_the_side_in_c(name: str) -> Any:
    if name.startswith("_") or os.path.exists(os.path.join(os.path.dirname(__file__), name + ".py")):  # a module to be imported
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("paddle.base.core"), name)


__getattr__ = _of_the_side_in_c  # no function of its own: type checkers read the modules themselves
