"""Docstrings of the 300 most used functions and layers have all their parts: typed arguments, results or shapes, errors that
really happen, an example."""

import inspect
import operator
import pathlib
import re

import pytest
from project.raising_calls import CALLS, NONE

import paddle

NAMES = [line for line in pathlib.Path(__file__).with_name("most_used.txt").read_text().splitlines() if not line.startswith("#")]
ENTRY = re.compile(r"^ {4}([\w*, ]+?) \([^\n]+?\):", re.MULTILINE)
ERRORS = re.compile(r"^Raises:\n((?: +\S.*\n?)+)", re.MULTILINE)
SECTION = re.compile(r"^Args:\n((?: +\S.*\n?)+)", re.MULTILINE)


def lacking(item):
    """What the docstring of a function or class leaves out."""
    text = inspect.getdoc(item) or ""
    section = SECTION.search(text)
    told = {name.strip(" *") for heads in ENTRY.findall(section[1] if section else "") for name in heads.split(",")}
    try:
        parameters = inspect.signature(item).parameters.values()
    except ValueError:  # written in C
        parameters = ()
    named = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in ("self", "name")]
    parts = [f"the argument {name} with its type" for name in named if name not in told]
    if not inspect.isclass(item) and "\nReturns:\n" not in text:
        parts.append("Returns")
    if inspect.isclass(item) and issubclass(item, paddle.nn.Layer) and not re.search(r"\n(Shape|Returns):\n", text):
        parts.append("Shape or Returns")
    return parts if ">>>" in text else [*parts, "an example"]


def find(name):
    return operator.attrgetter(name.removeprefix("paddle."))(paddle)


def named_errors(item):
    """The names of the errors under Raises."""
    section = ERRORS.search(inspect.getdoc(item) or "")
    return re.findall(r"^ {4}([\w.]+): ", section[1], re.MULTILINE) if section else []


def test_there_are_300():
    assert len(NAMES) == len(set(NAMES)) == 300


@pytest.mark.parametrize("name", NAMES)
def test_docstring(name):
    assert not lacking(find(name))


@pytest.mark.parametrize("name", NAMES)
def test_named_errors_happen(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    key = name.removeprefix("paddle.")
    if key in NONE:
        assert key not in CALLS
        return
    for error, call in CALLS[key]:
        with pytest.raises(error):
            call()
    told = [error.rpartition(".")[2] for error in named_errors(find(name))]
    assert sorted(told) == sorted(error.__name__ for error, _ in CALLS[key])


def test_a_lack_is_found():
    def bare(x, axis=None):
        """Adds.

        Args:
            x (Tensor): any.
        """
    assert lacking(bare) == ["the argument axis with its type", "Returns", "an example"]
