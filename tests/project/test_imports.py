"""Imports that stand inside functions name things that exist: they run late, often in code that few tests reach."""

import ast
import importlib
import pathlib

import paddle

ROOT = pathlib.Path(paddle.__file__).parent


def late_imports(path):
    """(line, module, name) of every import of ours below the top level of a file."""
    package = ["paddle", *path.relative_to(ROOT).parts[:-1]]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node not in tree.body and (node.level or (node.module or "").startswith("paddle")):
            base = package[:len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, module, alias.name) for alias in node.names)


def test_late_imports_resolve():
    missing = []
    for path in sorted(ROOT.rglob("*.py")):
        for line, module, name in late_imports(path):
            try:
                found = hasattr(importlib.import_module(module), name)
                if not found:
                    importlib.import_module(f"{module}.{name}")
            except ImportError as error:
                if (error.name or "").partition(".")[0] == "paddle":  # not one of the optional packages
                    missing.append(f"{path.relative_to(ROOT)}:{line}: from {module} import {name}")
    assert not missing, "\n".join(missing)
