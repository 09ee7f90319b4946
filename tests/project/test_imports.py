"""What our own imports name: things that exist, where they are."""

import ast
import importlib
import pathlib

import paddle
from paddle.core import addresses

ROOT = pathlib.Path(paddle.__file__).parent


def imports(path, late=False):
    """(line, module, name) of every import of ours in a file; late: of those below its top level."""
    package = ["paddle", *path.relative_to(ROOT).parts[:-1]]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        ours = isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("paddle"))
        if ours and not (late and node in tree.body):
            base = package[:len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, module, alias.name) for alias in node.names)


def test_late_imports_resolve():
    missing = []
    for path in sorted(ROOT.rglob("*.py")):
        for line, module, name in imports(path, late=True):
            try:
                found = hasattr(importlib.import_module(module), name)
                if not found:
                    importlib.import_module(f"{module}.{name}")
            except ImportError as error:
                if (error.name or "").partition(".")[0] == "paddle":  # not one of the optional packages
                    missing.append(f"{path.relative_to(ROOT)}:{line}: from {module} import {name}")
    assert not missing, "\n".join(missing)


def test_our_own_imports_do_not_go_by_the_addresses_of_others():
    """The table of addresses is made by importing the package without one."""
    table = addresses.table()
    by_table = [f"{path.relative_to(ROOT)}:{line}: from {module} import {name}" for path in sorted(ROOT.rglob("*.py"))
                for line, module, name in imports(path) if name in table.get(module, ())]
    assert not by_table, "\n".join(by_table)
