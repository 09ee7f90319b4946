"""What an extension module was built from. ``setup.py`` notes it in the module; an import compares where the sources are at hand.

A module built from other sources than those beside it fails in any way at all, so that a copy of the repository whose C was not
compiled again says so. What is noted are two sums: of names and sizes, which every import of a checkout compares, and of contents,
which one compares only if a source is newer than the module. This file imports nothing of the package: the build reads it before
there is one.
"""

from __future__ import annotations

import os
import zlib
from types import ModuleType

FOLDERS = {"paddle._native": ("paddle/kernels/native", "capi", "capi/ops"), "paddle.core._engine": ("paddle/core",)}  # in src


def _files(folders: list[str]) -> list[os.DirEntry[str]]:
    """The C files in folders; none if the first has none, as in an installed copy."""
    found: list[os.DirEntry[str]] = []
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                found += sorted((e for e in entries if e.name.endswith((".c", ".h", ".inc"))), key=lambda e: e.name)
        except OSError:
            pass
        if not found:
            break
    return found


def _sizes(files: list[os.DirEntry[str]]) -> str:
    """A sum over names and sizes."""
    return f"{zlib.crc32(chr(10).join(f'{file.name} {file.stat().st_size}' for file in files).encode()):08x}"


def _contents(files: list[os.DirEntry[str]]) -> str:
    """A sum over contents."""
    total = 0
    for file in files:
        with open(file.path, "rb") as source:
            total = zlib.crc32(source.read(), total)
    return f"{total:08x}"


def sources(folders: list[str]) -> str:
    """What is noted of the C files in folders."""
    files = _files(folders)
    return f"{_sizes(files)} {_contents(files)}"


def check(module: ModuleType, root: str | None = None) -> None:
    """Raise ImportError if a module was built from other sources than those in its folders below ``root``."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) if root is None else root
    files = _files([os.path.join(root, folder) for folder in FOLDERS[module.__name__]])
    if not files:
        return
    sizes, _, contents = getattr(module, "built_from", "").partition(" ")
    made = os.stat(str(module.__file__)).st_mtime
    if sizes != _sizes(files) or any(file.stat().st_mtime > made for file in files) and contents != _contents(files):
        raise ImportError(f"{module.__name__} was built from other C sources than those in {root}. Build again: make install",
                          name=module.__name__, path=module.__file__)
