"""The code in README and docs runs, their links lead somewhere, and so do the examples in docstrings."""

import ast
import doctest
import importlib.util
import re
import subprocess
import sys

import numpy as np
import pytest
from project.sources import PACKAGE, ROOT, modules

import paddle

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("data/**/*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def translations():
    """Pairs of a Chinese page and the English one that it translates."""
    docs = ROOT / "docs"
    return [(page, docs / page.relative_to(docs / "zh")) for page in PAGES if page.is_relative_to(docs / "zh")]


def blocks():
    """Blocks of Python that import something (not in a quoted docstring) are programs; others are fragments.

    Those of translated pages are the same programs (test_translated_pages_have_the_same_code).
    """
    translated = {page for page, _ in translations()}
    for page in [page for page in PAGES if page not in translated]:
        for number, code in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
            if re.search(r"^(import|from) ", code, re.M):
                yield pytest.param(code, id=f"{page.relative_to(ROOT)}:{number}")


@pytest.mark.parametrize("code", list(blocks()))
def test_code_block_runs(code, tmp_path):
    (tmp_path / "block.py").write_text(code, encoding="utf-8")  # to_static reads the source
    done = subprocess.run([sys.executable, "-W", "error", "block.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def programs(page):
    """What the blocks of a page do: their statements, without comments and texts."""
    trees = [ast.parse(code) for code in BLOCK.findall(page.read_text(encoding="utf-8"))]
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.isascii():
            node.value = ""
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            del node.body[0]
        if isinstance(node, ast.JoinedStr):
            node.values = [value for value in node.values if isinstance(value, ast.FormattedValue)]
    return [ast.dump(tree) for tree in trees]


@pytest.mark.parametrize(("page", "english"), translations(), ids=lambda page: str(page.relative_to(ROOT)))
def test_translated_pages_have_the_same_code(page, english):
    assert programs(page) == programs(english)


def quotations():
    """Blocks that start with the name of a file quote it."""
    for page in PAGES:
        for number, code in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
            if found := re.match(r"# (\S+/\S+)\n", code):
                yield pytest.param(found[1], code[found.end():], id=f"{page.relative_to(ROOT)}:{number}")


@pytest.mark.parametrize(("path", "code"), list(quotations()))
def test_quoted_code_is_in_the_file(path, code):
    assert code in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:|#", target):
            path = page.parent / target.split("#")[0]
            assert path.exists(), f"{page.name} links to {target}"


def names():
    """Modules with an example in a docstring."""
    for path in modules():
        if ">>>" in (PACKAGE / path).read_text(encoding="utf-8"):
            parts = path.removesuffix(".py").removesuffix("__init__").strip("/").split("/")
            yield ".".join(["paddle", *parts]).rstrip(".")


@pytest.fixture
def fresh_state(tmp_path, monkeypatch):
    """Whatever an example switches is switched back; the files it writes go to a folder of their own."""
    monkeypatch.chdir(tmp_path)
    printing = np.get_printoptions()
    yield
    np.set_printoptions(**printing)
    paddle.seed(0)
    paddle.set_default_dtype("float32")
    if "paddle.static" in sys.modules:
        paddle.disable_static()


@pytest.mark.parametrize("name", list(names()))
def test_docstring_examples(name, fresh_state):
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    failures = []
    for test in doctest.DocTestFinder().find(importlib.import_module(name), name, globs={"paddle": paddle, "np": np}):
        runner.run(test, out=failures.append)
    assert runner.failures == 0, "".join(failures)


def test_reference_keeps_prose_together_and_lists_arguments():
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "scripts" / "site.py")
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    text = pages.markdown("Adds.\n\nArgs:\n    x (Tensor): one.\n        More.\n\nShape:\n    The first line\n    and its end.\n")
    assert "- `x` (Tensor): one.\n    More." in text and "\nThe first line\nand its end." in text
