"""What an extension module was built from. ``setup.py`` notes it in the module; an import compares where the sources are at hand.

A module built from other sources than those beside it fails in any way at all, so that a copy of the repository whose C was not
compiled again says so. This file imports nothing of the package: the build reads it before there is one.
"""

from __future__ import annotations

import os
import zlib
from types import ModuleType


def sources(folder: str) -> str | None:
    """A sum over the names and sizes of the C files in a folder; None if there are none, as in an installed copy."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(f"{e.name} {e.stat().st_size}" for e in entries if e.name.endswith((".c", ".h", ".inc")))
    except OSError:
        return None
    return f"{zlib.crc32(chr(10).join(found).encode()):08x}" if found else None


def check(module: ModuleType, folder: str) -> None:
    """Raise ImportError if a module was built from other sources than those in the folder."""
    now = sources(folder)
    if now is not None and getattr(module, "built_from", None) != now:
        raise ImportError(f"{module.__name__} was built from other C sources than those in {folder}. Build again: make install",
                          name=module.__name__, path=module.__file__)
