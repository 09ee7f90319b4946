"""Docstrings of siblings: what one function tells of its arguments is written once, and holds for the others.

    @documented_like(fft)
    def ifft(x, n=None, axis=-1, norm="backward", name=None): ...

``help(ifft)`` then has those Args of ``fft`` that ``ifft`` has too, and the other sections of ``fft`` (Returns, Shape, Note,
Raises). What a function tells itself stands in place of what its sibling tells. Both are of the same indentation.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, TypeVar

from .signature import arguments

T = TypeVar("T")
_SECTION = re.compile(r"^( *)(Args|Returns|Shape|Note|Raises):\n((?:\1 +\S.*\n)+)", re.M)
_ENTRY = re.compile(r"^( +)([^:(\n]+).*\n(?:\1 +.*\n)*", re.M)


def documented_like(sibling: Any) -> Callable[[T], T]:
    """Decorator: complete the docstring of a function or class with the sections of a sibling's."""
    def complete(item: T) -> T:
        if item.__doc__ is not None:  # as it is with python -OO
            names = arguments(item.__init__ if isinstance(item, type) else item)  # type: ignore[misc, arg-type]
            item.__doc__ = _completed(item.__doc__, sibling.__doc__, list(names))
        return item
    return complete


@functools.cache
def _parsed(doc: str) -> tuple[dict[str, str], dict[tuple[str, ...], str]]:
    """({section: its text with the header}, {arguments: what Args tells of them}) of a docstring."""
    sections = {found[2]: found[0] for found in _SECTION.finditer(doc)}
    text = sections.get("Args", "").partition("\n")[2]
    return sections, {tuple(found[2].strip().split(", ")): found[0] for found in _ENTRY.finditer(text)}


def _completed(doc: str, sibling: str, names: list[str]) -> str:
    theirs, entries = _parsed(sibling)
    own, told = _parsed(doc) if ":\n" in doc else ({}, {})  # most have no sections: this runs at import
    left = set(names).difference(*told)
    entries = {key: text for key, text in entries.items() if left.issuperset(key)}
    if own:
        order = {name: number for number, name in enumerate(names)}
        entries = dict(sorted((entries | told).items(), key=lambda entry: order.get(entry[0][0], len(names))))
        doc = _SECTION.sub("", doc)
    sections = theirs | own
    if entries:
        sections["Args"] = sections["Args"].partition("\n")[0] + "\n" + "".join(entries.values())
    text = "".join(sections[name] for name in sections if name != "Args" or entries)
    at = doc.rfind("\n", 0, doc.index(">>>")) + 1 if ">>>" in doc else len(doc)
    return f"{doc[:at].rstrip()}\n\n{text}\n{doc[at:]}"
