"""Shape rules written as patterns: ``"*batch n n -> *batch n:real, *batch n n"``.

Left of the arrow stands one shape per input, in the order of the slots (those at the end may be left out, ``_`` is any shape),
right of it one per output. A word is the name of a size, a number itself, ``*word`` any number of sizes, ``?`` a size that only
running tells; on the right it may also be an integer attribute, and the sum ``a+b`` of two. After a colon stands the dtype as in
the fact ``gives``; without it an output has the dtype of the first input.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core import dtype as dtypes
from ...core.facts import Spec


@functools.cache
def _parsed(text: str) -> tuple[list[list[str]], list[tuple[list[str], str | None]]]:
    left, _, right = text.partition("->")
    shapes = [word.split() for word in left.split(",")] if left.strip() else []
    outs = [part.partition(":") for part in right.split(",")]
    return shapes, [(shape.split(), kind.strip() or None) for shape, _, kind in outs]


def match(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Spec] | None:
    """The output Specs by the pattern of an op, or None where the inputs don't fit it."""
    shapes, outs = _parsed(op.facts.shapes)
    sizes: dict[str, Any] = {}
    for words, given in zip(shapes, inputs):
        first = given[0] if isinstance(given, list) else given
        if first is not None and words != ["_"] and not _bind(words, first.shape, sizes):
            return None
    made = []
    for words, kind in outs:
        shape: list[int] = []
        for word in words:
            if word[0] == "*":
                if word[1:] not in sizes:
                    return None
                shape += sizes[word[1:]]
            else:
                size = _size(word, sizes, attrs)
                if size is None:
                    return None
                shape.append(size)
        made.append(Spec(shape, dtype_of(kind, op, inputs, attrs)))
    return made


def _bind(words: list[str], shape: tuple[int, ...], sizes: dict[str, Any]) -> bool:
    """Give the words their sizes; False where a shape does not fit."""
    star = next((k for k, word in enumerate(words) if word[0] == "*"), None)
    if star is None:
        if len(words) != len(shape):
            return False
        pairs = list(zip(words, shape))
    else:
        after = len(words) - star - 1
        if len(words) - 1 > len(shape):
            return False
        pairs = list(zip(words[:star], shape)) + list(zip(words[star + 1:], shape[len(shape) - after:]))
        found = shape[star:len(shape) - after]
        before = sizes.setdefault(words[star][1:], found)
        if len(before) != len(found) or any(a != b and -1 not in (a, b) for a, b in zip(before, found)):
            return False
        sizes[words[star][1:]] = tuple(max(a, b) for a, b in zip(before, found))
    for word, size in pairs:
        before = int(word) if word.isdigit() else sizes.get(word, -1)
        if word != "?" and before != size and -1 not in (before, size):
            return False
        sizes[word] = max(before, size)
    return True


def _size(word: str, sizes: Mapping[str, Any], attrs: Mapping[str, Any]) -> int | None:
    if "+" in word:
        a, b = (_size(part, sizes, attrs) for part in word.split("+"))
        return None if a is None or b is None else -1 if -1 in (a, b) else a + b
    if word == "?":
        return -1
    found = int(word) if word.isdigit() else sizes.get(word, attrs.get(word))
    return None if found is None else int(found)


def dtype_of(kind: str | None, op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> np.dtype:
    """The dtype that a name means for a call: of an input, of an attribute's value, "real", "complex", or itself."""
    first: Any = next((i[0] if isinstance(i, list) else i for i in inputs if i is not None and i != []), None)
    if kind is None or kind in attrs:
        given = attrs.get(kind or "")
        return first.dtype if given is None or isinstance(given, int) and given == -1 else dtypes.to_numpy(given)
    if kind in ("real", "complex"):
        kinds = {"real": np.empty(0, first.dtype).real.dtype, "complex": np.result_type(first.dtype, np.complex64)}
        return np.dtype(kinds[kind])
    if kind in op.params:
        given = inputs[op.params.index(kind)]
        return (given[0] if isinstance(given, list) else given or first).dtype
    return np.dtype(kind)


def of_first(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> np.dtype:
    """The dtype of an op's one output: what it ``gives``, else its attribute ``dtype``, else that of its first input."""
    return dtype_of(op.facts.gives or ("dtype" if "dtype" in attrs else None), op, inputs, attrs)
