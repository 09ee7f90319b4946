"""Where ops are declared: their modules are imported when one of their ops is asked for.

``homes.json`` lists for every module the types of its ops in files, ``type=name`` where Python calls one by another name.
``scripts/homes.py`` writes it.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
from typing import Any

from ..core.op import OPS

HERE = os.path.dirname(__file__)


@functools.cache
def tables() -> tuple[dict[str, str], dict[str, str]]:
    """Types of ops -> the modules below ``paddle.ops`` that declare them, and the same of their names in Python."""
    with open(os.path.join(HERE, "homes.json"), encoding="utf8") as file:
        homes = json.load(file)
    pairs = [(one.partition("=")[0], one.rpartition("=")[2], module) for module, ops in homes.items() for one in ops]
    return {kind: module for kind, _, module in pairs}, {name: module for _, name, module in pairs}


def declare(name: str) -> None:
    """Import the modules that declare the op of this type and the op of this name, as far as there are such."""
    for table in tables():
        if name in table:
            importlib.import_module("paddle.ops." + table[name])


def find(op_type: str) -> Any:
    """The op of a file type, or None."""
    if op_type not in OPS:
        declare(op_type)
    return OPS.get(op_type)


@functools.cache
def load_all() -> None:
    """Import every module that declares ops."""
    for module in set(tables()[0].values()):
        importlib.import_module("paddle.ops." + module)
