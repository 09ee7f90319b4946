"""What ruff doesn't check: length, a docstring on top, nothing left unfinished."""

import ast
import re

import pytest
from project.sources import PACKAGE, modules


@pytest.mark.parametrize("path", modules())
def test_file(path):
    text = (PACKAGE / path).read_text(encoding="utf-8")
    tree = modules()[path]
    lines = text.count("\n")
    assert lines <= 600, f"{path} has {lines} lines; one subject a file"
    assert not text.strip() or ast.get_docstring(tree), f"{path} doesn't say what it is"
    unfinished = re.search(r"#\s*(TODO|FIXME|XXX)", text)
    assert unfinished is None, f"{path}: {unfinished[0]}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name) and node.exc.id == "NotImplementedError":
            pytest.fail(f"{path}:{node.lineno}: NotImplementedError without a word")
