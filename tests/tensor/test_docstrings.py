"""Every public name of paddle, Tensor, linalg, fft, signal and distribution says what it does, what its arguments mean, and
shows a call (tests/project/test_docs.py runs the examples)."""

import importlib
import inspect
import json
import pathlib
import re

import pytest

import paddle

NAMES = json.loads((pathlib.Path(__file__).parent.parent / "oracle" / "names.json").read_text())["names"]
ROOMS = ("paddle", "paddle.linalg", "paddle.fft", "paddle.signal", "paddle.distribution", "paddle.distribution.transform")


def documented():
    """The functions and classes, each once, under the first name found; and what Tensor has besides them."""
    seen = {}
    for room in ROOMS:
        for name in NAMES[room]:
            value = getattr(importlib.import_module(room), name)
            if callable(value):
                seen.setdefault(id(value), (f"{room}.{name}", value))
    for name in NAMES["paddle.Tensor"]:
        value = inspect.getattr_static(paddle.Tensor, name)
        seen.setdefault(id(value), (f"Tensor.{name}", value))
    return [pytest.param(value, id=name) for name, value in seen.values()]


def parameters(value):
    """What a caller may give, but for the name of the result."""
    try:
        found = inspect.signature(value.__init__ if inspect.isclass(value) else value).parameters
    except (TypeError, ValueError):  # a slot of a class in C
        return []
    return [name for name in found if name not in ("self", "name", "args", "kwargs")]


@pytest.mark.parametrize("value", documented())
def test_docstring(value):
    text = inspect.getdoc(value)
    assert text, "no docstring"
    assert text.split("\n\n")[0].endswith((".", "?")), "the first paragraph is not a sentence"
    if not callable(value) or re.match("Refused:|In-place form of", text):
        return
    explained, example, _ = text.partition(">>>")
    assert example, "no example"
    missing = [name for name in parameters(value) if not re.search(rf"\b{name}\b", explained)]
    assert not missing, f"arguments are not explained: {missing}"
