"""Addresses of other generations: module paths and names where Paddle keeps what lives elsewhere here.

``addresses.json`` holds, for every module path, which of our modules has the names that Paddle's module of that path has:
``{"paddle.nn.layer": {"paddle.nn": ["Linear", "here=there", ...]}}``. ``scripts/addresses.py`` writes it from the module trees
of Paddle 1.4 to 2.6. A path that no file of ours has is imported through ``Finder``; a module of ours that also carries
addresses says ``__getattr__ = lookup(__name__)``. Every entry is the object itself, never a copy.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import json
import os
import sys
import types
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from typing import Any

from .errors import suggest


@functools.cache
def table() -> dict[str, dict[str, tuple[str, str | None]]]:
    """{module: {name: (home, name there)}}; a name of None there means the module ``home`` itself."""
    with open(os.path.join(os.path.dirname(__file__), "addresses.json"), encoding="utf8") as file:
        homes = json.load(file)
    return {module: {name.partition("=")[0]: (home, name.rpartition("=")[2] or None) for home, names in places.items()
                     for name in names} for module, places in homes.items()}


@functools.cache
def _paths() -> set[str]:
    """All module paths of the table, with the packages above them."""
    return {".".join(parts[:n]) for parts in (module.split(".") for module in table()) for n in range(1, len(parts) + 1)}


def find(module: str, name: str, known: Iterable[str] = ()) -> Any:
    """What Paddle has as ``module.name``; AttributeError with the nearest names where the table has no such address."""
    here = sys.modules[module]
    if "_namesake" in vars(here):
        package, value = vars(here).pop("_namesake")
        setattr(package, module.rpartition(".")[2], value)
    names = {} if name.startswith("__") else table().get(module, {})
    if name in names:
        home, there = names[name]
        value = importlib.import_module(home) if there is None else getattr(importlib.import_module(home), there)
        if not hasattr(builtins, name):  # the code of the module itself goes on to call Python's all(), min(), ...
            setattr(here, name, value)
        return value
    if not name.startswith("_") and f"{module}.{name}" in _paths():
        return importlib.import_module(f"{module}.{name}")
    near = "" if name.startswith("_") else suggest(name, [*known, *names])
    raise AttributeError(f"module {module!r} has no attribute {name!r}{near}")


def lookup(module: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module: its names that live elsewhere, found when first asked for."""
    def __getattr__(name: str) -> Any:
        names = vars(sys.modules[module])
        return find(module, name, names.get("__all__") or [n for n in names if not n.startswith("_")])
    return __getattr__


class _Function(types.ModuleType):
    """A module whose path is the name of a function too; whoever imported the path calls the function by it."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)


class Finder:
    """Imports paths of the table that no file of ours has. It stands last, so it is asked only after the files."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not fullname.startswith("paddle.") or fullname not in _paths():
            return None
        is_package = any(p.startswith(fullname + ".") for p in _paths())
        return ModuleSpec(fullname, self, is_package=is_package)  # type: ignore[arg-type]  # importlib.abc would be one more import

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        above, _, name = module.__name__.rpartition(".")
        package = sys.modules[above]
        try:
            value = getattr(package, name, None)
        except NotImplementedError:  # refused as a whole; the path has what does exist of it
            value = None
        if value is not None:
            # Python binds the module in its package when it is loaded; what had that name comes back at the first look-up
            module._namesake = package, value
            if callable(value):
                module.__class__, module._function = _Function, value
        module.__doc__ = f"{module.__name__}: names that live elsewhere here (see core/addresses.py)."
        module.__getattr__ = lookup(module.__name__)
        module.__all__ = sorted(name for name in table().get(module.__name__, {}) if not name.startswith("_"))
        module.__dir__ = lambda: module.__all__
